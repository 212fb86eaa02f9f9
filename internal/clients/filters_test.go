package clients

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/syntax"
)

// TestFilters: which of four tools are on, by the file that an application has.
func TestFilters(t *testing.T) {
	tools := []string{"find", "list", "write.all", "delete"}
	for _, test := range []struct {
		file, content, on string
	}{
		{".codex/config.toml", `{"a": {}}`, "find list write.all delete"},
		{".codex/config.toml", `{"a": {"enabled_tools": ["find", "list"]}}`, "find list"},
		{".codex/config.toml", `{"a": {"enabled_tools": ["find", "list"], "disabled_tools": ["list"]}}`, "find"},
		{".codex/config.toml", `{"a": {"disabled_tools": ["list"]}}`, "find write.all delete"},
		{".codex/config.toml", `{"a": {"enabled_tools": []}}`, ""},
		{".codex/config.toml", `{"a": {"enabled_tools": null}}`, "find list write.all delete"},
		{".codex/config.toml", `{"a": {"enabled_tools": "find"}}`, "find list write.all delete"},
		{".codex/config.toml", `{"a": {"enabled_tools": ["*"], "includeTools": ["find"]}}`, ""},
		{".gemini/settings.json", `{"a": {"includeTools": ["find(text)", "list"], "excludeTools": ["list"]}}`, "find"},
		{".gemini/settings.json", `{"a": {"excludeTools": ["list(x)"]}}`, "find list write.all delete"},
		{".qwen/settings.json", `{"a": {"includeTools": ["list"]}}`, "list"},
		{".kiro/settings/mcp.json", `{"a": {"disabledTools": ["list"], "includeTools": []}}`, "find write.all delete"},
		{".config/goose/config.yaml", `{"a": {"available_tools": []}}`, "find list write.all delete"},
		{".config/goose/config.yaml", `{"a": {"available_tools": ["delete"]}}`, "delete"},
		{"mcp-config.json", `{"a": {"tools": ["*"]}}`, "find list write.all delete"},
		{"mcp-config.json", `{"a": {"tools": ["find"]}}`, "find"},
		{"opencode.json", `{"a": {}, "tools": {"a_*": false}}`, ""},
		{"opencode.json", `{"a": {}, "tools": {"a": false}}`, ""},
		{"opencode.json", `{"a": {}, "tools": {"*": false, "a_find": true}}`, "find"},
		{"opencode.json", `{"a": {}, "tools": {"a_find": true, "a_*": false}}`, ""},
		{"opencode.json", `{"a": {}, "tools": {"*_list": false, "find": false, "a_write_all": false}}`, "find delete"},
		{"opencode.json", `{"a": {}, "a_b": {}, "tools": {"a_b_*": false, "a_????": false}}`, "write.all delete"},
		{"opencode.json", `{"a": {}, "tools": ["a_find"]}`, "find list write.all delete"},
		{".amazonq/cli-agents/x.json", `{"a": {}, "tools": ["@a/find", "@b", "fs_read"]}`, "find"},
		{".amazonq/cli-agents/x.json", `{"a": {}, "tools": ["@a"]}`, "find list write.all delete"},
		{".amazonq/cli-agents/x.json", `{"a": {}, "tools": ["*"]}`, "find list write.all delete"},
		{".amazonq/cli-agents/x.json", `{"a": {}, "tools": ["@builtin"]}`, ""},
		{".mcp.json", `{"a": {"includeTools": ["find"], "enabled_tools": ["find"], "tools": ["find"]}}`, "find list write.all delete"},
		{".cursor/mcp.json", `{"a": {"includeTools": ["find"]}}`, "find list write.all delete"},
		{"servers.json", `{"a": {"includeTools": ["find"]}}`, "find"},
	} {
		root, wrong := syntax.JSON([]byte(test.content))
		if wrong != nil {
			t.Fatal(wrong)
		}
		a, _ := root.Get("a")
		servers := []string{"a", "b"}
		if _, longer := root.Get("a_b"); longer {
			servers = append(servers, "a_b")
		}
		filter, _ := ApplicationOf(filepath.FromSlash("/home/me/"+test.file), Shared).Filter(a, root, servers)
		var on []string
		for _, tool := range tools {
			if is, _ := filter.On(tool); is {
				on = append(on, tool)
			}
		}
		if diff := cmp.Diff(test.on, strings.Join(on, " ")); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.file, test.content, diff)
		}
	}
}

// TestFiltersAreDocumented: docs/config.md names each application with its keys and their source, and no key of others.
func TestFiltersAreDocumented(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "config.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "## Tools that an application switches off")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, app := range Table() {
		name := strings.TrimSuffix(strings.TrimSuffix(app.Name, " Insiders"), " Developer")
		row := ""
		for line := range strings.SplitSeq(section, "\n") {
			if cell, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " |"); strings.Contains(cell, name) {
				row += line
			}
		}
		keys := app.Tools
		for _, key := range []string{keys.Only, keys.Off, keys.Patterns, keys.Agent} {
			if key != "" && !strings.Contains(row, "`"+key+"`") {
				t.Errorf("no row of docs/config.md names %s of %s", key, app.Name)
			}
		}
		if row == "" || !strings.Contains(row, keys.Source) || (keys == ToolKeys{}) != strings.Contains(row, "none is read") {
			t.Errorf("docs/config.md has %q for %s; without keys it is | %s | none is read | all | [%s](%s) |", row, app.Name,
				app.Name, app.Name, app.Rows[0].Source)
		}
	}
}
