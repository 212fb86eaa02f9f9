package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// project returns the configuration of a directory of its own whose mcpctl.yaml has this text.
func project(t *testing.T, text string) *Config {
	t.Helper()
	dir := t.TempDir()
	place(t, filepath.Join(dir, "mcpctl.yaml"), []byte(text))
	c, err := Load(Input{Dir: dir, Root: dir, OS: "linux"})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return c
}

// TestTimeouts takes times from nothing to a day, both included.
func TestTimeouts(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"0s": 0, "90s": 90 * time.Second, "24h": 24 * time.Hour, "24h1s": -1, "-1s": -1, "soon": -1,
	} {
		e := project(t, "servers: {s: {command: x, timeout: '"+text+"'}}").Entries[0]
		if bad := want < 0; (e.Err() != nil) != bad || e.Server.Timeout != max(want, 0) {
			t.Errorf("%s: %v, %v", text, e.Server.Timeout, e.Err())
		}
	}
}

// TestBearer reads a token from where a flag says; it is never the flag itself, and no error quotes it.
func TestBearer(t *testing.T) {
	home := t.TempDir()
	place(t, filepath.Join(home, "token"), []byte("s3cret\n"))
	in := Input{Home: home, Lookup: func(name string) (string, bool) {
		value, ok := map[string]string{"TOKEN": "s3cret", "EMPTY": "", "TWO": "s3cret s3cret"}[name]
		return value, ok
	}}
	for flag, want := range map[string]string{
		"env:TOKEN":        "Bearer s3cret",
		"file:~/token":     "Bearer s3cret",
		"cmd:get --token":  "runs get --token",
		"env:EMPTY":        "the value of --bearer is empty",
		"env:TWO":          "the value of --bearer is not a single token",
		"env:NOT_SET":      "the variable NOT_SET of --bearer is not set",
		"env:s3cret value": "--bearer env: needs the name of an environment variable",
		"file:~/missing":   "reading the file of --bearer: ",
		"env:":             "--bearer takes env:NAME",
		"cmd:":             "--bearer takes env:NAME",
		"file:":            "--bearer takes env:NAME",
		"x:s3cret":         "--bearer takes env:NAME",
	} {
		value, helper, err := in.Bearer(flag)
		got := value.Reveal()
		switch {
		case err != nil:
			got = err.Error()
		case helper != nil && helper.Bearer:
			got = "runs " + helper.Command
		}
		if !strings.HasPrefix(got, want) || err != nil && (value != "" || helper != nil) {
			t.Errorf("%s: %q, want %q", flag, got, want)
		}
		if err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s is quoted: %v", flag, err)
		}
	}
}

// TestEnvFile: a file of variables gives the server values that are masked. It does not choose the program: only
// a PATH of the entry itself does.
func TestEnvFile(t *testing.T) {
	for env, search := range map[string]string{`{}`: "/own", `{"PATH": "/entry"}`: "", `{"A": "b"}`: "/own"} {
		dir := t.TempDir()
		place(t, dir+"/vars", []byte("KEY=s3cret\nPATH=/file\n"))
		entry := `{"command": "x", "envFile": "vars", "env": ` + env + `}`
		place(t, dir+"/.mcp.json", []byte(`{"mcpServers": {"s": `+entry+`}}`))
		c, err := Load(Input{Dir: dir, Root: dir, OS: "linux", Lookup: lookupOne("PATH", "/own")})
		if err != nil || c.Entries[0].Err() != nil {
			t.Fatalf("%s: %v, %v", env, err, c.Entries)
		}
		if before := c.Entries[0].Server; len(before.Stdio.Env["KEY"])+len(before.Values) > 0 {
			t.Errorf("%s: the file was read before the entry was trusted", env)
		}
		s := c.Entries[0].Opened().Server
		if s.Stdio.Search != search || s.Stdio.Env["KEY"] != "s3cret" {
			t.Errorf("%s: looked up in %q, want %q; KEY is %q", env, s.Stdio.Search, search, s.Stdio.Env["KEY"])
		}
		if !slices.Contains(s.Values, "s3cret") || slices.Contains(s.Values, "/file") {
			t.Errorf("%s: masked values: %d", env, len(s.Values))
		}
	}
}

