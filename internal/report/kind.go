package report

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// items are the items of a kind that came with s; nil = not shown or not offered.
func (s Server) items(k snapshot.Kind) Items {
	return map[snapshot.Kind]Items{
		snapshot.Tools: s.Tools, snapshot.Prompts: s.Prompts,
		snapshot.Resources: s.Resources, snapshot.Templates: s.ResourceTemplates,
	}[k]
}

// count is how many items of a kind there are; nil = not offered or not known.
func (s Server) count(k snapshot.Kind) *int {
	if s.Counts == nil {
		return nil
	}
	return map[snapshot.Kind]*int{
		snapshot.Tools: s.Counts.Tools, snapshot.Prompts: s.Counts.Prompts,
		snapshot.Resources: s.Counts.Resources, snapshot.Templates: s.Counts.ResourceTemplates,
	}[k]
}

// heading is a kind in the plural, as in the header of a table.
func heading(k snapshot.Kind) safe {
	return map[snapshot.Kind]safe{
		snapshot.Tools: "TOOLS", snapshot.Prompts: "PROMPTS",
		snapshot.Resources: "RESOURCES", snapshot.Templates: "TEMPLATES",
	}[k]
}

// stage is what a failure to list a kind is called.
func stage(k snapshot.Kind) string {
	if k == snapshot.Templates {
		return "listing resource templates"
	}
	return "listing " + string(k)
}

// key is what identifies an item to people: its key, or its name where the key is missing.
func key(k snapshot.Kind, raw json.RawMessage) string {
	item := parse(raw)
	if id := item.text(k.KeyField()); id != "" {
		return id
	}
	if name := item.text("name"); name != "" {
		return name
	}
	return "(no " + k.KeyField() + ")"
}

// listed tells whether items of any kind came with s.
func (s Server) listed() bool {
	for _, k := range snapshot.Kinds() {
		if s.items(k) != nil {
			return true
		}
	}
	return false
}

// failures are all failures of s.
func (s Server) failures() []Failure {
	if s.Error == nil {
		return s.MoreErrors
	}
	return append([]Failure{*s.Error}, s.MoreErrors...)
}
