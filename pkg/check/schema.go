package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/dlclark/regexp2/v2"
	"github.com/dlclark/regexp2/v2/syntax"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// schemaRules are on the JSON Schemas of tools.
var schemaRules = map[string]rule{
	"input-schema-missing": eachTool(func(t *item, at location) {
		if t.fields["inputSchema"] == nil {
			at.at("inputSchema").add("", nil, "")
		}
	}),
	"input-root-not-object": eachTool(func(t *item, at location) { rootNotObject(t.input, at) }),
	"output-root-not-object": before(modern, eachTool(func(t *item, at location) {
		rootNotObject(t.output, at)
	})),
	"schema-invalid": eachDocument(schemaInvalid),
	"schema-dialect-unknown": eachDocument(func(d *document, at location) {
		if _, dialect, known := schema.DraftOf(d.value); !known {
			at.at("$schema").add("", rawjson.Quote(dialect), "The dialect %q is unknown.", quote(dialect))
		}
	}),
	"reference-unresolved": eachSchema(func(s *subschema, at location) {
		target, ok := s.object["$ref"].(string)
		switch {
		case !ok:
		case !isRemote(target) && !s.doc.resolves(target):
			at.add("$ref", rawjson.Quote(target), "The reference %q leads nowhere.", quote(target))
		case s.refersToItself():
			at.add("$ref", rawjson.Quote(target), "The reference %q leads only to itself.", quote(target))
		}
	}),
	"reference-remote": eachSchema(func(s *subschema, at location) {
		if target := s.string("$ref"); isRemote(target) && !s.doc.resolves(target) {
			at.add("$ref", rawjson.Quote(target), "The reference %q leads out of the schema.", quote(target))
		}
	}),
	"definitions-unused": definitionsUnused,
	"schema-deep": eachDocument(func(d *document, at location) {
		tooDeep := func(s *subschema) bool { return s.depth > maxDepth }
		if i := slices.IndexFunc(d.subschemas, tooDeep); i >= 0 {
			at.path = d.subschemas[i].path
			at.add("", nil, "")
		}
	}),
	"schema-large": eachDocument(func(d *document, at location) {
		if n := len(d.raw); n > maxSchemaBytes {
			at.add("", nil, "The schema has %d KiB.", n>>10)
		}
	}),
	"required-undefined":   eachSchema(requiredUndefined),
	"keyword-ignored":      eachSchema(keywordIgnored),
	"schema-contradictory": eachDocument(schemaContradictory),
	"default-invalid": eachSchema(func(s *subschema, at location) {
		if value, there := s.object["default"]; there {
			instanceInvalid(s, value, at.at("default"), "default")
		}
	}),
	"example-invalid": eachSchema(func(s *subschema, at location) {
		values, ok := s.object["examples"].([]any)
		if !ok && s.has("examples") {
			instanceInvalid(s, s.object["examples"], at.at("examples"), "example")
		}
		for i, value := range values {
			instanceInvalid(s, value, at.at("examples", strconv.Itoa(i)), "example")
		}
	}),
	"schema-undecided": eachTool(schemaUndecided),
	"pattern-invalid":  eachSchema(patternInvalid),
}

const (
	maxDepth       = 12
	maxSchemaBytes = 32 << 10
	maxFaults      = 100 // of one schema, reported one by one
	minUnused      = 256 // bytes of unused definitions that are worth a finding
	maxProofDepth  = 32  // deeper schemas are not checked for contradictions
	proofSteps     = 2_000
	maxPattern     = 16 << 10 // bytes of a pattern that is compiled
	maxReferences  = 32       // that are followed from one
)

// schemaUndecided must come after the rules that take steps of a pool: rules are applied in the order of
// rules.json.
func schemaUndecided(t *item, at location) {
	for _, d := range t.schemas {
		if d.pool.Spent() || d.cut || len(d.subschemas) == maxSubschemas {
			at.report(finding.Finding{Item: t.id, Path: d.path, Verdict: finding.Unproven})
			return // both schemas share the pool
		}
	}
}

// rootNotObject looks for a schema of a tool without type object at the top, such as {"type": "array"}. A
// missing schema, or null, is left to other rules.
func rootNotObject(d *document, at location) {
	if d == nil || d.value == nil {
		return
	}
	if object, ok := d.value.(map[string]any); !ok || object["type"] != "object" {
		at.below(d.path).add("type", encoded(object["type"]), "")
	}
}

// schemaInvalid looks for schemas that break the rules of their own draft, such as {"type": "text"}. It
// reports maxFaults places; one more finding counts the others. An unknown draft is not judged.
func schemaInvalid(d *document, at location) {
	draft, _, known := schema.DraftOf(d.value)
	if !known {
		return
	}
	found, _ := schema.Meta(draft).Faults("", d.value, d.pool)
	if len(found) > maxFaults {
		at.add("", encoded(d.value), "The schema is invalid in %d more places.", len(found)-maxFaults)
		found = found[:maxFaults]
	}
	for _, f := range found {
		value, _ := rawjson.At(d.value, f.Path)
		at.below(f.Path).add("", short(value), "The schema is invalid: %s.", placed(f))
	}
}

