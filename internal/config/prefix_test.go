package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestIncludePrefix reads two projects that both call their server "server".
func TestIncludePrefix(t *testing.T) {
	dir := t.TempDir()
	place(t, filepath.Join(dir, "web", ".mcp.json"), []byte(`{"mcpServers": {"server": {"command": "web"}}}`))
	place(t, filepath.Join(dir, "api", ".mcp.json"), []byte(`{"mcpServers": {"server": {"command": "api"}}}`))
	for text, want := range map[string][]string{
		"include: [web/.mcp.json, {file: api/.mcp.json, prefix: api-}]":                     {"server", "api-server"},
		"include: [{file: web/.mcp.json, prefix: web/}, {prefix: b., file: api/.mcp.json}]": {"web/server", "b.server"},
		"include: [{file: web/.mcp.json}]":                                                  {"server"},
	} {
		place(t, filepath.Join(dir, projectFile), []byte(text))
		c, err := Load(Input{Files: []string{projectFile}, Dir: dir})
		var names []string
		for _, e := range c.Entries {
			names = append(names, e.Server.Name)
			if e.Err() != nil {
				t.Errorf("%s: %v", text, e.Err())
			}
		}
		if diff := cmp.Diff(want, names); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", text, err, diff)
		}
	}
	for _, text := range []string{"include: [{prefix: a}]", "include: [{file: web/.mcp.json, names: a}]", "include: [{file: web/.mcp.json, prefix: [a]}]"} {
		place(t, filepath.Join(dir, projectFile), []byte(text))
		if _, err := Load(Input{Files: []string{projectFile}, Dir: dir}); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}
