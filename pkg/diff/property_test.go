package diff_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// FuzzCompare checks what holds for any two surfaces: nothing panics, a surface does not differ from itself
// however it is spelled, both directions differ or neither, and the answer is whole, in order, and the same
// each time.
func FuzzCompare(f *testing.F) {
	for _, test := range surfaceCases(f) {
		f.Add([]byte(test.Old), []byte(test.New))
	}
	for _, pair := range [][2]string{
		{`{"tools":[7,{"name":3},{"name":"a"},{"name":"a","inputSchema":9}]}`, `{"tools":[null,{"name":"a","inputSchema":{"$ref":"#"}}]}`},
		{`{"prompts":[{"name":"a","arguments":[1,{"name":"b"},{"name":"b"}]}]}`, `{"prompts":[{"name":"a","arguments":{"b":1}}]}`},
		{`{"resourceTemplates":[{"uriTemplate":"{","name":"a"}],"capabilities":[]}`,
			`{"resourceTemplates":[{"uriTemplate":"}{+a,b*}","name":"a"}],"serverInfo":"x"}`},
	} {
		f.Add([]byte(pair[0]), []byte(pair[1]))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		old, errOld := snapshot.Parse(a)
		new, errNew := snapshot.Parse(b)
		if errOld != nil || errNew != nil {
			return
		}
		unchanged(t, old)
		forward := compared(t, old, new, diff.Options{})
		backward := compared(t, new, old, diff.Options{})
		if (len(forward) == 0) != (len(backward) == 0) {
			t.Errorf("forward:\n%s\nbackward:\n%s", strings.Join(lines(forward), "\n"), strings.Join(lines(backward), "\n"))
		}
		if diff := cmp.Diff(lines(forward), lines(compared(t, old, new, diff.Options{}))); diff != "" {
			t.Errorf("the second answer differs:\n%s", diff)
		}
		whole(t, forward)
	})
}

// unchanged checks that a surface is the same as itself and as its canonical spelling.
func unchanged(t *testing.T, s *snapshot.Snapshot) {
	t.Helper()
	file, err := s.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := snapshot.Parse(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, other := range []*snapshot.Snapshot{s, again} {
		if found := compared(t, s, other, diff.Options{}); len(found) > 0 {
			t.Errorf("a surface differs from itself:\n%s", strings.Join(lines(found), "\n"))
		}
	}
}

// whole checks that each finding says all that it must, and that the order is the reported one.
func whole(t *testing.T, findings []finding.Finding) {
	t.Helper()
	sorted := slices.Clone(findings)
	finding.Sort(sorted)
	if diff := cmp.Diff(lines(sorted), lines(findings)); diff != "" {
		t.Errorf("not in order (-sorted +got):\n%s", diff)
	}
	for _, f := range findings {
		if f.Rule == "" || f.Level == finding.Off || f.Message == "" || f.Verdict == "" {
			t.Errorf("a finding is not whole: %+v", f)
		}
	}
}
