package report

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// How much of a value a table shows.
const (
	shortValue  = 40   // columns of a value that is shown whole beside its other side
	contextSize = 60   // bytes kept on each side of a change in a long text
	longValue   = 1000 // bytes of a single value before the rest is left to the JSON form
)

// values writes what a finding's place held before and holds now.
func (p *page) values(indent int, f finding.Finding) {
	before, after := display(f.Old, f.New)
	where := []span{}
	if isPolicy(f.Item) {
		return // the message says it
	}
	if at := f.Pointer(); at != "" {
		where = append(where, span{visible(at) + "  ", dim})
	}
	switch {
	case f.Old == nil && f.New == nil:
		p.place(indent, where)
	case f.Pointer() == "" && f.Item != "" && (f.Old == nil || f.New == nil):
		p.wholeItem(indent, f)
	case f.Old == nil:
		p.text(indent, 2, append(where, span{"+ ", green}, span{short(after), green})...)
	case f.New == nil:
		p.text(indent, 2, append(where, span{"− ", red}, span{short(before), red})...)
	case isShort(before) && isShort(after):
		p.text(indent, 2, append(where, span{visible(before), red}, span{" → ", dim}, span{visible(after), green})...)
	default:
		p.place(indent, where)
		p.edits(indent+2, compare(before, after))
	}
}

func (p *page) place(indent int, where []span) {
	if len(where) > 0 {
		p.text(indent, 2, where...)
	}
}

// wholeItem writes in one line what an item was or is that came or went.
func (p *page) wholeItem(indent int, f finding.Finding) {
	raw, sign, look := f.New, safe("+ "), green
	if raw == nil {
		raw, sign, look = f.Old, "− ", red
	}
	word, name, _ := strings.Cut(f.Item, "/")
	takes := ""
	for _, k := range snapshot.Kinds() {
		if k.Word() == word {
			takes = signature(k, raw)
		}
	}
	if takes != "" {
		name += "(" + takes + ")"
	}
	p.text(indent, 2, span{sign + visible(name), look})
	p.text(indent+2, 0, span{firstLine(about(raw)), dim})
}

// display is a pair of values as it is compared and shown: JSON on one line, but a text that is long, or the pair of one,
// stands as it is. A value that is not there is empty.
func display(before, after json.RawMessage) (string, string) {
	a, aText := rawjson.Text(before)
	b, bText := rawjson.Text(after)
	if (aText || before == nil) && (bText || after == nil) && !(isShort(a) && isShort(b)) {
		return a, b
	}
	return compact(before), compact(after)
}

func isShort(s string) bool {
	return len(s) <= 2*shortValue && width(visible(s)) <= shortValue && !strings.Contains(s, "\n")
}

// short is a value that has no other side. A text is whole; of a very long object the table shows the start and says so.
func short(s string) safe {
	if len(s) <= longValue || s[0] != '{' && s[0] != '[' {
		return visible(s)
	}
	return visible(strings.ToValidUTF8(s[:longValue], "")) +
		safe(fmt.Sprintf("… (%d bytes more: --format json)", len(s)-longValue))
}

// edits writes a text with its changes marked, complete but for long stretches that stayed the same.
func (p *page) edits(indent int, all []edit) {
	var row []span
	for i, e := range all {
		switch e.op {
		case gone:
			row = append(row, span{p.marked("[-", e.text, "-]"), red})
		case fresh:
			row = append(row, span{p.marked("{+", e.text, "+}"), green})
		case kept:
			rows := keptRows(e.text, i > 0, i < len(all)-1)
			for _, done := range rows[:len(rows)-1] {
				p.text(indent, 0, append(row, span{done, noInk})...)
				row = nil
			}
			row = append(row, span{rows[len(rows)-1], noInk})
		}
	}
	p.text(indent, 0, row...)
}

// marked is a stretch of a text that changed.
func (p *page) marked(open safe, text string, end safe) safe {
	if p.bare {
		return visible(text)
	}
	return open + visible(text) + end
}

// keptRows are the lines of a stretch that stayed the same, less what is far from any change.
func keptRows(s string, before, after bool) []safe {
	head, tail := contextSize, contextSize
	if !before {
		head = 0
	}
	if !after {
		tail = 0
	}
	if len(s) > head+tail+2*contextSize {
		s = wordEnd(s, head) + ellipsis + wordStart(s, len(s)-tail)
	}
	var rows []safe
	for line := range strings.SplitSeq(s, "\n") {
		rows = append(rows, visible(strings.TrimSuffix(line, "\r")))
	}
	return rows
}

// wordEnd is s up to the first space at or after i.
func wordEnd(s string, i int) string {
	if end := strings.IndexAny(s[i:], " \n"); end >= 0 && i > 0 {
		return s[:i+end] + " "
	}
	return strings.ToValidUTF8(s[:i], "")
}

// wordStart is s from the last space at or before i.
func wordStart(s string, i int) string {
	if start := strings.LastIndexAny(s[:i], " \n"); start >= 0 && i < len(s) {
		return s[start:]
	}
	return strings.ToValidUTF8(s[i:], "")
}
