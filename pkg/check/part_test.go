package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestASchemaIsJudgedInEachTool that has it. One tool is too large to be looked at, one offers the
// schema for what it gives.
func TestASchemaIsJudgedInEachTool(t *testing.T) {
	const wrong = `{"type":"object","properties":{"count":{"type":"integer","default":"none"}}}`
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
		if rules := strings.Join(told(fmt.Sprintf(`{"name":%q,"inputSchema":%s}`, name, wrong)),
			" "); !strings.Contains(rules, "default-invalid") || !strings.Contains(rules, "argument-description-missing") {
			t.Errorf("%s: %s", name, rules)
		}
	}
}

func each(found []finding.Finding) (rules []string) {
	for _, f := range found {
		rules = append(rules, f.Rule)
	}
	return rules
}