// short returns a value as JSON, nil when it is long.
func short(value any) json.RawMessage {
	if raw := encoded(value); len(raw) <= 400 {
		return raw
	}
	return nil
}

func isRemote(target string) bool {
	u, err := url.Parse(target)
	return err == nil && (u.Scheme != "" || u.Host != "")
}

// definitionsUnused reports the cost of definitions without references, once for a server.
func definitionsUnused(s *server, report reporter) {
	var places, tools []string
	size := 0
	for _, t := range s.tools {
		for _, d := range t.schemas {
			for i := 0; i < len(d.subschemas); i++ {
				sub, end := d.subschemas[i], d.after(i)
				used := func(s *subschema) bool { return s.used }
				if !sub.definition || slices.ContainsFunc(d.subschemas[i:end], used) {
					continue
				}
				size += len(encoded(sub.object))
				places, tools = append(places, t.id+" "+sub.path.String()), append(tools, t.Key)
				i = end - 1
			}
		}
	}
	if size >= minUnused {
		tools = kit.Distinct(tools)
		report(finding.Finding{Path: "/tools", New: encoded(places), Places: tools,
			Cause: "Definitions that no reference uses",
			Message: fmt.Sprintf("%s that no reference uses cost %d bytes (~%d tokens) in %s.",
				kit.Counted(len(places), "definition"), size, estimate(size), kit.Some(tools))})
	}
}

// requiredUndefined looks for names in required that properties lacks, such as a misspelled one. Where
// properties may be defined elsewhere, as in parts of a union, it reports nothing.
func requiredUndefined(s *subschema, at location) {
	if s.properties() == nil && s.depth > 0 || s.part || s.definesElsewhere() {
		return
	}
	names, _ := s.object["required"].([]any)
	for _, value := range names {
		name, ok := value.(string)
		if _, defined := s.properties()[name]; ok && !defined {
			at.add("required", rawjson.Quote(name), "%q is required but not defined.", name)
		}
	}
}

// keywordIgnored looks for keywords that say nothing about any value: those of another dialect than the one
// that the schema names, such as prefixItems in draft-07, and those of another type, such as maxLength of an
// integer.
func keywordIgnored(s *subschema, at location) {
	if !s.used {
		return
	}
	draft, address, known := schema.DraftOf(s.doc.value)
	for _, keyword := range kit.SortedKeys(s.object) {
		switch {
		case known && address != "" && !draft.Defines(keyword):
			at.add(keyword, short(s.object[keyword]),
				"The dialect %s does not define `%s`%s.", quote(address), keyword, s.ofArgument())
		case !schema.AppliesTo(keyword, s.object["type"]):
			at.add(keyword, short(s.object[keyword]), "`%s`%s has no effect on values of type %s.", keyword,
				s.ofArgument(), encoded(s.object["type"]))
		}
	}
}

// definesElsewhere reports whether other keywords than properties may define properties.
func (s *subschema) definesElsewhere() bool {
	return s.has("$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if",
		"dependentSchemas")
}

// schemaContradictory reports schemas that are proved to match nothing, with a small budget each, the
// innermost first.
func schemaContradictory(d *document, at location) {
	nothing, _ := schema.Parse([]byte("false")) // is a schema
	budget, ctx := schema.Budget{Steps: proofSteps, Semantics: schema.Strict, Pool: d.pool}, at.server.ctx
	for _, sub := range slices.Backward(d.subschemas) {
		if !sub.typed || sub.depth > maxProofDepth || matchesSome(sub.object) || hasReference(sub.object) {
			continue
		}
		if d.pool.Left <= 0 || at.server.stopped() {
			return
		}
		parsed, err := schema.ParseWithin(ctx, encoded(sub.object), d.pool)
		if err == nil && schema.Contains(ctx, nothing, parsed, budget).Verdict == schema.Compatible {
			at.report(finding.Finding{Item: d.tool.id, Path: sub.path.String(), Verdict: finding.Proved,
				Message: fmt.Sprintf("No value can match the schema%s.", sub.ofArgument())})
		}
	}
}

// matchesSome reports whether a decoded schema clearly matches some value: it names one type and constrains
// it by a single bound at most, or it is an object whose required properties match some value. False is no
// proof of the contrary.
func matchesSome(value any) bool {
	object, _ := value.(map[string]any)
	kind, _ := object["type"].(string)
	bounds := 0
	for keyword, given := range object {
		switch keyword {
		case "type", "description", "title", "default", "examples", "format", "items", "properties",
			"additionalProperties", "$schema":
		case "minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum":
			bounds++
		case "enum":
			list, _ := given.([]any)
			isText := func(v any) bool { _, text := v.(string); return text }
			if kind != "string" || !slices.ContainsFunc(list, isText) {
				return false
			}
			bounds++
		case "required":
			names, _ := given.([]any)
			properties, _ := object["properties"].(map[string]any)
			if slices.ContainsFunc(names, func(name any) bool {
				text, _ := name.(string)
				return !matchesSome(properties[text])
			}) {
				return false
			}
		default:
			return false
		}
	}
	hasItems := object["items"] != nil && object["minItems"] != nil
	return !hasItems && bounds <= 1 &&
		slices.Contains([]string{"string", "number", "integer", "boolean", "array", "object"}, kind)
}

