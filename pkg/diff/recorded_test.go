package diff_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// questions tells what was asked of recorded calls, in the place of an example.
type questions struct{}

func asked(format string, args ...any) *finding.Usage {
	return &finding.Usage{Last: fmt.Sprintf(format, args...)}
}

func (questions) Refused(string, *schema.Schema, ...*schema.Schema) *finding.Usage {
	return asked("refused")
}
func (questions) Unheard(_, pointer string) *finding.Usage { return asked("sent %s", pointer) }
func (questions) Held(_, pointer string) *finding.Usage    { return asked("held %s", pointer) }
func (questions) Gone(string) *finding.Usage               { return asked("gone") }
func (questions) Undecided(string) *finding.Usage          { return asked("undecided") }

// TestWhatRecordedCallsAreAsked: of arguments, which calls are refused or send what nobody reads any more; of results, which answers
// held what changed; and nothing where the records could not tell, as of members that are new, or defined once for many places.
func TestWhatRecordedCallsAreAsked(t *testing.T) {
	const one, shared = `{"x":{"type":"object","properties":{"a":{"type":"integer"}%s}}}`, `{"x":{"$ref":"#/$defs/d"},"y":{"$ref":"#/$defs/d"}},"$defs":{"d":{"type":"object","properties":{"a":{"type":"integer"}%s}}}`
	for name, c := range map[string]struct{ form, kind, old, new, want string }{
		"argument that goes":           {one, "input", `,"b":{"type":"integer"}`, ``, "input-property-removed sent /x/b"},
		"shared argument that goes":    {shared, "input", `,"b":{"type":"integer"}`, ``, "input-property-removed undecided"},
		"argument that is narrowed":    {shared, "input", `,"b":{"type":"integer"}`, `,"b":{"type":"integer","minimum":1}`, "input-range-narrowed refused"},
		"member that goes":             {one, "output", `,"b":{"type":"integer"}`, ``, "output-property-removed held /x/b"},
		"member that is widened":       {one, "output", `,"b":{"type":"integer"}`, `,"b":{"type":"string"}`, "output-type-changed held /x/b"},
		"shared member that goes":      {shared, "output", `,"b":{"type":"integer"}`, ``, "output-property-removed undecided"},
		"member that is new and taken": {one, "output", `},"additionalProperties":false,"k":{"k":1`, `,"b":{"type":"integer"}},"additionalProperties":false,"k":{"k":1`, "output-optional-property-added undecided"},
	} {
		surface := func(members string) string {
			return fmt.Sprintf(`{"mcpctl":1,"tools":[{"name":"t","inputSchema":{"type":"object"},%q:{"type":"object","properties":`+fmt.Sprintf(c.form, members)+`}}]}`, c.kind+"Schema")
		}
		var got []string
		for _, f := range compared(t, parse(t, surface(c.old)), parse(t, surface(c.new)), diff.Options{Recorded: questions{}}) {
			if f.Usage != nil {
				got = append(got, f.Rule+" "+f.Usage.Last)
			}
		}
		if diff := cmp.Diff([]string{c.want}, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
