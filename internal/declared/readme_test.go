package declared_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestReadme reads the tables and lists in which real READMEs name their tools, and nothing that only looks like one.
func TestReadme(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want string // "LINE NAME LIST" of each
	}{
		"table":                 {"| Tool | What it does |\n|---|:-:|\n| `list` | Lists |\n| **create** | Creates |\n|close|Closes|\n\n| Client | Works |\n|---|---|\n| Cursor | yes |\n", "3 list 1,4 create 1,5 close 1"},
		"names under a heading": {"## Available tools\n\nName | Description\n--- | ---\n[`list`](#list) | Lists\n`create`, `close` | Both\n`pay` (needs `TOKEN`) | Pays\n## Names\n| Name | x |\n|--|--|\n| a | b |", "5 list 1,6 create 1,6 close 1,7 pay 1"},
		"list":                  {"### Tools\n\n- **list_items**\n  - Lists: all\n  - `of` (string)\n\n1. `create(title)`: Creates\n* not a name\n\nText.\n- `close`\n### Setup\n- `--flag`\n- `npm`", "3 list_items 1,5 of 2,7 create 1,11 close 3"},
		"lists in a list":       {"## Tools\n- **Look** (2 tools)\n  - [`list`](#list)\n  - `show`\n- **Write**\n  - `create`\n", "2 Look 1,3 list 2,4 show 2,5 Write 1,6 create 2"},
		"prompts are no tools":  {"| Prompt | Text |\n|-|-|\n| `sort` | x |", ""},
		"code and comments":     {"## Tools\n```md\n- `a`\n| Tool |\n|---|\n| `b` |\n```\n<!--\n- `c`\n-->\n- `d`\n", "11 d 1"},
		"no table":              {"a | b\nTool | c\n`x` | y\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "README.md"), []byte(c.text))
			all, err := load(t, dir, "README.md")
			got := ""
			if err == nil {
				for _, item := range all[0].Items[snapshot.Tools] {
					got += fmt.Sprintf(",%d %s %d", item.Name.Line, item.Name.Text, item.List)
				}
			}
			if got != "" {
				got = got[1:]
			}
			if got != c.want {
				t.Errorf("got %q, %v, want %q", got, err, c.want)
			}
		})
	}
}
