package report

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// colours are the sequences that a report may contain.
var colours = regexp.MustCompile(`\x1b\[(0|1|2|31|32|33|36)m`)

// checkPage fails when a table could do harm to a terminal, or is untidy.
func checkPage(t testing.TB, page string, limit int) {
	t.Helper()
	if !utf8.ValidString(page) {
		t.Errorf("invalid UTF-8 in %q", page)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(page, "\n"), "\n") {
		bare := colours.ReplaceAllString(line, "")
		for _, r := range bare {
			if printable.Hidden(r) {
				t.Errorf("%U in %q", r, line)
			}
		}
		if strings.HasSuffix(bare, " ") {
			t.Errorf("space at the end of %q", line)
		}
		if n := strings.Count(line, "\x1b["); n%2 == 1 || n > 0 && !strings.Contains(line, "\x1b[0m") {
			t.Errorf("a colour does not end on its line: %q", line)
		}
		room := limit + 3*(strings.Count(bare, `:\x3a`)+strings.Count(bare, `\x5b`)) // what is spelled out comes on top
		if w := width(printable.Text(bare)); limit > 0 && w > room {
			t.Errorf("%d columns of %d: %q", w, limit, line)
		}
	}
	if strings.HasSuffix(page, "\n\n") || strings.Contains(page, "\n\n\n") {
		t.Errorf("more blank lines than needed:\n%s", page)
	}
}

// TestPageFits checks every case at widths that a terminal may have, and all of these widths in some case.
func TestPageFits(t *testing.T) {
	const step = 6
	all := cases(t)
	for i, name := range slices.Sorted(maps.Keys(all)) {
		one := all[name]
		o := one.Options
		for o.Width = 40 + i%step; o.Width <= 160; o.Width += step {
			o.Color = o.Width/step%2 == 0
			limit := o.Width
			if show, is := one.Body.(*Show); is && show.Raw {
				limit = 0 // raw JSON is never broken, so that it can be copied
			}
			checkPage(t, written(t, "table", &one.Report, o), limit)
			if t.Failed() {
				t.Fatalf("%s at width %d", name, o.Width)
			}
		}
		o.Width = 0
		checkPage(t, written(t, "table", &one.Report, o), 0)
	}
}

// TestColourChangesNothingElse compares the plain and the coloured page.
func TestColourChangesNothingElse(t *testing.T) {
	for name, one := range cases(t) {
		o := one.Options
		for _, o.Width = range []int{0, 80} {
			o.Color = false
			plain := written(t, "table", &one.Report, o)
			o.Color = true
			coloured := written(t, "table", &one.Report, o)
			if got := colours.ReplaceAllString(coloured, ""); got != plain {
				t.Errorf("%s at width %d:\n%s\nis not\n%s", name, o.Width, got, plain)
			}
			if got := len(one.Seen()) > 0 && coloured == plain; got {
				t.Errorf("%s at width %d has no colour", name, o.Width)
			}
		}
	}
}

// TestListRowsStayOneLine checks that in a file or a pipe the signature and the description of a hostile item take a line each.
func TestListRowsStayOneLine(t *testing.T) {
	one := cases(t)["testdata/cases/hostile-list"].Report
	list := one.Body.(*Listing)
	list.Servers, one.Problems = list.Servers[:1], nil
	list.Servers[0].Error, list.Servers[0].MoreErrors = nil, nil
	items := 0
	for _, k := range snapshot.Kinds() {
		items += len(*list.Servers[0].Items(k))
	}
	page := written(t, "table", &one, Options{})
	if got := strings.Count(page, "\n  "); items == 0 || got > 2*items {
		t.Errorf("%d lines for %d items:\n%s", got, items, page)
	}
}

// TestNamesAreNeverCut looks for names and URIs that are longer than a terminal is wide: nothing of them is missing at any
// width, and descriptions give way before they are broken.
func TestNamesAreNeverCut(t *testing.T) {
	long := "demo://resource/" + strings.Repeat("dynamic-", 8) + "{resourceId}"
	r := &Report{Command: "list", Body: &Listing{Items: true, Servers: []Server{
		{Server: seen.Server{Name: "everything-" + strings.Repeat("x", 20), State: seen.OK,
			Offer: seen.Offer{Resources: seen.Items{}, ResourceTemplates: seen.Items{
				[]byte(`{"uriTemplate":"` + long + `","name":"a","description":"` + strings.Repeat("some words ", 9) + `"}`),
				[]byte(`{"uriTemplate":"demo://short/{a}","name":"b"}`)}}}},
		{Server: seen.Server{Name: "other", State: seen.OK,
			Offer: seen.Offer{Tools: seen.Items{[]byte(`{"name":"` + strings.Repeat("tool", 15) + `"}`)}}}},
	}}}
	for width := 40; width <= 160; width++ {
		page := written(t, "table", r, Options{Width: width})
		whole := strings.Join(strings.Fields(page), "")
		for _, name := range []string{"demo://short/{a}"} {
			if !strings.Contains(whole, name) {
				t.Errorf("%s is cut at width %d:\n%s", name, width, page)
			}
		}
		if strings.Contains(page, "demo:…") || width > 145 && !strings.Contains(page, long) {
			t.Errorf("a name is cut at width %d:\n%s", width, page)
		}
		for _, name := range []string{long, strings.Repeat("tool", 15)} {
			if !strings.Contains(whole, name) {
				t.Errorf("%s is cut at width %d:\n%s", name, width, page)
			}
		}
	}
}

func TestSplit(t *testing.T) {
	for _, c := range []struct {
		in    printable.Text
		limit int
		want  printable.Text
		width int
	}{
		{"abc", 3, "abc", 3},
		{"abcd", 3, "abc", 4},
		{"日本語", 6, "日本語", 6},
		{"日本語", 5, "日本", 6},
		{"✅ ok", 3, "✅ ", 5},
		{"±—“”", 4, "±—“”", 4}, // ambiguous widths are narrow, whatever the locale
	} {
		head, tail := split(c.in, c.limit)
		if head != c.want || head+tail != c.in || width(c.in) != c.width {
			t.Errorf("split(%q, %d) = %q, %q; its width is %d", c.in, c.limit, head, tail, width(c.in))
		}
	}
}
