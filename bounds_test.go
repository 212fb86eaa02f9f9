package mcpctl

import (
	"bufio"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestBounds pins the numbers that the docs promise, and some that users meet: each sentence of testdata/bounds.txt is on its
// page, and its constant in the code has the same literal number.
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
		if page != "-" && !strings.Contains(plain(page), sentence) {
			t.Errorf("%s does not say %q", page, sentence)
		}
		number := regexp.MustCompile(`(?:^|[^\w.])` + regexp.QuoteMeta(constant) + `(?:$|[),]| [^*/+<>-]| //)`)
		if !number.MatchString(plain(source)) {
			t.Errorf("%s promises %q, and %s has no %s", page, sentence, source, constant)
		}
	}
	if rows < 40 {
		t.Errorf("%d rows: was the table cut?", rows)
	}
}
