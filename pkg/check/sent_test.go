package check_test

import (
	"slices"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestValuesAreShownAsSent: values were reported as they had been decoded: members in another order, repeated ones gone, and half a
// surrogate pair as another character.
func TestValuesAreShownAsSent(t *testing.T) {
	const (
		hints   = `{"title":"\ud800","destructiveHint":true,"a":1,"readOnlyHint":true,"a":2}`
		given   = `{"b":1.0,"a":"\ud83d","b":2}`
		named   = `"\u0064elete"`
		unknown = `{"z":1,"y":"\udc00"}`
	)
	s, err := snapshot.Parse([]byte(`{"mcpctl":1,"protocolVersion":"2026-07-28","tools":[{"name":"t","title":` + unknown +
		`,"annotations":` + hints + `,"execution":` + given +
		`,"inputSchema":{"type":"object","properties":{"x":{"type":"integer","default":` + given + `,"examples":[` + named + `]}}}}]}`))
	if err != nil {
		t.Fatal(err)
	}
	found := run(t, []check.Subject{{Name: "s", Snapshot: s}}, check.Options{})
	for rule, want := range map[string]string{"tool-annotations-contradict": hints, "default-invalid": given, "example-invalid": named,
		"feature-deprecated": given, "member-mistyped": unknown} {
		if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Rule == rule && string(f.New) == want }) {
			t.Errorf("no finding of %s has %s", rule, want)
			for _, f := range found {
				t.Logf("%s %s: %s", f.Rule, f.Pointer(), f.New)
			}
		}
	}
}
