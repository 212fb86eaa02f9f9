package config

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// TestManyMistakes explains the first of very many mistakes alone: each would be compared with all that it may have been meant as.
func TestManyMistakes(t *testing.T) {
	dir := t.TempDir()
	line := func(n int, text string) (all string) {
		for i := range n {
			all += fmt.Sprintf(text, i)
		}
		return all
	}
	const many = 2 * maxSuggestions
	for text, want := range map[string]int{
		"servers: {a: {command: x}}\nrules:\n" + line(many, "  tool-removed%d: info\n"): maxSuggestions,
		line(many, "servers%d: {}\n"): maxSuggestions,
	} {
		place(t, filepath.Join(dir, projectFile), []byte(text))
		_, err := Load(Input{Files: []string{projectFile}, Dir: dir, Rules: func() []string { return []string{"tool-removed"} }})
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != many {
			t.Fatalf("%.60s: %v", text, err)
		}
		explained := 0
		for _, p := range problems {
			if strings.HasPrefix(p.Hint, "did you mean") {
				explained++
			}
		}
		if explained != want {
			t.Errorf("%.60s: %d of %d are explained, want %d", text, explained, many, want)
		}
	}
	place(t, filepath.Join(dir, projectFile), []byte("include: ["+line(2*maxIncluded, "f%d.json,")+"]"))
	if _, err := Load(Input{Files: []string{projectFile}, Dir: dir}); err == nil ||
		!strings.Contains(err.Error(), "more than 1000 files are included") || strings.Contains(err.Error(), "f1000.json") {
		t.Errorf("includes without end: %.200v", err)
	}
	place(t, filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers": {`+line(many, `"a": {"command": "x%d"},`)+`}}`))
	if c, err := Load(Input{Files: []string{".mcp.json"}, Dir: dir}); err != nil || len(c.Entries) != 1 ||
		len(c.Entries[0].Problems) != maxSuggestions {
		t.Errorf("one name for %d servers: %v, %d entries", many, err, len(c.Entries))
	}
}

// TestDeepFolders: a working folder is not a deeper than links can be looked for in, in each part of its path.
func TestDeepFolders(t *testing.T) {
	dir := t.TempDir()
	for levels, refused := range map[int]bool{maxLevels: false, maxLevels + 1: true, 1900: true} {
		place(t, filepath.Join(dir, projectFile), []byte("servers: {a: {command: x, cwd: "+strings.Repeat("d/", levels)+"}}"))
		c, err := Load(Input{Files: []string{projectFile}, Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		problems := c.Entries[0].Problems
		if is := len(problems) == 1 && problems[0].Line == 1 &&
			problems[0].Message == `"cwd" is a path of more than 64 directories`; is != refused || !refused && len(problems) > 0 {
			t.Errorf("%d levels: %v", levels, problems)
		}
	}
}
