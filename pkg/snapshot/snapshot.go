// Package snapshot is what an MCP server offers, as one canonical JSON file.
//
// A snapshot holds the raw JSON that the server sent; typed access is a view of it. The file format is described in
// docs/snapshot-format.md: the same surface gives the same bytes on every machine.
package snapshot

import "encoding/json"

// Snapshot is the surface of one server at one moment.
type Snapshot struct {
	Protocol     string          // negotiated protocol version, such as "2025-11-25"; empty when it is not known
	Server       json.RawMessage // serverInfo as sent; nil when there was none
	Capabilities json.RawMessage // capabilities as sent; nil when there were none
	Instructions string          // text for the model; empty when there was none

	Tools, Prompts, Resources, Templates *List // nil = not offered; empty = offered, none there
}

// List is one kind of item that a server offers.
type List struct {
	Items []Item // in the order of Key once canonical; as the server sent them before
}

// Item is one tool, prompt, resource or resource template.
type Item struct {
	Key string          // name of a tool or prompt, uri of a resource, uriTemplate of a template
	Raw json.RawMessage // the item exactly as the server sent it
}

// Kind names one of the four lists.
type Kind string

// The kinds, in the order in which they are shown.
const (
	Tools     Kind = "tools"
	Prompts   Kind = "prompts"
	Resources Kind = "resources"
	Templates Kind = "resourceTemplates"
)

// Kinds are the four kinds in the order in which they are shown.
func Kinds() []Kind { return []Kind{Tools, Prompts, Resources, Templates} }
