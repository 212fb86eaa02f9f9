package diff_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var storyBlock = regexp.MustCompile("(?s)```text\n(.*?)```")

// TestRealDiffsAreTold holds the stories of docs/real-diffs.md, one for each pair of releases; -update rewrites them.
func TestRealDiffsAreTold(t *testing.T) {
	const page = "../../docs/real-diffs.md"
	text := read(t, page)
	files, err := filepath.Glob("testdata/real/*/old.json")
	if err != nil {
		t.Fatal(err)
	}
	held := 0
	for _, file := range files {
		folder := filepath.Dir(file)
		heading := "\n## " + filepath.Base(folder) + ": "
		_, rest, found := strings.Cut(text, heading)
		if !found {
			continue // a page that is read does not tell every pair
		}
		held++
		findings := compared(t, parse(t, read(t, file)), parse(t, read(t, filepath.Join(folder, "new.json"))), diff.Options{})
		told := causes(findings)
		if was := storyBlock.FindStringSubmatch(rest)[1]; was != told {
			if *update {
				text = strings.Replace(text, was, told, 1)
			} else {
				t.Errorf("%s: the page says\n%s\nand the comparison\n%s", filepath.Base(folder), was, told)
			}
		}
	}
	if stories := len(storyBlock.FindAllString(text, -1)); held != stories || held < 6 {
		t.Errorf("%d of the page's %d stories belong to a pair of releases", held, stories)
	}
	if *update {
		if err := os.WriteFile(page, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// causes are the findings as a story opens: a line for each cause.
func causes(findings []finding.Finding) string {
	var b strings.Builder
	for _, g := range finding.Groups(findings) {
		b.WriteString(g.Level.String() + strings.Repeat(" ", 10-len(g.Level.String())) + g.Title + "\n")
	}
	return b.String()
}
