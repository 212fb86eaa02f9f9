package signature

import (
	"encoding/json"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Hints are the effective annotations of a tool: those it sends, and the specification's defaults for the others.
func Hints(tool json.RawMessage) string {
	annotations := rawjson.ObjectOf(rawjson.ObjectOf(tool)["annotations"])
	all, sent, yes := []string{}, false, map[bool]string{true: "yes", false: "no"}
	readOnly, _ := annotations.Bool("readOnlyHint")
	for _, h := range []struct {
		name, says string
		otherwise  bool
		moot       bool // has no meaning for a tool that only reads
	}{
		{"readOnlyHint", "read-only", false, false}, {"destructiveHint", "destructive", true, readOnly},
		{"idempotentHint", "idempotent", false, readOnly}, {"openWorldHint", "open world", true, false},
	} {
		value, known := annotations.Bool(h.name)
		switch {
		case known:
			all, sent = append(all, h.says+" "+yes[value]), true
		case !h.moot:
			all = append(all, h.says+" "+yes[h.otherwise]+" (default)")
		}
	}
	if !sent {
		return strings.ReplaceAll(strings.Join(all, ", "), " (default)", "") + " (all by default)"
	}
	return strings.Join(all, ", ")
}
