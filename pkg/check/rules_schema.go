package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// schemaRows are about the JSON Schemas of tools.
func schemaRows() []row {
	return slices.Concat(shapeRows(), meaningRows())
}

// shapeRows are about how a schema is written.
func shapeRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "input-schema-missing", Level: finding.Breaking,
			Title:   "The tool has no schema of its arguments",
			Doc:     "inputSchema is required by every revision of the protocol. Typed clients fail on the whole list because of it.",
			Example: `{"name":"a"}`,
			Instead: `For a tool without arguments write {"type":"object","additionalProperties":false}.`,
		}, alone: schemaMissing},
		{Rule: finding.Rule{
			ID: "input-root-not-object", Level: finding.Breaking,
			Title:   "The arguments are no object",
			Doc:     `Arguments are always an object, and the root of inputSchema must say so: "type":"object". Without it clients refuse the tool or offer it without arguments; it is also what schema generators leave when a library under them changed.`,
			Example: `{"$schema":"http://json-schema.org/draft-07/schema#"}`,
			Instead: `Put "type":"object" at the root.`,
		}, alone: rootNotObject},
		{Rule: finding.Rule{
			ID: "schema-invalid", Level: finding.Breaking,
			Title:   "The schema is no valid JSON Schema",
			Doc:     "The meta-schema of its dialect (2020-12 unless $schema says otherwise) rejects it. Validators refuse it as a whole, and so do the APIs of models.",
			Example: `{"type":"strin"}`,
			Instead: "Validate schemas against their meta-schema in the server's own tests.",
		}, alone: schemaInvalid},
		{Rule: finding.Rule{
			ID: "schema-dialect-unknown", Level: finding.Warning,
			Title:   "The schema is in a dialect that is not known",
			Doc:     "$schema names none of the published drafts. Clients need to know 2020-12 only.",
			Example: `"$schema":"https://example.com/schema"`,
			Instead: "Leave $schema out: 2020-12 is the default.",
		}, alone: dialectUnknown},
		{Rule: finding.Rule{
			ID: "reference-unresolved", Level: finding.Breaking,
			Title:   "A reference leads nowhere",
			Doc:     "$ref names a place that the schema does not have. The schema cannot be used by any validator.",
			Example: `{"$ref":"#/$defs/missing"}`,
			Instead: "Send the definitions with the schema.",
		}, alone: referenceUnresolved},
		{Rule: finding.Rule{
			ID: "reference-remote", Level: finding.Breaking,
			Title:   "A reference leads out of the schema",
			Doc:     "$ref names an address on the network, which clients must not fetch (specification 2026-07-28, tools). What it stands for is not known to them.",
			Example: `{"$ref":"https://example.com/a.json"}`,
			Instead: "Put what it stands for into $defs.",
		}, alone: referenceRemote},
		{Rule: finding.Rule{
			ID: "schema-deep", Level: finding.Info,
			Title:   "The schema is deep",
			Doc:     fmt.Sprintf("Schemas lie more than %d deep inside one another. Models fill deep structures badly, and clients bound the depth that they follow.", maxSchemaDepth),
			Example: `{"properties":{"a":{"properties":{"b":{"properties":{…}}}}}}`,
			Instead: "Flatten the arguments, or take a part of them as its own tool.",
		}, alone: schemaDeep},
		{Rule: finding.Rule{
			ID: "schema-large", Level: finding.Info,
			Title:   "The schema is large",
			Doc:     fmt.Sprintf("It takes more than %d KiB, which every conversation that has the tool pays for.", maxSchemaBytes>>10),
			Example: `an outputSchema of 80 KiB`,
			Instead: "Describe what a caller needs to know, and leave out the rest.",
		}, alone: schemaLarge},
	}
}

