package report

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestCallsOfFindings: what recorded calls say stands below a finding, also where the level was lowered by it, and in JSON as its schema has it.
func TestCallsOfFindings(t *testing.T) {
	one := func(item string, level, was finding.Level, u finding.Usage) finding.Finding {
		u.Days, u.Since = 30, "2026-10-23"
		return finding.Finding{Rule: "input-type-narrowed", Level: level, Was: was, Server: "s", Item: item, Path: "/inputSchema", Message: "The type changed.", Usage: &u}
	}
	r := &Report{Command: "diff", Servers: []Server{{Name: "s", State: OK}}, Findings: Findings{
		one("tool/a", finding.Breaking, 0, finding.Usage{Recorded: 500, Calls: 412, Refused: 37, Undecided: 3, Consumers: []string{"x", "y"}, Projects: []string{"shop"}, Last: "2026-11-20", Example: json.RawMessage(`{"n":1}`)}),
		one("tool/b", finding.Warning, finding.Breaking, finding.Usage{Recorded: 500}),
		one("tool/c", finding.Breaking, 0, finding.Usage{Recorded: 500, Calls: 9, Undecided: 9, Consumers: []string{"x"}, Last: "2026-11-20"}),
		one("tool/d", finding.Breaking, 0, finding.Usage{}),
	}}
	text := written(t, "table", r, Options{})
	for _, want := range []string{
		`a: 37 of 412 recorded calls by 2 agents (x, y) in 1 project (shop) in 30 days would be refused, and of 3 it cannot be decided; here is one: {"n": 1}`,
		`b: no recorded call is affected: 0 of this tool, 500 of this server in 30 days, which lowers it from breaking`,
		`c: cannot be decided from these records: 9 of 9 recorded calls in 30 days`,
		`d: no call of this server is recorded in 30 days`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("nothing says %s:\n%s", want, text)
		}
	}
	described, err := jsonschema.NewCompiler().Compile("../../docs/report.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	r.Usage = []finding.Called{{Server: "s", Tool: "a", Calls: 1, Agents: []string{"x"}, Projects: []string{"shop"}, Last: "2026-11-20", Days: 30, Trend: []int{0, 1}}}
	written := written(t, "json", r, Options{})
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(written))
	if err == nil {
		err = described.Validate(value)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, written)
	}
	again, err := Parse([]byte(written))
	if err != nil || again.Findings[1].Was != finding.Breaking || again.Findings[0].Usage.Refused != 37 {
		t.Errorf("read back as %+v, %v", again, err)
	}
}

// TestAnswersOnce holds that what the records say of several items alike is said once, the refused calls first.
func TestAnswersOnce(t *testing.T) {
	members := []finding.Finding{
		{Item: "tool/a", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/b", Usage: &finding.Usage{Recorded: 9, Calls: 3, Refused: 2, Days: 30, Consumers: []string{"x"}}},
		{Item: "tool/c", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/c", Usage: &finding.Usage{Recorded: 9, Days: 30}},
		{Item: "tool/d"},
	}
	all := answers(members)
	if len(all) != 2 || all[0].Refused != 2 || strings.Join(all[1].of, " ") != "a c" {
		t.Errorf("%d answers: %+v", len(all), all)
	}
}
