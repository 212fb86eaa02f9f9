package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// holding is an environment with one variable.
func holding(variable string) func(string) (string, bool) {
	return func(name string) (string, bool) {
		if name != variable {
			return "", false
		}
		return "s3cret", true
	}
}

// loadFound loads a .mcp.json that the search finds, with TOKEN in the environment.
func loadFound(t *testing.T, dir, text string) Entry {
	t.Helper()
	place(t, filepath.Join(dir, ".mcp.json"), []byte(text))
	in := Input{Dir: dir, Home: "/home/me", Lookup: holding("TOKEN")}
	config, err := Load(in)
	if err != nil || len(config.Entries) != 1 {
		t.Fatalf("%s: %v, %d entries", text, err, len(config.Entries))
	}
	return config.Entries[0]
}

func TestNeedsTrust(t *testing.T) {
	for server, want := range map[string]bool{
		`"command": "s"`:                   true,
		`"command": "s", "disabled": true`: false,
		`"url": "http://h/"`:               false,
		`"url": "http://h/", "headers": {"X": "y"}, "type": "sse", "timeout": 5, "autoApprove": []`: false,
		`"url": "http://u:p@h/"`:                                         false, // the file's own, sent to where the file says
		`"url": "http://${TOKEN}@h/"`:                                    true,
		`"url": "http://h/?${TOKEN}"`:                                    true,
		`"url": "http://h/?${env:TOKEN}"`:                                true,
		`"url": "http://h/${UNSET:-${TOKEN}}"`:                           true,
		`"url": "http://h/", "headers": {"X": "${TOKEN}"}`:               true,
		`"url": "http://h/", "headers": {"X": {"env": "TOKEN"}}`:         true,
		`"url": "http://h/", "headers": {"X": {"file": "/etc/passwd"}}`:  true,
		`"url": "http://h/${workspaceFolder}"`:                           true,
		`"url": "http://h/", "headersHelper": "echo"`:                    true,
		`"url": "http://h/", "bearerToken": {"env": "TOKEN"}`:            true,
		`"url": "http://h/", "bearerToken": {"file": "/etc/passwd"}`:     true,
		`"url": "http://h/", "bearerToken": {"command": "echo"}`:         true,
		`"url": "http://h/", "bearer_token_env_var": "TOKEN"`:            true,
		`"url": "http://h/", "env_http_headers": {"X": "TOKEN"}`:         true,
		`"url": "http://h/", "http_headers": {"X": "${input:question}"}`: true,
	} {
		e := loadFound(t, t.TempDir(), `{"mcpServers": {"s": {`+server+`}}}`)
		if got := e.NeedsTrust(); got != want {
			t.Errorf("%s: %v, want %v", server, got, want)
		}
		if e.Found = Named; e.NeedsTrust() {
			t.Errorf("%s: needs trust though it was named", server)
		}
	}
}

