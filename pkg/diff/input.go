package diff

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// inputSchema compares what the tool accepts. A tool without a schema, which the specification forbids, takes no arguments.
func (c *comparison) inputSchema(s subject) {
	old, new := s.old["inputSchema"], s.new["inputSchema"]
	if alike(old, new) {
		return
	}
	c.inputRoot(s, old, new)
	c.schema(s, finding.Input, "/inputSchema", arguments(old), arguments(new))
}

// inputRoot looks at what only matters at the root of an input schema.
func (c *comparison) inputRoot(s subject, old, new json.RawMessage) {
	before, after := viewOf(old), viewOf(new)
	f := finding.Finding{Item: s.id, Path: "/inputSchema", Old: old, New: new}
	switch {
	case isObject(before) && !isObject(after):
		f.Message = `The root of the input schema no longer says "type": "object".`
		c.report("input-schema-invalid", f)
	case !isObject(before) && isObject(after):
		f.Level, f.Message = finding.Info, `The root of the input schema says "type": "object" now, as it must.`
		c.report("input-schema-changed", f)
	}
}

// combinators reports those that are new at the root of an input schema, if they are more than other words for the same.
func (r *revision) combinators() {
	if r.direction != finding.Input || r.overall.equal {
		return
	}
	before, after := viewOf(r.before.Raw()), viewOf(r.after.Raw())
	for _, keyword := range combinators() {
		if before[keyword] == nil && after[keyword] != nil {
			r.tell("root-combinator-added", finding.Finding{Member: keyword, New: after[keyword]})
		}
	}
}

func isObject(root view) bool { return root.text("type") == "object" }

func combinators() []string { return []string{"anyOf", "oneOf", "allOf", "not"} }

// arguments is an input schema as the protocol reads it: what is sent is an object, whether the root says so or not, and
// a root that says nothing of any property takes none.
func arguments(schema json.RawMessage) json.RawMessage {
	if schema == nil {
		return json.RawMessage(`{"type":"object","properties":{}}`)
	}
	root := viewOf(schema)
	says := func(keyword string) bool { return root[keyword] != nil }
	if len(root) == 0 && string(schema) != "{}" || slices.ContainsFunc(append(combinators(), "$ref", "$dynamicRef", "if"), says) {
		return schema
	}
	if says("type") && (says("properties") || !isObject(root)) {
		return schema
	}
	if !says("type") {
		root["type"] = json.RawMessage(`"object"`)
	}
	if !slices.ContainsFunc([]string{"properties", "additionalProperties", "patternProperties", "unevaluatedProperties"}, says) {
		root["properties"] = json.RawMessage(`{}`)
	}
	return root.json()
}
