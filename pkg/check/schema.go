package check

import (
	"cmp"
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

// schemaRules are about the JSON Schemas of tools.
var schemaRules = map[string]look{
	"input-schema-missing": ofTools(func(t tool, at spot) {
		if t.fields["inputSchema"] == nil {
			at.in("inputSchema").say("", nil, "")
		}
	}),
	"input-root-not-object":  ofTools(func(t tool, at spot) { rootNotObject(t.input, at) }),
	"output-root-not-object": before(modern, ofTools(func(t tool, at spot) { rootNotObject(t.output, at) })),
	"schema-invalid":         ofSchemas(schemaInvalid),
	"schema-dialect-unknown": ofSchemas(func(d *document, at spot) {
		if _, dialect, known := schema.DraftOf(d.value); !known {
			at.in("$schema").say("", rawjson.Quote(dialect), "")
		}
	}),
	"reference-unresolved": ofPlaces(func(d *document, p *place, at spot) {
		if target, ok := p.object["$ref"].(string); ok && !isRemote(target) && !d.resolves(target) {
			at.say("$ref", rawjson.Quote(target), "")
		}
	}),
	"reference-remote": ofPlaces(func(d *document, p *place, at spot) {
		if target := p.text("$ref"); isRemote(target) && !d.names(target) {
			at.say("$ref", rawjson.Quote(target), "")
		}
	}),
	"definitions-unused": definitionsUnused,
	"schema-deep":        ofSchemas(schemaDeep),
	"schema-large": ofSchemas(func(d *document, at spot) {
		if n := len(d.raw); n > maxSchemaBytes {
			at.say("", nil, "The schema takes %d KiB.", n>>10)
		}
	}),
	"required-undefined":   ofPlaces(requiredUndefined),
	"schema-contradictory": ofEachSchema(contradictory),
	"default-invalid":      instancesInvalid("default", "The default %s%s does not match: %s."),
	"example-invalid":      instancesInvalid("examples", "The example %s%s does not match: %s."),
	"schema-undecided":     ofTools(schemaUndecided),
	"pattern-invalid":      ofPatterns("ECMAScript cannot read the pattern %s%s: %s.", patternFault),
}

const (
	maxSchemaDepth = 12
	maxSchemaBytes = 32 << 10
	maxProved      = 32    // schemas that lie deeper are not asked for contradictions
	proofSteps     = 2_000 // for one of them
)

// before is a rule on servers that speak a revision before this one.
func before(revision string, f look) look {
	return func(s *server, report tell) {
		if s.Snapshot.Protocol < revision {
			f(s, report)
		}
	}
}

// schemaUndecided comes behind all rules that take work out of a pool: rules are looked for in the order of
// their rows.
func schemaUndecided(t tool, at spot) {
	for _, d := range t.schemas {
		if d.pool.Spent() || len(d.places) == maxPlaces {
			at.below(d.path).report(finding.Finding{Item: t.id, Path: d.path, Verdict: finding.Unproven})
			return // both take from one pool
		}
	}
}

func rootNotObject(d *document, at spot) {
	if d == nil || d.value == nil {
		return
	}
	if root, ok := d.value.(map[string]any); !ok || root["type"] != "object" {
		at.below(d.path).say("type", encoded(root["type"]), "")
	}
}

func schemaInvalid(d *document, at spot) {
	draft, _, known := schema.DraftOf(d.value)
	if !known {
		return
	}
	found, _ := schema.Meta(draft).Faults("", d.value, d.pool)
	if len(found) > mostFaults {
		var others finding.Others
		for _, f := range found[mostFaults:] {
			others.Add(f.Path, f.Reason)
		}
		at.say("", others.Value(), "The schema is no valid JSON Schema in %d further places.", others.Count)
		found = found[:mostFaults]
	}
	for _, f := range found {
		value, _ := rawjson.At(d.value, f.Path)
		at.below(f.Path).say("", short(value), "The schema is no valid JSON Schema: %s %s.",
			cmp.Or(f.Path, "its root"), f.Reason)
	}
}

const mostFaults = 100

// short is a value as JSON, nil when it is long.
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

// leastUnused is from how many bytes on unused definitions of a server are worth telling.
const leastUnused = 256

// definitionsUnused tells what definitions cost that no value is ever judged by, for the server as a whole.
func definitionsUnused(s *server, report tell) {
	var places []string
	size := 0
	s.eachSchema(func(t tool, d *document) {
		for i := 0; i < len(d.places); i++ {
			p, end := d.places[i], d.end(i)
			if !p.definition || slices.ContainsFunc(d.places[i:end],
				func(inner *place) bool { return inner.reached }) {
				continue
			}
			size += len(encoded(p.object))
			places = append(places, t.id+" "+p.way.place())
			i = end - 1
		}
	})
	if size >= leastUnused {
		report(finding.Finding{
			Path: "/tools", New: encoded(places),
			Message: fmt.Sprintf("Definitions that nothing refers to take %d bytes, about %d tokens, in %d "+
				"places: %s.",
				size, estimate(size), len(places), kit.Some(places)),
		})
	}
}

func schemaDeep(d *document, at spot) {
	if i := slices.IndexFunc(d.places, func(p *place) bool { return p.depth == maxSchemaDepth+1 }); i >= 0 {
		at.way = d.places[i].way
		at.say("", nil, "")
	}
}

func requiredUndefined(_ *document, p *place, at spot) {
	properties := p.properties()
	if properties == nil && p.depth > 0 || p.applied || definedElsewhere(p.object) {
		return
	}
	names, _ := p.object["required"].([]any)
	for _, value := range names {
		name, ok := value.(string)
		if _, defined := properties[name]; ok && !defined {
			at.say("required", rawjson.Quote(name), "%q is required and not defined.", name)
		}
	}
}

// definedElsewhere tells whether properties of an object may be defined by other keywords than properties.
func definedElsewhere(object map[string]any) bool {
	return has(object, "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if",
		"dependentSchemas")
}

func has(object map[string]any, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { return object[keyword] != nil })
}

