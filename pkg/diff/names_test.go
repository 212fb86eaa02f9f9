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
		{"caf\u00e9", "cafe\u0301", " (with U+0301)"},
		{"cafe\u0301", "caf\u00e9", " (with U+00E9)"},
		{"\ud55c", "\u1112\u1161\u11ab", " (with U+1112 U+1161 U+11AB)"},
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

// TestEncodingsOfOneName names the code points of a tool that is another one by its encoding only, though its arguments
// changed as well.
func TestEncodingsOfOneName(t *testing.T) {
	tool := `{"tools":[{"name":%q,"description":"Pays.","inputSchema":{"type":"object","properties":{%q:{"type":"string"}}}}]}`
	found := compared(t, parse(t, fmt.Sprintf(tool, "caf\u00e9", "n")), parse(t, fmt.Sprintf(tool, "cafe\u0301", "m")), diff.Options{})
	want := "`caf\u00e9` possibly renamed to `cafe\u0301` (with U+0301)"
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "tool-removed" && f.Hint == want }) {
		t.Errorf("%v, want the hint %s", found, want)
	}
}
