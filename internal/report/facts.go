package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// fact is a member that has no place of its own where a server or item is shown: a label, and what it says.
type fact struct{ label, says string }

// serverFacts returns what a server declares besides its name, version, title, description and instructions:
// each capability with its options, each extension by its name, and what this program has no word for.
func serverFacts(s server) (all []fact) {
	for _, f := range membersOf(s.ServerInfo, "name", "version", "title", "description") {
		all = append(all, fact{cmp.Or(map[string]string{"websiteUrl": "website"}[f.label], f.label), f.says})
	}
	var capabilities []string
	for _, m := range rawjson.Children(s.Capabilities) {
		if under := rawjson.MembersIn(m.Value); m.Key == "extensions" && len(under) > 0 {
			all = append(all, fact{m.Key, strings.Join(kit.Map(under, named), ", ")})
		} else {
			capabilities = append(capabilities, named(m))
		}
	}
	all = append(all, fact{"capabilities", strings.Join(capabilities, ", ")})
	all = append(all, fact{"protocols", strings.Join(s.SupportedVersions, ", ")})
	for _, key := range kit.SortedKeys(s.Unknown) {
		all = append(all, fact{key, value(s.Unknown[key])})
	}
	for _, n := range s.Notices {
		all = append(all, fact{"notice", kit.Join(": ", n.Stage, n.Message) + " (" + n.Code + ")"})
	}
	return kit.Filter(all, fact.said)
}

func (f fact) said() bool { return f.says != "" }

// itemFacts returns what an item declares besides its signature, title, description, arguments and results.
func itemFacts(k snapshot.Kind, raw json.RawMessage) (all []fact) {
	item := rawjson.ObjectOf(raw)
	shown := []string{k.KeyField(), "title", "description"}
	switch k {
	case snapshot.Tools:
		output := item["outputSchema"]
		all = append(all, fact{"hints", ToolHints(raw)}, fact{"input", rootType(item["inputSchema"])},
			fact{"output", cmp.Or(rootType(output), emptyType(output))})
		shown = append(shown, "inputSchema", "outputSchema")
	case snapshot.Prompts:
		shown = append(shown, "arguments")
		elements, err := rawjson.Elements(item["arguments"])
		odd := func(raw json.RawMessage) bool { return rawjson.TypeName(raw) != "an object" }
		if item["arguments"] != nil && (err != nil || slices.ContainsFunc(elements, odd)) {
			all = append(all, fact{"arguments", value(item["arguments"])})
		}
	case snapshot.Templates:
		all = append(all, fact{"variables", strings.Join(templateVariables(item.Text("uriTemplate")), ", ")})
	}
	if len(item) == 0 {
		return append(all, fact{"item", printable.Spaced(raw)})
	}
	title, about := (snapshot.Item{Raw: raw}).Title(), (snapshot.Item{Raw: raw}).Description()
	for _, m := range membersOf(raw, shown...) {
		value := item[m.label]
		switch {
		case m.label == "mimeType":
			all = append(all, fact{"MIME type", m.says})
		case m.label == "name" && slices.Contains([]string{key(k, raw), title}, m.says):
		case m.label == "size" && rawjson.TypeName(value) == "a number":
			all = append(all, fact{"size", m.says + " bytes"})
		case m.label == "annotations" && len(rawjson.ObjectOf(value)) > 0:
			all = append(all, annotationFacts(k, item, value)...)
		case slices.Contains([]string{"_meta", "frontmatter"}, m.label) && len(rawjson.ObjectOf(value)) > 0:
			for _, one := range membersOf(value) {
				front := m.label == "frontmatter" && (one.label == "name" && one.says == title ||
					one.label == "description" && one.says == about)
				if !front {
					all = append(all, fact{m.label + " " + one.label, one.says})
				}
			}
		case k == snapshot.Skills && m.label == "resources":
			all = append(all, fileFacts(value)...)
		default:
			all = append(all, m)
		}
	}
	return kit.Filter(all, fact.said)
}

