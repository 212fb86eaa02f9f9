package diff_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// BenchmarkCompare takes two snapshot files through Parse and Compare. One tool in twenty changed: its
// description, a bound, a choice, a required property. The time grows with the number of tools, not faster.
func BenchmarkCompare(b *testing.B) {
	for _, tools := range []int{250, 500, 1000, 2000} {
		b.Run(fmt.Sprintf("tools=%d", tools), func(b *testing.B) {
			old, new := large(b, tools, 0), large(b, tools, 20)
			b.SetBytes(int64(len(old) + len(new)))
			b.ReportAllocs()
			for b.Loop() {
				found := compared(b, parse(b, old), parse(b, new), diff.Options{})
				if len(found) != (tools+19)/20*4 {
					b.Fatalf("%d findings for %d changed tools", len(found), (tools+19)/20)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/float64(tools), "µs/tool")
		})
	}
}

// TestTheCostGrowsWithTheTools counts allocations, which are the same on every machine.
func TestTheCostGrowsWithTheTools(t *testing.T) {
	cost := func(tools int) float64 {
		old, new := large(t, tools, 0), large(t, tools, 20)
		return testing.AllocsPerRun(1, func() { compared(t, parse(t, old), parse(t, new), diff.Options{}) })
	}
	if few, many := cost(200), cost(800); many > 4.5*few {
		t.Errorf("four times the tools cost %.0f allocations instead of %.0f", many, few)
	}
}

// large is a snapshot file of as many tools as asked for, with schemas as servers have them. Every changed-th
// tool differs from the file in which none does.
func large(t testing.TB, tools, changed int) string {
	t.Helper()
	var raws []json.RawMessage
	for i := range tools {
		edited := changed > 0 && i%changed == 0
		raws = append(raws, json.RawMessage(largeTool(i, edited)))
	}
	s := &snapshot.Snapshot{Protocol: "2025-11-25", Capabilities: json.RawMessage(`{"tools":{}}`),
		Tools: snapshot.NewList(snapshot.Tools, raws)}
	file, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

func largeTool(i int, edited bool) string {
	text, most, states, required := "Lists the issues of a project", 100, `"open","closed","all"`, `"owner"`
	if edited {
		text, most, states, required = "Lists issues", 50, `"open","closed"`, `"owner","repo"`
	}
	return fmt.Sprintf(`{"name":"tool_%d","description":"%s, number %d.","annotations":{"readOnlyHint":true,"title":"Tool %d"},
		"inputSchema":{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","additionalProperties":false,"required":[%s],`+
		`"properties":{
			"owner":{"type":"string","description":"The account that owns the project. Not case sensitive."},
			"repo":{"type":"string","description":"The name of the project without its extension."},
			"state":{"type":"string","enum":[%s],"default":"open","description":"Which issues are listed."},
			"labels":{"type":"array","items":{"type":"string","minLength":1},"description":"Only issues that have all of these labels."},
			"since":{"anyOf":[{"type":"string","format":"date-time"},{"type":"null"}],`+
		`"description":"Only issues that changed after this moment."},
			"filter":{"type":"object","properties":{"author":{"type":"string"},"assignee":{"type":["string","null"]},`+
		`"milestone":{"type":"integer","minimum":1}},"additionalProperties":false},
			"limit":{"type":"integer","minimum":1,"maximum":%d,"description":"How many issues are returned at most."}}}}`,
		i, text, i, i, required, states, most)
}
