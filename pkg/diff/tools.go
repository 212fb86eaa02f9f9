package diff

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// tool compares one tool.
func (c *comparison) tool(s subject) {
	c.title(s, "tool-title-changed")
	c.description(s, "tool-description-changed", "tool-description-added", "tool-description-removed")
	c.hints(s)
	c.execution(s)
	c.meta(s)
	c.opaque(s, "tool-icons-changed", "icons")
	c.headers(s)
	c.inputSchema(s)
	c.outputSchema(s)
	c.rest(s, "name", "title", "description", "annotations", "execution", "_meta", "icons", "inputSchema", "outputSchema")
}

// execution compares how the tool can be called. Only servers of the initialize era say it.
func (c *comparison) execution(s subject) {
	if c.eras {
		return
	}
	old, new := viewOf(s.old["execution"]), viewOf(s.new["execution"])
	inner := subject{kind: s.kind, id: s.id, path: "/execution", old: old, new: new}
	c.rest(inner, "taskSupport")
	before, after := taskSupport(old), taskSupport(new)
	if before == after {
		return
	}
	f := finding.Finding{Item: s.id, Path: "/execution", Member: "taskSupport", Old: old["taskSupport"], New: new["taskSupport"]}
	c.report(taskRule(before, after), f)
}

// taskSupport is what a tool says of tasks; the default is forbidden.
func taskSupport(execution view) string {
	if execution["taskSupport"] == nil {
		return "forbidden"
	}
	return execution.text("taskSupport")
}

func taskRule(old, new string) string {
	known := []string{"forbidden", "optional", "required"}
	switch {
	case !slices.Contains(known, old) || !slices.Contains(known, new):
		return "tool-changed"
	case new == "required":
		return "tool-task-support-required"
	case new == "forbidden":
		return "tool-task-support-withdrawn"
	case old == "required":
		return "tool-task-support-relaxed"
	}
	return "tool-task-support-added"
}

// meta compares _meta; the identifiers of a trace are not part of the surface.
func (c *comparison) meta(s subject) {
	old, new := viewOf(viewOf(s.old["_meta"])["ui"]), viewOf(viewOf(s.new["_meta"])["ui"])
	if !same(old["resourceUri"], new["resourceUri"]) {
		c.report("tool-ui-resource-changed", finding.Finding{
			Item: s.id, Path: "/_meta/ui/resourceUri", Old: old["resourceUri"], New: new["resourceUri"],
		})
	}
	s.old, s.new = withoutApp(s.old), withoutApp(s.new)
	c.opaque(s, "tool-meta-changed", "_meta", "traceparent", "tracestate", "baggage", "progressToken")
}

// withoutApp is a tool without _meta.ui.resourceUri.
func withoutApp(tool view) view {
	meta := viewOf(tool["_meta"])
	ui := viewOf(meta["ui"])
	if ui["resourceUri"] == nil {
		return tool
	}
	delete(ui, "resourceUri")
	meta["ui"] = ui.json()
	if len(ui) == 0 {
		delete(meta, "ui")
	}
	tool = maps.Clone(tool)
	tool["_meta"] = meta.json()
	return tool
}

// json is the object that the view shows.
func (v view) json() json.RawMessage {
	raw, _ := json.Marshal(map[string]json.RawMessage(v)) // the values were read from JSON
	return raw
}

func (c *comparison) outputSchema(s subject) {
	switch {
	case s.old["outputSchema"] == nil && s.new["outputSchema"] == nil:
	case s.old["outputSchema"] == nil:
		c.field(s, "tool-output-schema-added", "outputSchema")
	case s.new["outputSchema"] == nil:
		c.field(s, "tool-output-schema-removed", "outputSchema")
	default:
		c.schema(s, finding.Output, "/outputSchema", s.old["outputSchema"], s.new["outputSchema"])
	}
}

// toolNames remembers the names that the texts of the new side may speak of.
func (c *comparison) toolNames(matched []*pair) {
	for _, p := range matched {
		if p.new != nil && p.key != "" {
			c.names = append(c.names, p.key)
		}
	}
	c.names = slices.Compact(c.names)
}