// annotationFacts returns the annotations of an item, but those that its hints and its title show.
func annotationFacts(k snapshot.Kind, item rawjson.Object, annotations json.RawMessage) (all []fact) {
	declared := rawjson.ObjectOf(annotations)
	for _, m := range rawjson.Children(annotations) {
		_, known := declared.Bool(m.Key)
		hint := k == snapshot.Tools && known && slices.ContainsFunc(toolHints, func(h toolHint) bool {
			return h.name == m.Key
		})
		text, _ := rawjson.Text(m.Value)
		titled := m.Key == "title" && item.Text("title") == "" && text != ""
		if !hint && !titled {
			all = append(all, fact{m.Key, value(m.Value)})
		}
	}
	return all
}

// fileFacts returns the files of a skill, each with its digest and what else is said of it.
func fileFacts(resources json.RawMessage) []fact {
	files, err := rawjson.Elements(resources)
	if err != nil {
		return []fact{{"resources", value(resources)}}
	}
	return kit.Map(files, func(file json.RawMessage) fact {
		o := rawjson.ObjectOf(file)
		if o.Text("uri") == "" {
			return fact{"file", value(file)}
		}
		rest := kit.Map(membersOf(file, "uri"), func(f fact) string { return kit.Join(" ", f.label, f.says) })
		return fact{"file", kit.Join("  ", o.Text("uri"), strings.Join(rest, ", "))}
	})
}

// membersOf returns the members of an object in the order in which they were sent, but those that are shown
// elsewhere: texts, and the schemas and arguments of an item in any form.
func membersOf(raw json.RawMessage, shown ...string) (all []fact) {
	for _, m := range rawjson.Children(raw) {
		_, isText := rawjson.Text(m.Value)
		structured := slices.Contains([]string{"inputSchema", "outputSchema", "arguments"}, m.Key)
		if !slices.Contains(shown, m.Key) || !isText && !structured {
			all = append(all, fact{m.Key, value(m.Value)})
		}
	}
	return all
}

// expression matches a part of a URI template (RFC 6570) in which variables stand.
var expression = kit.Pattern(`\{([+#./;?&]?)([^{}]+)\}`)

// templateVariables returns the variables of a URI template, a ? behind those of the query, which may be left
// out.
func templateVariables(template string) (names []string) {
	for _, m := range expression().FindAllStringSubmatch(template, -1) {
		for variable := range strings.SplitSeq(m[2], ",") {
			name, _, _ := strings.Cut(strings.TrimRight(variable, "*"), ":")
			if m[1] == "?" || m[1] == "&" {
				name += "?"
			}
			names = append(names, name)
		}
	}
	return names
}

// value returns a value in words, that of a list of one without the list; never nothing.
func value(raw json.RawMessage) string {
	only := raw
	if elements, _ := rawjson.Elements(raw); len(elements) == 1 {
		only = elements[0]
	}
	return cmp.Or(inWords(only, 0), printable.Spaced(raw))
}

// deepestWords is how many levels of JSON are written in words; what lies deeper is written as JSON.
const deepestWords = 6

// inWords returns JSON as people read it in a line: members by name, what they hold in parentheses. A member
// that is true or empty is only named.
func inWords(raw json.RawMessage, depth int) string {
	parts := rawjson.Children(raw)
	switch kind := rawjson.TypeName(raw); {
	case kind == "a string":
		text, _ := rawjson.Text(raw)
		return text
	case len(parts) > 0 && depth >= deepestWords:
		return printable.Spaced(raw)
	case kind == "an object":
		return strings.Join(kit.Map(parts, func(m rawjson.Member) string { return namedAt(m, depth) }), ", ")
	case kind == "an array":
		return strings.Join(kit.Map(parts, func(m rawjson.Member) string {
			says := inWords(m.Value, depth+1)
			if nested(m.Value) {
				return "(" + says + ")"
			}
			return cmp.Or(says, `""`)
		}), ", ")
	}
	return strings.TrimSpace(string(raw))
}

// nested reports whether JSON is an object or an array.
func nested(raw json.RawMessage) bool {
	return slices.Contains([]string{"an object", "an array"}, rawjson.TypeName(raw))
}

// named returns a member in words.
func named(m rawjson.Member) string { return namedAt(m, 0) }

