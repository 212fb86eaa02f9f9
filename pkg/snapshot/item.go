package snapshot

import "encoding/json"

// Field is the raw value of one member of the item; nil when the item has none or is no object.
func (i Item) Field(name string) json.RawMessage {
	members, _ := Members(i.Raw)
	return lookUp(members, name)
}

// Text is a member that is a text; empty when it is missing or of another kind.
func (i Item) Text(name string) string {
	s, _ := text(i.Field(name))
	return s
}

// Description is what the item says of itself to the model.
func (i Item) Description() string { return i.Text("description") }

// Title is the name for people: title, else annotations.title, else name.
func (i Item) Title() string {
	members, _ := Members(i.Raw)
	annotations, _ := Members(lookUp(members, "annotations"))
	for _, candidate := range []json.RawMessage{
		lookUp(members, "title"), lookUp(annotations, "title"), lookUp(members, "name"),
	} {
		if s, _ := text(candidate); s != "" {
			return s
		}
	}
	return ""
}

// InputSchema is the JSON Schema of a tool's arguments; nil when there is none.
func (i Item) InputSchema() json.RawMessage { return i.Field("inputSchema") }

// OutputSchema is the JSON Schema of a tool's structured result; nil when there is none.
func (i Item) OutputSchema() json.RawMessage { return i.Field("outputSchema") }

// Annotations are the hints of a tool, or the audience and priority of a resource; nil when there are none.
func (i Item) Annotations() json.RawMessage { return i.Field("annotations") }

// Arguments are the arguments of a prompt, as an array; nil when there are none.
func (i Item) Arguments() json.RawMessage { return i.Field("arguments") }
