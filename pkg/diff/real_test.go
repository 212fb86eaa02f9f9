package diff_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var update = flag.Bool("update", false, "rewrite the golden files; read the difference before committing it")

// TestRealReleases compares releases of real servers.
func TestRealReleases(t *testing.T) {
	folders, err := filepath.Glob("testdata/real/*/old.json")
	if err != nil || len(folders) < 5 {
		t.Fatalf("%d pairs, %v", len(folders), err)
	}
	for _, file := range folders {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) {
			old, new := read(t, file), read(t, filepath.Join(folder, "new.json"))
			findings := compared(t, parse(t, old), parse(t, new), diff.Options{})
			golden(t, filepath.Join(folder, "want.txt"), story(findings))
			if witnesses(t, parse(t, old), parse(t, new), findings) == 0 {
				t.Error("no finding has a witness")
			}
		})
	}
}

// story is findings as lines that a person can review.
func story(findings []finding.Finding) string {
	var b strings.Builder
	for _, f := range findings {
		fmt.Fprintf(&b, "%s %s %s%s\n", f.Level, f.Rule, f.Item, f.Pointer())
		fmt.Fprintf(&b, "    %s\n", f.Message)
		if f.Hint != "" {
			fmt.Fprintf(&b, "    hint: %s\n", f.Hint)
		}
		if f.Old != nil {
			fmt.Fprintf(&b, "    old: %.200s\n", f.Old)
		}
		if f.New != nil {
			fmt.Fprintf(&b, "    new: %.200s\n", f.New)
		}
		if f.Verdict != finding.ByRule {
			fmt.Fprintf(&b, "    %s\n", f.Verdict)
		}
	}
	return b.String()
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, file), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
