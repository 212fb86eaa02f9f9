package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// TestEffects shows what a person weighs before trusting an entry of a project.
func TestEffects(t *testing.T) {
	for entry, want := range map[string]Effects{
		`{"command": "npx", "args": ["-y", "pkg"]}`: {
			Starts: []string{"npx", "-y", "pkg"}, Passes: []string{"npm_config_registry"}},
		`{"command": "x", "env": {"B": "${TOKEN}", "A": "${HOME}", "MODE": "fast", "V": "${MODE}"}}`: {
			Starts: []string{"x"}, Receives: []string{"HOME", "MODE", "TOKEN"},
			Sets: []string{"B=${TOKEN}", "A=${HOME}", "MODE=fast", "V=${MODE}"}},
		`{"command": "x", "cwd": "sub"}`: {Starts: []string{"x"}, Dir: "DIR/sub"},
		`{"command": "x", "cwd": "/"}`:   {Starts: []string{"x"}, Dir: "/, outside of the project"},
		`{"command": "npx", "cwd": "sub"}`: {Starts: []string{"npx"}, Dir: "DIR/sub", Passes: []string{"npm_config_registry"},
			Settings: []string{"settings in that directory"}},
		`{"command": "x", "args": ["--host", "a.example", "b.example", "http://localhost:1"]}`: {
			Starts:    []string{"x", "--host", "a.example", "b.example", "http://localhost:1"},
			Addresses: []string{"a.example"}},
		`{"command": "x", "env": {"K": "${K:-}", "BASE": "https://c.example", "DB": "localhost:5432", "NODE_OPTIONS": "-r x"}, ` +
			`"envFile": ".env"}`: {
			Starts: []string{"x"}, Receives: []string{"K", "the variables of .env"}, Reads: ".env",
			Sets:    []string{"BASE=https://c.example", "DB=localhost:5432", "NODE_OPTIONS=-r x"},
			Notable: []string{"DB", "NODE_OPTIONS"}, Addresses: []string{"c.example"}, Secrets: []string{"the variables of .env"}},
		`{"command": "bash", "args": ["-c", "token=x"]}`: {
			Starts: []string{"bash", "-c", "token=x"}, Code: "a shell line"},
		`{"url": "https://h.example/mcp", "headersHelper": "get --token abc123"}`: {
			Contacts: "https://h.example/mcp", Runs: []string{"get --token abc123"}, Code: "a shell line",
			Addresses: []string{"h.example"}},
		`{"url": "https://h.example/mcp", "headers": {"X-A": "b", "X-K": {"file": "k"}}, "oauth": {"clientId": "c", "scopes": ["a", ` +
			`"b"], "tokenUrl": "http://127.0.0.1/t"}}`: {
			Contacts: "https://h.example/mcp", Sends: []string{"X-A: b", "X-K: the content of k"}, Receives: []string{"the content of k"},
			Login: []string{"clientId=c", "scopes=a b", "tokenUrl=http://127.0.0.1/t"}, Notable: []string{"tokenUrl"},
			Addresses: []string{"h.example"}, Secrets: []string{"the content of k"},
			Tokens: "a token of 127.0.0.1 for https://h.example/mcp to h.example"},
	} {
		dir := t.TempDir()
		place(t, dir+"/.mcp.json", []byte(`{"mcpServers": {"s": `+entry+`}}`))
		c, err := Load(Input{Dir: dir, Root: dir, OS: "linux", Lookup: lookupOne("npm_config_registry", "r")})
		if err != nil || len(c.Entries) != 1 {
			t.Fatalf("%s: %v", entry, err)
		}
		empty := cmp.FilterValues(func(a, b []string) bool { return len(a)+len(b) == 0 }, cmp.Ignore())
		got := c.Entries[0].Effects()
		got.Dir = strings.ReplaceAll(got.Dir, dir, "DIR")
		if diff := cmp.Diff(want, got, empty); diff != "" {
			t.Errorf("%s (-want +got):\n%s", entry, diff)
		}
	}
}

