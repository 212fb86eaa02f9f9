package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/internal/wording"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// How much of a value a table shows.
const (
	shortValue  = 40   // columns of a value that is shown whole beside its other side
	contextSize = 60   // bytes of its sentence kept on each side of a change in a text
	longValue   = 1000 // bytes of a single value before the rest is left to the JSON form
)

// writeChange writes a place before and now, as a person reads it: items by signature, arguments by type, texts by words.
// With Verbose values stand as they are, with their place. What stands before them may be given.
func writeChange(p *page, indent int, f finding.Finding, at ...span) {
	if place := f.Pointer(); place != "" && p.Verbose {
		at = append(at, span{place + "  ", dim})
	}
	list := rawjson.TypeName(f.Old) == "an array" && rawjson.TypeName(f.New) == "an array"
	told := (f.Item == "" || list) && p.known("values", f.Item+f.Pointer()+string(f.Old)+string(f.New))
	switch {
	case isPolicy(f.Item), told && !p.Verbose: // the message says it, or another one
	case f.Pointer() == "" && f.Item != "" && (f.Old == nil) != (f.New == nil):
		writeWholeItem(p, indent, f)
	case f.Old == nil && f.New == nil:
		p.text(indent, 2, at...)
	case isSchema(f) && !p.Verbose:
		writeSchemas(p, indent, f, at)
	case !p.Verbose && saysAll(f): // nor is there more to show
	case !p.Verbose && !p.still && textRules().MatchString(f.Rule):
		writeEdits(p, indent, hit(f), at...)
	default:
		writeValues(p, indent, at, f.Old, f.New)
		if texts := textsWithin(append(json.RawMessage("["), append(slices.Clone(f.Old), ']')...), f.New); isSchema(f) && f.New != nil && strings.Contains(texts, wording.Sign) {
			writeText(p, indent+2, texts, plain)
		}
	}
}

// saysAll tells whether a message, or the name of the item, has all that the values would show.
func saysAll(f finding.Finding) bool {
	if len(f.Old)+len(f.New) > longValue || bounded().MatchString(f.Rule) {
		return bounded().MatchString(f.Rule)
	}
	before, after := display(f.Old, f.New)
	if f.Old == nil && (after == "null" || strings.Trim(after, `"`) == nameOf(f)) {
		return true
	}
	if left, joined, lists := setChange(f.Old, f.New); lists {
		before, after = strings.TrimPrefix(left, "− "), strings.TrimPrefix(joined, "+ ")
	}
	values, words := []string{before, after}, kit.Map(strings.Fields(f.Message), func(word string) string { return strings.TrimRight(word, ",.") })
	if f.Old == nil && json.Unmarshal(f.New, &values) != nil {
		values = []string{after}
	}
	return !slices.ContainsFunc(values, func(value string) bool {
		bare := strings.Trim(value, `"`)
		named := strings.Contains(f.Message, `"`+bare+`"`) || strings.Contains(f.Message, "`"+bare+"`")
		return bare != "" && bare != "true" && !named && !slices.Contains(words, bare)
	})
}

// isSchema tells whether what changed is a schema inside a tool's schemas, and not the value of a keyword.
func isSchema(f finding.Finding) bool {
	inSchema := strings.HasPrefix(f.Path, "/inputSchema") || strings.HasPrefix(f.Path, "/outputSchema")
	return inSchema && !keywordRules().MatchString(f.Rule) && (rawjson.TypeName(f.New) == "an object" || f.New == nil && rawjson.TypeName(f.Old) == "an object")
}

// keywordRules are about keywords whose values are no schemas, and of several of them at once; textRules name what a text now
// says; bounded are those whose sentence says all that the values do.
var (
	keywordRules = kit.Pattern(`-(range|length|count|dependent-required|content|keyword)-`)
	textRules    = kit.Pattern(`^text-(url|tool-reference|instruction-cue)-added$`)
	bounded      = kit.Pattern(`-(range|length|count)-|-properties-(closed|opened)`)
)

// hit is the text of a finding of textRules, with what its message ends with taken for new.
func hit(f finding.Finding) []wording.Edit {
	_, text := display(nil, f.New)
	says := strings.TrimRight(f.Message, ".`\"")
	says = says[strings.LastIndexAny(says, " `\"")+1:]
	if _, phrase, quoted := strings.Cut(f.Message, `"`); quoted {
		says = strings.TrimSuffix(phrase, `".`)
	}
	at := said(text, says)
	if at < 0 {
		return []wording.Edit{{Op: wording.Fresh, Text: text}}
	}
	return []wording.Edit{{Op: wording.Kept, Text: text[:at]}, {Op: wording.Fresh, Text: text[at : at+len(says)]}, {Op: wording.Kept, Text: text[at+len(says):]}}
}

