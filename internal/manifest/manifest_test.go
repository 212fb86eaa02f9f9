package manifest

import (
	"slices"
	"strings"
	"testing"
)

func TestWhereIs(t *testing.T) {
	for host, want := range map[string]string{
		"localhost:3000": "this machine", "127.0.0.1:9": "this machine", "[::1]:80": "this machine", "::1": "this machine", "0.0.0.0": "this machine", "app.localhost": "this machine",
		"10.0.0.9": "private network", "169.254.169.254": "private network", "[fd00::1]:443": "private network", "intranet": "private network", "nas.local.": "private network",
		"h.example": "", "8.8.8.8:53": "", "${HOST}": "",
	} {
		if got := WhereIs(host); got != want {
			t.Errorf("%s: %q, want %q", host, got, want)
		}
	}
}

func TestCodeIn(t *testing.T) {
	for line, want := range map[string]int{ // the argument that is code; 0 = none
		"sh -c x": 2, "bash -lc x": 2, "/bin/zsh -c x": 2, "node -e x": 2, "node --eval=x": 1, "python3 -c x": 2, "env A=b sh -c x": 4, "docker run img sh -c x": 5,
		"deno eval x": 2, "cmd /c x": 2, "npx -c x": 2, "npx -y pkg -c x": 4, "node server.js": 0, "grep -c x": 0, "npx -y pkg": 0,
		"python3.12 -c x": 2, "Python.EXE -c x": 2, "bash.exe -c x": 2, "nodejs -e x": 2, "node.exe --eval=x": 1, "python -cx()": 1, "python -Ic x": 2, "pypy3 -c x": 2, "perl -ne x": 2, "perl -lane x": 2,
		"perl -ex()": 1, "ruby -ne x": 2, "php8.3 -r x": 2, "php -rx()": 1, "lua5.4 -e x": 2, "py -3 -c x": 3,
		"python -Wonce s.py": 0, "ruby -rjson s.rb": 0, "perl -Iinclude s.pl": 0, "python -m code": 0, "python s.py -config x": 0, "ruby s.rb -env x": 0, "php s.php -report x": 0, "node --require=x s.js": 0,
	} {
		argv := strings.Fields(line)
		got := 0
		code, _ := CodeIn(argv)
		for i := range argv {
			if code[i] {
				got = i
			}
		}
		if got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}

// TestCodeInTakesLinearTime would take minutes if each argument looked at all before it.
func TestCodeInTakesLinearTime(t *testing.T) {
	argv := append([]string{"sh", "-c"}, slices.Repeat([]string{"x"}, 50_000)...)
	if code, handed := CodeIn(argv); !code[2] || !handed[len(argv)-1] {
		t.Error("code, or what it is handed, is not seen")
	}
}

// TestCodeIsHandedArguments: what code may run is never hidden as a secret, what is meant for a program is none of it.
func TestCodeIsHandedArguments(t *testing.T) {
	for line, want := range map[string]bool{
		"sh -c $1 --token ./x": true, "env A=b bash -e -c $1 --token ./x": true, "su root -c $1 --token ./x": true, "node -r m -e y --token ./x": true, "python -cx() --token ./x": true,
		"deno eval y --token ./x": true, "node --eval=y --token ./x": true, "sh -c python -m y -c z --token ./x": true,
		"python -m server -c config.json --token s": false, "python server.py -c config.json --token s": false, "cmd /c npx server --token s": false, "npx -y pkg -c y --token s": false, "node server.js --token s": false,
	} {
		argv := strings.Fields(line)
		if _, handed := CodeIn(argv); handed[len(argv)-1] != want {
			t.Errorf("%s: %t, want %t", line, !want, want)
		}
	}
}

// TestNamed: what may be the program, script, package or image that runs is never hidden, whatever flags stand before it. A word behind
// what runs for certain may be a secret.
func TestNamed(t *testing.T) {
	for line, want := range map[string]bool{ // of the last word
		"x": true, "npx x": true, "npx -y --always-auth x": true, "npx -y -p pkg x": true, "docker run -i -eAUTH x": true, "docker run --name foo -eAUTH x": true, "java -Dauth x": true, "php -dsession x": true,
		"python -Xauth x": true, "python -m x": true, "node --auth x": true, "uvx --from x": true, "uv --directory api run x": true, "sudo -pauth ./x": true, "env A=b x": true, "timeout 5s x": true, "env A=b npx -y x": true,
		"docker --context run run -eAUTH x": true, "npx.cmd -y --auth x": true,
		"x --token s": false, "npx -y pkg --token s": false, "npx --yes pkg s": false, "docker run -i --rm -e A img --token s": false, "uvx --from x server --token s": false, "python -m server --token s": false,
		"python -u s.py --token s": false, "node s.js --token s": false, "uv run --quiet s.py --token s": false, "uv --directory api run s.py --token s": false, "java -jar s.jar --token s": false, "env A=b ./x --token s": false,
	} {
		argv := strings.Fields(line)
		if named := Named(argv); named[len(argv)-1] != want {
			t.Errorf("%s: %t, want %t", line, !want, want)
		}
	}
}

func TestSteers(t *testing.T) {
	for _, name := range []string{"NODE_OPTIONS", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "PATH", "PYTHONPATH", "https_proxy", "npm_config_registry", "GIT_SSH_COMMAND", "BASH_ENV", "JAVA_TOOL_OPTIONS",
		"GCONV_PATH", "XDG_CONFIG_HOME", "OPENSSL_CONF", "SSLKEYLOGFILE", "KUBECONFIG", "AWS_CONFIG_FILE", "NODE_COMPILE_CACHE", "PYTHONPYCACHEPREFIX"} {
		if !Steers(name) {
			t.Errorf("%s changes what runs", name)
		}
	}
	for _, name := range []string{"API_KEY", "LOG_LEVEL", "MY_PATH", "PORT", "GITHUB_TOKEN", "NODE_ENV", "AWS_REGION", "GOOGLE_APPLICATION_CREDENTIALS"} {
		if Steers(name) {
			t.Errorf("%s changes nothing", name)
		}
	}
}

// TestContainersAreOpened by options in each of their spellings; only the option is told, without its value.
func TestContainersAreOpened(t *testing.T) {
	for line, want := range map[string]string{
		"docker run -v /:/x img": "-v", "docker run -v/:/x img": "-v", "docker run -itv /:/x img": "-itv", "docker run -v=/:/x img": "-v", "docker run -vname:/x img": "-v",
		"docker.exe run --privileged img": "--privileged", "sudo docker run --pid=host img": "--pid", "podman run --volumes-from other img": "--volumes-from",
		"docker run --uts=host img": "--uts", "docker run --cgroupns host img": "--cgroupns", "docker run --device-cgroup-rule=a img": "--device-cgroup-rule",
		"docker run -i --rm img": "", "docker run --name volume img": "", "docker run -it img -verbose": "", "server -v /:/x": "",
	} {
		var words []Text
		for _, word := range strings.Fields(line) {
			words = append(words, Plain(word))
		}
		if want != "" {
			want = "opens the container with " + want
		}
		if got := oddCommand(words); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestUnusualIsOurOwnWord: why a line is marked is printed as it stands, so it repeats no text of a configuration, which may hold
// a secret or move the terminal's cursor.
func TestUnusualIsOurOwnWord(t *testing.T) {
	m := Manifest{Starts: []Text{Plain("docker"), Plain("run"), Masked("--volume=***", "--volume=hunter2\x1b[2K\u202e"), Plain("img")}}
	_, unusual := m.Brief()
	if len(unusual) != 1 || unusual[0].Unusual != "opens the container with --volume" {
		t.Errorf("%+q", unusual)
	}
}

// TestCompare tells what is new and what is gone, and has secrets in what is hashed alone.
func TestCompare(t *testing.T) {
	before := Manifest{Starts: []Text{Plain("x"), Masked("***", "s3cret")}, Sets: []Member{{Name: "A", Value: Plain("1")}}}
	after := Manifest{Starts: before.Starts, Sets: []Member{{Name: "A", Value: Plain("2")}}}
	added, gone := Compare(before.Strings(), after.Strings())
	if !slices.Equal(added, []string{"sets A=2"}) || !slices.Equal(gone, []string{"sets A=1"}) {
		t.Errorf("added %q, gone %q", added, gone)
	}
	if strings.Contains(strings.Join(before.Strings(), "\n"), "s3cret") || !strings.Contains(strings.Join(before.Parts(), "\n"), "s3cret") {
		t.Error("the secret is shown, or not hashed")
	}
}