// TestStdin reads "-" from standard input, and "./-" as the file of that name.
func TestStdin(t *testing.T) {
	t.Chdir(t.TempDir())
	place(t, "-", []byte(`{"mcpServers": {"file": {"command": "x"}}}`))
	stdin := `{"mcpServers": {"typed": {"command": "x"}}}`
	c, err := Load(Input{Dir: ".", Files: []string{"-"}, OS: "linux", Stdin: strings.NewReader(stdin)})
	if err != nil || !slices.Equal(c.Names(), []string{"typed"}) {
		t.Errorf("with standard input: %v, %v", c.Names(), err)
	}
	c, err = Load(Input{Dir: ".", Files: []string{"./-"}, OS: "linux", Stdin: strings.NewReader(stdin)})
	if err != nil || !slices.Equal(c.Names(), []string{"file"}) {
		t.Errorf("the file: %v, %v", c.Names(), err)
	}
}

// TestAddressesIn finds what a secret could be sent to, in the forms that programs take for an address.
func TestAddressesIn(t *testing.T) {
	for _, c := range []struct{ text, option, want string }{ // the option "env" stands for a value that is not an argument
		{"a.example", "--host", "a.example"},
		{"a.example", "--module", ""},
		{"--base-url=a.example", "", "a.example"},
		{"--base-url a.example", "", "a.example"},
		{"--module=a.example", "--host", ""},
		{"a.example:80", "", "a.example:80"},
		{"localhost:5432", "--db", "localhost:5432"},
		{"postgres:16", "run", ""},
		{"collector:9000", "run", "collector:9000"},
		{"--upstream=collector:80", "", "collector:80"},
		{"3000:3000", "-p", ""},
		{"ghcr.io/acme/server", "run", ""},
		{"https://me:pw@a.example/x", "", "a.example"},
		{"a.example", "env", "a.example"},
		{"a.example/x", "env", "a.example"},
		{"//a.example/x", "env", "a.example"},
		{"http:a.example", "env", "a.example"},
		{`https:\\a.example`, "env", "a.example"},
		{"HTTPS://A.Example", "env", "a.example"},
		{"[2001:db8::1]:443", "env", "[2001:db8::1]:443"},
		{"2001:db8::1", "env", "2001:db8::1"},
		{"collector:9000", "env", "collector:9000"},
		{"10.0.0.7", "env", "10.0.0.7"},
		{"user@a.example:/path", "env", "a.example"},
		{"http://1249763844/x", "env", "1249763844"},
		{"1249763844", "env", ""},
		{"12:30", "env", ""},
		{"münchen.example", "env", "münchen.example"},
		{`{"url": "https://a.example/x", "b": "b.example:1"}`, "env", "a.example b.example:1"},
		{"${BASE:-https://a.example}", "env", "a.example"},
		{"${A:-${B:-https://a.example}}/x", "env", "a.example"},
		{"https://${U:-a.example}/", "env", "a.example"},
		{"${S:-https}://a.example", "env", "a.example"},
		{"https://${SUB}.a.example/", "env", "${SUB}.a.example"},
		{"https://${HOST}/x", "env", ""},
		{"https://${HOST}:443/x", "env", ""},
		{"http://localhost:8080", "env", "localhost:8080"},
		{"localhost", "env", "localhost"},
		{"config.json", "env", ""},
		{"./a.example/x", "env", ""},
		{"/srv/a.example", "env", ""},
		{"info", "env", ""},
		{"@acme/server", "env", ""},
	} {
		got := strings.Join(addressesIn(expander{}.defaults(c.text), c.option, c.option != "env"), " ")
		if got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.text, c.option, got, c.want)
		}
	}
}

