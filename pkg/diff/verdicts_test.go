package diff_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
)

// TestVerdicts holds pairs of snapshots that were judged wrongly once, each with all its findings in want.txt.
func TestVerdicts(t *testing.T) {
	cases, err := filepath.Glob("testdata/verdicts/*/old.json")
	if err != nil || len(cases) < 15 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, old := range cases {
		folder := filepath.Dir(old)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			found := compared(t, parse(t, read(t, old)), parse(t, read(t, filepath.Join(folder, "new.json"))), diff.Options{})
			var got strings.Builder
			for _, f := range found {
				fmt.Fprintf(&got, "%s %s %s%s: %s\n", f.Level, f.Rule, f.Item, f.Pointer(), f.Message)
				if f.Witness != nil {
					fmt.Fprintf(&got, "  %s\n", f.Witness)
				}
			}
			want := filepath.Join(folder, "want.txt")
			if *update {
				if err := os.WriteFile(want, []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(read(t, want), got.String()); diff != "" {
				t.Errorf("%s (-want +got):\n%s", want, diff)
			}
		})
	}
}
