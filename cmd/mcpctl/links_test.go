package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// link is a link of Markdown to a file of the repository, or to a place in one.
	link = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	// place is what such a place may be: a heading, or an anchor.
	place = regexp.MustCompile(`(?m)^#+ (.*)$|<a id="([^"]*)">`)
	// ruler is the line below the head of a table.
	ruler = regexp.MustCompile(`^\|(\s*:?-+:?\s*\|)+\s*$`)
)

// TestLinks looks for every file, and every place in a page, that a page of the documentation links to.
func TestLinks(t *testing.T) {
	found := 0
	for page, text := range pages(t) {
		for _, to := range link.FindAllStringSubmatch(text, -1) {
			found++
			file := filepath.Join(filepath.Dir(page), to[1])
			if to[1] == "" {
				file = page
			}
			there, err := os.ReadFile(file)
			switch info, failed := os.Stat(file); {
			case failed != nil:
				t.Errorf("%s links to %s: %v", page, to[1], failed)
			case !info.IsDir() && (err != nil || to[2] != "" && !slices.Contains(placesIn(string(there)), to[2])):
				t.Errorf("%s links to %s, which has no #%s (%v)", page, file, to[2], err)
			}
		}
	}
	if found < 20 {
		t.Errorf("only %d links found: is the search broken?", found)
	}
}

// TestTables counts the columns of every table: one whose ruler has another number of them than its head is shown as text.
func TestTables(t *testing.T) {
	found := 0
	for page, text := range pages(t) {
		head := ""
		for line := range strings.Lines(text) {
			columns := func(row string) int { return strings.Count(strings.ReplaceAll(row, `\|`, ""), "|") }
			if ruler.MatchString(line) {
				found++
				if columns(line) != columns(head) {
					t.Errorf("%s: below %q stands %q", page, head, line)
				}
			}
			head = line
		}
	}
	if found < 20 {
		t.Errorf("only %d tables found: is the search broken?", found)
	}
}

// pages are the pages for people without their blocks of code, by name.
func pages(t *testing.T) map[string]string {
	t.Helper()
	names, _ := filepath.Glob("../../docs/*.md")
	all := map[string]string{}
	for _, name := range append(names, "../../README.md", "../../.github/CONTRIBUTING.md", "../../.github/SECURITY.md",
		"../../CHANGELOG.md", "../../testdata/corpus/README.md") {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = withoutCode(string(text))
	}
	return all
}

// placesIn are the places of a page as GitHub names them.
func placesIn(page string) (all []string) {
	for _, m := range place.FindAllStringSubmatch(withoutCode(page), -1) {
		words := regexp.MustCompile(`[^\p{L}\p{N} _-]`).ReplaceAllString(strings.ToLower(m[1]), "")
		all = append(all, strings.ReplaceAll(words, " ", "-"), m[2])
	}
	return all
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
