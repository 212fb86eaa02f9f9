package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// parameter is one thing that a caller can give to an item.
type parameter struct {
	name     string
	required bool
	schema   json.RawMessage
}

// parameters are the properties of an object schema: the required ones first, otherwise in the order in which they
// were sent.
func parameters(s object) []parameter {
	required := words(s["required"])
	var first, later []parameter
	for _, m := range members(s["properties"]) {
		if slices.Contains(required, m.Key) {
			first = append(first, parameter{m.Key, true, m.Value})
			continue
		}
		later = append(later, parameter{m.Key, false, m.Value})
	}
	return append(first, later...)
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

func (p parameter) signature(depth int) string {
	name := p.name
	if !p.required {
		name += "?"
	}
	if kind := shape(p.schema, depth); kind != "string" {
		return name + ": " + kind
	}
	return name
}

// signature is what an item of a kind takes, on one line.
func signature(kind snapshot.Kind, raw json.RawMessage) string {
	item := parse(raw)
	switch kind {
	case snapshot.Tools:
		all := parameters(parse(item["inputSchema"]))
		return joinParameters(all, shapeDepth, len(all))
	case snapshot.Prompts:
		all := promptParameters(item["arguments"])
		return joinParameters(all, 0, len(all))
	case snapshot.Templates:
		return strings.Join(variables(item.text("uriTemplate")), ", ")
	}
	return ""
}

// promptParameters are the arguments of a prompt as parameters; all of them are strings.
func promptParameters(arguments json.RawMessage) []parameter {
	var first, later []parameter
	for _, raw := range array(arguments) {
		a := parse(raw)
		needed, _ := a.truth("required")
		p := parameter{a.text("name"), needed, stringSchema(a["description"])}
		if needed {
			first = append(first, p)
			continue
		}
		later = append(later, p)
	}
	return append(first, later...)
}

// stringSchema is the schema of a string with a description; nil = none.
func stringSchema(description json.RawMessage) json.RawMessage {
	if description == nil {
		description = json.RawMessage(`""`)
	}
	return json.RawMessage(`{"type":"string","description":` + string(description) + `}`)
}

// expression is one {…} of a URI template (RFC 6570).
var expression = regexp.MustCompile(`\{[+#./;?&]?([^{}]*)\}`)

// variables are the names of a URI template's variables, each once.
func variables(template string) []string {
	var all []string
	for _, found := range expression.FindAllStringSubmatch(template, -1) {
		for name := range strings.SplitSeq(found[1], ",") {
			name, _, _ = strings.Cut(strings.TrimSuffix(name, "*"), ":")
			if name != "" {
				all = appendNew(all, name)
			}
		}
	}
	return all
}
