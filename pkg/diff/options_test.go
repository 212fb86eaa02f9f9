package diff_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const (
	twoTools = `{"capabilities":{"tools":{}},"tools":[{"name":"create_issue","inputSchema":{"type":"object"}},{"name":"search","inputSchema":{"type":"object"}}]}`
	oneTool  = `{"capabilities":{"tools":{}},"tools":[{"name":"search","inputSchema":{"type":"object"}}]}`
)

func TestOptions(t *testing.T) {
	for name, test := range map[string]struct {
		options diff.Options
		want    []string
	}{
		"none":        {diff.Options{}, []string{"breaking tool-removed tool/create_issue"}},
		"unavailable": {diff.Options{Unavailable: []snapshot.Kind{snapshot.Tools}}, []string{"breaking list-unavailable /tools"}},
		"incomplete":  {diff.Options{Incomplete: []snapshot.Kind{snapshot.Tools}}, []string{"warning list-incomplete /tools"}},
		"another kind": {
			diff.Options{Unavailable: []snapshot.Kind{snapshot.Prompts}}, []string{"breaking tool-removed tool/create_issue"},
		},
		"other scope": {
			diff.Options{OtherScope: "other credentials"}, []string{"warning comparison-scope-differs ", "breaking tool-removed tool/create_issue"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range diff.Compare(parse(t, twoTools), parse(t, oneTool), test.options) {
				got = append(got, f.Level.String()+" "+f.Rule+" "+f.Item+f.Path)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestServerNameIsInEachFinding(t *testing.T) {
	for _, f := range diff.Compare(parse(t, twoTools), parse(t, oneTool), diff.Options{Server: "github"}) {
		if f.Server != "github" {
			t.Errorf("%s names the server %q", f.Rule, f.Server)
		}
	}
}

// TestFormatsAreConstraintsOnRequest holds both meanings of a format.
func TestFormatsAreConstraintsOnRequest(t *testing.T) {
	surface := func(schema string) string {
		return `{"tools":[{"name":"a","inputSchema":{"type":"object","properties":{"p":` + schema + `}}}]}`
	}
	old, new := parse(t, surface(`{"type":"string"}`)), parse(t, surface(`{"type":"string","format":"ipv4"}`))
	for asserted, want := range map[bool]finding.Level{false: finding.Warning, true: finding.Breaking} {
		found := diff.Compare(old, new, diff.Options{AssertFormats: asserted})
		if len(found) != 1 || found[0].Rule != "input-format-added" || found[0].Level != want {
			t.Errorf("asserted: %v: %v, want one finding, %s", asserted, lines(found), want)
		}
	}
}

func TestASuccessorIsHinted(t *testing.T) {
	old := parse(t, `{"tools":[{"name":"list_repos","description":"Lists repositories."}]}`)
	new := parse(t, `{"tools":[{"name":"list_repositories","description":"Lists the repositories of an account."},{"name":"zoom"}]}`)
	found := diff.Compare(old, new, diff.Options{})
	const want = "perhaps it was renamed: `list_repositories` is new and looks like it"
	if len(found) != 3 || found[0].Rule != "tool-removed" || found[0].Hint != want {
		t.Errorf("%v, with the hint %q, want %q", lines(found), found[0].Hint, want)
	}
}
