package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// writeItem writes everything about one item.
func writeItem(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	writeItemHead(p, k, raw)
	p.paragraph(4, item.Text("description"), plain)
	takes, gives := itemParameters(k, item)
	writeParameters(p, "arguments", takes)
	writeParameters(p, "returns", gives)
	switch k {
	case snapshot.Tools:
		writeNote(p, "hints", hints(rawjson.ObjectOf(item["annotations"])))
	case snapshot.Templates:
		writeNote(p, "variables", strings.Join(variables(item.Text("uriTemplate")), ", "))
	}
	writeRemaining(p, k, raw)
	if p.Raw {
		writeRaw(p, raw)
	}
}

func writeItemHead(p *page, k snapshot.Kind, raw json.RawMessage) {
	head := []span{{key(k, raw), bold}}
	if title := (snapshot.Item{Raw: raw}).Title(); title != key(k, raw) {
		head = append(head, span{"  " + title, dim})
	}
	p.text(2, 2, head...)
}

// itemParameters are what an item takes and, for a tool with an output schema, what it gives.
func itemParameters(k snapshot.Kind, item rawjson.Object) (takes, gives []parameter) {
	switch k {
	case snapshot.Tools:
		return parameters(rawjson.ObjectOf(item["inputSchema"])), parameters(rawjson.ObjectOf(item["outputSchema"]))
	case snapshot.Prompts:
		return requiredFirst(promptParameters(item["arguments"])), nil
	}
	return nil, nil
}

