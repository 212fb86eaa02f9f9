package diff_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestEverydayChanges runs the 24 changes to a tool that happen most, each with all that must be said of it.
func TestEverydayChanges(t *testing.T) {
	var rows []struct {
		Change   string
		Old, New json.RawMessage
		Want     []string
	}
	if err := json.Unmarshal([]byte(read(t, "testdata/everyday.json")), &rows); err != nil || len(rows) != 24 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows {
		t.Run(row.Change, func(t *testing.T) {
			surface := func(tool json.RawMessage) string {
				return `{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + string(tool) + `]}`
			}
			got := []string{}
			for _, f := range compared(t, parse(t, surface(row.Old)), parse(t, surface(row.New)), diff.Options{}) {
				got = append(got, f.Level.String()+" "+f.Rule+" "+f.Path)
			}
			if diff := cmp.Diff(row.Want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
