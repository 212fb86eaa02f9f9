// Package snapshot is what an MCP server offers, as one canonical JSON file.
//
// A snapshot holds the raw JSON that the server sent; typed access is a view of it. The file format is described in
// docs/snapshot-format.md: the same surface gives the same bytes on every machine.
//
//	s, err := snapshot.Parse(data)          // a file, or what a server answered
//	tool, answer := s.Tools.Find("search")  // Present, Absent, or Unknown when the list is not whole
//	file, err := s.Encode()                 // an *IncompleteError when a list is not whole
//
// A list knows whether it is whole: what did not arrive is unknown, never absent, and a part is never encoded.
//
// The file format is stable: version 1 stays readable, and what it has no name for is kept. The Go API follows semantic
// versioning with the module; fields may be added to its structs, so name the fields in composite literals.
package snapshot

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Format is the version of the file format that Encode writes and the newest one that Parse reads.
const Format = 1

// Snapshot is the surface of one server at one moment. The zero value offers nothing and can be encoded.
type Snapshot struct {
	Protocol     string          // negotiated protocol version, such as "2025-11-25"; empty when it is not known
	Supported    []string        // the versions that server/discover lists; nil when the server was not asked or has no such list
	Server       json.RawMessage // serverInfo as sent; nil when there was none
	Capabilities json.RawMessage // capabilities as sent; nil when there were none
	Instructions string          // text for the model; empty when there was none

	Tools, Prompts, Resources, Templates, Skills List

	Extra map[string]json.RawMessage // further members of a file of this format, kept as they are
}

// List is the list of one kind; one that the server does not offer when the kind is unknown.
func (s *Snapshot) List(kind Kind) List {
	if slot := s.slot(kind); slot != nil {
		list := *slot
		list.Kind = kind
		return list
	}
	return List{Kind: kind}
}

// SetList replaces the list of its kind. One of an unknown kind changes nothing.
func (s *Snapshot) SetList(list List) {
	if slot := s.slot(list.Kind); slot != nil {
		*slot = list
	}
}

func (s *Snapshot) slot(kind Kind) *List {
	switch kind {
	case Tools:
		return &s.Tools
	case Prompts:
		return &s.Prompts
	case Resources:
		return &s.Resources
	case Templates:
		return &s.Templates
	case Skills:
		return &s.Skills
	}
	return nil
}

// Complete tells whether everything that the server offers is there.
func (s *Snapshot) Complete() bool { return len(s.Incomplete()) == 0 }

// Incomplete are the lists of which not everything is known, in the order of Kinds.
func (s *Snapshot) Incomplete() []List {
	var lists []List
	for _, kind := range Kinds() {
		if list := s.List(kind); !list.Whole() {
			lists = append(lists, list)
		}
	}
	return lists
}

// IncompleteError is Encode's error for a snapshot that is not Complete: a part never becomes a file.
type IncompleteError struct{ Lists []List }

// Error names the lists and why they are not whole.
func (e *IncompleteError) Error() string {
	var parts []string
	for _, list := range e.Lists {
		parts = append(parts, fmt.Sprintf("the list of %s is %s: %s", list.Kind.Plural(), list.State, list.Problem))
	}
	return strings.Join(parts, "; ")
}

// Size is how many bytes of JSON and text the snapshot is.
func (s *Snapshot) Size() int {
	size := len(s.Instructions) + len(s.Server)
	for _, kind := range Kinds() {
		for _, item := range s.List(kind).Items() {
			size += len(item.Raw)
		}
	}
	return size
}
