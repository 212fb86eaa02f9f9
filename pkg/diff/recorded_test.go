package diff_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestWhichFindingsCountCalls asks recorded calls about each finding that is a warning or worse and concerns a
// tool: by its name where it went, by what is sent where an argument went that is ignored now, and by its
// schemas where a call may be rejected. Texts, results and what is harmless ask about nothing more than the
// tool.
func TestWhichFindingsCountCalls(t *testing.T) {
	const old = `{"capabilities":{"tools":{},"prompts":{}},"prompts":[{"name":"p"}],"tools":[{"name":"gone",` +
		`"inputSchema":{"type":"object"}},
		{"name":"t","description":"d","inputSchema":{"type":"object","properties":{"n":{"type":"number"},"o":{"type":"object",` +
		`"properties":{"left":{"type":"string"}}}}},
		"outputSchema":{"type":"object","properties":{"r":{"type":"string"}},"required":["r"]}}]}`
	const new = `{"capabilities":{"tools":{},"prompts":{}},"prompts":[],"tools":[
		{"name":"t","description":"e","inputSchema":{"type":"object","properties":{"n":{"type":"integer"},"more":{"type":"string"},` +
		`"o":{"type":"object","properties":{}}}},
		"outputSchema":{"type":"object","properties":{"r":{"type":"string"}}}}]}`
	want := []string{
		"tool-description-changed: of t",
		"tool-removed: of gone, which is gone",
		"input-fractions-rejected: of t, rejected by 2 schemas",
		"input-property-removed: of t, if they send /o/left",
		"output-property-became-optional: of t",
		"prompt-removed: not asked",
		"input-optional-property-added: not asked",
	}
	asked := map[*finding.Calls]string{}
	found := compared(t, parse(t, old), parse(t, new), diff.Options{}.Counting(func(e diff.Evidence) *finding.Calls {
		line := "of " + e.Tool
		switch {
		case e.Removed:
			line += ", which is gone"
		case e.Sent != nil:
			line += ", if they send " + strings.Join(e.Sent, ", ")
		case e.After != nil:
			line += fmt.Sprintf(", rejected by %d schemas", len(e.After))
		}
		calls := &finding.Calls{}
		asked[calls] = line
		return calls
	}))
	var got []string
	for _, f := range found {
		line := "not asked"
		if f.Calls != nil {
			line = asked[f.Calls]
		}
		got = append(got, f.Rule+": "+line)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestManyTextsWithHiddenCharacters lists some of them and counts the others.
func TestManyTextsWithHiddenCharacters(t *testing.T) {
	surface := func(text string) string {
		var members []string
		for i := range 300 {
			raw, _ := json.Marshal(map[string]string{"type": "string", "description": text})
			members = append(members, fmt.Sprintf(`"p%d":%s`, i, raw))
		}
		return `{"tools":[{"name":"t","inputSchema":{"type":"object","properties":{` + strings.Join(members, ",") + `}}}]}`
	}
	listed, counted := 0, 0
	for _, f := range compared(t, parse(t, surface("Name.")), parse(t, surface("Name.\u200b")), diff.Options{}) {
		if f.Rule != "text-hidden-characters-added" {
			continue
		}
		if _, err := fmt.Sscanf(f.Message, "%d more texts now contain invisible characters.", &counted); err != nil {
			listed++
		}
	}
	if counted == 0 || listed+counted != 300 {
		t.Errorf("%d texts are listed and %d are counted, want 300 together", listed, counted)
	}
}

// TestItemBudget reports an item that is larger than the budget now and was not before; one of exactly the
// budget is not larger.
func TestItemBudget(t *testing.T) {
	small, large := `{"name":"t","description":"a"}`, `{"name":"t","description":"abc"}`
	for _, c := range []struct {
		budget int
		want   bool
	}{{0, false}, {len(small) - 1, false}, {len(small), true}, {len(large) - 1, true}, {len(large), false}} {
		found := compared(t, parse(t, `{"tools":[`+small+`]}`), parse(t, `{"tools":[`+large+`]}`), diff.Options{ItemBudget: c.budget})
		grew := slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == "text-size-grew" })
		if grew != c.want {
			t.Errorf("a budget of %d bytes, %d before and %d now: reported %v", c.budget, len(small), len(large), grew)
		}
	}
}
