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

// TestNeedsTrust: whatever an entry does, it needs trust if nobody named its file.
func TestNeedsTrust(t *testing.T) {
	for server, want := range map[string]bool{
		`"command": "s"`:                              true,
		`"command": "s", "disabled": true`:            false,
		`"url": "http://h/"`:                          true, // what answers there may be meant for this machine alone
		`"url": "http://h/", "disabled": true`:        false,
		`"url": "http://${TOKEN}@h/"`:                 true,
		`"url": "http://h/", "headersHelper": "echo"`: true,
	} {
		e := loadFound(t, t.TempDir(), `{"mcpServers": {"s": {`+server+`}}}`)
		if got := e.NeedsTrust(); got != want {
			t.Errorf("%s: %v, want %v", server, got, want)
		}
		if e.Found = Discovered; e.NeedsTrust() != want {
			t.Errorf("%s: discovered, and it needs trust: %v", server, !want)
		}
		if e.Found = Named; e.NeedsTrust() {
			t.Errorf("%s: needs trust though it was named", server)
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
