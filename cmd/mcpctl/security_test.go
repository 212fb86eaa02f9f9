package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedProof = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*|[a-z0-9-]+\\.txtar)`")
	testHead   = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
)

// TestSecurityNamesWhatExists holds every test and script that docs/security.md names against those that there are.
func TestSecurityNamesWhatExists(t *testing.T) {
	page := readText(t, "../../docs/security.md")
	proofs := namedProof.FindAllStringSubmatch(page, -1)
	if len(proofs) < 40 {
		t.Fatalf("only %d tests are named: is the search broken?", len(proofs))
	}
	if !strings.Contains(strings.Join(strings.Fields(page), " "), "Trust and lock do not pin what a package depends on") {
		t.Error("docs/security.md does not say that the dependencies of packages are not pinned")
	}
	known := everyTest(t)
	for _, m := range proofs {
		if !known[m[1]] {
			t.Errorf("docs/security.md names %s, which does not exist", m[1])
		}
	}
}

// TestEveryAttackHasATest holds each row of the tables that say what shows something to naming a test, in the column for that.
func TestEveryAttackHasATest(t *testing.T) {
	page := readText(t, "../../docs/security.md")
	rows, shown := 0, false
	for line := range strings.Lines(page) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		switch last := strings.TrimSpace(cells[len(cells)-1]); {
		case len(cells) < 2:
			shown = false // no table
		case last == "shown by":
			shown = true
		case shown && !strings.HasPrefix(last, "---"):
			if rows++; !namedProof.MatchString(last) {
				t.Errorf("no test is named for: %s", line)
			}
		}
	}
	if rows < 35 {
		t.Fatalf("only %d rows: is the search broken?", rows)
	}
}

// everyTest are the names of all tests and scripts of the project.
func everyTest(t *testing.T) map[string]bool {
	known := map[string]bool{}
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && d.Name() != "..":
			return fs.SkipDir
		case strings.HasSuffix(path, ".txtar"):
			known[d.Name()] = true
		case strings.HasSuffix(path, "_test.go"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, m := range testHead.FindAllStringSubmatch(string(text), -1) {
				known[m[1]] = true
			}
		}
		return nil
	})
	if err != nil || len(known) < 100 {
		t.Fatalf("walking the project: %v, %d tests", err, len(known))
	}
	return known
}
