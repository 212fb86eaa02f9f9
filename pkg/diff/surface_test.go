package diff_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surfaceCase is a pair of snapshots and the exact findings that it must give. The cases were written for
// this project.
type surfaceCase struct {
	ID     string
	Old    json.RawMessage
	New    json.RawMessage
	Expect []expectation
}

type expectation struct{ Rule, At, Severity string }

func TestSurfaceCases(t *testing.T) {
	for _, test := range surfaceCases(t) {
		t.Run(test.ID, func(t *testing.T) {
			old, new := parse(t, string(test.Old)), parse(t, string(test.New))
			for _, kind := range failed(t, test.New) {
				new.SetList(snapshot.NewPart(kind, nil, "no answer"))
			}
			findings := compared(t, old, new, diff.Options{})
			got := []expectation{}
			for _, f := range findings {
				got = append(got, expectation{f.Rule, place(f), f.Level.String()})
			}
			order := func(a, b expectation) int { return strings.Compare(a.At+a.Rule, b.At+b.Rule) }
			slices.SortFunc(got, order)
			slices.SortFunc(test.Expect, order)
			if diff := cmp.Diff(test.Expect, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func surfaceCases(t testing.TB) []surfaceCase {
	t.Helper()
	data, err := os.ReadFile("testdata/surface_cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []surfaceCase }
	if err := json.Unmarshal(data, &file); err != nil || len(file.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(file.Cases), err)
	}
	return file.Cases
}

// failed are the lists that a case says could not be read.
func failed(t *testing.T, raw json.RawMessage) []snapshot.Kind {
	t.Helper()
	var surface struct{ Errors map[snapshot.Kind]string }
	if err := json.Unmarshal(raw, &surface); err != nil {
		t.Fatal(err)
	}
	var kinds []snapshot.Kind
	for kind := range surface.Errors {
		kinds = append(kinds, kind)
	}
	return kinds
}

// place is where a finding is in the words of the cases: tools/search/inputSchema.
func place(f finding.Finding) string {
	kind, name, found := strings.Cut(f.Item, "/")
	if !found {
		return strings.TrimPrefix(f.Path, "/")
	}
	return kind + "s/" + name + f.Path
}

// TestLikelyRenames guesses the new names of arguments: of the only two of one type, and of equal texts those
// with similar names.
func TestLikelyRenames(t *testing.T) {
	const ref, target = `"Exact element reference from the page snapshot"`,
		`"Exact element reference from the page snapshot, or a selector"`
	old := parse(t, `{"tools":[
		{"name":"click","inputSchema":{"type":"object","properties":{"ref":{"type":"string","description":`+ref+`}}}},
		{"name":"drag","inputSchema":{"type":"object","properties":{"endRef":{"type":"string","description":`+ref+
		`},"startRef":{"type":"string","description":`+ref+`}}}},
		{"name":"shoot","inputSchema":{"type":"object","properties":{"ref":{"type":"string",`+
		`"description":"What to take, all when missing"}}}}]}`)
	new := parse(t, `{"tools":[
		{"name":"click","inputSchema":{"type":"object","properties":{"target":{"type":"string","description":`+target+`}}}},
		{"name":"drag","inputSchema":{"type":"object","properties":{"startTarget":{"type":"string","description":`+target+
		`},"endTarget":{"type":"string","description":`+target+`}}}},
		{"name":"shoot","inputSchema":{"type":"object","properties":{"target":{"type":"string","description":"Which part"}}}}]}`)
	got := map[string]int{}
	for _, f := range compared(t, old, new, diff.Options{}) {
		got[f.Cause]++
	}
	for _, cause := range []string{"`endRef` possibly renamed to `endTarget`", "`startRef` possibly renamed to `startTarget`"} {
		if got[cause] != 2 {
			t.Errorf("%d findings say that %s: %v", got[cause], cause, got)
		}
	}
	if n := got["`ref` possibly renamed to `target`"]; n != 4 {
		t.Errorf("%d findings say that `ref` was possibly renamed: %v", n, got)
	}
}
