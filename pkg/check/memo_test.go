package check_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestASchemaIsJudgedInEachTool that has it, whatever was made of it in others: one tool is too large to be looked at, one offers the
// schema for what it gives.
func TestASchemaIsJudgedInEachTool(t *testing.T) {
	const wrong = `{"type":"object","properties":{"memo_of_schemas":{"type":"integer","default":"none"}}}`
	told := func(tool string) (rules []string) {
		surface, err := snapshot.Parse([]byte(`{"tools":[` + tool + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		found, err := check.Run(t.Context(), []check.Subject{{Name: "a", Snapshot: surface}}, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return each(found)
	}
	told(fmt.Sprintf(`{"name":"large","description":%q,"inputSchema":%s}`, strings.Repeat("Words. ", 1<<20), wrong))
	told(fmt.Sprintf(`{"name":"gives","outputSchema":%s}`, wrong))
	for _, name := range []string{"one", "two"} {
		if rules := strings.Join(told(fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, wrong)), " "); !strings.Contains(rules, "default-invalid") || !strings.Contains(rules, "argument-description-missing") {
			t.Errorf("%s: %s", name, rules)
		}
	}
}

// TestWhatIsRememberedChangesNothing holds what is said of listings once most of them were seen against what was said before.
func TestWhatIsRememberedChangesNothing(t *testing.T) {
	subjects := readListings(t, *listings)
	var first []string
	for range 2 {
		var all []string
		for _, s := range subjects {
			found, members, err := check.Each(t.Context(), []check.Subject{s, {Name: "again", Snapshot: s.Snapshot}}, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, fmt.Sprintf("%+v %+v", found, members))
		}
		if first != nil && !slices.Equal(first, all) {
			t.Errorf("%v, and before %v", all, first)
		}
		first = all
	}
}

func each(found []finding.Finding) (rules []string) {
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	return rules
}