// TestDigest changes with each thing that decides what an entry does and that stands outside of it.
func TestDigest(t *testing.T) {
	grant := func(e *Entry, network, write []string) { e.May.Network, e.May.Write = network, write }
	base := Entry{uses: []use{{text: "${workspaceFolder}/x"}}}
	seen := []string{base.Digest()}
	for what, change := range map[string]func(*Entry){
		"a host of the sandbox":      func(e *Entry) { grant(e, []string{"a"}, nil) },
		"another host":               func(e *Entry) { grant(e, []string{"b"}, nil) },
		"a directory of the sandbox": func(e *Entry) { grant(e, nil, []string{"a"}) },
		"the folder of the editor":   func(e *Entry) { e.scope.expander.folder = "/elsewhere" },
		"the directory that paths start at": func(e *Entry) {
			e.Server.Stdio, e.scope.folder = &probe.Stdio{}, "/a"
		},
		"that directory elsewhere": func(e *Entry) {
			e.Server.Stdio, e.scope.folder = &probe.Stdio{}, "/b"
		},
		"a folder that it names": func(e *Entry) {
			e.uses = []use{{text: "${HOME}/x"}}
			e.scope.known = map[string]string{"HOME": "/h"}
		},
		"that folder elsewhere": func(e *Entry) {
			e.uses = []use{{text: "${HOME}/x"}}
			e.scope.known = map[string]string{"HOME": "/i"}
		},
		"two hosts":              func(e *Entry) { grant(e, []string{"a", "b"}, nil) },
		"one that spells as two": func(e *Entry) { grant(e, []string{"anetworkb"}, nil) },
	} {
		e := base
		change(&e)
		if slices.Contains(seen, e.Digest()) {
			t.Errorf("%s does not change the digest", what)
		}
		seen = append(seen, e.Digest())
	}
}

