package report

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// parameter is one thing that a caller can give to an item.
type parameter = seen.Argument

// joinParameters returns the compact form of at most so many parameters: "query, limit?: integer". A string's
// type is left out.
func joinParameters(all []parameter, depth, most int) string {
	var parts []string
	for i, p := range all {
		if i == most && len(all) > most+1 {
			parts = append(parts, "…")
			break
		}
		part := p.Mark()
		if kind := shape(p.Schema, depth); kind != "string" {
			part += ": " + kind
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, ", ")
}

// signatureOf returns what an item of a kind takes, on one line: "query, limit?: integer".
func signatureOf(kind snapshot.Kind, raw json.RawMessage) string {
	all := seen.RequiredFirst(seen.Arguments(kind, raw))
	return joinParameters(all, shapeDepth, len(all))
}

// resultsOf returns the members of what a tool returns, in the order in which they were sent.
func resultsOf(raw json.RawMessage) []parameter {
	schema := rawjson.ObjectOf(raw)["outputSchema"]
	return seen.Properties(rawjson.ObjectOf(schema), schema)
}

// concerns reports whether an argument came or went, or became optional or required.
func concerns(c seen.SignatureChange, argument string) bool {
	old, new := kit.Set(argumentsIn(c.Old)), kit.Set(argumentsIn(c.New))
	return old[argument] != new[argument] || old[argument+"?"] != new[argument+"?"]
}

// argumentsIn returns the arguments of a call, as callText writes them.
func argumentsIn(call string) []string {
	_, list, _ := strings.Cut(strings.TrimSuffix(call, ")"), "(")
	return strings.Split(list, ", ")
}

// omitShared returns a call in which … stands for the arguments that another call has, too.
func omitShared(call, other string) string {
	name, _, _ := strings.Cut(call, "(")
	known := kit.Set(argumentsIn(other))
	var kept []string
	for _, argument := range argumentsIn(call) {
		if !known[argument] {
			kept = append(kept, argument)
		} else if len(kept) == 0 || kept[len(kept)-1] != "…" {
			kept = append(kept, "…")
		}
	}
	return name + "(" + strings.Join(kept, ", ") + ")"
}

// ToolHints returns the effective annotations of a tool: those it sends, and the specification's defaults for
// the others.
func ToolHints(tool json.RawMessage) string {
	return strings.Join(kit.Map(toolHints, func(hint toolHint) string {
		if said := hint.in(tool); said != "" {
			return said
		}
		return hint.says + yesNo(hint.value) + " (default)"
	}), ", ")
}

// saidHints returns the hints that a tool sends.
func saidHints(tool json.RawMessage) string {
	return kit.Join(", ", kit.Map(toolHints, func(hint toolHint) string { return hint.in(tool) })...)
}

func yesNo(value bool) string { return map[bool]string{true: " yes", false: " no"}[value] }

// in returns what a tool says by the hint; empty if it does not send it.
func (h toolHint) in(tool json.RawMessage) string {
	value, known := rawjson.ObjectOf(rawjson.ObjectOf(tool)["annotations"]).Bool(h.name)
	if !known {
		return ""
	}
	return h.says + yesNo(value)
}

// toolHint is a hint about what calling a tool does.
type toolHint struct {
	name, says string
	value      bool // the default
}

// toolHints are the hints of the specification with their defaults.
var toolHints = []toolHint{
	{"readOnlyHint", "read-only", false}, {"destructiveHint", "destructive", true},
	{"idempotentHint", "idempotent", false}, {"openWorldHint", "open world", true},
}
