package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/tokens"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// schemaRules are about the JSON Schemas of tools.
var schemaRules = map[string]func(*server, tell){
	"input-schema-missing":   schemaMissing,
	"input-root-not-object":  inputRoot,
	"output-root-not-object": outputRoot,
	"schema-invalid":         schemaInvalid,
	"schema-dialect-unknown": dialectUnknown,
	"reference-unresolved":   referenceUnresolved,
	"reference-remote":       referenceRemote,
	"definitions-unused":     definitionsUnused,
	"schema-deep":            schemaDeep,
	"schema-large":           schemaLarge,
	"required-undefined":     requiredUndefined,
	"schema-contradictory":   contradictory,
	"default-invalid":        instancesInvalid("default", "The default %s does not match: %s."),
	"example-invalid":        instancesInvalid("examples", "The example %s does not match: %s."),
	"pattern-invalid":        patternInvalid,
	"pattern-not-unicode":    patternNotUnicode,
	"pattern-exponential":    patternExponential,
}

const (
	maxSchemaDepth = 12
	maxSchemaBytes = 32 << 10
	maxProved      = 32    // schemas that lie deeper are not asked for contradictions
	proofSteps     = 2_000 // for one of them
)

func schemaMissing(s *server, report tell) {
	for _, t := range s.tools {
		if t.fields != nil && t.fields["inputSchema"] == nil {
			report(finding.Finding{Item: t.id, Path: "/inputSchema"})
		}
	}
}

func inputRoot(s *server, report tell) {
	for _, t := range s.tools {
		rootNotObject(t, t.input, report)
	}
}

// outputRoot asks of results what the revisions before 2026-07-28 do, and with them the types of the official SDKs.
func outputRoot(s *server, report tell) {
	if s.Snapshot.Protocol >= modern {
		return
	}
	for _, t := range s.tools {
		rootNotObject(t, t.output, report)
	}
}

func rootNotObject(t tool, d *document, report tell) {
	if d == nil || d.value == nil {
		return
	}
	if root, ok := d.value.(map[string]any); !ok || root["type"] != "object" {
		report(finding.Finding{Item: t.id, Path: d.path, Member: "type", New: encoded(root["type"])})
	}
}

func schemaInvalid(s *server, report tell) {
	s.eachSchema(func(t tool, d *document) {
		draft, _, known := schema.DraftOf(d.value)
		if !known {
			return
		}
		found, _ := s.metas.of(draft).Faults("", d.value, d.pool)
		for _, f := range found {
			value, _ := rawjson.At(d.value, f.Path)
			report(finding.Finding{Item: t.id, Path: d.path + f.Path, New: short(value), Message: fmt.Sprintf("The schema is no valid JSON Schema: %s %s.", cmp.Or(f.Path, "its root"), f.Reason)})
		}
	})
}

// short is a value as JSON, nil when it is long.
func short(value any) json.RawMessage {
	if raw := encoded(value); len(raw) <= 400 {
		return raw
	}
	return nil
}

func dialectUnknown(s *server, report tell) {
	s.eachSchema(func(t tool, d *document) {
		if _, dialect, known := schema.DraftOf(d.value); !known {
			report(finding.Finding{Item: t.id, Path: d.path + "/$schema", New: rawjson.Quote(dialect)})
		}
	})
}

func referenceUnresolved(s *server, report tell) {
	s.eachPlace(func(t tool, d *document, p *place) {
		if target, ok := p.object["$ref"].(string); ok && !isRemote(target) && !d.resolves(target) {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "$ref", New: rawjson.Quote(target)})
		}
	})
}

func referenceRemote(s *server, report tell) {
	s.eachPlace(func(t tool, d *document, p *place) {
		if target := p.text("$ref"); isRemote(target) && !d.names(target) {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "$ref", New: rawjson.Quote(target)})
		}
	})
}

func isRemote(target string) bool {
	u, err := url.Parse(target)
	return err == nil && (u.Scheme != "" || u.Host != "")
}

// leastUnused is from how many bytes on unused definitions of a server are worth telling.
const leastUnused = 256

// definitionsUnused tells what definitions cost that no value is ever judged by, for the server as a whole.
func definitionsUnused(s *server, report tell) {
	var counter tokens.Counter
	var places []string
	bytes, cost := 0, 0
	s.eachSchema(func(t tool, d *document) {
		for i := 0; i < len(d.places); i++ {
			p, end := d.places[i], d.end(i)
			if !p.definition || slices.ContainsFunc(d.places[i:end], func(inner *place) bool { return inner.reached }) {
				continue
			}
			text := encoded(p.object)
			bytes, cost = bytes+len(text), cost+counter.Count(string(text))
			places = append(places, t.id+" "+p.path())
			i = end - 1
		}
	})
	if bytes >= leastUnused {
		report(finding.Finding{Path: "/tools", New: encoded(places), Message: fmt.Sprintf("Definitions that nothing refers to take %d bytes, %d tokens, in %d places: %s.", bytes, cost, len(places), some(places))})
	}
}

