package diff_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const (
	twoTools = `{"capabilities":{"tools":{}},"tools":[{"name":"create_issue","inputSchema":{"type":"object"}},{"name":"search",` +
		`"inputSchema":{"type":"object"}}]}`
	oneTool = `{"capabilities":{"tools":{}},"tools":[{"name":"search","inputSchema":{"type":"object"}}]}`
)

// TestListsThatAreNotWhole compares a list of which a part, or nothing, arrived: what is missing from it is
// not removed, and what it has more is not new.
func TestListsThatAreNotWhole(t *testing.T) {
	part := func(s *snapshot.Snapshot, items int) *snapshot.Snapshot {
		var raws []json.RawMessage
		for _, item := range s.Tools.Items()[:items] {
			raws = append(raws, item.Raw)
		}
		s.SetList(snapshot.NewPart(snapshot.Tools, raws, "page 2: no answer"))
		return s
	}
	declared := func(list string) *snapshot.Snapshot {
		return parse(t, `{"mcpctl":1,"capabilities":{"tools":{}}`+list+`}`)
	}
	one, two := func() *snapshot.Snapshot { return parse(t, oneTool) }, func() *snapshot.Snapshot { return parse(t, twoTools) }
	for name, test := range map[string]struct {
		old, new *snapshot.Snapshot
		want     []string
	}{
		"whole":         {two(), one(), []string{"breaking tool-removed tool/create_issue"}},
		"unread":        {two(), part(one(), 0), []string{"breaking list-unavailable /tools"}},
		"truncated":     {two(), part(one(), 1), []string{"warning list-incomplete /tools"}},
		"old unread":    {part(one(), 0), two(), []string{"warning comparison-scope-differs /tools"}},
		"old truncated": {part(one(), 1), two(), []string{"warning list-incomplete /tools"}},
		"not renamed": {parse(t, renamed("list_issues")), part(parse(t, renamed("list_all_issues")), 1),
			[]string{"info tool-added tool/list_all_issues", "warning list-incomplete /tools"}},
		"not offered":      {two(), declared(""), []string{"breaking tool-removed tool/create_issue", "breaking tool-removed tool/search"}},
		"neither has any":  {declared(""), declared(""), nil},
		"empty, then none": {declared(`,"tools":[]`), declared(""), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range compared(t, test.old, test.new, diff.Options{}) {
				got = append(got, f.Level.String()+" "+f.Rule+" "+f.Item+f.Path)
			}
			slices.Sort(got)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func renamed(name string) string {
	return `{"capabilities":{"tools":{}},"tools":[{"name":"` + name +
		`","description":"All issues there are.","inputSchema":{"type":"object"}}]}`
}

// TestHalfAComparisonIsNone: who is interrupted hears of nothing.
func TestHalfAComparisonIsNone(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	found, err := diff.Compare(ctx, parse(t, twoTools), parse(t, oneTool), diff.Options{})
	if found != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("%d findings, %v", len(found), err)
	}
}

// TestAnotherGeneratorAffectsNoCaller: zod 4 writes bounds that hold for every number that a caller can send.
func TestAnotherGeneratorAffectsNoCaller(t *testing.T) {
	surface := func(schema string) string { return `{"tools":[{"name":"a","inputSchema":` + schema + `}]}` }
	old := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"n":{"type":"integer"}}}`
	new := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{"n":{"type":"integer",` +
		`"minimum":-9007199254740991,"maximum":9007199254740991}}}`
	found := compared(t, parse(t, surface(old)), parse(t, surface(new)), diff.Options{})
	groups := finding.Groups(found)
	if len(found) != 3 || len(groups) != 1 || groups[0].Level != finding.Info {
		t.Errorf("%v in %v", lines(found), groups)
	}
	strict := compared(t, parse(t, surface(old)), parse(t, surface(new)), diff.Options{Strict: true})
	if groups := finding.Groups(strict); groups[0].Level != finding.Breaking {
		t.Errorf("strict: %v", lines(strict))
	}
}

// TestRenamedResultsAreProved: two members that were renamed each show a result that the old schema does not
// allow.
func TestRenamedResultsAreProved(t *testing.T) {
	surface := func(a, b string) string {
		return `{"tools":[{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"object","required":["` + a + `","` + b + `"],
			"properties":{"` + a + `":{"type":"string"},"` + b + `":{"type":"integer"}}}}]}`
	}
	old, new := parse(t, surface("id", "size")), parse(t, surface("name", "bytes"))
	found := compared(t, old, new, diff.Options{})
	if len(found) != 2 || found[0].Rule != "output-property-renamed" || found[1].Rule != "output-property-renamed" {
		t.Fatalf("%v", lines(found))
	}
	for _, f := range found {
		if f.Witness == nil {
			t.Errorf("%s of %s has no witness", f.Rule, f.Path)
		}
	}
	witnesses(t, old, new, found)
}
