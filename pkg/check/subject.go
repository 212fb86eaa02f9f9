package check

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// modern is the first revision of the protocol without a handshake.
const modern = "2026-07-28"

// subject is a surface with what several rules need of it.
type subject struct {
	Surface
	tools []tool
	texts []passage // every string that a server wrote, keys of objects included
}

// tool is one tool with its schemas.
type tool struct {
	item
	schemas []document // of arguments and results, those that are there
}

// item is one tool, prompt, resource or template.
type item struct {
	snapshot.Item
	kind   snapshot.Kind
	id     string         // such as "tool/search"
	fields map[string]any // decoded; nil when the item is no object
}

// passage is one string.
type passage struct {
	item  string // id of the item; empty for the server itself
	way   *trail
	text  string
	prose bool // written for a model or a person to read: a description, a title, instructions
	key   bool // the name of a member, not its value
}

// path is the JSON pointer of the passage.
func (p passage) path() string { return p.way.String() }

func newSubject(s Surface) *subject {
	out := &subject{Surface: s}
	out.texts = append(out.texts, passage{way: &trail{token: "/instructions"}, text: s.Snapshot.Instructions, prose: true})
	out.texts = append(out.texts, passages("", &trail{token: "/serverInfo"}, "serverInfo", decode(s.Snapshot.Server))...)
	for _, kind := range snapshot.Kinds() {
		for _, i := range itemsOf(s.Snapshot, kind) {
			out.texts = append(out.texts, passages(i.id, nil, "", i.fields)...)
			if kind == snapshot.Tools {
				out.tools = append(out.tools, tool{i, documentsOf(i)})
			}
		}
	}
	return out
}

// modern tells whether HTTP clients may reach the server in the revision 2026-07-28.
func (s *subject) modern() bool {
	return s.Snapshot.Protocol >= modern || slices.Contains(s.Snapshot.Supported, modern)
}

func itemsOf(s *snapshot.Snapshot, kind snapshot.Kind) []item {
	var items []item
	for _, i := range s.List(kind).Items() {
		fields, _ := decode(i.Raw).(map[string]any)
		items = append(items, item{i, kind, kind.ID(i.Key), fields})
	}
	return items
}

// text is a member that is a string; empty when it is none.
func (i item) text(name string) string {
	text, _ := i.fields[name].(string)
	return text
}

// decode is a JSON value with numbers as written; nil when there is none.
func decode(raw json.RawMessage) any {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return nil
	}
	return value
}

// passages are the strings inside a value, in the order of their keys.
func passages(item string, way *trail, key string, value any) []passage {
	switch v := value.(type) {
	case string:
		return []passage{{item: item, way: way, text: v, prose: key == "description" || key == "title"}}
	case []any:
		var found []passage
		for i, element := range v {
			found = append(found, passages(item, way.element(i), "", element)...)
		}
		return found
	case map[string]any:
		var found []passage
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inner := way.to(name)
			found = append(found, passage{item: item, way: inner, text: name, key: true})
			found = append(found, passages(item, inner, name, v[name])...)
		}
		return found
	}
	return nil
}
