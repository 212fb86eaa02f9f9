package diff_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestRenames compares lists whose names changed: which renames are claimed, which are guesses, and which pairs are neither.
func TestRenames(t *testing.T) {
	data, err := os.ReadFile("testdata/renames.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name     string
		Old, New json.RawMessage
		Want     []string
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		read := func(tools json.RawMessage) *snapshot.Snapshot {
			s, err := snapshot.Parse([]byte(`{"tools":` + string(tools) + `}`))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		changes, err := diff.Compare(t.Context(), read(row.Old), read(row.New), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		found := []string{}
		for _, f := range changes {
			if strings.Contains(f.Hint, "possibly renamed") || f.Rule == "tool-renamed" {
				found = append(found, f.Hint)
			}
		}
		slices.Sort(found)
		if d := cmp.Diff(row.Want, found); d != "" {
			t.Errorf("%s (-want +got):\n%s", row.Name, d)
		}
	}
}
