package diff_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func parse(t testing.TB, text string) *snapshot.Snapshot {
	t.Helper()
	s, err := snapshot.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func lines(findings []finding.Finding) []string {
	var lines []string
	for _, f := range findings {
		lines = append(lines, fmt.Sprintf("%s %s %s%s %s→%s", f.Level, f.Rule, f.Item, f.Path, f.Old, f.New))
	}
	return lines
}

func TestCompare(t *testing.T) {
	for name, test := range map[string]struct {
		old, new string
		want     []string
	}{
		"same":     {`{"tools":[{"name":"a"}]}`, `{"tools":[ {"name" : "a"} ]}`, nil},
		"added":    {`{"tools":[]}`, `{"tools":[{"name":"a"}]}`, []string{`info tool-added tool/a →{"name":"a"}`}},
		"removed":  {`{"prompts":[{"name":"a"}]}`, `{"prompts":[]}`, []string{`breaking prompt-removed prompt/a {"name":"a"}→`}},
		"reorder":  {`{"tools":[{"name":"a"},{"name":"b"}]}`, `{"tools":[{"name":"b"},{"name":"a"}]}`, nil},
		"required": {`{"tools":[{"name":"a","inputSchema":{"required":["x","y"]}}]}`, `{"tools":[{"name":"a","inputSchema":{"required":["y","x"]}}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := lines(diff.Compare(parse(t, test.old), parse(t, test.new), diff.Options{}))
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