// TestInlineCode finds code in command lines, also behind launchers, and not in the options of scripts.
func TestInlineCode(t *testing.T) {
	for line, want := range map[string]string{
		"sh -c x":                              shellLine,
		"git -c alias.x=!y x":                  shellLine,
		"git -c core.sshCommand=x fetch":       shellLine,
		"git -c user.name=x status":            "",
		"doppler run --command x":              shellLine,
		"ssh host x":                           aShell,
		"/bin/BASH.exe -lc x":                  shellLine,
		"ash -c x":                             shellLine,
		"busybox sh -c x":                      shellLine,
		"env A=b sh -c x":                      shellLine,
		"env -S sh_-c_x":                       commandLine,
		"env -i -S x":                          commandLine,
		"npx -c x":                             shellLine,
		"npx --package=a -c x":                 shellLine,
		"npm exec -c x":                        shellLine,
		"npm exec --call=x":                    shellLine,
		"cmd /c x":                             shellLine,
		"cmd.exe /d /s /c x":                   shellLine,
		"powershell -NoProfile -Command x":     shellLine,
		"pwsh -ec x":                           shellLine,
		"node -e x":                            inlineText,
		"node --eval=x":                        inlineText,
		"node -pe x":                           inlineText,
		"node --require ./a.js -e x":           inlineText,
		"node --import data:text/javascript,x": inlineText,
		"npx node -e x":                        inlineText,
		"docker run img node -e x":             inlineText,
		"python -c x":                          inlineText,
		"python3.12 -Ic x":                     inlineText,
		"uv run python -c x":                   inlineText,
		"perl -ne x":                           inlineText,
		"ruby -e x":                            inlineText,
		"deno eval x":                          inlineText,
		"bun -e x":                             inlineText,
		"php -r x":                             inlineText,
		"awk BEGIN{system(1)}":                 inlineText,
		"sh run.sh":                            aShell,
		"docker run --entrypoint sh img":       aShell,
		"node server.js -e production":         "",
		"python server.py -c config.yaml":      "",
		"python -m server -c config.yaml":      "",
		"npx -y some-server -c config.json":    "",
		"uvx server --eval x":                  "",
		"deno run server.ts eval":              "",
		"awk -f x.awk":                         "",
		"node dist/index.js":                   "",
	} {
		if got := inlineCode(strings.Fields(line)); got != want {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
}

// TestPathsIn finds the paths in arguments, with which a server could start a file of a repository.
func TestPathsIn(t *testing.T) {
	for text, want := range map[string]string{
		"a/b":             "a/b",
		"-r/x/a.js":       "/x/a.js",
		"-x":              "-x",
		"--require=/x/a":  "/x/a",
		"cd / && node 'a": "/ node a",
		"/bin:/usr/bin":   "/bin /usr/bin",
	} {
		got := pathsIn(text)
		for _, path := range strings.Fields(want) {
			if !slices.Contains(got, path) {
				t.Errorf("%s: %q, want %q", text, got, path)
			}
		}
	}
}

// TestApplicationEntries: the file of an application of the user's is trusted as a whole; not an entry of a
// project, one that gets grants of mcpctl.yaml, or one of a file that others can write.
func TestApplicationEntries(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "own", "mcp.json")
	place(t, file, nil)
	shared := filepath.Join(dir, "shared", "mcp.json")
	place(t, shared, nil)
	repository := filepath.Join(dir, "repo", "mcp.json")
	place(t, repository, nil)
	place(t, filepath.Join(dir, "repo", ".git", "HEAD"), nil)
	if err := os.Chmod(filepath.Dir(shared), 0o777); err != nil {
		t.Fatal(err)
	}
	for what, c := range map[string]struct {
		path   string
		change func(*Entry)
		want   bool
	}{
		"the user's":      {file, func(*Entry) {}, true},
		"named":           {file, func(e *Entry) { e.Found = Named }, false},
		"no file":         {"", func(*Entry) {}, false},
		"network granted": {file, func(e *Entry) { e.May.Network = []string{"a"} }, false},
		"others can add":  {shared, func(*Entry) {}, false},
		"in a repository": {repository, func(*Entry) {}, false},
	} {
		e := Entry{Found: Discovered, declared: declaration{path: c.path}}
		c.change(&e)
		if got := e.Application(); got != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}

// TestAlike: two servers at a URL are one only if they log in the same way too.
func TestAlike(t *testing.T) {
	at := func(url, client string) Entry {
		return Entry{Server: probe.Server{HTTP: &probe.HTTP{URL: url}}, Login: Login{ID: client}}
	}
	one := at("https://h/", "a")
	for what, c := range map[string]struct {
		other Entry
		want  bool
	}{
		"same":           {at("https://h/", "a"), true},
		"another login":  {at("https://h/", "b"), false},
		"another server": {at("https://i/", "a"), false},
		"a command":      {Entry{Server: probe.Server{Stdio: &probe.Stdio{}}, Login: one.Login}, false},
		"neither":        {Entry{Login: one.Login}, false},
	} {
		if got := alike(one, c.other); got != c.want || alike(c.other, one) != c.want {
			t.Errorf("%s: %v", what, got)
		}
	}
}