func namedAt(m rawjson.Member, depth int) string {
	says := inWords(m.Value, depth+1)
	_, isText := rawjson.Text(m.Value)
	switch {
	case says == "" && isText:
		return m.Key + ` ""`
	case says == "" || says == "true" && !isText:
		return m.Key
	case nested(m.Value):
		return m.Key + " (" + says + ")"
	}
	return m.Key + " " + says
}

// rootType returns the keywords of the schema of all arguments, or of a result, that the table of its
// properties does not show.
func rootType(schema json.RawMessage) string {
	switch o := rawjson.ObjectOf(schema); {
	case schema == nil:
		return ""
	case len(o) == 0:
		return strings.Trim(printable.Spaced(schema), "{}")
	default:
		var all []string
		if o["type"] == nil {
			all = append(all, "no type") // where the protocol wants an object
		}
		for _, m := range rawjson.Children(schema) {
			says := named(m)
			if alone := keywords(o, rawjson.Build(m), ""); len(alone) > 0 ||
				slices.Contains([]string{"const", "enum", "$ref", "description", "default"}, m.Key) ||
				m.Key == "type" && says != "type object" {
				all = append(all, says)
			}
		}
		return strings.Join(all, ", ")
	}
}

// emptyType returns the shape of a result that has no properties.
func emptyType(schema json.RawMessage) string {
	if schema == nil || len(rawjson.MembersIn(rawjson.ObjectOf(schema)["properties"])) > 0 {
		return ""
	}
	return shape(schema, shapeDepth)
}

// schemaRows returns a row for each property of a schema and for each schema inside it.
func schemaRows(all []parameter, schema json.RawMessage) (rows []parameter) {
	names := map[string]bool{}
	for _, p := range seen.RequiredFirst(all) {
		names[p.Name] = true
		rows = append(append(rows, p), inside(p, 0, nil)...)
	}
	return append(rows, inside(parameter{Schema: schema}, 0, names)...)
}

// longestWay is how many bytes of the way to a schema are repeated before the names in it. Those are whole.
// Otherwise one long name would be printed again for each name inside it.
const longestWay = 200

// inside returns a row for each schema inside that of a parameter but some properties, by the way to it:
// filter.limit, tags[].
func inside(p parameter, depth int, but map[string]bool) (rows []parameter) {
	s, way := rawjson.ObjectOf(p.Schema), kit.Clip(p.Name, longestWay)
	add := func(name string, required, plainly bool, schema json.RawMessage) {
		row := parameter{Name: strings.TrimLeft(name, ". "), Required: required, Schema: schema}
		if !plainly || hasDetails(row) {
			rows = append(rows, row)
		}
		if depth < deepestRows {
			rows = append(rows, inside(row, depth+1, nil)...)
		}
	}
	required := kit.Set(rawjson.Texts(s["required"]))
	for _, m := range rawjson.Children(p.Schema) {
		switch m.Key {
		case "properties":
			for _, one := range rawjson.MembersIn(m.Value) {
				if !but[one.Key] {
					add(way+"."+one.Key, required[one.Key], false, one.Value)
				}
			}
		case "patternProperties":
			for _, one := range rawjson.MembersIn(m.Value) {
				add(way+"./"+one.Key+"/", false, false, one.Value)
			}
		case "$defs", "definitions":
			for _, one := range rawjson.MembersIn(m.Value) {
				add(way+"."+m.Key+"."+one.Key, false, false, one.Value)
			}
		case "items", "additionalProperties":
			if len(rawjson.MembersIn(m.Value)) > 0 {
				mark := map[string]string{"items": "[]", "additionalProperties": ".*"}[m.Key]
				add(way+mark, false, shownShape(s, m.Key), m.Value)
			}
		case "prefixItems", "anyOf", "oneOf", "allOf":
			arms, _ := rawjson.Elements(m.Value)
			for i, arm := range arms {
				name := fmt.Sprintf("%s (%s %d)", way, m.Key, i+1)
				if m.Key == "prefixItems" {
					name = fmt.Sprintf("%s[%d]", way, i)
				}
				add(name, false, shownShape(s, m.Key), arm)
			}
		}
	}
	return rows
}

