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

// TestKeywordsOfOtherDialectsAreShown: validators of the named dialect ignore them, and others do not.
func TestKeywordsOfOtherDialectsAreShown(t *testing.T) {
	for dialect, keyword := range map[string]string{
		"http://json-schema.org/draft-07/schema#":      `"prefixItems":[{"type":"number"}]`,
		"https://json-schema.org/draft/2019-09/schema": `"prefixItems":[{"type":"number"}]`,
		"http://json-schema.org/draft-07/schema":       `"dependentRequired":{"a":["b"]}`,
		"https://json-schema.org/draft/2020-12/schema": `"dependencies":{"a":["b"]}`,
	} {
		list := func(members string) *snapshot.Snapshot {
			s, err := snapshot.Parse([]byte(`{"tools":[{"name":"t","inputSchema":{"$schema":"` + dialect +
				`","type":"object","properties":{"p":{"description":"P."` + members + `}}}}]}`))
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		changes, err := diff.Compare(t.Context(), list(""), list(","+keyword), diff.Options{})
		if err != nil || len(changes) != 1 || changes[0].Rule != "input-keyword-changed" {
			t.Errorf("%s in %s: %v, %v", keyword, dialect, changes, err)
		}
	}
}