// meaningRows are about what a schema says.
func meaningRows() []row {
	return []row{
		{Rule: finding.Rule{
			ID: "required-undefined", Level: finding.Warning,
			Title:   "A required argument is not defined",
			Doc:     "required names a property that properties does not have. A model does not know what to put there; it is mostly a leftover of a rename.",
			Example: `{"properties":{"query":{}},"required":["q"]}`,
			Instead: "Define it, or take it out of required.",
		}, alone: requiredUndefined},
		{Rule: finding.Rule{
			ID: "schema-contradictory", Level: finding.Breaking,
			Title:   "No value can match the schema",
			Doc:     "What it asks for excludes itself, which is proved and not guessed. No call of the tool can be valid.",
			Example: `{"type":"integer","minimum":5,"maximum":4}`,
			Instead: "Correct the bounds, or write false if that is meant.",
		}, alone: contradictory},
		{Rule: finding.Rule{
			ID: "default-invalid", Level: finding.Warning,
			Title:   "The default does not match its own schema",
			Doc:     "A client that fills in the default makes a call that the schema forbids.",
			Example: `{"type":"integer","default":"10"}`,
			Instead: "Give a default that validates.",
		}, alone: defaultInvalid},
		{Rule: finding.Rule{
			ID: "example-invalid", Level: finding.Warning,
			Title:   "An example does not match its own schema",
			Doc:     "Models imitate examples, so this one makes them send what the schema forbids.",
			Example: `{"type":"integer","examples":["10"]}`,
			Instead: "Give examples that validate.",
		}, alone: exampleInvalid},
	}
}

const (
	maxSchemaDepth = 12
	maxSchemaBytes = 32 << 10
	maxProved      = 32 // schemas that lie deeper are not asked for contradictions
)

// eachSchema calls f with every schema of every tool.
func (s *subject) eachSchema(f func(t tool, d document)) {
	for _, t := range s.tools {
		for _, d := range t.schemas {
			f(t, d)
		}
	}
}

// eachPlace calls f with every schema inside every schema of every tool.
func (s *subject) eachPlace(f func(t tool, d document, p place)) {
	s.eachSchema(func(t tool, d document) {
		for _, p := range d.places() {
			f(t, d, p)
		}
	})
}

func schemaMissing(s *subject, report tell) {
	for _, t := range s.tools {
		if t.fields != nil && t.fields["inputSchema"] == nil {
			report(finding.Finding{Item: t.id, Path: "/inputSchema"})
		}
	}
}

func rootNotObject(s *subject, report tell) {
	s.eachSchema(func(t tool, d document) {
		if d.path != "/inputSchema" || d.value == nil {
			return
		}
		root, ok := d.value.(map[string]any)
		if !ok || root["type"] != "object" {
			report(finding.Finding{Item: t.id, Path: d.path, Member: "type", New: encoded(root["type"])})
		}
	})
}

func schemaInvalid(s *subject, report tell) {
	metas := map[schema.Draft]*schema.Schema{}
	s.eachSchema(func(t tool, d document) {
		draft, _, known := schema.DraftOf(d.value)
		if !known {
			return
		}
		if metas[draft] == nil {
			metas[draft] = schema.Meta(draft)
		}
		found, _ := metas[draft].Faults("", d.value)
		for _, f := range found {
			report(finding.Finding{Item: t.id, Path: d.path + f.Path, New: at(d.value, f.Path), Message: fmt.Sprintf("The schema is no valid JSON Schema: %s %s.", cmp.Or(f.Path, "its root"), f.Reason)})
		}
	})
}

func dialectUnknown(s *subject, report tell) {
	s.eachSchema(func(t tool, d document) {
		if _, dialect, known := schema.DraftOf(d.value); !known {
			report(finding.Finding{Item: t.id, Path: d.path + "/$schema", New: quoted(dialect)})
		}
	})
}

func schemaDeep(s *subject, report tell) {
	s.eachSchema(func(t tool, d document) {
		for _, p := range d.places() {
			if p.depth == maxSchemaDepth+1 {
				report(finding.Finding{Item: t.id, Path: p.path()})
				return
			}
		}
	})
}

func schemaLarge(s *subject, report tell) {
	s.eachSchema(func(t tool, d document) {
		if n := len(d.raw); n > maxSchemaBytes {
			report(finding.Finding{Item: t.id, Path: d.path, Message: fmt.Sprintf("The schema takes %d KiB.", n>>10)})
		}
	})
}