// TestNeedsTrustWithSecretsOfTheEnvironment has secrets for a server of that name, wherever a found file says that it is.
func TestNeedsTrustWithSecretsOfTheEnvironment(t *testing.T) {
	dir := t.TempDir()
	place(t, filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers": {"ci": {"url": "http://h/"}, "other": {"url": "http://h/"}}}`))
	for _, variable := range []string{"MCPCTL_REFRESH_TOKEN_CI", "MCPCTL_CLIENT_SECRET_CI"} {
		read, err := Load(Input{Dir: dir, Lookup: holding(variable)})
		if err != nil || len(read.Entries) != 2 || !read.Entries[0].NeedsTrust() || read.Entries[1].NeedsTrust() {
			t.Errorf("%s: %v, %v", variable, err, read.Entries)
		}
	}
}

// TestSubject changes one thing of a server after the other: each that the repository decides must make another subject.
func TestSubject(t *testing.T) {
	dir := t.TempDir()
	const before = `{"servers": {"s": {"command": "s", "args": ["1", "2"], "env": {"A": "b"}, "envFile": ".env"}}, "inputs": [{"id": "q"}]}`
	place(t, filepath.Join(dir, ".env"), []byte("B=1\n"))
	_, _, agreed := loadFound(t, dir, before).Subject()
	for old, change := range map[string]string{
		`"command": "s"`: `"command": "other"`, `"1", "2"`: `"1 2"`, `["1", "2"]`: `["2", "1"]`, `"A": "b"`: `"A": "c"`, `{"A": "b"}`: `{"A": "b", "NODE_OPTIONS": "x"}`,
		`"envFile": ".env"`: `"envFile": "./.env"`, `"args"`: `"cwd": "/", "args"`, `"b"}`: `"b"}, "timeout": 5`, `{"id": "q"}`: `{"id": "q", "default": "--eval"}`,
	} {
		changed := strings.Replace(before, old, change, 1)
		if _, _, parts := loadFound(t, dir, changed).Subject(); changed == before || slices.Equal(parts, agreed) {
			t.Errorf("%s: the same subject", changed)
		}
	}
	same := strings.Replace(before, `"inputs"`, "// a remark\n \"other\": {}, \"inputs\"", 1)
	if file, _, parts := loadFound(t, dir, same).Subject(); !slices.Equal(parts, agreed) || file != filepath.Join(dir, ".mcp.json") {
		t.Errorf("an edit elsewhere in %s is another subject", file)
	}
	place(t, filepath.Join(dir, ".env"), []byte("B=1\nLD_PRELOAD=./x.so\n"))
	if _, _, parts := loadFound(t, dir, before).Subject(); slices.Equal(parts, agreed) {
		t.Error("another envFile is the same subject")
	}
	_ = os.Remove(filepath.Join(dir, ".env"))
}

// TestSubjectIsUnambiguous moves text from one key to another.
func TestSubjectIsUnambiguous(t *testing.T) {
	dir := t.TempDir()
	_, _, a := loadFound(t, dir, `{"mcpServers": {"s": {"command": "s", "args": ["a", "b"], "env": {}}}}`).Subject()
	_, _, b := loadFound(t, dir, `{"mcpServers": {"s": {"command": "s", "args": ["a"], "env": {"b": ""}}}}`).Subject()
	_, _, c := loadFound(t, dir, `{"mcpServers": {"s": {"command": "s", "args": ["a", "end"], "env": {}}}}`).Subject()
	_, _, d := loadFound(t, dir, `{"mcpServers": {"s": {"command": "s", "x": [{}, "y"]}}}`).Subject()
	_, _, e := loadFound(t, dir, `{"mcpServers": {"s": {"command": "s", "x": [{"end": "y"}]}}}`).Subject()
	if slices.Equal(a, b) || slices.Equal(a, c) || slices.Equal(d[:len(d)-1], e[:len(d)-1]) {
		t.Errorf("%q\n%q\n%q\n%q\n%q", a, b, c, d, e)
	}
}

// TestNeedsTrustInEveryDialect writes the same two servers as applications do: one that sends a variable away, and one that
// sends nothing.
func TestNeedsTrustInEveryDialect(t *testing.T) {
	for name, text := range map[string]string{
		"mcp.json":      `{"servers": {"sends": {"url": "http://h/${env:TOKEN}"}, "plain": {"url": "http://h/"}}}`,
		"opencode.json": `{"mcp": {"sends": {"type": "remote", "url": "http://h/", "headers": {"X": "{env:TOKEN}"}}, "plain": {"type": "remote", "url": "http://h/"}}}`,
		"config.toml":   "[mcp_servers.sends]\nurl = 'http://h/'\nenv_http_headers = {X = 'TOKEN'}\n[mcp_servers.plain]\nurl = 'http://h/'\n",
		"config.yaml":   "mcpServers:\n  - {name: sends, url: 'http://h/${{ secrets.TOKEN }}'}\n  - {name: plain, url: 'http://h/'}\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		if name == "config.yaml" {
			path = filepath.Join(t.TempDir(), ".continue", name)
		}
		place(t, path, []byte(text))
		read, err := Load(Input{Dir: filepath.Dir(path), Home: "/home/me", Files: []string{path}, Lookup: holding("TOKEN")})
		if err != nil || len(read.Entries) != 2 {
			t.Fatalf("%s: %v, %d entries", name, err, len(read.Entries))
		}
		for _, e := range read.Entries {
			e.Found = Discovered
			if e.NeedsTrust() != (e.Server.Name == "sends") || e.Err() != nil {
				t.Errorf("%s: %s: %v, %v", name, e.Server.Name, e.NeedsTrust(), e.Err())
			}
		}
	}
}

// FuzzFlatten wants the same parts of no two different values.
func FuzzFlatten(f *testing.F) {
	f.Add([]byte(`{"a": [{}, "end"]}`), []byte(`{"a": [{"end": "x"}]}`))
	f.Add([]byte(`{"key": "a"}`), []byte(`{"key": {"a": null}}`))
	f.Add([]byte(`[1, "1", true]`), []byte(`["1", 1, "true"]`))
	f.Fuzz(func(t *testing.T, one, other []byte) {
		a, wrong := parseJSON(one)
		b, alsoWrong := parseJSON(other)
		if wrong != nil || alsoWrong != nil {
			return
		}
		if same := slices.Equal(a.flatten(nil), b.flatten(nil)); same != equalValues(a, b) {
			t.Errorf("%q and %q: the same parts is %v", one, other, same)
		}
	})
}

// equalValues compares values without their lines.
func equalValues(a, b value) bool {
	return a.kind == b.kind && a.text == b.text && slices.EqualFunc(a.items, b.items, equalValues) &&
		slices.EqualFunc(a.fields, b.fields, func(x, y field) bool { return x.key == y.key && equalValues(x.value, y.value) })
}
