package snapshot

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Completeness is how much of a list is known.
type Completeness uint8

// How much of a list is known.
const (
	NotOffered Completeness = iota // the zero value: the server has no such list
	Complete                       // every page arrived
	Truncated                      // some of it arrived; List.Problem says why it ends there
	// the server has the list, and nothing of it arrived; List.Problem says why
	Unread
)

// String returns the state as a word of a sentence: "not offered", "complete", "truncated" or "unread".
func (c Completeness) String() string {
	return [...]string{"not offered", "complete", "truncated", "unread"}[c]
}

// List is one kind of item and how much of it is known: its methods say what they mean when the list is not
// whole.
type List struct {
	Kind    Kind
	State   Completeness
	Problem string // why the list is Truncated or Unread, as a clause; empty otherwise
	Pages   int    // how many replies of a server it was put together from; 0 = it is from elsewhere

	items []Item // as the server sent them
}

// NewList returns a Complete list of raw items. An item without a usable key stays in it with an empty Key.
func NewList(kind Kind, raws []json.RawMessage) List {
	list := List{Kind: kind, State: Complete, items: make([]Item, len(raws))}
	for i, raw := range raws {
		// one without a key is kept: one odd tool never loses the others
		list.items[i] = Item{Key: keyOf(kind, raw), Raw: raw}
	}
	return list
}

// NewPart returns what arrived of a list that is not whole: Truncated, or Unread when nothing did.
func NewPart(kind Kind, raws []json.RawMessage, problem string) List {
	return NewList(kind, raws).incomplete(problem)
}

func (l List) incomplete(problem string) List {
	if l.State, l.Problem = Truncated, problem; len(l.items) == 0 {
		l.State = Unread
	}
	return l
}

// Items returns what arrived, as sent. That an item is missing means nothing unless the list is Whole.
func (l List) Items() []Item { return l.items }

// Whole reports whether all of the list is known, also that the server has none.
func (l List) Whole() bool { return l.State == NotOffered || l.State == Complete }

// ByKey returns the items as sent, by their keys.
func (l List) ByKey() map[string][]json.RawMessage {
	items := map[string][]json.RawMessage{}
	for _, item := range l.items {
		items[item.Key] = append(items[item.Key], item.Raw)
	}
	return items
}

// Answer is whether an item is there.
type Answer uint8

// Whether an item is there.
const (
	Unknown Answer = iota // it did not arrive, and the list is not whole
	Absent
	Present
)

// Find looks for the first item with a key.
func (l List) Find(key string) (Item, Answer) {
	for _, item := range l.items {
		if item.Key == key {
			return item, Present
		}
	}
	if l.Whole() {
		return Item{}, Absent
	}
	return Item{}, Unknown
}

// Absent reports whether it is certain that the server offers no item with the key.
func (l List) Absent(key string) bool {
	_, answer := l.Find(key)
	return answer == Absent
}

// Item is one tool, prompt, resource, resource template or skill.
type Item struct {
	// name of a tool or prompt, uri of a resource or skill, uriTemplate of a template; empty when it has none
	// that is usable
	Key string
	Raw json.RawMessage // the item exactly as the server sent it
}

// Field returns the raw value of one member of the item; nil when the item has none or is not an object.
func (i Item) Field(name string) json.RawMessage {
	value, _ := rawjson.Field(i.Raw, name)
	return value
}

// Text returns a member that is a text; empty when it is missing or of another kind.
func (i Item) Text(name string) string {
	text, _ := rawjson.Text(i.Field(name))
	return text
}

// Description returns what the item says of itself to the model. Of a skill it stands in the frontmatter.
func (i Item) Description() string {
	o := rawjson.ObjectOf(i.Raw)
	return cmp.Or(o.Text("description"), rawjson.ObjectOf(o["frontmatter"]).Text("description"))
}

// Title returns the name for people: title, else annotations.title, else name, which of a skill stands in the
// frontmatter.
func (i Item) Title() string {
	o := rawjson.ObjectOf(i.Raw)
	return cmp.Or(o.Text("title"), rawjson.ObjectOf(o["annotations"]).Text("title"), o.Text("name"),
		rawjson.ObjectOf(o["frontmatter"]).Text("name"))
}

// Kind names one of the lists.
type Kind string

