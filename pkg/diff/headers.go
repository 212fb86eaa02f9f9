package diff

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// header is one x-mcp-header of an input schema.
type header struct {
	pointer string
	raw     json.RawMessage
	valid   bool // by the rules of 2026-07-28, taken alone
}

// headers compares the HTTP headers that a tool's arguments ask for (2026-07-28, streamable HTTP).
func (c *comparison) headers(s subject) {
	if !c.modern {
		return
	}
	old, new := headersOf(s.old["inputSchema"]), headersOf(s.new["inputSchema"])
	wrongBefore := slices.ContainsFunc(slices.Collect(maps.Values(old)), func(h header) bool { return !h.valid })
	for _, pointer := range slices.Sorted(maps.Keys(merged(old, new))) {
		before, after := old[pointer], new[pointer]
		f := finding.Finding{Item: s.id, Path: "/inputSchema" + pointer, Member: headerKeyword, Old: before.raw, New: after.raw}
		if after.raw != nil && !after.valid && !wrongBefore {
			c.report("tool-hidden-from-http-clients", f)
		} else if !same(before.raw, after.raw) {
			c.report("tool-header-mapping-changed", f)
		}
	}
}

const headerKeyword = "x-mcp-header"

func merged(old, new map[string]header) map[string]header {
	union := maps.Clone(old)
	maps.Copy(union, new)
	return union
}

var headerToken = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// headersOf are the headers of a schema by the pointer of the property that asks for them.
func headersOf(schema json.RawMessage) map[string]header {
	found := map[string]header{}
	collectHeaders("", treeOf(schema), true, found)
	names := map[string]int{}
	for _, h := range found {
		names[strings.ToLower(string(h.raw))]++
	}
	for pointer, h := range found {
		if names[strings.ToLower(string(h.raw))] > 1 {
			h.valid = false
			found[pointer] = h
		}
	}
	return found
}

// collectHeaders walks a schema. plain tells that it is reached through properties only.
func collectHeaders(pointer string, tree any, plain bool, found map[string]header) {
	switch t := tree.(type) {
	case object:
		if value, ok := t[headerKeyword]; ok {
			raw := encode(nil, value)
			name, _ := rawjson.Text(raw)
			found[pointer] = header{pointer, raw, plain && pointer != "" && headerToken.MatchString(name) && primitive(t["type"])}
		}
		for key, member := range t {
			inner := rawjson.Join(pointer, key)
			properties, ok := member.(object)
			if key != "properties" || !ok {
				collectHeaders(inner, member, false, found)
				continue
			}
			for name, property := range properties {
				collectHeaders(rawjson.Join(inner, name), property, plain, found)
			}
		}
	case array:
		for _, element := range t {
			collectHeaders(pointer+"/*", element, false, found)
		}
	}
}

func primitive(kind any) bool {
	l, _ := kind.(leaf)
	return slices.Contains([]string{`"string"`, `"integer"`, `"boolean"`}, l.Text)
}