// TestSelectTool: a second name that no server has is taken for a tool of the first, unless it is mistyped.
func TestSelectTool(t *testing.T) {
	c := &Config{Files: []string{"x"}, Entries: entriesOf("github", "files")}
	tool := "for a tool, prompt or resource of github: mcpctl show github search"
	for _, test := range []struct {
		names []string
		hint  string
	}{
		{[]string{"github", "search"}, tool},
		{[]string{"github", "files", "search"}, tool},
		{[]string{"github", "filess"}, `did you mean "files"?`},
		{[]string{"search", "github"}, `use one of "github", "files"`},
	} {
		_, err := c.Select(test.names)
		problems, _ := err.(Problems)
		if len(problems) != 1 || problems[0].Hint != test.hint {
			t.Errorf("%q: %#v, want the hint %q", test.names, err, test.hint)
		}
	}
	for name, want := range map[string]string{"srch": `no server "srch" is configured`,
		"a/b": `no server "a/b" is configured, and no such file exists`} {
		if _, err := c.Select([]string{name}); err == nil || !strings.HasPrefix(err.Error(), want+"\n") {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := c.Select([]string{"srch", "nothing"}); strings.Contains(err.(Problems)[1].Hint, "show srch") {
		t.Errorf("the tool of an unknown server: %v", err)
	}
}

// TestEffectsOfTheSandbox shows what mcpctl.yaml grants besides what all servers may.
func TestEffectsOfTheSandbox(t *testing.T) {
	e := Entry{May: Grants{Network: []string{"a.example", "b.example"}, Write: []string{"/out"}}}
	want := []string{"network: all of it, for a.example, b.example", "write: /out"}
	if diff := cmp.Diff(want, e.Effects().Sandbox); diff != "" {
		t.Error(diff)
	}
}

// TestLacksProgram: a program is missing only if it is a bare name that was looked up everywhere, in the user's PATH alone.
func TestLacksProgram(t *testing.T) {
	home := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	write("tools/here", "")
	write("tools/here.exe", "")
	write("project/.git/HEAD", "")
	write("project/bin/inside", "")
	own, inside := filepath.Join(home, "tools"), filepath.Join(home, "project", "bin")
	for _, test := range []struct {
		entry string
		path  []string
		lacks bool
	}{
		{`{"command": "gone"}`, []string{own}, true},
		{`{"command": "gone"}`, nil, true},
		{`{"command": "gone", "env": {"PATHS": "/x"}, "args": ["${K}"]}`, []string{own, ""}, true},
		{`{"command": "here"}`, []string{own}, false},
		{`{"command": "./gone"}`, []string{own}, false},
		{`{"command": "/gone"}`, []string{own}, false},
		{`{"command": "gone\\x"}`, []string{own}, false},
		{`{"command": ".."}`, []string{own}, false},
		{`{"command": "${X:-gone}"}`, []string{own}, false},
		{`{"command": "gone", "env": {"PATH": "/x"}}`, []string{own}, false},
		{`{"command": "gone", "env": {"Path": "/x"}}`, []string{own}, false},
		{`{"command": "inside"}`, []string{own, inside}, false},
		{`{"command": "gone"}`, []string{inside}, false},
		{`{"command": "gone"}`, []string{own, "bin"}, false},
		{`{"command": "gone"}`, []string{".", own}, false},
		{`{"url": "https://h.example/"}`, nil, false},
	} {
		write("project/.mcp.json", `{"mcpServers": {"s": `+test.entry+`}}`)
		search := strings.Join(test.path, string(filepath.ListSeparator))
		cfg, err := Load(Input{Dir: filepath.Join(home, "project"), Home: home,
			Lookup: func(name string) (string, bool) { return search, name == "PATH" }})
		if err != nil || len(cfg.Entries) != 1 {
			t.Fatalf("%s: %v", test.entry, err)
		}
		if got := LacksProgram(cfg.Entries[0]); got != test.lacks {
			t.Errorf("%s with PATH %q: %v, %v", test.entry, search, got, cfg.Entries[0].Problems)
		}
	}
}

// TestEntryStates: what an entry still needs before it starts.
func TestEntryStates(t *testing.T) {
	asked, other := Problem{asked: true}, Problem{Message: "no command"}
	prompts := []Prompt{{ID: "q"}}
	for _, test := range []struct {
		what              string
		entry             Entry
		asks, bad, trusts bool
	}{
		{"named", Entry{Found: Named}, false, false, false},
		{"searched", Entry{Found: Searched}, false, false, true},
		{"discovered", Entry{Found: Discovered}, false, false, true},
		{"disabled", Entry{Found: Searched, Disabled: true, Prompts: prompts, Problems: []Problem{asked}},
			false, false, false},
		{"an input", Entry{Prompts: prompts, Problems: []Problem{asked}}, true, true, false},
		{"an input, not allowed", Entry{Prompts: prompts, Problems: []Problem{asked}, refused: true},
			false, true, false},
		{"an input and more", Entry{Prompts: prompts, Problems: []Problem{asked, other}}, false, true, false},
	} {
		e := test.entry
		if len(e.Asks()) > 0 != test.asks || (e.Err() != nil) != test.bad || e.NeedsTrust() != test.trusts {
			t.Errorf("%s: asks %v, error %v, needs trust %v", test.what, e.Asks(), e.Err(), e.NeedsTrust())
		}
	}
}

// TestSends: what a login sends is named where the entry decides about it, and is asked about alone.
func TestSends(t *testing.T) {
	for oauth, want := range map[string]string{
		`{"clientId": "x"}`: "",
		`{"tokenUrl": "https://h.example/t", "authServerMetadataUrl": "https://login.h.example/m"}`: "",
		`{"tokenUrl": "https://other.example/t"}`: "a token of other.example for " +
			"https://h.example/mcp to h.example",
		`{"tokenUrl": "${T:-https://other.example/t}"}`: "a token of other.example for https://h.example/mcp to h.example",
		`{"authServerMetadataUrl": "https://h.example.evil.example/"}`: "a token of h.example.evil.example for https://h.example/mcp to " +
			"h.example",
		`{"tokenUrl": "https://${A:-h.example/}.other.example/t"}`: "a token of ${A}.other.example for https://h.example/mcp to " +
			"h.example",
		`{"tokenUrl": "https://other.example${PATH}@h.example/t"}`: "a token of other.example for https://h.example/mcp to h.example",
		`{"resource": "https://graph.example/"}`: "a token of the issuer that h.example names for " +
			"https://graph.example/ to h.example",
		`{"resource": false}`: "a token of the issuer that h.example names for any resource to " +
			"h.example",
		`{"identityToken": {"file": "t"}}`: "a token of the issuer that h.example names for " +
			"https://h.example/mcp to h.example",
		`{"identityToken": "${JOB}", "tokenUrl": "https://i.example/"}`: "a token of i.example for https://h.example/mcp to h.example",
	} {
		dir := t.TempDir()
		place(t, dir+"/.mcp.json", []byte(`{"mcpServers": {"s": {"url": "https://h.example/mcp", "oauth": `+oauth+`}}}`))
		c, err := Load(Input{Dir: dir, Root: dir, OS: "linux"})
		if err != nil || len(c.Entries) != 1 {
			t.Fatalf("%s: %v", oauth, err)
		}
		if x := c.Entries[0].Effects(); x.Tokens != want || want != "" && !x.Marked() {
			t.Errorf("%s: %q, want %q; asked alone %v", oauth, x.Tokens, want, x.Marked())
		}
	}
}
