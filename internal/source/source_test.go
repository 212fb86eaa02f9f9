package source_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/source"
)

func TestParse(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("folder", 0o700), os.MkdirAll("scope/there", 0o700)); err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]source.Source{
		"github":                 {Kind: source.Configured, Word: "github"},
		"io.github.user/server":  {Kind: source.Configured, Word: "io.github.user/server"},
		"@scope/server":          {Kind: source.Configured, Word: "@scope/server"},
		"https://h.example/mcp":  {Kind: source.URL, Word: "https://h.example/mcp"},
		"HTTP://h.example/mcp":   {Kind: source.URL, Word: "HTTP://h.example/mcp"},
		"http://127.0.0.1:1/sse": {Kind: source.URL, Word: "http://127.0.0.1:1/sse"},
		"saved.json":             {Kind: source.Path, Word: "saved.json"},
		"./github":               {Kind: source.Path, Word: "./github"},
		"a/b/c":                  {Kind: source.Path, Word: "a/b/c"},
		"scope/there":            {Kind: source.Path, Word: "scope/there"},
		"folder":                 {Kind: source.Path, Word: "folder"},
		"git:main":               {Kind: source.Git, Word: "main"},
		"git:v1:snapshots/a":     {Kind: source.Git, Word: "v1:snapshots/a"},
		"-":                      {Kind: source.Stdin, Word: "-"},
	} {
		got := source.Parse(word)
		if diff := cmp.Diff(want, got); diff != "" || got.String() != word {
			t.Errorf("Parse(%q) is %v (-want +got):\n%s", word, got, diff)
		}
		if live := got.Kind == source.Configured || got.Kind == source.URL; got.Live() != live {
			t.Errorf("%s: Live is %v", word, got.Live())
		}
	}
	for word, whole := range map[string]bool{"folder": true, "saved.json": false, "git:main": true, "git:main:a.json": false, "-": false,
		"github": false} {
		if got := source.Parse(word).Whole(); got != whole {
			t.Errorf("%s: Whole is %v", word, got)
		}
	}
}

func TestParseAll(t *testing.T) {
	all, err := source.ParseAll([]string{"a"}, []string{"npx", "b"})
	if err != nil || len(all) != 2 || all[1].Kind != source.Command || all[1].String() != "-- npx b" || !all[1].Live() {
		t.Errorf("%v, %v", all, err)
	}
	for _, wrong := range []struct{ words, command []string }{{[]string{""}, nil}, {nil, []string{}}} {
		if _, err := source.ParseAll(wrong.words, wrong.command); exit.CodeOf(err) != exit.Usage {
			t.Errorf("%q -- %q: %v", wrong.words, wrong.command, err)
		}
	}
}

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"saved/a.json": `{"mcpctl": 1, "tools": []}`, "saved/%2Eb.json": `{"tools": [{"name": "x"}]}`, "saved/notes.txt": "no snapshot",
		"broken.json": "[",
	} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	saved, err := source.Parse("saved").Find(t.Context(), host.Process{}, "")
	if err != nil || len(saved) != 2 || saved[0].Name != ".b" || saved[1].Name != "a" ||
		saved[1].Origin != filepath.Join("saved", "a.json") {
		t.Errorf("%+v, %v", saved, err)
	}
	saved, err = source.Parse("-").Find(t.Context(), host.Process{In: strings.NewReader(`{"tools": []}`)}, "")
	if err != nil || len(saved) != 1 || saved[0].Name != "stdin" || saved[0].Origin != "-" {
		t.Errorf("%+v, %v", saved, err)
	}
	if _, err := source.ReadFile(t.Context(), "nothing.json"); !errors.Is(err, fs.ErrNotExist) || exit.CodeOf(err) != exit.Usage {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := source.ReadFile(t.Context(), "broken.json"); exit.CodeOf(err) != exit.Usage ||
		!strings.Contains(err.Error(), "reading broken.json") {
		t.Errorf("a broken file: %v", err)
	}
}