func requiredUndefined(s *subject, report tell) {
	s.eachPlace(func(t tool, _ document, p place) {
		properties, ok := p.object["properties"].(map[string]any)
		if !ok && p.depth > 0 || p.applied || definedElsewhere(p.object) {
			return
		}
		names, _ := p.object["required"].([]any)
		for _, value := range names {
			if name, ok := value.(string); ok && properties[name] == nil && !slices.Contains(slices.Collect(maps.Keys(properties)), name) {
				report(finding.Finding{Item: t.id, Path: p.path(), Member: "required", New: quoted(name), Message: fmt.Sprintf("%q is required and not defined.", name)})
			}
		}
	})
}

// definedElsewhere tells whether properties of an object may be defined by other keywords than properties.
func definedElsewhere(object map[string]any) bool {
	return slices.ContainsFunc([]string{"$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas"}, func(keyword string) bool {
		return object[keyword] != nil
	})
}

// contradictory asks for proofs, with a small budget each: what is not proved is not told.
func contradictory(s *subject, report tell) {
	never, err := schema.Parse([]byte("false"))
	if err != nil {
		return
	}
	s.eachPlace(func(t tool, d document, p place) {
		if !p.value || p.depth > maxProved || !bounded(p.object) || refers(p.object) {
			return
		}
		one, err := schema.Parse(encoded(p.object))
		if err == nil && schema.Contains(context.Background(), never, one, schema.Budget{Steps: 2000, Semantics: schema.Strict}).Verdict == schema.Compatible {
			report(finding.Finding{Item: t.id, Path: p.path(), Verdict: finding.Proved})
		}
	})
}

// bounded tells whether a schema has a keyword that can exclude another one.
func bounded(object map[string]any) bool {
	return slices.ContainsFunc([]string{"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
		"minItems", "maxItems", "minProperties", "maxProperties", "enum", "const", "allOf", "required", "anyOf", "oneOf"}, func(keyword string) bool {
		return object[keyword] != nil
	})
}

// refers tells whether a reference lies in a value, so that it means nothing without its document.
func refers(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return v["$ref"] != nil || v["$dynamicRef"] != nil || slices.ContainsFunc(slices.Collect(maps.Values(v)), refers)
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}

func defaultInvalid(s *subject, report tell) {
	s.eachInstance("default", func(t tool, path string, value any, why schema.Fault) {
		report(finding.Finding{Item: t.id, Path: path, New: encoded(value), Message: fmt.Sprintf("The default %s does not match: %s.", compact(value), wrongness(why))})
	})
}

func exampleInvalid(s *subject, report tell) {
	s.eachInstance("examples", func(t tool, path string, value any, why schema.Fault) {
		report(finding.Finding{Item: t.id, Path: path, New: encoded(value), Message: fmt.Sprintf("The example %s does not match: %s.", compact(value), wrongness(why))})
	})
}

// eachInstance calls f with each value behind a keyword that its own schema rejects.
func (s *subject) eachInstance(keyword string, f func(t tool, path string, value any, why schema.Fault)) {
	s.eachSchema(func(t tool, d document) {
		var v *schema.Schema
		for _, p := range d.places() {
			given, ok := p.object[keyword]
			if !ok {
				continue
			}
			if v == nil {
				if v = d.validating(); v == nil {
					return
				}
			}
			for _, i := range instancesOf(p.way.to(keyword), keyword, given) {
				if why := d.faultsOf(v, p, i.value); len(why) > 0 {
					f(t, i.way.String(), i.value, why[0])
				}
			}
		}
	})
}

// instancesOf are the values behind a keyword: examples has several.
func instancesOf(way *trail, keyword string, given any) []sub {
	elements, several := given.([]any)
	if keyword != "examples" || !several {
		return []sub{{way, given}}
	}
	var found []sub
	for i, element := range elements {
		found = append(found, sub{way.element(i), element})
	}
	return found
}

// at is the value at a JSON pointer, as JSON; nil when it is long or not there.
func at(value any, pointer string) json.RawMessage {
	found, _ := valueAt(value, pointer)
	if raw := encoded(found); len(raw) <= 400 {
		return raw
	}
	return nil
}