func schemaDeep(s *server, report tell) {
	s.eachSchema(func(t tool, d *document) {
		if i := slices.IndexFunc(d.places, func(p *place) bool { return p.depth == maxSchemaDepth+1 }); i >= 0 {
			report(finding.Finding{Item: t.id, Path: d.places[i].path()})
		}
	})
}

func schemaLarge(s *server, report tell) {
	s.eachSchema(func(t tool, d *document) {
		if n := len(d.raw); n > maxSchemaBytes {
			report(finding.Finding{Item: t.id, Path: d.path, Message: fmt.Sprintf("The schema takes %d KiB.", n>>10)})
		}
	})
}

func requiredUndefined(s *server, report tell) {
	s.eachPlace(func(t tool, _ *document, p *place) {
		properties := p.properties()
		if properties == nil && p.depth > 0 || p.applied || definedElsewhere(p.object) {
			return
		}
		names, _ := p.object["required"].([]any)
		for _, value := range names {
			if name, ok := value.(string); ok {
				if _, defined := properties[name]; !defined {
					report(finding.Finding{Item: t.id, Path: p.path(), Member: "required", New: rawjson.Quote(name), Message: fmt.Sprintf("%q is required and not defined.", name)})
				}
			}
		}
	})
}

// definedElsewhere tells whether properties of an object may be defined by other keywords than properties.
func definedElsewhere(object map[string]any) bool {
	return has(object, "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "patternProperties", "if", "dependentSchemas")
}

func has(object map[string]any, keywords ...string) bool {
	return slices.ContainsFunc(keywords, func(keyword string) bool { return object[keyword] != nil })
}

// contradictory asks for proofs, with a small budget each: what is not proved is not told. The innermost schemas come
// first, since an object is impossible when one that it requires is.
func contradictory(s *server, report tell) {
	never, err := schema.Parse([]byte("false"))
	if err != nil {
		return
	}
	s.eachSchema(func(t tool, d *document) {
		budget := schema.Budget{Steps: proofSteps, Semantics: schema.Strict, Pool: d.pool}
		impossible := false
		for _, p := range slices.Backward(d.places) {
			if !p.value || p.depth > maxProved || !excluding(p.object) && !(impossible && has(p.object, "required")) || refers(p.object) {
				continue
			}
			if d.pool.Left <= 0 {
				return
			}
			one, err := schema.Parse(encoded(p.object))
			if err == nil && schema.Contains(s.ctx, never, one, budget).Verdict == schema.Compatible {
				impossible = true
				report(finding.Finding{Item: t.id, Path: p.path(), Verdict: finding.Proved})
			}
		}
	})
}

// excluding tells whether a schema has keywords that can exclude one another. Those that mostly stand together, and can be
// seen to agree, are not asked about.
func excluding(object map[string]any) bool {
	if has(object, "allOf", "anyOf", "oneOf", "const", "multipleOf", "exclusiveMinimum", "exclusiveMaximum", "maxProperties", "minProperties") ||
		has(object, "required") && object["additionalProperties"] == false || has(object, "pattern") && has(object, "minLength", "maxLength", "enum") {
		return true
	}
	if enum, ok := object["enum"].([]any); ok && (object["type"] != "string" || slices.ContainsFunc(enum, func(value any) bool { _, text := value.(string); return !text })) {
		return true
	}
	return has(object, "enum") && has(object, "minimum", "maximum", "minLength", "maxLength") ||
		crossed(object, "minimum", "maximum") || crossed(object, "minLength", "maxLength") || crossed(object, "minItems", "maxItems")
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

// refers tells whether a reference lies in a value, so that it means nothing without its document.
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
func instancesInvalid(keyword, message string) func(*server, tell) {
	return func(s *server, report tell) {
		s.eachPlace(func(t tool, d *document, p *place) {
			given, ok := p.object[keyword]
			if !ok {
				return
			}
			values, several := given.([]any)
			way := p.way.to(keyword)
			if several = several && keyword == "examples"; !several {
				values = []any{given}
			}
			for i, value := range values {
				at := way
				if several {
					at = way.element(i)
				}
				if why := d.faults(p, value); len(why) > 0 {
					report(finding.Finding{Item: t.id, Path: at.String(), New: encoded(value), Message: fmt.Sprintf(message, clipped(value), wrongness(why[0]))})
				}
			}
		})
	}
}

// wrongness says what is wrong where.
func wrongness(f schema.Fault) string {
	if f.Path == "" {
		return "it " + f.Reason
	}
	return f.Path + " " + f.Reason
}

// clipped is a value for a message, cut when it is long.
func clipped(value any) string {
	raw := encoded(value)
	if len(raw) > 60 {
		return string(raw[:60]) + "…"
	}
	return string(raw)
}

// eachPattern calls f with every regular expression that a value is judged by.
func (s *server) eachPattern(f func(pattern string, at finding.Finding)) {
	s.eachPlace(func(t tool, _ *document, p *place) {
		if !p.reached {
			return
		}
		if pattern, ok := p.object["pattern"].(string); ok {
			f(pattern, finding.Finding{Item: t.id, Path: p.path(), Member: "pattern", New: rawjson.Quote(pattern)})
		}
		named, _ := p.object["patternProperties"].(map[string]any)
		for _, pattern := range slices.Sorted(maps.Keys(named)) {
			f(pattern, finding.Finding{Item: t.id, Path: p.way.to("patternProperties", pattern).String(), New: rawjson.Quote(pattern)})
		}
	})
}

func patternInvalid(s *server, report tell) {
	s.eachPattern(func(pattern string, at finding.Finding) {
		if why := patternFault(pattern, false); why != "" {
			at.Message = fmt.Sprintf("ECMAScript cannot read the pattern %s: %s.", clipped(pattern), why)
			report(at)
		}
	})
}

func patternNotUnicode(s *server, report tell) {
	s.eachPattern(func(pattern string, at finding.Finding) {
		if why := patternFault(pattern, true); why != "" && patternFault(pattern, false) == "" {
			at.Message = fmt.Sprintf("ECMAScript cannot read the pattern %s with its flag u: %s.", clipped(pattern), why)
			report(at)
		}
	})
}

func patternExponential(s *server, report tell) {
	s.eachPattern(func(pattern string, at finding.Finding) {
		if exponential(pattern) {
			at.Message = fmt.Sprintf("Matching the pattern %s can take exponential time.", clipped(pattern))
			report(at)
		}
	})
}

// providerRules are facts about the APIs of models, each with its source and the date of that source. They bind nobody but
// those who hand tools on as they are: many clients rename and rewrite first. They look at what a call reaches alone.
var providerRules = map[string]func(*server, tell){
	"provider-tool-name":     toolNames(`^[A-Za-z0-9_-]{1,64}$`),
	"tool-name-unusual":      toolNames(`^[A-Za-z0-9_.-]{1,128}$`),
	"provider-property-name": providerProperty,
	"provider-root-union":    providerUnion,
	"provider-array-items":   providerItems,
	"provider-type-list":     providerTypes,
	"provider-reference":     providerReference,
}

// toolNames tells the tools whose names are not of a form.
func toolNames(form string) func(*server, tell) {
	allowed := match.Pattern(form)
	return func(s *server, report tell) {
		for _, t := range s.tools {
			if t.Key != "" && !allowed().MatchString(t.Key) {
				report(finding.Finding{Item: t.id, Path: "/name", New: rawjson.Quote(t.Key)})
			}
		}
	}
}

var propertyNames = match.Pattern(`^[A-Za-z0-9_.-]{1,64}$`)

func providerProperty(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		if p.depth > 0 {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(p.properties())) {
			if !propertyNames().MatchString(name) {
				report(finding.Finding{Item: t.id, Path: p.way.to("properties", name).String(), New: rawjson.Quote(name)})
			}
		}
	})
}

func providerUnion(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		for _, keyword := range []string{"oneOf", "anyOf", "allOf"} {
			if p.depth == 0 && p.object[keyword] != nil {
				report(finding.Finding{Item: t.id, Path: p.path(), Member: keyword})
			}
		}
	})
}

func providerItems(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		if p.object["type"] == "array" && !has(p.object, "items", "prefixItems") {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "items"})
		}
	})
}

func providerTypes(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		if types, several := p.object["type"].([]any); several {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "type", New: encoded(types)})
		}
	})
}

func providerReference(s *server, report tell) {
	s.eachInput(func(t tool, p *place) {
		if target, ok := p.object["$ref"]; ok {
			report(finding.Finding{Item: t.id, Path: p.path(), Member: "$ref", New: encoded(target)})
		}
	})
}
