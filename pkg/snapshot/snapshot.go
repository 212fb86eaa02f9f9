// Package snapshot is what an MCP server offers, as one canonical JSON file.
//
// A snapshot holds the raw JSON that the server sent; typed access is a view of it. The file format is described in
// docs/snapshot-format.md: the same surface gives the same bytes on every machine.
package snapshot

import "encoding/json"

// Format is the version of the file format that Encode writes and the newest one that Parse reads.
const Format = 1

// Snapshot is the surface of one server at one moment. The zero value offers nothing and can be encoded.
type Snapshot struct {
	Protocol     string          // negotiated protocol version, such as "2025-11-25"; empty when it is not known
	Supported    []string        // the versions that server/discover lists; nil when the server was not asked or has no such list
	Server       json.RawMessage // serverInfo as sent; nil when there was none
	Capabilities json.RawMessage // capabilities as sent; nil when there were none
	Instructions string          // text for the model; empty when there was none

	Tools, Prompts, Resources, Templates *List // nil = not offered; empty = offered, none there

	Extra []Member // further members of a file of this format, kept as they are
}

// List is one kind of item that a server offers.
type List struct {
	Items []Item // as the server sent them; Encode writes them in the order of Key
}

// Item is one tool, prompt, resource or resource template.
type Item struct {
	Key string          // name of a tool or prompt, uri of a resource, uriTemplate of a template; empty when it has none that is usable
	Raw json.RawMessage // the item exactly as the server sent it
}

// NewList makes a list of raw items of one kind. An item without a usable key stays in it with an empty Key.
func NewList(kind Kind, raws []json.RawMessage) *List {
	list := &List{Items: make([]Item, len(raws))}
	for i, raw := range raws {
		key, _ := KeyOf(kind, raw) // an item without one is kept: one odd tool never loses the others
		list.Items[i] = Item{Key: key, Raw: raw}
	}
	return list
}

// List is the list of one kind, nil when the server does not offer it.
func (s *Snapshot) List(kind Kind) *List {
	if slot := s.slot(kind); slot != nil {
		return *slot
	}
	return nil
}

// SetList replaces the list of one kind. An unknown kind changes nothing.
func (s *Snapshot) SetList(kind Kind, list *List) {
	if slot := s.slot(kind); slot != nil {
		*slot = list
	}
}

func (s *Snapshot) slot(kind Kind) **List {
	switch kind {
	case Tools:
		return &s.Tools
	case Prompts:
		return &s.Prompts
	case Resources:
		return &s.Resources
	case Templates:
		return &s.Templates
	}
	return nil
}
