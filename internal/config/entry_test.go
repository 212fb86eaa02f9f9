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
		s := c.Entries[0].Server
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

// TestAddressesOfOptions takes a host for an address where its option or variable is about one.
func TestAddressesOfOptions(t *testing.T) {
	for _, c := range []struct {
		u      use
		option string
		want   string
	}{
		{use{key: "args[1]", shown: "a.example"}, "--host", "args=a.example"},
		{use{key: "args[1]", shown: "a.example"}, "--module", ""},
		{use{key: "args[0]", shown: "--base-url=a.example"}, "", "args=a.example"},
		{use{key: "args[0]", shown: "--module=a.example"}, "--host", ""},
		{use{key: "args[0]", shown: "a.example:80"}, "", "args=a.example:80"},
		{use{key: "args[0]", shown: "https://me:pw@a.example/x"}, "", "args=https://***@a.example/x"},
		{use{key: "env.BASE", shown: "a.example"}, "", "BASE=a.example"},
		{use{key: "env.BASE", shown: "https://${HOST}/x"}, "", ""},
		{use{key: "env.BASE", shown: "http://localhost:8080"}, "", ""},
		{use{key: "headers.X", shown: "a.example"}, "", ""},
	} {
		if got := strings.Join(addressesIn(c.u, c.option), " "); got != c.want {
			t.Errorf("%q after %q: %q, want %q", c.u.shown, c.option, got, c.want)
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
		return Entry{Server: probe.Server{HTTP: &probe.HTTP{URL: url}}, Login: Client{ID: client}}
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
