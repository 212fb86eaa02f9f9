package report

import (
	"bytes"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestFormatsAreDocumented: docs/reference.md says of each format that CI reads what it holds.
func TestFormatsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n| format | holds |\n")
	table, _, _ = strings.Cut(table, "\n\n")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|").FindAllStringSubmatch(table, -1) {
		documented = append(documented, row[1])
	}
	slices.Sort(documented)
	if diff := cmp.Diff(fileFormats(), documented); diff != "" {
		t.Errorf("the table of formats in docs/reference.md (-want +got):\n%s", diff)
	}
}

func TestUnknownFormat(t *testing.T) {
	err := Write(io.Discard, "tabel", listOf(), Options{})
	want := `unknown format "tabel" (did you mean "table"?): use one of ` + strings.Join(Formats(), ", ")
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v", err)
	}
}

// TestReadBack reads a report as it was written; nothing that Write fills in stays in the caller's value.
func TestReadBack(t *testing.T) {
	for name, one := range cases(t) {
		first := written(t, "json", &one.Report, Options{})
		again, err := Parse([]byte(first), bodyNamed)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(first, written(t, "json", again, Options{})); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestWriteReportsABrokenPipe(t *testing.T) {
	for _, format := range Formats() {
		err := Write(brokenPipe{}, format, listOf(), Options{})
		if !errors.Is(err, io.ErrClosedPipe) || !strings.Contains(err.Error(), "as "+format) {
			t.Errorf("%s: error is %v", format, err)
		}
	}
}

// TestBrokenRaw gives a raw value that is not a JSON, as no caller should.
func TestBrokenRaw(t *testing.T) {
	for _, raw := range []string{`{`, ``, `{"a":1`, `nul`, `{"name":"a"}}`} {
		r := withItem(raw)
		for _, format := range []string{"json", "yaml"} {
			if err := Write(io.Discard, format, r, Options{}); err == nil {
				t.Errorf("%q as %s gives no error", raw, format)
			}
		}
		if got := written(t, "table", r, Options{}); !strings.Contains(got, "(no name)") {
			t.Errorf("%q as a table gives %q", raw, got)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct {
		in          printable.Text
		first, rest int
		want        []string
	}{
		{"", 5, 5, []string{""}},
		{"one two", 0, 0, []string{"one two"}},
		{"one two", 7, 5, []string{"one two"}},
		{"one two", 6, 5, []string{"one", "two"}},
		{"one  two", 4, 4, []string{"one", "two"}},
		{"abcdefgh", 5, 3, []string{"abcde", "fgh"}},
		{"a abcdefgh", 5, 3, []string{"a", "abc", "def", "gh"}},
		{"日本語", 5, 2, []string{"日本", "語"}},
		{"日本", 1, 1, []string{"日本"}},
		{"  indented text", 10, 8, []string{"  indented", "text"}},
	} {
		var got []string
		for _, row := range wrap([]piece{{c.in, plain}}, c.first, c.rest) {
			var b bytes.Buffer
			for _, s := range row {
				b.WriteString(string(s.text))
			}
			got = append(got, b.String())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("wrap(%q, %d, %d) = %q, want %q", c.in, c.first, c.rest, got, c.want)
		}
	}
}

// TestAcceptIsOfferedForChanges: what fails a run because of a waiver cannot be accepted, so the last line does not offer it.
func TestAcceptIsOfferedForChanges(t *testing.T) {
	for message, offered := range map[string]bool{"tool/a": true, "waiver/tool-removed": false} {
		r := diffOf(1, seen.Findings{{Rule: "r", Level: finding.Warning, Server: "s", Item: message, Message: "m", Old: []byte("1")}},
			DiffServer{Server: seen.Server{Name: "s", Answer: seen.Answer{Connection: seen.Connection{Transport: "stdio"}}},
				FailOn: finding.FailOnWarning, Comparison: seen.Comparison{Base: "s.json", Movable: true}})
		if page := written(t, "table", r, Options{}); strings.Contains(page, "mcpctl accept") != offered {
			t.Errorf("%s: accept offered %v, want %v:\n%s", message, !offered, offered, page)
		}
	}
}
