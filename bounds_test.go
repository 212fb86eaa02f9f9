package mcpctl

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestBounds pins the numbers that the docs promise, and some that users meet: each sentence of testdata/bounds.txt is on its
// page, and its constant in the code has the same literal number. A page has no other number that looks like a promise.
func TestBounds(t *testing.T) {
	file, err := os.Open("testdata/bounds.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	blanks := regexp.MustCompile(`\s+`)
	plain := func(path string) string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Error(err)
		}
		return blanks.ReplaceAllString(string(text), " ")
	}
	listed := map[string][]string{} // sentences by page
	rows := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if lines.Text() == "" || strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		cells := strings.Split(strings.ReplaceAll(lines.Text(), `\|`, "\x00"), " | ")
		if rows++; len(cells) != 4 {
			t.Fatalf("%d cells, want 4: %s", len(cells), lines.Text())
		}
		page, sentence, source, constant := cells[0], strings.ReplaceAll(cells[1], "\x00", "|"), cells[2], cells[3]
		listed[page] = append(listed[page], sentence)
		if page != "-" && !strings.Contains(plain(page), sentence) {
			t.Errorf("%s does not say %q", page, sentence)
		}
		if source == "=" {
			continue
		}
		number := regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(constant) + `(?:$|[),]| [^*/+<>-]| //)`)
		if !number.MatchString(plain(source)) {
			t.Errorf("%s promises %q, and %s has no %s", page, sentence, source, constant)
		}
	}
	if rows < 70 {
		t.Errorf("%d rows: was the table cut?", rows)
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(err, pages)
	}
	for _, page := range pages {
		if slices.Contains([]string{"docs/architecture.md", "docs/performance.md", "docs/rules.md"}, page) {
			continue // of the code, measured, generated
		}
		text := plain(page)
		for _, sentence := range listed[page] {
			text = strings.ReplaceAll(text, sentence, "…")
		}
		text = fences.ReplaceAllString(text, "")
		for _, at := range promises.FindAllStringIndex(text, -1) {
			t.Errorf("%s: no row of testdata/bounds.txt has: …%s…", page, text[max(0, at[0]-40):min(len(text), at[1]+30)])
		}
	}
}

// What may be a number that a page promises, outside of examples.
var (
	fences   = regexp.MustCompile("```.*?```")
	promises = regexp.MustCompile(`(?i)\b\d[\d,]* ?(ms|s|seconds?|minutes?|hours?|days?|MiB|KiB|GiB|bytes?|steps|servers?|tools?|` +
		`times|lines|files|values|events?|characters?|calls|redirects?|items|members|findings)\b|` +
		`\b(at most|at least|up to|more than|fewer than|above|exceed|the first|the last|within|after|every) ` +
		`(\d[\d,]*|two|three|five|ten|twenty)\b|\b(a|one|two|five|ten) (minutes?|seconds?|hours?)\b`)
)
