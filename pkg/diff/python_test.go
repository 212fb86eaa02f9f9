package diff_test

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestPythonReleases compares neighbouring versions of Python servers in both directions: an independent
// validator confirms each witness, and at most one finding of a thousand is undecided.
func TestPythonReleases(t *testing.T) {
	const folder = "../../testdata/python"
	var index []struct{ Alias, Version, File, Origin, Licence string }
	if err := json.Unmarshal([]byte(read(t, filepath.Join(folder, "index.json"))), &index); err != nil {
		t.Fatal(err)
	}
	versions := map[string][]string{}
	for _, entry := range index {
		if entry.Origin == "" || entry.Licence == "" {
			t.Errorf("%s has no origin or no licence", entry.File)
		}
		versions[entry.Alias] = append(versions[entry.Alias], entry.File)
	}
	pairs, all, undecided := 0, 0, 0
	for _, files := range versions {
		slices.Sort(files)
		for i := 1; i < len(files); i++ {
			for _, pair := range [][2]string{{files[i-1], files[i]}, {files[i], files[i-1]}} {
				if pairs++; !full && pairs%5 != 0 {
					continue
				}
				old, new := parse(t, read(t, filepath.Join(folder, pair[0]))), parse(t, read(t, filepath.Join(folder, pair[1])))
				found := compared(t, old, new, diff.Options{})
				all += len(found)
				undecided += len(slices.DeleteFunc(slices.Clone(found),
					func(f finding.Finding) bool { return !strings.HasSuffix(f.Rule, "-schema-unproven") }))
				witnesses(t, old, new, found)
				if t.Failed() {
					t.Fatalf("%s → %s", pair[0], pair[1])
				}
			}
		}
	}
	t.Logf("%d pairs, %d findings, %d undecided", pairs, all, undecided)
	if pairs < 40 || undecided*1000 > all {
		t.Errorf("%d pairs, %d findings, %d undecided", pairs, all, undecided)
	}
}