// contradictory asks for proofs, with a small budget each: what is not proved is not told. The innermost
// schemas come first, since an object is impossible when one that it requires is.
func contradictory(s *server, t tool, d *document, report tell) {
	budget := schema.Budget{Steps: proofSteps, Semantics: schema.Strict, Pool: d.pool}
	impossible := false
	for _, p := range slices.Backward(d.places) {
		if !p.value || p.depth > maxProved ||
			!excluding(p.object) && !(impossible && has(p.object, "required")) || refers(p.object) {
			continue
		}
		if d.pool.Left <= 0 {
			return
		}
		never, _ := schema.Parse([]byte("false")) // which is one
		one, err := schema.ParseWithin(s.ctx, encoded(p.object), d.pool)
		if err == nil && schema.Contains(s.ctx, never, one, budget).Verdict == schema.Compatible {
			impossible = true
			f := finding.Finding{Item: t.id, Path: p.way.place(), Verdict: finding.Proved}
			if p.depth > 0 { // then calls without it can be valid
				f.Message = "No value can match the schema at " + f.Path + "."
			}
			report(f)
		}
	}
}

// excluding tells whether a schema has keywords that can exclude one another and are not seen to agree.
func excluding(object map[string]any) bool {
	if has(object, "allOf", "anyOf", "oneOf", "const", "multipleOf", "exclusiveMinimum", "exclusiveMaximum",
		"maxProperties", "minProperties") ||
		has(object, "required") && object["additionalProperties"] == false ||
		has(object, "pattern") && has(object, "minLength", "maxLength", "enum") {
		return true
	}
	if enum, ok := object["enum"].([]any); ok &&
		(object["type"] != "string" || len(enum) == 0 ||
			slices.ContainsFunc(enum, func(value any) bool { _, text := value.(string); return !text })) {
		return true
	}
	return has(object, "enum") && has(object, "minimum", "maximum", "minLength", "maxLength") ||
		crossed(object, "minimum", "maximum") || crossed(object, "minLength", "maxLength") ||
		crossed(object, "minItems", "maxItems")
}

// crossed tells whether a lower bound is not seen to be below the upper one.
func crossed(object map[string]any, least, most string) bool {
	if !has(object, least) || !has(object, most) {
		return false
	}
	low, errLow := strconv.ParseFloat(fmt.Sprint(object[least]), 64)
	high, errHigh := strconv.ParseFloat(fmt.Sprint(object[most]), 64)
	return errLow != nil || errHigh != nil || low >= high || object["type"] == "integer" && high-low < 1
}

func refers(value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return has(v, "$ref", "$dynamicRef") || slices.ContainsFunc(slices.Collect(maps.Values(v)), refers)
	case []any:
		return slices.ContainsFunc(v, refers)
	}
	return false
}

