package snapshot

import (
	"encoding/json"
	"errors"
	"fmt"
)

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
	members, err := Members(raw)
	if errors.Is(err, errNotObject) {
		return "", fmt.Errorf("a %s is not an object", kind.Word())
	}
	if err != nil {
		return "", fmt.Errorf("reading a %s: %w", kind.Word(), err)
	}
	value := lookUp(members, kind.KeyField())
	if value == nil {
		return "", fmt.Errorf("a %s has no %s", kind.Word(), kind.KeyField())
	}
	key, ok := text(value)
	if !ok || key == "" {
		return "", fmt.Errorf("the %s of a %s is not a text of at least one character", kind.KeyField(), kind.Word())
	}
	return key, nil
}