// deepestRows is how many levels of a schema have rows of their own.
const deepestRows = 8

// shownShape reports whether the shape of a schema is made of what a keyword says.
func shownShape(s rawjson.Object, keyword string) bool {
	first := ""
	shapes := []string{"const", "enum", "$ref", "type", "anyOf", "oneOf", "properties", "allOf", "items"}
	if i := slices.IndexFunc(shapes, func(keyword string) bool { return s[keyword] != nil }); i >= 0 {
		first = shapes[i]
	}
	switch keyword {
	case "items", "prefixItems", "additionalProperties":
		return first == "type" || first == keyword
	case "anyOf", "oneOf":
		return first == "anyOf" || first == "oneOf"
	}
	return first == keyword
}

// hasDetails reports whether a schema says more than its shape, which is part of another one.
func hasDetails(p parameter) bool {
	s := rawjson.ObjectOf(p.Schema)
	return typeOf(p) != shape(p.Schema, shapeDepth) || s["description"] != nil || s["default"] != nil
}

// localName returns the name of the definition that a reference names; empty if it names something else.
func localName(ref json.RawMessage) string {
	text, _ := rawjson.Text(ref)
	for _, at := range []string{"#/$defs/", "#/definitions/"} {
		if name, is := strings.CutPrefix(text, at); is && !strings.ContainsAny(name, "/~%#") {
			return name
		}
	}
	return ""
}

// keywords returns what a schema says besides its shape, description and default, and besides what the rows
// inside it show. name is that of the property, which generators repeat as a title.
func keywords(s rawjson.Object, raw json.RawMessage, name string) (all []string) {
	for _, m := range rawjson.Children(raw) {
		text, isText := rawjson.Text(m.Value)
		shown := false
		switch m.Key {
		case "type":
			names, err := rawjson.Elements(m.Value)
			isText = isText || err == nil && len(names) > 0 && len(rawjson.Texts(m.Value)) == len(names)
			shown = isText && shownShape(s, "type") || impliedType(s, text)
		case "const":
			shown = true
		case "enum":
			values, err := rawjson.Elements(m.Value)
			shown = err == nil && shownShape(s, "enum") && len(values) <= shapeValues+1
		case "$ref":
			shown = shownShape(s, "$ref") && localName(m.Value) != ""
		case "description":
			shown = isText
		case "default":
			shown = true
		case "title":
			shown = isText && name != "" && strings.EqualFold(text, strings.ReplaceAll(name, "_", " "))
		case "required":
			own, names := rawjson.ObjectOf(s["properties"]), rawjson.Texts(m.Value)
			elements, err := rawjson.Elements(m.Value)
			shown = err == nil && len(names) == len(elements) &&
				!slices.ContainsFunc(names, func(name string) bool { return own[name] == nil })
		case "properties", "patternProperties", "$defs", "definitions":
			shown = rawjson.TypeName(m.Value) == "an object"
		case "items", "additionalProperties":
			shown = len(rawjson.MembersIn(m.Value)) > 0
		case "prefixItems", "anyOf", "oneOf", "allOf":
			arms, err := rawjson.Elements(m.Value)
			shown = err == nil && len(arms) > 0
		case "minimum", "maximum":
			// the ends of what JavaScript counts exactly limit nothing
			shown = strings.TrimPrefix(string(m.Value), "-") == "9007199254740991"
		}
		switch {
		case shown:
		case string(m.Value) == "true": // which is not what a keyword alone says
			all = append(all, m.Key+" true")
		default:
			all = append(all, named(m))
		}
	}
	return all
}

// impliedType reports whether the constants of a schema are all of its type.
func impliedType(s rawjson.Object, kind string) bool {
	values, _ := rawjson.Elements(s["enum"])
	if s["const"] != nil {
		values = []json.RawMessage{s["const"]}
	}
	names := map[string]string{"string": "a string", "boolean": "a boolean", "number": "a number",
		"null": "null", "object": "an object", "array": "an array"}
	return len(values) > 0 && names[kind] != "" && !slices.ContainsFunc(values,
		func(v json.RawMessage) bool { return rawjson.TypeName(v) != names[kind] })
}