// hints are the effective annotations of a tool: those it sends, and the specification's defaults for the others.
func hints(annotations rawjson.Object) string {
	all, sent := []string{}, false
	readOnly, _ := annotations.Bool("readOnlyHint")
	for _, h := range []struct {
		name, says string
		otherwise  bool
		moot       bool // has no meaning for a tool that only reads
	}{
		{"readOnlyHint", "read-only", false, false}, {"destructiveHint", "destructive", true, readOnly},
		{"idempotentHint", "idempotent", false, readOnly}, {"openWorldHint", "open world", true, false},
	} {
		value, known := annotations.Bool(h.name)
		switch {
		case known:
			all, sent = append(all, h.says+" "+yesNo(value)), true
		case !h.moot:
			all = append(all, h.says+" "+yesNo(h.otherwise)+" (default)")
		}
	}
	if !sent {
		return strings.ReplaceAll(strings.Join(all, ", "), " (default)", "") + " (all by default)"
	}
	return strings.Join(all, ", ")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// writeRemaining writes the members that have no place of their own, so that nothing a server sends goes unseen.
func writeRemaining(p *page, k snapshot.Kind, raw json.RawMessage) {
	item := rawjson.ObjectOf(raw)
	shown := []string{k.KeyField(), "title", "description"}
	switch k {
	case snapshot.Tools:
		schema := []string{"$schema", "type", "properties", "required"}
		writeOthers(p, "input ", item["inputSchema"], schema)
		writeOthers(p, "output ", item["outputSchema"], schema)
		writeOthers(p, "", item["annotations"],
			[]string{"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"})
		shown = append(shown, "inputSchema", "outputSchema", "annotations")
	case snapshot.Prompts:
		shown = append(shown, "arguments")
	}
	if item.Text("name") == (snapshot.Item{Raw: raw}).Title() {
		shown = append(shown, "name")
	}
	writeOthers(p, "", raw, shown)
}

// writeOthers writes the members of an object that are not shown elsewhere.
func writeOthers(p *page, prefix string, raw json.RawMessage, shown []string) {
	for _, m := range members(raw) {
		if slices.Contains(shown, m.Key) {
			continue
		}
		value, ok := rawjson.Text(m.Value)
		if !ok {
			value = printable.Spaced(m.Value)
		}
		writeNote(p, prefix+m.Key, short(embedded().ReplaceAllStringFunc(value, func(s string) string {
			head, data, _ := strings.Cut(s, ",")
			return fmt.Sprintf("%s,… (%d characters)", head, len(data))
		})))
	}
}

// embedded is a data URI long enough to be in the way, as icons have it.
var embedded = match.Pattern(`data:[a-z/+.-]+;base64,[A-Za-z0-9+/=]{64,}`)

// writeNote writes one labelled line of an item.
func writeNote(p *page, label, text string) {
	if text != "" {
		p.text(4, 2, span{label + "  ", dim}, span{text, plain})
	}
}

// writeRaw writes an item as JSON, exactly as the server sent it but for white space. Lines are not wrapped, so
// that they can be copied.
func writeRaw(p *page, raw json.RawMessage) {
	p.line(4, span{"raw", dim})
	writeIndented(p, 6, raw, dim)
}

// narrow is the page width below which parameters stand one below the other instead of in a grid.
const narrow = 64

// writeParameters writes what an item takes or gives: name, type, whether it is required, default and description.
func writeParameters(p *page, label string, all []parameter) {
	if len(all) == 0 {
		return
	}
	p.line(4, span{label, dim})
	if p.Width > 0 && p.Width < narrow {
		for _, one := range all {
			writeStacked(p, one)
		}
		return
	}
	g := grid{columns: []column{{title: "NAME", name: true, least: 10}, {title: "TYPE", least: 10},
		{title: "REQUIRED"}, {title: "DEFAULT"}, {title: "DESCRIPTION", least: 14}}}
	for _, one := range all {
		g.rows = append(g.rows, one.row())
	}
	p.grid(6, g)
}

func (p parameter) row() []span {
	needed := span{"no", dim}
	if p.required {
		needed = span{"yes", plain}
	}
	return []span{
		{p.name, bold},
		{p.kind(), plain},
		needed,
		{printable.Spaced(rawjson.ObjectOf(p.schema)["default"]), plain},
		{oneLine(rawjson.ObjectOf(p.schema).Text("description")), plain},
	}
}

func writeStacked(p *page, one parameter) {
	row := one.row()
	facts := row[1].text
	if one.required {
		facts += ", required"
	}
	if row[3].text != "" {
		facts += ", default " + row[3].text
	}
	p.text(6, 2, row[0], span{"  " + facts, plain})
	if row[4].text != "" {
		p.text(8, 0, row[4])
	}
}

// kind is the type of a parameter with the limits that its schema sets.
func (p parameter) kind() string {
	s := rawjson.ObjectOf(p.schema)
	kind := strings.TrimSpace(shape(p.schema, shapeDepth) + " " + interval(s["minimum"], s["maximum"]))
	return strings.Join(append([]string{kind}, limits(s)...), ", ")
}

// limits are the bounds that a schema sets beside its type: "length ≤ 5", "pattern ^a".
func limits(s rawjson.Object) []string {
	var all []string
	for _, l := range []struct{ label, least, most string }{
		{"exclusive ", "exclusiveMinimum", "exclusiveMaximum"}, {"length ", "minLength", "maxLength"}, {"items ", "minItems", "maxItems"}, {"members ", "minProperties", "maxProperties"},
	} {
		if bounds := interval(s[l.least], s[l.most]); bounds != "" {
			all = append(all, l.label+bounds)
		}
	}
	for _, keyword := range []string{"multipleOf", "format", "pattern"} {
		if value := cmp.Or(s.Text(keyword), printable.Spaced(s[keyword])); value != "" {
			all = append(all, keyword+" "+value)
		}
	}
	return all
}

// interval is a range whose ends are raw numbers; nil = no end.
func interval(least, most json.RawMessage) string {
	switch {
	case least != nil && most != nil:
		return printable.Spaced(least) + ".." + printable.Spaced(most)
	case least != nil:
		return "≥ " + printable.Spaced(least)
	case most != nil:
		return "≤ " + printable.Spaced(most)
	}
	return ""
}

// parameter is one thing that a caller can give to an item.
type parameter struct {
	name     string
	required bool
	schema   json.RawMessage
}

// parameters are the properties of an object schema: the required ones first, otherwise in the order in which they
// were sent.
func parameters(s rawjson.Object) []parameter { return requiredFirst(properties(s)) }

// properties are those of an object schema, in the order in which they were sent.
func properties(s rawjson.Object) []parameter {
	required := rawjson.Texts(s["required"])
	var all []parameter
	for _, m := range members(s["properties"]) {
		all = append(all, parameter{m.Key, slices.Contains(required, m.Key), m.Value})
	}
	return all
}

func requiredFirst(all []parameter) []parameter {
	slices.SortStableFunc(all, func(a, b parameter) int { return count(b.required) - count(a.required) })
	return all
}

// joinParameters is the compact form of at most so many parameters: "query, limit?: integer". A string's type is left out.
func joinParameters(all []parameter, depth, most int) string {
	var parts []string
	for i, p := range all {
		if i == most && len(all) > most+1 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, p.signature(depth))
	}
	return strings.Join(parts, ", ")
}

