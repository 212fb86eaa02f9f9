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
		"env -S x": 2, "env -Sx": 1, "env --split-string=x": 1, "pnpm -c x": 2, "npm exec --call=x": 2, "runuser -c x": 2, "script -qc x": 2, "flock f -c x": 3, "tcsh -c x": 2, "nu -c x": 2, "fish --command=x": 1, "zsh -fc x": 2,
		"cmd /s/c x": 2, "cmd /d /cx": 2, "cmd /r x": 2, "pwsh -co x": 2, "pwsh /c x": 2, "powershell -ec x": 2, "pwsh --command x": 2, "ts-node -e x": 2, "luajit -e x": 2, "perl -0777e x": 2, "perl -Tse x": 2, "php -B x": 2, "ipython -c x": 2,
		"Rscript -e x": 2, "julia --eval=x": 1, "osascript -e x": 2, "make --eval=x": 1, "nix-shell --run x": 2, "emacs --eval x": 2, "gdb -ex x": 2, "ssh -oProxyCommand=x": 1, "ssh -o ProxyCommand=x h": 2, "git -c alias.x=!y x": 2,
		"gawk -e x": 2, "node --import data:text/javascript,x y": 2, "node --import=data:text/javascript,x": 1, "deno run data:x,y": 2, "node --import tsx s.ts": 0, "pwsh -File s.ps1": 0, "pwsh -ConfigurationName x": 0, "make -c x": 0,
		"deno eval x": 2, "cmd /c x": 2, "npx -c x": 2, "npx -y pkg -c x": 4, "node server.js": 0, "grep -c x": 0, "npx -y pkg": 0,
		"python3.12 -c x": 2, "Python.EXE -c x": 2, "bash.exe -c x": 2, "nodejs -e x": 2, "node.exe --eval=x": 1, "python -cx()": 1, "python -Ic x": 2, "pypy3 -c x": 2, "perl -ne x": 2, "perl -lane x": 2,
		"perl -ex()": 1, "ruby -ne x": 2, "php8.3 -r x": 2, "perl -Mstrict;x()": 1, "awk BEGIN{system(1)}": 1, "mawk -F: x|getline": 2, "awk -f s.awk": 0, "R -e x": 2, "raku -e x": 2, "erl -eval x": 2, "octave --eval x": 2, "iex -e x": 2, "php -rx()": 1, "lua5.4 -e x": 2, "py -3 -c x": 3,
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
		"x --token s": false, "npx -y pkg --token s": false, "npx --yes pkg s": false, "docker run -i --rm -e A img --token s": false, "docker run --volume=/:/x img --token s": false, "docker run -eAUTH=y img": true, "uvx --from x server --token s": false, "python -m server --token s": false,
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
		"GCONV_PATH", "XDG_CONFIG_HOME", "OPENSSL_CONF", "SSLKEYLOGFILE", "KUBECONFIG", "AWS_CONFIG_FILE", "NODE_COMPILE_CACHE", "PYTHONPYCACHEPREFIX", "ZDOTDIR", "SHELLOPTS", "TS_NODE_PROJECT", "TSX_TSCONFIG_PATH", "ELECTRON_RUN_AS_NODE", "PUPPETEER_EXECUTABLE_PATH", "COREPACK_NPM_REGISTRY",
		"VOLTA_HOME", "MISE_ENV", "PYENV_VERSION", "GOENV", "GOSUMDB", "CC", "RUSTUP_TOOLCHAIN", "MAKEFILES", "JAVA_HOME", "DOTNET_ROOT", "DOTNET_ADDITIONAL_DEPS", "NUGET_PACKAGES", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "COMPOSE_FILE",
		"CONTAINER_HOST", "CONTAINERS_CONF", "REGISTRY_AUTH_FILE", "CLOUDSDK_PYTHON", "GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES", "HOSTALIASES", "LESSOPEN", "RSYNC_RSH", "CURL_HOME", "WGETRC", "GTK_MODULES", "R_LIBS_USER", "JULIA_LOAD_PATH",
		"BROWSERSLIST_CONFIG", "PLAYWRIGHT_BROWSERS_PATH", "SUDO_ASKPASS", "GIO_EXTRA_MODULES", "QT_PLUGIN_PATH", "ERL_FLAGS", "GUILE_LOAD_PATH", "PSModulePath", "COMSPEC", "HGRCPATH", "SVN_SSH", "PGSYSCONFDIR", "MANPAGER", "VIMINIT",
		"LUA_CPATH", "RUSTC", "RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "GOAUTH", "GOCACHEPROG", "GOWORK", "NIX_PATH", "NIX_CONFIG", "JAVA_OPTS", "JBANG_REPO", "ESBUILD_BINARY_PATH", "NAPI_RS_NATIVE_LIBRARY_PATH", "ELECTRON_OVERRIDE_DIST_PATH", "PRISMA_QUERY_ENGINE_LIBRARY",
		"ASPNETCORE_HOSTINGSTARTUPASSEMBLIES", "DirectoryBuildPropsPath", "MSBuildSDKsPath", "PIPENV_PIPFILE", "POETRY_PYPI_URL", "PDM_PYTHON", "HATCH_PYTHON", "IPYTHONDIR", "JUST_JUSTFILE", "AWS_SHARED_CREDENTIALS_FILE", "AZURE_EXTENSION_DIR", "KRB5_CONFIG", "GST_PLUGIN_PATH", "VK_ICD_FILENAMES", "CUDA_INJECTION64_PATH"} {
		if !Steers(name) {
			t.Errorf("%s changes what runs", name)
		}
	}
	for _, name := range []string{"API_KEY", "LOG_LEVEL", "MY_PATH", "PORT", "GITHUB_TOKEN", "NODE_ENV", "AWS_REGION", "DOCKER_IMAGE", "GOAL", "CCC", "JAVA_VERSION", "R_VALUE", "PLAYWRIGHT_HEADLESS", "GTK_THEME", "GOOGLE_API_KEY", "DOTNET_ENVIRONMENT", "CONTAINER_NAME", "GOOGLE_APPLICATION_CREDENTIALS", "ASPNETCORE_URLS", "AZURE_TENANT_ID", "NIXIE", "JUSTIFY", "PRISMA_LOG", "HATCHERY"} {
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
		"docker run --env-file /home/me/.env img": "--env-file", "podman run --env-host img": "--env-host", "podman run --rootfs /": "--rootfs", "docker run --use-api-socket img": "--use-api-socket", "docker run --gpus all img": "--gpus",
		"docker run --runtime=x img": "--runtime", "docker run -i --rm img": "", "docker run --name volume img": "", "docker run -it img -verbose": "", "server -v /:/x": "",
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

// TestAnotherEngine: what stands before the subcommand says which engine or login is used; the server's own options do not.
func TestAnotherEngine(t *testing.T) {
	for line, want := range map[string]string{
		"docker -H tcp://h:2375 run img": "-H", "docker -Htcp://h run img": "-H", "docker --host=tcp://h run img": "--host", "docker --context x run img": "--context", "docker -c x run img": "-c", "docker --config d run img": "--config",
		"podman --url ssh://h run img": "--url", "podman --connection=x run img": "--connection", "podman --identity k run img": "--identity", "podman -r run img": "-r", "docker -D -H tcp://h run img": "-H", "docker -DH tcp://h run img": "-DH",
		"env A=b docker --context x run img": "--context", "podman --tmpdir run --url ssh://h run img": "--tmpdir", "docker --tlscacert=x run img": "--tlscacert", "docker --log-level run -H tcp://h run img": "-H",
		"docker run img -H x -c y": "", "docker run -h name img": "", "docker --debug run img": "", "docker -l info run img -c x": "", "docker": "", "docker --version": "",
	} {
		var words []Text
		for _, word := range strings.Fields(line) {
			words = append(words, Plain(word))
		}
		if want != "" {
			want = "uses another engine or login with " + want
		}
		if got := oddCommand(words); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestHiddenCode: code in an argument may run what a variable holds, or an argument before it, also what is masked.
func TestHiddenCode(t *testing.T) {
	code := []Text{Plain("sh"), Plain("-c"), Plain("$KEY")}
	for _, test := range []struct {
		m    Manifest
		want string
	}{
		{Manifest{Starts: code}, "runs code that stands in an argument"},
		{Manifest{Starts: code, Sets: []Member{{Name: "KEY", Value: Plain("${KEY}")}}}, "runs code that stands in an argument"},
		{Manifest{Starts: code, Sets: []Member{{Name: "KEY", Value: Masked("***", "touch x")}}}, "runs code that stands in an argument, which may run what is masked"},
		{Manifest{Starts: append([]Text{Plain("env"), Masked("KEY=***", "KEY=./x")}, code...)}, "runs code that stands in an argument, which may run what is masked"},
		{Manifest{Starts: []Text{Plain("x"), Masked("***", "s3cret")}}, ""},
	} {
		if got := test.m.Lines()[0].Unusual; got != test.want {
			t.Errorf("%v: %q, want %q", test.m, got, test.want)
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

// TestHostsThatLookLikeOthers: HTTP writes ①②⑦.0.0.1 as 127.0.0.1, and a Cyrillic о looks like a Latin one.
func TestHostsThatLookLikeOthers(t *testing.T) {
	for host, want := range map[string]bool{"①②⑦.0.0.1": true, "g\u043eod.example": true, "good。example": true, "good.example:8080": false, "xn--gd-jbc.example": false, "[::1]": false} {
		m := Manifest{Contacts: []Host{{URL: Plain("https://" + host + "/"), Host: Plain(host)}}}
		if _, unusual := m.Brief(); (len(unusual) > 0) != want {
			t.Errorf("%s: %v", host, unusual)
		}
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
