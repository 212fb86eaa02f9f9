package config

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var fence = regexp.MustCompile("(?ms)^```(json|yaml)\n(.*?)^```$")

// TestDocs loads every example of docs/config.md.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	examples := fence.FindAllSubmatch(page, -1)
	if len(examples) == 0 {
		t.Fatal("no examples")
	}
	for _, example := range examples {
		dir := t.TempDir()
		file := "servers.json"
		if string(example[1]) == "yaml" {
			file = projectFile
		}
		place(t, filepath.Join(dir, file), example[2])
		place(t, filepath.Join(dir, ".mcp.json"), []byte(`{"mcpServers": {"files": {"command": "x"}}}`))
		place(t, filepath.Join(dir, ".env"), nil)
		c, err := Load(Input{Files: []string{file}, Dir: dir, Lookup: func(string) (string, bool) { return "value", true }})
		if err != nil || len(c.Entries) == 0 {
			t.Errorf("%s\n%d servers, %v", example[2], len(c.Entries), err)
		}
		for _, e := range c.Entries {
			if err := e.Err(); err != nil {
				t.Errorf("%s\n%v", example[2], err)
			}
		}
	}
}
