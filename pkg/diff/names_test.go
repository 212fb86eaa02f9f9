package diff_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestRenamesToLookAlikes names the code points of a name that looks like the old one, of tools, arguments and
// prompts.
func TestRenamesToLookAlikes(t *testing.T) {
	for _, test := range []struct{ old, new, want string }{
		{"pay", "p\u0430y", " (with U+0430)"},
		{"p\u0430y", "p\u03b1y", " (with U+03B1)"},
		{"p\u0430y", "pay", " (without U+0430)"},
		{"pay", "\uff50\uff41\uff59", " (with U+FF50 U+FF41 U+FF59)"},
		{"list", "l\u200bist", " (with U+200B)"},
		{"aaaaaaaaaa", "\u0430\u0430\u0430\u0430\u0430\u0430\u0430\u0430\u0430\u0430",
			" (with U+0430 U+0430 U+0430 U+0430 U+0430 U+0430 U+0430 U+0430 …)"},
		{"pay", "pays", ""},
		{"pay", "bay", ""},
		{"Pay", "pay", ""},
		{"\u67e5\u8be2", "\u641c\u7d22", ""},
	} {
		for _, surface := range []string{
			`{"tools":[{"name":%q,"description":"Pays.","inputSchema":{"type":"object"}}]}`,
			`{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{%q:{"type":"string"}}}}]}`,
			`{"prompts":[{"name":%q,"description":"Pays."}]}`,
			`{"prompts":[{"name":"p","arguments":[{"name":%q,"description":"Pays."}]}]}`,
		} {
			old, new := parse(t, fmt.Sprintf(surface, test.old)), parse(t, fmt.Sprintf(surface, test.new))
			found := compared(t, old, new, diff.Options{})
			want := fmt.Sprintf("`%s` was renamed to `%s`%s", test.old, test.new, test.want)
			named := slices.ContainsFunc(found, func(f finding.Finding) bool { return strings.HasPrefix(f.Message, want) })
			if !named || test.want == "" && strings.Contains(found[0].Message, "U+") {
				t.Errorf("%s: %v, want %s", surface, found, want)
			}
		}
	}
}
