package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// compareTool compares two versions of a tool: the members that have rules of their own, then the rest.
func compareTool(c *comparison, s subject) {
	compareTitle(c, s, "item-title-changed")
	compareDescription(c, s, "tool")
	compareHints(c, s)
	compareExecution(c, s)
	compareMeta(c, s)
	compareOpaque(c, s, "item-icons-changed", "icons")
	compareHeaders(c, s)
	compareInput(c, s)
	compareOutput(c, s)
	compareRest(c, s, "name", "title", "description", "annotations", "execution", "_meta", "icons",
		"inputSchema", "outputSchema")
}

// compareExecution compares how the tool can be called. Only servers of the initialize era say it.
func compareExecution(c *comparison, s subject) {
	if c.eras {
		return
	}
	old, new := viewOf(s.old["execution"]), viewOf(s.new["execution"])
	compareRest(c, subject{kind: s.kind, id: s.id, path: "/execution", old: old, new: new}, "taskSupport")
	known := []string{`"forbidden"`, `"optional"`, `"required"`} // the first one is the default
	before := cmp.Or(string(old["taskSupport"]), known[0])
	after := cmp.Or(string(new["taskSupport"]), known[0])
	if before == after {
		return
	}
	rule := "tool-task-support-added"
	switch {
	case !slices.Contains(known, before) || !slices.Contains(known, after):
		rule = "item-changed"
	case after == known[2]:
		rule = "tool-task-support-required"
	case after == known[0]:
		rule = "tool-task-support-withdrawn"
	}
	c.report(rule, finding.Finding{Item: s.id, Path: "/execution", Member: "taskSupport",
		Old: old["taskSupport"], New: new["taskSupport"]})
}

// compareMeta compares _meta; the identifiers of a trace are not part of what a tool is.
func compareMeta(c *comparison, s subject) {
	old, new := viewOf(viewOf(s.old["_meta"])["ui"]), viewOf(viewOf(s.new["_meta"])["ui"])
	if !same(old["resourceUri"], new["resourceUri"]) {
		c.report("tool-ui-resource-changed", finding.Finding{
			Item: s.id, Path: "/_meta/ui/resourceUri", Old: old["resourceUri"], New: new["resourceUri"],
		})
	}
	compareOpaque(c, s, "item-meta-changed", "_meta", "ui/resourceUri", "traceparent", "tracestate",
		"baggage", "progressToken")
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
		reportMember(c, s, "tool-output-schema-added", "outputSchema")
	case s.new["outputSchema"] == nil:
		c.report("tool-output-schema-removed",
			finding.Finding{Item: s.id, Path: "/outputSchema", Old: s.old["outputSchema"],
				Hint: "the structure of results is no longer declared"})
	default:
		compareSchemas(c, s, finding.Output, "outputSchema",
			func(raw json.RawMessage) json.RawMessage { return raw })
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
	old, new := viewOf(s.old["annotations"]), viewOf(s.new["annotations"])
	reader := effective(old, behaviourHints()[0]) || effective(new, behaviourHints()[0])
	known := []string{"title"}
	for _, h := range behaviourHints() {
		before, after := effective(old, h), effective(new, h)
		if before == after && !(boolean(old, h.name) && boolean(new, h.name)) {
			continue // reported below, as an undefined annotation
		}
		known = append(known, h.name)
		if before == after || reader && h.writersOnly {
			continue
		}
		rule := h.toFalse
		if after {
			rule = h.toTrue
		}
		c.report(rule, finding.Finding{Item: s.id, Path: "/annotations", Member: h.name, Old: old[h.name],
			New: new[h.name]})
	}
	rule := func(string) string { return "tool-annotation-changed" }
	reportChanged(c, subject{kind: s.kind, id: s.id, path: "/annotations", old: old, new: new},
		keys(old, new, known...), rule, func(rule, key string) {
			c.report(rule, finding.Finding{Item: s.id, Path: "/annotations", Member: key, Old: old[key],
				New: new[key]})
		})
}

// boolean reports whether a member is true, false or absent.
func boolean(v view, name string) bool {
	value := string(v[name])
	return value == "" || value == "true" || value == "false"
}

// effective returns what a hint means; one that is neither true nor false means the same as an absent one.
func effective(annotations view, h hint) bool {
	if value := annotations[h.name]; value != nil && boolean(annotations, h.name) {
		return string(value) == "true"
	}
	return h.byDefault
}

type header struct {
	raw   json.RawMessage
	valid bool // by the rules of 2026-07-28, taken alone
}

// compareHeaders compares the HTTP headers that a tool's arguments ask for (2026-07-28, streamable HTTP).
func compareHeaders(c *comparison, s subject) {
	if !c.modern {
		return
	}
	old, new := headersOf(s.old["inputSchema"]), headersOf(s.new["inputSchema"])
	if max(len(old), len(new)) > maxListed {
		c.report("tool-header-mapping-changed", finding.Finding{
			Item: s.id, Path: "/inputSchema", Verdict: finding.Unproven,
			Message: fmt.Sprintf("More than %d arguments ask for headers, and were not compared.", maxListed),
		})
		return
	}
	wrongBefore := slices.ContainsFunc(slices.Collect(maps.Values(old)),
		func(h header) bool { return !h.valid })
	for _, pointer := range keys(old, new) {
		before, after := old[pointer], new[pointer]
		f := finding.Finding{Item: s.id, Path: "/inputSchema" + pointer, Member: headerKeyword,
			Old: before.raw, New: after.raw}
		if after.raw != nil && !after.valid && !wrongBefore {
			c.report("tool-hidden-from-http-clients", f)
		} else if !same(before.raw, after.raw) {
			c.report("tool-header-mapping-changed", f)
		}
	}
}

const headerKeyword = "x-mcp-header"

var headerToken = kit.Pattern("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headersOf returns the headers of a schema by the pointer of the property that asks for them, at most one
// more than maxListed. A header is valid below properties only, and if no other one has its name.
func headersOf(schema json.RawMessage) map[string]header {
	found, times := map[string]header{}, map[string]int{}
	written := rawjson.Part{Raw: schema}
	var collect func(tree any, plain bool, steps []string)
	collect = func(tree any, plain bool, steps []string) {
		switch t := tree.(type) {
		case map[string]any:
			if asked, ok := t[headerKeyword]; ok && len(found) <= maxListed {
				pointer := rawjson.Join("", steps...)
				raw := written.At(rawjson.Join(pointer, headerKeyword))
				name, _ := asked.(string)
				times[strings.ToLower(name)]++
				found[pointer] = header{raw, plain && len(steps) > 0 && primitive(t["type"]) &&
					headerToken().MatchString(name)}
			}
			for key, member := range t {
				properties, ok := member.(map[string]any)
				if key != "properties" || !ok {
					collect(member, false, append(steps, key))
					continue
				}
				for name, property := range properties {
					collect(property, plain, append(steps, key, name))
				}
			}
		case []any:
			for i, element := range t {
				collect(element, false, append(steps, strconv.Itoa(i)))
			}
		}
	}
	collect(treeOf(schema), true, nil)
	for pointer, h := range found {
		name, _ := rawjson.Text(h.raw)
		h.valid = h.valid && times[strings.ToLower(name)] == 1
		found[pointer] = h
	}
	return found
}

func primitive(kind any) bool {
	return kind == "string" || kind == "integer" || kind == "boolean"
}