// hasReference reports whether a decoded value has a $ref or $dynamicRef at any depth, even where that is the
// name of a property.
func hasReference(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return has(v, "$ref", "$dynamicRef") ||
			slices.ContainsFunc(slices.Collect(maps.Values(v)), hasReference)
	case []any:
		return slices.ContainsFunc(v, hasReference)
	}
	return false
}

// placed returns what is wrong, after its place if that is inside the value.
func placed(f schema.Fault) string {
	if f.Path == "" {
		return f.Reason
	}
	return f.Path + ": " + f.Reason
}

// instanceInvalid reports a default or example that its own schema rejects.
func instanceInvalid(s *subschema, value any, at location, kind string) {
	faults := s.faults(value)
	if len(faults) == 0 {
		return
	}
	reason := placed(faults[0])
	f := finding.Finding{Item: at.item, Path: at.path.String(), New: encoded(value),
		Message: fmt.Sprintf("The %s %s%s is invalid: %s.", kind, clipped(value), s.ofArgument(), reason)}
	if value == nil && kind == "default" { // the Python habit x: str = None
		f.Cause = "Defaults of null that their type does not allow"
		f.Hint = "Allow null in the type (in Python: str | None), or omit the default."
	}
	at.report(f)
}

// clipped returns the start of a value as JSON.
func clipped(value any) string { return kit.Clip(string(encoded(value)), 60) }

// patternInvalid reports the regular expressions that values are matched with and ECMAScript cannot compile.
func patternInvalid(s *subschema, at location) {
	if !s.used {
		return
	}
	report := func(at location, member, pattern string) {
		if fault := patternFault(pattern); fault != "" {
			at.add(member, rawjson.Quote(pattern), "The pattern %s%s is not valid in ECMAScript: %s.",
				clipped(pattern), s.ofArgument(), fault)
		}
	}
	if pattern, ok := s.object["pattern"].(string); ok {
		report(at, "pattern", pattern)
	}
	byPattern, _ := s.object["patternProperties"].(map[string]any)
	for _, pattern := range kit.SortedKeys(byPattern) {
		report(at.at("patternProperties", pattern), "", pattern)
	}
}

// foreignSyntax matches inline flags, as in Python, and atomic groups, which regexp2 accepts.
var foreignSyntax = kit.Pattern(`(?:^|[^\\])\(\?(?:[a-z]+\)|>)`)

// patternFault returns why ECMAScript cannot compile a pattern; "" when it can.
func patternFault(pattern string) string {
	if len(pattern) > maxPattern {
		return ""
	}
	if foreignSyntax().MatchString(pattern) {
		return "ECMAScript has no inline flags such as (?i) and no atomic groups"
	}
	_, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if parse, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Sprintf(parse.Code.String(), parse.Args...)
	}
	return ""
}

// providerRules are restrictions of the APIs of model providers, each with its source and date. They matter
// to clients that pass tools on unchanged.
var providerRules = map[string]rule{
	"provider-tool-name": toolNameNotLike(`^[A-Za-z0-9_-]{1,64}$`),
	"tool-name-unusual":  toolNameNotLike(`^[A-Za-z0-9_.-]{1,128}$`),
	"provider-property-name": eachArgument(func(s *subschema, name string, _ map[string]any, at location) {
		if s.depth == 0 && !propertyName().MatchString(name) {
			at.add("", rawjson.Quote(name), "The argument name %q is rejected by Anthropic.", quote(name))
		}
	}),
	"provider-root-union": eachInput(func(s *subschema, at location) {
		for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
			if s.depth == 0 && s.has(keyword) {
				at.add(keyword, nil, "")
			}
		}
	}),
	"provider-array-items": eachInput(func(s *subschema, at location) {
		if s.object["type"] == "array" && !s.has("items", "prefixItems") {
			at.add("items", nil, "")
		}
	}),
	"provider-type-list": eachInput(func(s *subschema, at location) {
		if types, several := s.object["type"].([]any); several {
			at.add("type", encoded(types), "")
		}
	}),
	"provider-reference": eachInput(func(s *subschema, at location) {
		if target, ok := s.object["$ref"]; ok {
			at.add("$ref", encoded(target), "")
		}
	}),
}

// toolNameNotLike makes a rule that looks for names of tools without a match of the pattern form.
func toolNameNotLike(form string) rule {
	allowed := kit.Pattern(form)
	return eachTool(func(t *item, at location) {
		if t.Key != "" && !allowed().MatchString(t.Key) {
			at.at("name").add("", rawjson.Quote(t.Key), "")
		}
	})
}

var propertyName = kit.Pattern(`^[A-Za-z0-9_.-]{1,64}$`)
