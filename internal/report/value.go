package report

import (
	"encoding/json"
	"fmt"
	"slices"
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

// writeValues writes what a finding's place held before and holds now.
func writeValues(p *page, indent int, f finding.Finding) {
	before, after := display(f.Old, f.New)
	where := []span{}
	if isPolicy(f.Item) {
		return // the message says it
	}
	if at := f.Pointer(); at != "" {
		where = append(where, span{at + "  ", dim})
	}
	switch {
	case f.Old == nil && f.New == nil:
		writePlace(p, indent, where)
	case f.Pointer() == "" && f.Item != "" && (f.Old == nil || f.New == nil):
		writeWholeItem(p, indent, f)
	case f.Old == nil:
		p.text(indent, 2, append(where, span{"+ ", green}, span{short(after), green})...)
	case f.New == nil:
		p.text(indent, 2, append(where, span{"− ", red}, span{short(before), red})...)
	case isShort(before) && isShort(after):
		p.text(indent, 2, append(where, span{before, red}, span{" → ", dim}, span{after, green})...)
	default:
		writePlace(p, indent, where)
		writeEdits(p, indent+2, compare(before, after))
	}
}

func writePlace(p *page, indent int, where []span) {
	if len(where) > 0 {
		p.text(indent, 2, where...)
	}
}

// writeWholeItem writes in one line what an item was or is that came or went.
func writeWholeItem(p *page, indent int, f finding.Finding) {
	raw, sign, look := f.New, "+ ", green
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
	p.text(indent, 2, span{sign + name, look})
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
func short(s string) string {
	if len(s) <= longValue || s[0] != '{' && s[0] != '[' {
		return s
	}
	return strings.ToValidUTF8(s[:longValue], "") +
		fmt.Sprintf("… (%d bytes more: --format json)", len(s)-longValue)
}

// writeEdits writes a text with its changes marked, complete but for long stretches that stayed the same.
func writeEdits(p *page, indent int, all []edit) {
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
				p.text(indent, 0, append(row, span{done, plain})...)
				row = nil
			}
			row = append(row, span{rows[len(rows)-1], plain})
		}
	}
	p.text(indent, 0, row...)
}

// marked is a stretch of a text that changed.
func (p *page) marked(open string, text string, end string) string {
	if p.bare {
		return text
	}
	return open + text + end
}

// keptRows are the lines of a stretch that stayed the same, less what is far from any change.
func keptRows(s string, before, after bool) []string {
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
	var rows []string
	for line := range strings.SplitSeq(s, "\n") {
		rows = append(rows, strings.TrimSuffix(line, "\r"))
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

// How much of a schema its shape tells: half levels of nesting (an object or array is a whole one, a union half of one),
// members of an rawjson.Object, values of an enum.
const (
	shapeDepth   = 4
	shapeMembers = 6
	shapeValues  = 5
)

// shape is a JSON schema in a few words, as a type would be written: "string", "integer[]", `"a"|"b"`, "{x, y?: number}".
func shape(schema json.RawMessage, depth int) string {
	switch strings.TrimSpace(string(schema)) {
	case "true", "":
		return "any"
	case "false":
		return "never"
	}
	if depth < -shapeDepth {
		return ellipsis
	}
	s := rawjson.ObjectOf(schema)
	for _, keyword := range []struct {
		name  string
		shape func(rawjson.Object, int) string
	}{{"const", constShape}, {"enum", enumShape}, {"$ref", refShape}, {"type", typeShape}, {"anyOf", unionShape},
		{"oneOf", unionShape}, {"properties", objectShape}, {"allOf", allShape}, {"items", arrayShape}} {
		if _, ok := s[keyword.name]; ok {
			return keyword.shape(s, depth)
		}
	}
	return "any"
}

func constShape(s rawjson.Object, _ int) string { return compact(s["const"]) }

func enumShape(s rawjson.Object, _ int) string {
	var values []string
	for _, v := range array(s["enum"]) {
		values = append(values, compact(v))
	}
	if more := len(values) - shapeValues; more > 1 {
		values = append(values[:shapeValues], "…")
	}
	if len(values) == 0 {
		return "never"
	}
	return strings.Join(values, "|")
}

// refShape is the last word of a reference, which is what its author called the definition.
func refShape(s rawjson.Object, _ int) string {
	ref := strings.TrimRight(s.Text("$ref"), "/#")
	if name := ref[strings.LastIndexAny(ref, "/#")+1:]; name != "" {
		return name
	}
	return "this"
}

func unionShape(s rawjson.Object, depth int) string {
	var all []string
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, member := range array(s[keyword]) {
			all = appendNew(all, shape(member, depth-1))
		}
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, "|")
}

func allShape(s rawjson.Object, depth int) string {
	var all []string
	for _, member := range array(s["allOf"]) {
		all = appendNew(all, shape(member, depth-1))
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, " & ")
}

func appendNew(all []string, word string) []string {
	if slices.Contains(all, word) {
		return all
	}
	return append(all, word)
}

func typeShape(s rawjson.Object, depth int) string {
	names := rawjson.Texts(s["type"])
	if name := s.Text("type"); name != "" {
		names = []string{name}
	}
	var all []string
	for _, name := range names {
		switch name {
		case "object":
			name = objectShape(s, depth)
		case "array":
			name = arrayShape(s, depth)
		}
		all = appendNew(all, name)
	}
	if len(all) == 0 {
		return "any"
	}
	return strings.Join(all, "|")
}

func arrayShape(s rawjson.Object, depth int) string {
	if tuple := array(s["prefixItems"]); len(tuple) > 0 && depth > 0 {
		var all []string
		for _, member := range tuple {
			all = append(all, shape(member, depth-2))
		}
		return "[" + strings.Join(all, ", ") + "]"
	}
	element := s["items"]
	if element == nil || depth <= 0 {
		return "array"
	}
	inner := shape(element, depth-2)
	if strings.ContainsAny(inner, "|&") && !strings.HasPrefix(inner, "{") {
		inner = "(" + inner + ")"
	}
	return inner + "[]"
}

func objectShape(s rawjson.Object, depth int) string {
	members := parameters(s)
	switch values := s["additionalProperties"]; {
	case len(members) > 0 && depth > 0:
		return "{" + joinParameters(members, depth-2, shapeMembers) + "}"
	case len(members) > 0:
		return "{…}"
	case values != nil && values[0] == '{' && depth > 0 && len(rawjson.ObjectOf(values)) > 0:
		return "map of " + shape(values, depth-2)
	}
	return "object"
}
