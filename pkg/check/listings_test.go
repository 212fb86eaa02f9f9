package check_test

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

var (
	update   = flag.Bool("update", false, "rewrite testdata/listings/COUNTS.md")
	listings = flag.String("listings", "../../testdata/listings", "count over the listings of this folder, and print the table")
)

// TestRealListings counts what the rules say of real servers, each on its own. What is counted must have been looked at:
// a rule that suddenly speaks more often is mostly a rule that became wrong.
func TestRealListings(t *testing.T) {
	surfaces := readListings(t, *listings)
	var found []finding.Finding
	for _, s := range surfaces {
		found = append(found, run(t, []check.Subject{s}, check.Options{})...)
	}
	table := counts(found, surfaces)
	const golden = "../../testdata/listings/COUNTS.md"
	switch {
	case *listings != filepath.Dir(golden):
		t.Log("\n" + table)
		return
	case *update:
		if err := os.WriteFile(golden, []byte(table), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table); diff != "" {
		t.Errorf("read each finding behind a difference, then -update (-want +got):\n%s", diff)
	}
}

// TestKnownServersAreNotAccused is the promise of the rules on security: they are silent on servers that are known to mean
// well, alone and all together.
func TestKnownServersAreNotAccused(t *testing.T) {
	accusing := []string{"text-hidden-characters", "text-hides-order", "text-instructs-model", "text-names-credential-file",
		"text-hidden-comment",
		"text-padded", "secret-exposed", "url-with-credentials"}
	for _, f := range run(t, readListings(t, *listings), check.Options{}) {
		if slices.Contains(accusing, f.Rule) {
			t.Errorf("%s %s %s: %s: %s", f.Server, f.Item, f.Pointer(), f.Rule, f.Message)
		}
	}
}

// TestFetchedListings is the same promise for servers that were fetched when the rules stood, each on its own: no text of
// theirs is a break. What rules on texts warn of is counted with -v.
func TestFetchedListings(t *testing.T) {
	surfaces := readListings(t, "../../testdata/listings/fetched")
	if len(surfaces) < 30 {
		t.Fatalf("only %d listings", len(surfaces))
	}
	warnings := 0
	for _, s := range surfaces {
		for _, f := range run(t, []check.Subject{s}, check.Options{}) {
			switch text := strings.HasPrefix(f.Rule, "text-"); {
			case text && f.Level == finding.Breaking, f.Rule == "secret-exposed", f.Rule == "url-with-credentials":
				t.Errorf("%s %s %s: %s: %s", f.Server, f.Item, f.Pointer(), f.Rule, f.Message)
			case text && f.Level == finding.Warning:
				warnings++
				t.Logf("%s %s %s: %s: %s", f.Server, f.Item, f.Pointer(), f.Rule, f.Message)
			}
		}
	}
	t.Logf("%d warnings on texts of %d servers", warnings, len(surfaces))
}

// readListings reads the listings of a folder, those that are compressed too.
func readListings(t testing.TB, folder string) []check.Subject {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*@*.json*"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no listings in %s: %v", folder, err)
	}
	var surfaces []check.Subject
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err == nil && strings.HasSuffix(file, ".gz") {
			var unzipped *gzip.Reader
			if unzipped, err = gzip.NewReader(bytes.NewReader(data)); err == nil {
				data, err = io.ReadAll(unzipped)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := snapshot.Parse(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(file), ".json")
		surfaces = append(surfaces, check.Subject{Name: name, Snapshot: parsed})
	}
	return surfaces
}

// counts is a table of how often each rule spoke, and of how many listings. Rules that never did are named below it.
func counts(found []finding.Finding, surfaces []check.Subject) string {
	findings, servers := map[string]int{}, map[string]map[string]bool{}
	for _, f := range found {
		if servers[f.Rule] == nil {
			servers[f.Rule] = map[string]bool{}
		}
		findings[f.Rule]++
		servers[f.Rule][f.Server] = true
	}
	var b strings.Builder
	tools, tokens := 0, 0
	for _, s := range surfaces {
		tools += len(s.Snapshot.Tools.Items())
		tokens += check.Tokens(s.Snapshot)
	}
	fmt.Fprintf(&b, "# What the rules say of real servers\n\n%d listings with %d tools and %d tokens, each checked on its own.\n\n",
		len(surfaces), tools, tokens)
	b.WriteString("| rule | findings | in listings |\n|---|--:|--:|\n")
	for _, rule := range slices.Sorted(maps.Keys(findings)) {
		fmt.Fprintf(&b, "| `%s` | %d | %d |\n", rule, findings[rule], len(servers[rule]))
	}
	var silent []string
	for _, rule := range check.Rules() {
		if findings[rule.ID] == 0 {
			silent = append(silent, "`"+rule.ID+"`")
		}
	}
	fmt.Fprintf(&b, "\nSilent: %s.\n", strings.Join(silent, ", "))
	return b.String()
}
