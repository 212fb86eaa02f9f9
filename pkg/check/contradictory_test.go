package check_test

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestWhatNoValueMatchesIsNamed: a call without the argument can be valid, so that the sentence is not about the whole schema.
func TestWhatNoValueMatchesIsNamed(t *testing.T) {
	for input, want := range map[string]string{
		`{"type":"object","properties":{"n":{"type":"integer","minimum":5,"maximum":4}}}`: "No value can match the schema of `n`.",
		`{"type":"object","minProperties":2,"maxProperties":1}`:                           "No value can match the schema.",
	} {
		surface, err := snapshot.Parse([]byte(`{"tools":[{"name":"a","inputSchema":` + input + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		var said []string
		for _, f := range run(t, []check.Subject{{Name: "s", Snapshot: surface}}, check.Options{}) {
			if f.Rule == "schema-contradictory" {
				said = append(said, f.Message)
			}
		}
		if !slices.Equal(said, []string{want}) {
			t.Errorf("of %s it says %q, want %q", input, said, want)
		}
	}
}
