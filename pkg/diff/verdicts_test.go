package diff_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestVerdicts compares the pairs of testdata/verdicts.txt, each judged wrongly once, and expects all their
// findings. With -update it rewrites them.
func TestVerdicts(t *testing.T) {
	const file = "testdata/verdicts.txt"
	paragraphs := strings.Split(strings.TrimSpace(read(t, file)), "\n\n")
	if len(paragraphs) < 30 {
		t.Fatalf("%d cases", len(paragraphs))
	}
	for i, text := range paragraphs {
		name, body, _ := strings.Cut(text, "\n")
		pair, want, _ := strings.Cut(body, "\ngives\n")
		e := readExample(pair)
		t.Run(strings.TrimPrefix(name, "# "), func(t *testing.T) {
			var got []string
			for _, f := range compared(t, parse(t, e.surface(e.old)), parse(t, e.surface(e.new)), diff.Options{}) {
				line := fmt.Sprintf("  %s %s %s: %s", f.Level, f.Rule, f.Item+f.Pointer(), f.Message)
				if f.Witness != nil {
					line += " " + string(f.Witness)
				}
				if f.Hint != "" {
					line += " → " + f.Hint
				}
				if f.Cause != "" {
					line += " (" + f.Cause + ")"
				}
				got = append(got, line)
			}
			if len(got) == 0 {
				got = []string{"  nothing"}
			}
			if difference := cmp.Diff(want, strings.Join(got, "\n")); difference != "" && !*update {
				t.Errorf("(-want +got):\n%s", difference)
			}
			paragraphs[i] = name + "\n" + pair + "\ngives\n" + strings.Join(got, "\n")
		})
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(paragraphs, "\n\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
