package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// How much of a value is shown.
const (
	shortValue   = 40   // columns of a value that the sentence of its finding has
	contextWords = 10   // words shown on each side of a change in a text
	longValue    = 1000 // bytes of a single value; the JSON form has the rest
	textRows     = 2    // rows of a text on a folded page
)

// evidence returns the lines that show what changed: items by their calls, arguments by their types, texts by
// their words, and the recorded calls that are affected. A short value is in the sentence of its finding.
// Verbose returns every value as it stands, with its place.
func (v view) evidence(f finding.Finding) []line {
	old, now := display(f.Old, f.New)
	gone, joined := setChange(f.Old, f.New)
	var shown []line
	switch {
	case isPolicy(f.Item), f.Old == nil && f.New == nil, f.Joined():
	case isWholeItem(f):
		shown = v.item(f)
	case v.Verbose:
		shown = append(lineOf(span{f.Pointer(), dim}), v.values(f, old, now)...)
		if texts := v.textsWithin(f.Old, f.New, ""); slices.ContainsFunc(texts, concealing) {
			shown = append(shown, texts...) // JSON does not mark what is concealed
		}
	case f.Passage != "":
		shown = v.edits(highlight(now, f.Passage))
	case isSchema(f):
		shown = v.schemas(f)
	case v.check && rawjson.TypeName(f.New) != "a string":
	case isReadText(f) && !v.check, !isShort(old), !isShort(now), strings.Contains(now, wording.Sign),
		gone != "" && joined != "": // each finding reports one of them
		shown = v.values(f, old, now)
	}
	return append(shown, callLines(f)...)
}

// isWholeItem reports whether an item came or went.
func isWholeItem(f finding.Finding) bool {
	return f.Pointer() == "" && f.Item != "" && (f.Old == nil) != (f.New == nil) && !f.Joined()
}

// isReadText reports whether a description or the instructions for the model changed, as short as they may
// be.
func isReadText(f finding.Finding) bool {
	place := path.Base(f.Pointer())
	return (place == "description" || place == "instructions") && rawjson.TypeName(f.New) == "a string"
}

// isSchema reports whether a schema inside a tool's schemas came, went or changed, and not a keyword of it.
func isSchema(f finding.Finding) bool {
	inSchema := strings.HasPrefix(f.Path, "/inputSchema") || strings.HasPrefix(f.Path, "/outputSchema")
	value := json.RawMessage(cmp.Or(string(f.New), string(f.Old)))
	return inSchema && f.Member == "" && rawjson.TypeName(value) == "an object" &&
		(f.Old == nil || f.New == nil ||
			shape(f.Old, shapeDepth) != "any" || shape(f.New, shapeDepth) != "any")
}

// highlight returns a text with the first place of a passage marked as new, if possible as a whole word.
func highlight(text, passage string) []wording.Passage {
	group := "(" + regexp.QuoteMeta(passage) + ")"
	for _, pattern := range []string{`(?i)(?:^|[^\pL\d_.-])` + group + `(?:$|[^\pL\d_-])`, `(?i)` + group} {
		if at := regexp.MustCompile(pattern).FindStringSubmatchIndex(text); at != nil {
			return []wording.Passage{
				{Op: wording.Kept, Text: text[:at[2]]}, {Op: wording.Added, Text: text[at[2]:at[3]]},
				{Op: wording.Kept, Text: text[at[3]:]},
			}
		}
	}
	return []wording.Passage{{Op: wording.Added, Text: text}}
}

// item returns the signature of an item that came or went, and the texts for the model that came with it.
func (v view) item(f finding.Finding) []line {
	raw, sign, look := f.New, "+ ", green
	if raw == nil {
		raw, sign, look = f.Old, "− ", red
	}
	word, name, _ := strings.Cut(f.Item, "/")
	kind := map[string]snapshot.Kind{"tool": snapshot.Tools, "prompt": snapshot.Prompts}[word]
	all := lineOf(span{sign + name + takes(kind, raw), look})
	if f.New == nil {
		return all
	}
	all = append(all, indented(2, v.paragraph(wording.Marked(about(raw)), plain))...)
	return append(all, v.textsWithin(nil, raw, about(raw))...)
}

// schemas returns how the type and the description of an argument or of a result changed. One that is gone
// has no line.
func (v view) schemas(f finding.Finding) (all []line) {
	before, after := rawjson.ObjectOf(f.Old).Text("description"), rawjson.ObjectOf(f.New).Text("description")
	shown := ""
	switch was, is := shape(f.Old, shapeDepth), shape(f.New, shapeDepth); {
	case f.New == nil:
		return nil
	case f.Old == nil:
		shown = after
		head := span{"+ " + path.Base(f.Pointer()) + ": " + is, green}
		all = []line{{hang: 2, rows: textRows * count(v.folds()),
			spans: []span{head, {"  " + oneLine(after), plain}}}}
		if text := v.paragraph(wording.Marked(after), plain); slices.ContainsFunc(text, concealing) ||
			len(text) > 1 {
			all = append(lineOf(head), indented(2, text)...)
		}
	case was != is:
		all = lineOf(span{was, red}, span{" → ", dim}, span{is, green})
	case before != after:
		all = v.edits(wording.Compare(wording.Marked(before), wording.Marked(after)))
	default:
		all = lineOf(span{"--verbose shows both schemas", dim})
	}
	return append(all, v.textsWithin(f.Old, f.New, shown)...)
}

// readByModels are the members of a schema or an item whose texts a model reads.
var readByModels = []string{"description", "title", "$comment"}

