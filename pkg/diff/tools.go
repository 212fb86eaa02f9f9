package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func compareTool(c *comparison, s subject) {
	compareHints(c, s.part("annotations"))
	compareExecution(c, s.part("execution"))
	compareToolApp(c, s)
	compareHeaders(c, s)
	compareInput(c, s)
	compareOutput(c, s)
}

// compareExecution compares how the tool can be called. Only servers of the initialize era say it.
func compareExecution(c *comparison, s subject) {
	if c.eras {
		return
	}
	reportUnknown(c, s, "taskSupport")
	const byDefault = `"forbidden"`
	rules := map[string]string{byDefault: "tool-task-support-withdrawn",
		`"optional"`: "tool-task-support-added", `"required"`: "tool-task-support-required"}
	before := cmp.Or(string(s.old["taskSupport"]), byDefault)
	after := cmp.Or(string(s.new["taskSupport"]), byDefault)
	switch {
	case before == after:
	case rules[before] == "" || rules[after] == "":
		c.report("item-changed", s.keyword("taskSupport"))
	default:
		c.report(rules[after], s.keyword("taskSupport"))
	}
}

func (v view) json() json.RawMessage {
	return rawjson.Build(kit.Map(kit.SortedKeys(v),
		func(key string) rawjson.Member { return rawjson.Member{Key: key, Value: v[key]} })...)
}

// compareOutput compares what a tool promises about its results. A schema on one side only is a finding of
// its own and not a comparison with the schema that accepts everything.
func compareOutput(c *comparison, s subject) {
	switch {
	case s.old["outputSchema"] == nil && s.new["outputSchema"] == nil:
	case s.old["outputSchema"] == nil:
		c.report("tool-output-schema-added", s.member("outputSchema"))
	case s.new["outputSchema"] == nil:
		f := s.member("outputSchema")
		f.Hint = "the structure of results is no longer declared"
		c.report("tool-output-schema-removed", f)
	default:
		compareSchemas(c, s, finding.Output)
	}
}

// hint is one behaviour hint of a tool and the rules about it.
type hint struct {
	name            string
	byDefault       bool // what an absent hint means
	toTrue, toFalse string
	writersOnly     bool // the hint means nothing for a tool that only reads
}

// behaviourHints lists the hints of the protocol with their defaults: a tool without a hint is compared as if
// it had the default.
func behaviourHints() []hint {
	return []hint{
		{"readOnlyHint", false, "tool-read-only-hint-claimed", "tool-read-only-hint-revoked", false},
		{"destructiveHint", true, "tool-destructive-hint-raised", "tool-destructive-hint-lowered", true},
		{"idempotentHint", false, "tool-idempotent-hint-claimed", "tool-idempotent-hint-revoked", true},
		{"openWorldHint", true, "tool-open-world-hint-raised", "tool-open-world-hint-lowered", false},
	}
}

// compareHints compares the annotations of a tool by what they mean.
func compareHints(c *comparison, s subject) {
	reader := effective(s.old, behaviourHints()[0]) || effective(s.new, behaviourHints()[0])
	known := []string{"title"}
	for _, h := range behaviourHints() {
		before, after := effective(s.old, h), effective(s.new, h)
		if before == after && !(boolean(s.old, h.name) && boolean(s.new, h.name)) {
			continue // reported below, as an undefined annotation
		}
		known = append(known, h.name)
		if before != after && !(reader && h.writersOnly) {
			c.report(either(after, h.toTrue, h.toFalse), s.keyword(h.name))
		}
	}
	rule := func(string) string { return "tool-annotation-changed" }
	reportChanged(c, s, keys(s.old, s.new, known...), rule,
		func(rule, key string) { c.report(rule, s.keyword(key)) })
}

// boolean reports whether a member is true, false or absent.
func boolean(v view, name string) bool {
	_, known := rawjson.Object(v).Bool(name)
	return known || v[name] == nil
}

// effective returns what a hint means; one that is neither true nor false means the same as an absent one.
func effective(annotations view, h hint) bool {
	value, known := rawjson.Object(annotations).Bool(h.name)
	return either(known, value, h.byDefault)
}

// compareHeaders compares the HTTP headers that a tool's arguments ask for (2026-07-28, streamable HTTP).
func compareHeaders(c *comparison, s subject) {
	if !c.modern {
		return
	}
	old, wrongBefore := headersOf(s.old["inputSchema"])
	new, wrong := headersOf(s.new["inputSchema"])
	if max(len(old), len(new)) > maxListed {
		c.report("tool-header-mapping-changed", finding.Finding{
			Item: s.id, Path: "/inputSchema", Verdict: finding.Unproven,
			Message: fmt.Sprintf("More than %d arguments ask for headers, and were not compared.", maxListed),
		})
		return
	}
	for _, pointer := range keys(old, new) {
		f := finding.Finding{Item: s.id, Path: "/inputSchema" + pointer, Member: headerKeyword,
			Old: old[pointer], New: new[pointer]}
		if wrong[pointer] && len(wrongBefore) == 0 {
			c.report("tool-hidden-from-http-clients", f)
		} else if !same(f.Old, f.New) {
			c.report("tool-header-mapping-changed", f)
		}
	}
}

const headerKeyword = "x-mcp-header"

var (
	headerToken = kit.Pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")
	// plainProperty matches the pointer of a property that is reached through properties only.
	plainProperty = kit.Pattern(`^(/properties/[^/]*)+$`)
)

// headersOf returns the headers of a schema by the pointer of the property that asks for them, at most one
// more than maxListed, and which of them are wrong: a header is right below properties only, for a scalar,
// and if no other one has its name.
func headersOf(schema json.RawMessage) (headers view, wrong map[string]bool) {
	headers, wrong = view{}, map[string]bool{}
	byName := map[string]string{}
	rawjson.Strings(schema, func(steps []string, text string, isName bool) {
		if !isName || text != headerKeyword || isProperty(steps) || len(headers) > maxListed {
			return
		}
		pointer := rawjson.Join("", steps[:len(steps)-1]...)
		asking := rawjson.ObjectOf(rawjson.Find(schema, pointer))
		headers[pointer] = rawjson.Form(asking[headerKeyword])
		name := asking.Text(headerKeyword)
		scalar := slices.Contains([]string{"string", "integer", "boolean"}, asking.Text("type"))
		if !scalar || !plainProperty().MatchString(pointer) || !headerToken().MatchString(name) {
			wrong[pointer] = true
		}
		other, taken := byName[strings.ToLower(name)]
		if taken && other != pointer {
			wrong[pointer], wrong[other] = true, true
		}
		byName[strings.ToLower(name)] = pointer
	})
	return headers, wrong
}

// isProperty reports whether the last one of some steps into a schema is the name of a property.
func isProperty(steps []string) (property bool) {
	for i := range steps {
		property = !property && i > 0 && steps[i-1] == "properties"
	}
	return property
}