// said is the place in a text that names something: where it is in quotes, else where it is no part of another name, else the first; -1 for none.
func said(text, name string) int {
	first := -1
	for _, quote := range []string{"`", "'", `"`} {
		if at := strings.Index(text, quote+name+quote); at >= 0 {
			return at + len(quote)
		}
	}
	for at := range text {
		end := at + len(name)
		if end > len(text) || !strings.EqualFold(text[at:end], name) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[end:])
		if !inName(before) && before != '.' && !inName(after) {
			return at
		}
		if first < 0 {
			first = at
		}
	}
	return first
}

func inName(r rune) bool {
	return r == '_' || r == '-' || r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// writeSchemas tells how the type and the description of an argument or of a result changed. Of one that is gone the
// message says enough.
func writeSchemas(p *page, indent int, f finding.Finding, at []span) {
	before, after := rawjson.ObjectOf(f.Old), rawjson.ObjectOf(f.New)
	switch was, is := signature.Shape(f.Old), signature.Shape(f.New); {
	case f.New == nil:
	case f.Old == nil:
		writeArgument(p, indent, append(at, span{"+ " + path.Base(f.Pointer()) + ": " + is, green}), wording.Marked(after.Text("description")))
	case was != is:
		p.text(indent, 2, span{was, red}, span{" → ", dim}, span{is, green})
	case before.Text("description") == after.Text("description"):
		p.text(indent, 2, span{"--verbose shows both schemas", dim})
	default:
		writeEdits(p, indent, wording.Compare(wording.Marked(before.Text("description")), wording.Marked(after.Text("description"))))
	}
	if texts := textsWithin(f.Old, f.New); f.New != nil && (p.fold == 0 || strings.Contains(texts, wording.Sign)) {
		writeText(p, indent+2, texts, plain)
	}
}

// textsWithin are what the parts of a schema newly say of themselves, a line for each, without what is said of all of it.
func textsWithin(old, new json.RawMessage) string {
	known := map[string]bool{}
	if old == nil {
		known[rawjson.ObjectOf(new).Text("description")] = true
	}
	eachText(old, func(_, text string) { known[text] = true })
	var b strings.Builder
	eachText(new, func(name, text string) {
		if !known[text] {
			known[text] = true
			fmt.Fprintf(&b, "- %s\n", strings.TrimPrefix(name+": "+wording.Marked(text), ": "))
		}
	})
	return strings.TrimSuffix(b.String(), "\n")
}

// schemaPlace is where a walk through a schema is.
type schemaPlace struct {
	name  string // of the property that it is in
	names bool   // what is inside are names of properties
	text  bool   // a string that stands here is for a model to read
}

func (at schemaPlace) into(step string) schemaPlace {
	switch {
	case at.names:
		return schemaPlace{name: step}
	case step == "properties":
		return schemaPlace{name: at.name, names: true}
	}
	return schemaPlace{name: at.name, text: slices.Contains([]string{"description", "title", "$comment"}, step)}
}

// eachText gives the texts in a schema that a model reads, each with the name of the property which it is about.
func eachText(raw json.RawMessage, give func(name, text string)) {
	rawjson.Strings(raw, schemaPlace{}, schemaPlace.into, func(at schemaPlace, text string) {
		if at.text {
			give(at.name, text)
		}
	})
}

// writeArgument writes a new argument and all that it says of itself.
func writeArgument(p *page, indent int, head []span, says string) {
	if says != "" && p.known("text", says) {
		if p.fold > 0 && len(head) == 1 {
			return // the title names it
		}
		says = "(as above)"
	}
	if says == "" || strings.Contains(says, "\n") {
		p.text(indent, 2, head...)
		writeText(p, indent+2, says, plain)
		return
	}
	p.text(indent, 2, append(head, span{"  " + says, plain})...)
}

// writeValues writes one value, or two side by side: lists by what left and what joined them, long texts word by word.
func writeValues(p *page, indent int, at []span, old, new json.RawMessage) {
	before, after := display(old, new)
	left, joined, lists := setChange(old, new)
	switch {
	case old == nil && p.still:
		writeValue(p, indent, at, "", after, plain)
	case old == nil:
		writeValue(p, indent, at, "+ ", after, green)
	case new == nil:
		writeValue(p, indent, at, "− ", before, red)
	case lists:
		p.text(indent, 2, append(at, span{left, red}, span{strings.Repeat("  ", min(1, len(left))), plain}, span{joined, green})...)
	case isShort(before) && isShort(after):
		p.text(indent, 2, append(at, span{before, red}, span{" → ", dim}, span{after, green})...)
	case p.Verbose:
		p.text(indent, 2, at...)
		writeEdits(p, indent+min(2, 2*len(at)), wording.Compare(before, after))
	default:
		writeEdits(p, indent, wording.Compare(before, after), at...)
	}
}

// writeValue writes a value that has no other side.
func writeValue(p *page, indent int, at []span, sign, value string, look style) {
	if len(at) == 0 && p.fold > 0 {
		writeText(p, indent, sign+value, look)
		return
	}
	if !strings.Contains(value, "\n") {
		p.text(indent, 2, append(at, span{sign, look}, span{short(value), look})...)
		return
	}
	p.text(indent, 2, append(at, span{sign, look})...)
	writeText(p, indent+2, value, look)
}

// unescapedMarkup spells out what JSON may write as escapes, so that it is seen for what it is.
var unescapedMarkup = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&")

// setChange tells what left a list of plain values and what joined it: "− "a"  + "b", "c"".
func setChange(old, new json.RawMessage) (left, joined string, ok bool) {
	before, err := rawjson.Elements(old)
	after, err2 := rawjson.Elements(new)
	if err != nil || err2 != nil {
		return "", "", false
	}
	seed := maphash.MakeSeed()
	digest := func(value json.RawMessage) uint64 { return rawjson.Digest(seed, value) }
	less := func(all, other []json.RawMessage, sign string) string {
		there := kit.Set(kit.Map(other, digest))
		var words []string
		for _, value := range all {
			if !there[digest(value)] {
				words = append(words, wording.Marked(unescapedMarkup.Replace(printable.Spaced(value))))
			}
		}
		if len(words) == 0 {
			return ""
		}
		return sign + strings.Join(words, ", ")
	}
	left, joined = less(before, after, "− "), less(after, before, "+ ")
	return left, joined, left+joined != ""
}

// writeWholeItem writes what an item takes that came or went, and all that a model reads of one that came.
func writeWholeItem(p *page, indent int, f finding.Finding) {
	raw, sign, look := f.New, "+ ", green
	if raw == nil {
		raw, sign, look = f.Old, "− ", red
	}
	word, name, _ := strings.Cut(f.Item, "/")
	for _, k := range snapshot.Kinds() {
		switch takes := signature.Of(k, raw); {
		case k.Word() != word || takes == "":
		case p.Verbose:
			name += "(" + takes + ")"
		default:
			name = cmp.Or(signature.Call(k, name, signature.Arguments(k, raw)), name)
		}
	}
	says, arguments, note := wording.Marked(about(raw)), wording.Marked(argumentTexts(raw)), ""
	switch {
	case f.New == nil:
		says, arguments = "", ""
	case p.fold > 0 && arguments != "" && !strings.Contains(arguments, wording.Sign):
		if !p.known("note", "arguments") {
			note = "  (what new arguments say: --verbose)"
		}
		arguments = ""
	}
	p.text(indent, 2, span{sign + name, look}, span{note, dim})
	writeText(p, indent+2, strings.TrimSuffix(says+"\n"+arguments, "\n"), plain)
}

// argumentTexts are what an item says of each of its arguments, which a model reads, too.
func argumentTexts(raw json.RawMessage) string {
	var texts []string
	for _, one := range append(signature.Arguments(snapshot.Tools, raw), signature.Arguments(snapshot.Prompts, raw)...) {
		if says := rawjson.ObjectOf(one.Schema).Text("description"); says != "" {
			texts = append(texts, "- "+one.Name+": "+says)
		}
	}
	return strings.Join(texts, "\n")
}

// writeText writes all of a text that a model reads. Where a page is folded, the rest of a long text is counted, but lines
// in which something is concealed stay whole, and so does what stands behind many blank ones.
func writeText(p *page, indent int, text string, look style) {
	if p.fold == 0 {
		p.paragraph(indent, text, look)
		return
	}
	var folded, whole strings.Builder
	at, more, behind := 0, 0, false
	for _, line := range lines(text) {
		one := &page{Options: p.Options}
		one.paragraph(indent, cmp.Or(line, " "), look)
		rows := strings.SplitAfter(strings.TrimSuffix(one.String(), "\n")+"\n", "\n")
		rows = rows[:len(rows)-1]
		room := len(rows)
		if !behind && !strings.Contains(line, wording.Sign) {
			room = min(room, max(0, p.fold-at))
		}
		at, more, behind = at+len(rows), more+len(rows)-room, strings.HasSuffix(line, wording.BlankLines)
		folded.WriteString(strings.Join(rows[:room], ""))
		whole.WriteString(strings.Join(rows, ""))
	}
	if more < 2 {
		p.WriteString(whole.String())
		return
	}
	p.WriteString(folded.String())
	p.text(indent, 0, span{"… " + quantity(more, "line") + " more: --verbose", dim})
}

// display is a pair of values as it is compared and shown: JSON on one line, but a text that is long, or the pair of one,
// stands as it is, marked. A value that is not there is empty.
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

// short is a value that has no other side. A text is whole; of a very long object the table shows the start and says so.
func short(s string) string {
	if len(s) <= longValue || s[0] != '{' && s[0] != '[' {
		return s
	}
	return strings.ToValidUTF8(s[:longValue], "") +
		fmt.Sprintf("… (%d bytes more: --format json)", len(s)-longValue)
}

// writeEdits writes a text with its changes marked, complete but for long stretches that stayed the same, which Verbose has too.
func writeEdits(p *page, indent int, all []wording.Edit, row ...span) {
	for i, e := range all {
		rows, look := keptRows(e.Text, i > 0 && !p.Verbose, i < len(all)-1 && !p.Verbose), plain
		switch e.Op {
		case wording.Gone:
			rows, look = changedRows(p, "[-", e.Text, "-]"), red
		case wording.Fresh:
			rows, look = changedRows(p, "{+", e.Text, "+}"), green
		}
		for _, done := range rows[:len(rows)-1] {
			p.text(indent, 0, append(row, span{done, look})...)
			row = nil
		}
		row = append(row, span{rows[len(rows)-1], look})
	}
	p.text(indent, 2*min(1, p.fold), row...)
}

// changedRows are the lines of a stretch of a text that changed. Line breaks alone are spelled out, to be seen.
func changedRows(p *page, open, text, end string) []string {
	if !p.bare {
		text = open + text + end
	}
	if strings.TrimLeft(text, open+end+"\n") == "" {
		return []string{text}
	}
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}

// keptRows are the lines of a stretch that stayed the same, less what is in other sentences than a change, or far from it.
func keptRows(s string, before, after bool) []string {
	head, tail := 0, len(s)
	if before {
		head = sentenceEnd(s)
	}
	if after {
		tail = sentenceStart(s)
	}
	if before || after {
		s = withoutMiddle(s, head, tail)
	}
	return strings.Split(strings.ReplaceAll(s, "\r\n", "\n"), "\n")
}

// withoutMiddle is a text without what lies between two places of it, if that is more than the sign for it.
func withoutMiddle(s string, head, tail int) string {
	if head+len(" … ")+2 < tail {
		left, right := strings.TrimRight(s[:head], " "), strings.TrimLeft(s[tail:], " ")
		s = strings.TrimLeft(left+" … ", strings.Repeat(" ", count(head == 0))) + right
	}
	return s
}

// sentenceEnd is where the sentence ends that s begins in, or a word far enough in it.
func sentenceEnd(s string) int {
	for i, r := range s {
		if i > contextSize && r == ' ' || sentenceEnds(s[i:]) {
			return i + 1
		}
	}
	return len(s)
}

// sentenceStart is where the sentence begins that s ends in, or a word far enough in it.
func sentenceStart(s string) int {
	for i := len(s) - 1; i > 0; i-- {
		if len(s)-i > contextSize && s[i] == ' ' || sentenceEnds(s[i-1:]) {
			return i
		}
	}
	return 0
}

func sentenceEnds(s string) bool {
	return s != "" && (s[0] == '\n' || len(s) > 1 && strings.IndexByte(".!?", s[0]) >= 0 && (s[1] == ' ' || s[1] == '\n'))
}

func appendNew(all []string, word string) []string {
	if slices.Contains(all, word) {
		return all
	}
	return append(all, word)
}
