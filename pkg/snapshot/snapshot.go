// Package snapshot is what an MCP server offers, as one canonical JSON file.
//
// A snapshot holds the raw JSON that the server sent; typed access is a view of it. The file format is described in
// docs/snapshot-format.md: the same surface gives the same bytes on every machine.
package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/rawjson"
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

	Tools, Prompts, Resources, Templates *List // nil = not offered; empty = offered, none there

	Extra map[string]json.RawMessage // further members of a file of this format, kept as they are
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

// Field is the raw value of one member of the item; nil when the item has none or is no object.
func (i Item) Field(name string) json.RawMessage {
	members, _ := rawjson.Members(i.Raw)
	return rawjson.Last(members, name)
}

// Text is a member that is a text; empty when it is missing or of another kind.
func (i Item) Text(name string) string {
	text, _ := rawjson.Text(i.Field(name))
	return text
}

// Description is what the item says of itself to the model.
func (i Item) Description() string { return i.Text("description") }

// Title is the name for people: title, else annotations.title, else name.
func (i Item) Title() string {
	o := rawjson.ObjectOf(i.Raw)
	return cmp.Or(o.Text("title"), rawjson.ObjectOf(o["annotations"]).Text("title"), o.Text("name"))
}

// InputSchema is the JSON Schema of a tool's arguments; nil when there is none.
func (i Item) InputSchema() json.RawMessage { return i.Field("inputSchema") }

// OutputSchema is the JSON Schema of a tool's structured result; nil when there is none.
func (i Item) OutputSchema() json.RawMessage { return i.Field("outputSchema") }

// Annotations are the hints of a tool, or the audience and priority of a resource; nil when there are none.
func (i Item) Annotations() json.RawMessage { return i.Field("annotations") }

// Arguments are the arguments of a prompt, as an array; nil when there are none.
func (i Item) Arguments() json.RawMessage { return i.Field("arguments") }

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

// Word is the word for one item of the kind, such as "tool".
func (k Kind) Word() string {
	switch k {
	case Tools:
		return "tool"
	case Prompts:
		return "prompt"
	case Resources:
		return "resource"
	case Templates:
		return "template"
	}
	return string(k)
}

// ID names one item of the kind within a server, such as "tool/search".
func (k Kind) ID(key string) string { return k.Word() + "/" + key }

// KeyField is the member of an item that tells it from the others of its list: name, uri or uriTemplate.
func (k Kind) KeyField() string {
	switch k {
	case Resources:
		return "uri"
	case Templates:
		return "uriTemplate"
	}
	return "name"
}

// KeyOf is what identifies an item within its list. An item that is no object, or whose key is missing, empty or no
// string, gives an error that says so.
func KeyOf(kind Kind, raw json.RawMessage) (string, error) {
	members, err := rawjson.Members(raw)
	if errors.Is(err, rawjson.ErrNotObject) {
		return "", fmt.Errorf("a %s is not an object", kind.Word())
	}
	if err != nil {
		return "", fmt.Errorf("reading a %s: %w", kind.Word(), err)
	}
	value := rawjson.Last(members, kind.KeyField())
	if value == nil {
		return "", fmt.Errorf("a %s has no %s", kind.Word(), kind.KeyField())
	}
	key, ok := rawjson.Text(value)
	if !ok || key == "" {
		return "", fmt.Errorf("the %s of a %s is not a text of at least one character", kind.KeyField(), kind.Word())
	}
	return key, nil
}