// textsWithin returns the texts in a new schema or item that a model reads, a line for each, without those of
// the old one and one that is shown already. A folded page has them only if something in them is marked as
// concealed.
func (v view) textsWithin(old, new json.RawMessage, shown string) []line {
	known := map[string]bool{shown: true}
	var texts []string
	for _, raw := range []json.RawMessage{old, new} {
		texts = nil
		rawjson.Strings(raw, func(steps []string, text string, isName bool) {
			last := len(steps) - 1
			if last < 0 || isName || known[text] || !slices.Contains(readByModels, steps[last]) {
				return
			}
			known[text] = true
			names := rawjson.Properties(steps)
			innermost := strings.Join(names[max(0, len(names)-1):], "")
			texts = append(texts, "- "+kit.Join(": ", innermost, wording.Marked(text)))
		})
	}
	all := strings.Join(texts, "\n")
	if v.folds() && !strings.Contains(all, wording.Sign) {
		return nil
	}
	return indented(2, v.paragraph(all, plain))
}

// values returns one value, or two side by side, as display has them: lists by what left and what joined
// them, long texts word by word.
func (v view) values(f finding.Finding, before, after string) []line {
	gone, joined := setChange(f.Old, f.New)
	switch {
	case f.Old == nil && v.check:
		return v.paragraph(short(after), plain)
	case f.Old == nil:
		return v.paragraph("+ "+short(after), green)
	case f.New == nil:
		return v.paragraph("− "+short(before), red)
	case gone+joined != "":
		return lineOf(span{gone, red}, span{strings.Repeat("  ", min(1, len(gone))), plain},
			span{joined, green})
	case isShort(before) && isShort(after):
		return lineOf(span{before, red}, span{" → ", dim}, span{after, green})
	}
	return v.edits(wording.Compare(before, after))
}

// unescapedMarkup spells out what JSON may write as escapes.
var unescapedMarkup = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// setChange returns what left a list of values and what joined it, such as `− "a"` and `+ "b", "c"`;
// nothing if one side is not a list.
func setChange(old, new json.RawMessage) (gone, joined string) {
	before, err := rawjson.Elements(old)
	after, err2 := rawjson.Elements(new)
	if err != nil || err2 != nil {
		return "", ""
	}
	less := func(all, other []json.RawMessage, sign string) string {
		there := kit.Set(kit.Map(other, printable.Spaced))
		left := kit.Filter(kit.Map(all, printable.Spaced), func(value string) bool { return !there[value] })
		if len(left) == 0 {
			return ""
		}
		mark := func(value string) string { return wording.Marked(unescapedMarkup.Replace(value)) }
		return sign + strings.Join(kit.Map(left, mark), ", ")
	}
	return less(before, after, "− "), less(after, before, "+ ")
}

// paragraph returns a text that a model reads. A folded page has two rows of it, unless something in it is
// marked as concealed.
func (v view) paragraph(s string, look style) []line {
	if v.folds() && !strings.Contains(s, wording.Sign) {
		return []line{{rows: textRows, spans: []span{{oneLine(s), look}}}}
	}
	return paragraph(s, look)
}

// display returns a pair of values as it is compared and shown: JSON on one line, but a long text, or the
// pair of one, stands as it is, marked. A value that is not there is empty.
func display(before, after json.RawMessage) (string, string) {
	a, aText := rawjson.Text(before)
	b, bText := rawjson.Text(after)
	a, b = wording.Marked(a), wording.Marked(b)
	if (aText || before == nil) && (bText || after == nil) && !(isShort(a) && isShort(b)) {
		return a, b
	}
	return printable.Spaced(before), printable.Spaced(after)
}

func isShort(s string) bool {
	return len(s) <= 2*shortValue && width(printable.Visible(s)) <= shortValue && !strings.Contains(s, "\n")
}

// short cuts a very long object or array, and says so. A text is whole.
func short(s string) string {
	if len(s) <= longValue || s[0] != '{' && s[0] != '[' {
		return s
	}
	return strings.ToValidUTF8(s[:longValue], "") +
		fmt.Sprintf("… (%d bytes more: --format json)", len(s)-longValue)
}

// edits returns a text with its changes marked. Long stretches that stayed the same are left out, but not by
// Verbose.
func (v view) edits(all []wording.Passage) []line {
	marked := map[wording.Op]string{wording.Kept: "%s", wording.Removed: "[-%s-]", wording.Added: "{+%s+}"}
	looks := map[wording.Op]style{wording.Removed: red, wording.Added: green}
	out := []line{{hang: 2}}
	for i, e := range all {
		text, format := strings.ReplaceAll(e.Text, "\r\n", "\n"), marked[e.Op]
		if e.Op == wording.Kept && !v.Verbose {
			text = nearWords(text, i > 0, i < len(all)-1)
		}
		if v.bare {
			format = "%s"
		}
		rows := []string{fmt.Sprintf(format, text)}
		if e.Op == wording.Kept || strings.Trim(text, "\n") != "" { // line breaks alone are spelled out
			rows = strings.Split(rows[0], "\n")
		}
		for j, row := range rows {
			if j > 0 {
				out = append(out, line{hang: 2})
			}
			last := &out[len(out)-1]
			last.spans = append(last.spans, span{row, looks[e.Op]})
		}
	}
	return out
}

// nearWords returns a stretch of a text without words far from a change before or after it.
func nearWords(s string, before, after bool) string {
	words := strings.SplitAfter(s, " ")
	head, tail := contextWords*count(before), contextWords*count(after)
	if !before && !after || len(words) <= head+tail+2 {
		return s
	}
	return strings.Join(words[:head], "") + "… " + strings.Join(words[len(words)-tail:], "")
}
