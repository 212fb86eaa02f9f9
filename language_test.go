package mcpctl

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// ruledOut matches words that plain technical English does without.
var ruledOut = regexp.MustCompile(`(?i)\b(tell|tells|told|telling|nobody|somebody|whoever|mend|mends|mended|heed|heeds|` +
	`heeded|lest|whereof|of which)\b`)

// inQuotes lists what may stay, by file: parts of patterns that match text of servers.
var inQuotes = map[string][]string{
	"internal/wording/orders.go": {"tell|telling", "(?:told"},
	"pkg/diff/rules.json":        {"o not tell the user"},
	"pkg/check/attacks.go":       {"say|show|tell)", "told)"},
}

// TestLanguageIsPlain rejects these words in comments and strings of product code, and in docs.
func TestLanguageIsPlain(t *testing.T) {
	files := productFiles(t)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s scanner.Scanner
		fset := token.NewFileSet()
		s.Init(fset.AddFile(file, -1, len(source)), source, nil, scanner.ScanComments)
		for {
			pos, tok, text := s.Scan()
			if tok == token.EOF {
				break
			}
			if tok == token.COMMENT || tok == token.STRING {
				checkWords(t, fset.Position(pos).String(), filepath.ToSlash(file), text)
			}
		}
	}
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("%d pages: %v", len(pages), err)
	}
	pages = append(pages, "README.md", "CHANGELOG.md", ".github/CONTRIBUTING.md", ".github/SECURITY.md",
		"pkg/diff/rules.json", "pkg/check/rules.json")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		checkWords(t, page, filepath.ToSlash(page), string(text))
	}
}

// checkWords reports the words of a text that are ruled out and not listed for its file.
func checkWords(t *testing.T, place, file, text string) {
	t.Helper()
	for _, allowed := range inQuotes[file] {
		text = strings.ReplaceAll(text, allowed, "")
	}
	for _, word := range ruledOut.FindAllString(text, -1) {
		t.Errorf("%s: %q: use plain words, such as report, no one, fix", place, word)
	}
}