// mark is the name, with a ? behind it unless it is required.
func (p parameter) mark() string {
	if p.required {
		return p.name
	}
	return p.name + "?"
}

func (p parameter) signature(depth int) string {
	name := p.mark()
	if kind := shape(p.schema, depth); kind != "string" {
		return name + ": " + kind
	}
	return name
}

// signature is what an item of a kind takes, on one line.
func signature(kind snapshot.Kind, raw json.RawMessage) string {
	item := rawjson.ObjectOf(raw)
	switch kind {
	case snapshot.Tools:
		all := parameters(rawjson.ObjectOf(item["inputSchema"]))
		return joinParameters(all, shapeDepth, len(all))
	case snapshot.Prompts:
		all := requiredFirst(promptParameters(item["arguments"]))
		return joinParameters(all, 0, len(all))
	case snapshot.Templates:
		return strings.Join(variables(item.Text("uriTemplate")), ", ")
	}
	return ""
}

// promptParameters are the arguments of a prompt as parameters; all of them are strings.
func promptParameters(arguments json.RawMessage) []parameter {
	var all []parameter
	for _, raw := range array(arguments) {
		a := rawjson.ObjectOf(raw)
		needed, _ := a.Bool("required")
		all = append(all, parameter{a.Text("name"), needed, stringSchema(a["description"])})
	}
	return all
}

// arguments are what a caller names when it uses an item, in the order in which they were sent.
func arguments(kind snapshot.Kind, raw json.RawMessage) []parameter {
	item := rawjson.ObjectOf(raw)
	switch kind {
	case snapshot.Tools:
		return properties(rawjson.ObjectOf(item["inputSchema"]))
	case snapshot.Prompts:
		return promptParameters(item["arguments"])
	}
	return nil
}

// callOf is an item as one would call it, without the types of its arguments; empty when it takes none by name.
func callOf(kind snapshot.Kind, name string, all []parameter) string {
	if kind != snapshot.Tools && kind != snapshot.Prompts {
		return ""
	}
	var names []string
	for _, p := range all {
		names = append(names, p.mark())
	}
	return name + "(" + strings.Join(names, ", ") + ")"
}

// orderAs puts the old arguments into the order of the new ones, each that is gone behind the one that it followed: arguments
// have names and no places, and a saved snapshot has sorted them.
func orderAs(old, new []parameter) {
	place, last := map[string]int{}, -1
	for _, p := range old {
		if at := slices.IndexFunc(new, func(n parameter) bool { return n.name == p.name }); at >= 0 {
			last = at
		}
		place[p.name] = last
	}
	slices.SortStableFunc(old, func(a, b parameter) int { return place[a.name] - place[b.name] })
}

// stringSchema is the schema of a string with a description; nil = none.
func stringSchema(description json.RawMessage) json.RawMessage {
	if description == nil {
		description = json.RawMessage(`""`)
	}
	return json.RawMessage(`{"type":"string","description":` + string(description) + `}`)
}

// expression is one {…} of a URI template (RFC 6570).
var expression = match.Pattern(`\{[+#./;?&]?([^{}]*)\}`)

// variables are the names of a URI template's variables, each once.
func variables(template string) []string {
	var all []string
	for _, found := range expression().FindAllStringSubmatch(template, -1) {
		for name := range strings.SplitSeq(found[1], ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name != "" {
				all = appendNew(all, name)
			}
		}
	}
	return all
}