// The kinds, in the order in which they are shown.
const (
	Tools     Kind = "tools"
	Prompts   Kind = "prompts"
	Resources Kind = "resources"
	Templates Kind = "resourceTemplates"
	Skills    Kind = "skills" // of the extension io.modelcontextprotocol/skills (SEP-2640)
)

// kindRow is what is particular to a kind.
type kindRow struct {
	kind         Kind
	word, plural string
	key          string                // the member that identifies an item in its list
	declared     string                // where capabilities declare the list, as a JSON pointer
	slot         func(*Snapshot) *List // where the list stands
}

// kinds has a row for each kind, in the order in which they are shown.
var kinds = [...]kindRow{
	{Tools, "tool", "tools", "name", "/tools", func(s *Snapshot) *List { return &s.Tools }},
	{Prompts, "prompt", "prompts", "name", "/prompts", func(s *Snapshot) *List { return &s.Prompts }},
	{Resources, "resource", "resources", "uri", "/resources",
		func(s *Snapshot) *List { return &s.Resources }},
	{Templates, "template", "resource templates", "uriTemplate", "/resources",
		func(s *Snapshot) *List { return &s.Templates }},
	{Skills, "skill", "skills", "uri", "/extensions/io.modelcontextprotocol~1skills",
		func(s *Snapshot) *List { return &s.Skills }},
}

// Kinds returns all kinds in the order in which they are shown.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, row := range kinds {
		all[i] = row.kind
	}
	return all
}

// row returns what is known of the kind. One that is none of the known has its own name for everything.
func (k Kind) row() kindRow {
	for _, row := range kinds {
		if row.kind == k {
			return row
		}
	}
	return kindRow{k, string(k), string(k), "name", "/" + string(k), nil}
}

// Word returns the word for one item of the kind, such as "tool".
func (k Kind) Word() string { return k.row().word }

// Plural returns the word for items of the kind, such as "resource templates".
func (k Kind) Plural() string { return k.row().plural }

// Extension reports whether the list is of an extension, not of the protocol itself: then no server has it
// without saying so, and files of before do not know it.
func (k Kind) Extension() bool { return strings.HasPrefix(k.row().declared, "/extensions/") }

// ID names one item of the kind within a server, such as "tool/search".
func (k Kind) ID(key string) string { return k.Word() + "/" + key }

// KeyField returns the member that identifies an item in its list: name, uri or uriTemplate.
func (k Kind) KeyField() string { return k.row().key }

// Capability returns the name under which a server declares the list. Templates have none of their own.
func (k Kind) Capability() string {
	steps := rawjson.Split(k.row().declared)
	return steps[len(steps)-1]
}

// DeclaredIn returns what capabilities say of the list; nil = they do not declare it.
func (k Kind) DeclaredIn(capabilities json.RawMessage) json.RawMessage {
	value := rawjson.Find(capabilities, k.row().declared)
	if text := string(value); text == "null" || text == "false" {
		return nil
	}
	return value
}

// KeyOf identifies an item within its list; an error says why there is no key.
func KeyOf(kind Kind, raw json.RawMessage) (string, error) {
	if key := keyOf(kind, raw); key != "" {
		return key, nil
	}
	field, err := rawjson.Field(raw, kind.KeyField())
	switch {
	case errors.Is(err, rawjson.ErrNotObject):
		return "", fmt.Errorf("a %s is not an object", kind.Word())
	case err != nil:
		return "", fmt.Errorf("reading a %s: %w", kind.Word(), err)
	case field == nil:
		return "", fmt.Errorf("a %s has no %s", kind.Word(), kind.KeyField())
	}
	return "", fmt.Errorf("the %s of a %s is not a text of at least one character", kind.KeyField(),
		kind.Word())
}

// keyOf returns the key of an item, empty for one without.
func keyOf(kind Kind, raw json.RawMessage) string {
	field, err := rawjson.Field(raw, kind.KeyField())
	if err != nil {
		return ""
	}
	key, _ := rawjson.Text(field)
	return key
}

// News is what is announced of a surface.
type News struct {
	Changed []Kind // lists that the server said to have changed, in the order of Kinds
	Resumed bool   // listening began: what was announced before is lost, so every list is to be read again
	Covered bool   // the server announces changes of every list it offers, as things stand
	Hears   bool   // what the server announces arrives, be it of some lists only
	Count   int    // announcements that made Changed
}
