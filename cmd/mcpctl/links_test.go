package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// link is a link of Markdown to a file of the repository, without the place inside it.
var link = regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)

// TestLinks looks for every file that a page of the documentation links to.
func TestLinks(t *testing.T) {
	pages, _ := filepath.Glob("../../docs/*.md")
	found := 0
	for _, page := range append(pages, "../../README.md", "../../testdata/corpus/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, to := range link.FindAllStringSubmatch(withoutCode(string(text)), -1) {
			found++
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), to[1])); err != nil {
				t.Errorf("%s links to %s: %v", page, to[1], err)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d links found: is the search broken?", found)
	}
}

// withoutCode is a page without its blocks of code.
func withoutCode(page string) string {
	var prose strings.Builder
	for i, part := range strings.Split(page, "```") {
		if i%2 == 0 {
			prose.WriteString(part)
		}
	}
	return prose.String()
}