// instancesInvalid tells the values behind a keyword that its own schema rejects.
func instancesInvalid(keyword, message string) look {
	return ofPlaces(func(d *document, p *place, at spot) {
		given, ok := p.object[keyword]
		if !ok {
			return
		}
		at = at.in(keyword)
		values, several := given.([]any)
		if several = several && keyword == "examples"; !several {
			values = []any{given}
		}
		for i, value := range values {
			here := at
			if several {
				here = at.in(strconv.Itoa(i))
			}
			why := d.faults(p, value)
			if len(why) > 0 && value == nil && keyword == "default" { // x: str = None, a habit of Python
				here.report(finding.Finding{
					Item: here.item, Path: here.way.place(), New: encoded(value),
					Message: fmt.Sprintf(message, clipped(value), p.whose(), wrongness(why[0])),
					Cause:   "Default null where the type does not allow it",
					Hint:    "Allow null in the type (in Python: str | None), or leave the default out.",
				})
			} else if len(why) > 0 {
				here.say("", encoded(value), message, clipped(value), p.whose(), wrongness(why[0]))
			}
		}
	})
}

func wrongness(f schema.Fault) string {
	if f.Path == "" {
		return "it " + f.Reason
	}
	return f.Path + " " + f.Reason
}

func clipped(value any) string {
	raw := encoded(value)
	if len(raw) > 60 {
		return string(raw[:60]) + "…"
	}
	return string(raw)
}

// maxPattern is the size in bytes up to which patterns are compiled.
const maxPattern = 16 << 10

// foreign matches a flag for the rest of a pattern, as in Python, or an atomic group: regexp2 accepts both.
var foreign = kit.Pattern(`(?:^|[^\\])\(\?(?:[a-z]+\)|>)`)

// patternFault returns why ECMAScript cannot compile a pattern; empty where it can.
func patternFault(pattern string) string {
	if len(pattern) > maxPattern {
		return ""
	}
	if foreign().MatchString(pattern) {
		return "ECMAScript has no inline flags such as (?i) and no atomic groups"
	}
	_, err := regexp2.Compile(pattern, regexp2.ECMAScript)
	if parse, ok := errors.AsType[*syntax.Error](err); ok {
		return fmt.Sprintf(parse.Code.String(), parse.Args...)
	}
	return ""
}

// ofPatterns tells the regular expressions that values are judged by with which something is wrong.
func ofPatterns(message string, fault func(pattern string) string) look {
	return ofPlaces(func(d *document, p *place, at spot) {
		if !p.reached {
			return
		}
		judge := func(at spot, member, pattern string) {
			if why := fault(pattern); why != "" {
				at.say(member, rawjson.Quote(pattern), message, clipped(pattern), p.whose(), why)
			}
		}
		if pattern, ok := p.object["pattern"].(string); ok {
			judge(at, "pattern", pattern)
		}
		named, _ := p.object["patternProperties"].(map[string]any)
		for _, pattern := range kit.SortedKeys(named) {
			judge(at.in("patternProperties", pattern), "", pattern)
		}
	})
}

// providerRules are facts about the APIs of models, each with its source and the date of that source. They
// bind nobody but those who hand tools on as they are: many clients rename and rewrite first. They look at
// what a call reaches alone.
var providerRules = map[string]look{
	"provider-tool-name": toolNames(`^[A-Za-z0-9_-]{1,64}$`),
	"tool-name-unusual":  toolNames(`^[A-Za-z0-9_.-]{1,128}$`),
	"provider-property-name": ofProperties(func(p *place, name string, _ map[string]any, at spot) {
		if p.depth == 0 && !propertyNames().MatchString(name) {
			at.say("", rawjson.Quote(name), "")
		}
	}),
	"provider-root-union": ofInputs(providerUnion),
	"provider-array-items": ofInputs(func(p *place, at spot) {
		if p.object["type"] == "array" && !has(p.object, "items", "prefixItems") {
			at.say("items", nil, "")
		}
	}),
	"provider-type-list": ofInputs(func(p *place, at spot) {
		if types, several := p.object["type"].([]any); several {
			at.say("type", encoded(types), "")
		}
	}),
	"provider-reference": ofInputs(func(p *place, at spot) {
		if target, ok := p.object["$ref"]; ok {
			at.say("$ref", encoded(target), "")
		}
	}),
}

// toolNames tells the tools whose names are not of a form.
func toolNames(form string) look {
	allowed := kit.Pattern(form)
	return ofTools(func(t tool, at spot) {
		if t.Key != "" && !allowed().MatchString(t.Key) {
			at.in("name").say("", rawjson.Quote(t.Key), "")
		}
	})
}

var propertyNames = kit.Pattern(`^[A-Za-z0-9_.-]{1,64}$`)

func providerUnion(p *place, at spot) {
	for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
		if p.depth == 0 && p.object[keyword] != nil {
			at.say(keyword, nil, "")
		}
	}
}
