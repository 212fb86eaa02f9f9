package diff

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// view is the members of a JSON object by key. Of members with the same key the last one holds; null is the same as absent.
type view map[string]json.RawMessage

// viewOf reads an object; a value of any other kind has no members.
func viewOf(raw json.RawMessage) view {
	members, _ := rawjson.Members(raw)
	v := make(view, len(members))
	for _, m := range members {
		v[m.Key] = m.Value
	}
	maps.DeleteFunc(v, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return v
}

// text is a member that is a text; empty when it is missing or of another kind.
func (v view) text(key string) string {
	text, _ := rawjson.Text(v[key])
	return text
}

// keys are the keys of both views that are not known, sorted.
func keys(old, new view, known ...string) []string {
	union := view{}
	maps.Copy(union, old)
	maps.Copy(union, new)
	for _, key := range known {
		delete(union, key)
	}
	return slices.Sorted(maps.Keys(union))
}

// normal is a text without what no reader sees: the style of line ends and trailing blanks.
func normal(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}

// subject is one item on both sides, or a part of one.
type subject struct {
	kind     snapshot.Kind
	id       string // Finding.Item
	path     string // JSON pointer of the views inside the item
	old, new view
}

// field reports a rule about one member of the subject.
func (c *comparison) field(s subject, rule, key string) {
	c.report(rule, finding.Finding{
		Item: s.id, Path: rawjson.Join(s.path, key), Old: s.old[key], New: s.new[key],
	})
}

// description compares the text that says what something is for.
func (c *comparison) description(s subject, changed, added, removed string) {
	old, new := normal(s.old.text("description")), normal(s.new.text("description"))
	switch {
	case old == new:
	case old == "":
		c.field(s, added, "description")
	case new == "":
		c.field(s, removed, "description")
	default:
		c.field(s, changed, "description")
	}
}

// title compares the name that people see. A change of the name alone is told by the rules about names.
func (c *comparison) title(s subject, rule string) {
	if old, new := displayed(s.old), displayed(s.new); old != new && !(s.old.text("name") == old && s.new.text("name") == new) {
		c.report(rule, finding.Finding{Item: s.id, Path: s.path + "/title", Old: quoted(old), New: quoted(new)})
	}
}

// displayed is title, else annotations.title, else name.
func displayed(v view) string {
	for _, text := range []string{v.text("title"), viewOf(v["annotations"]).text("title"), v.text("name")} {
		if text != "" {
			return text
		}
	}
	return ""
}

// opaque compares a member whose meaning is not known here, and says where it differs.
func (c *comparison) opaque(s subject, rule, key string, volatile ...string) {
	old, new := treeOf(s.old[key]), treeOf(s.new[key])
	for _, tree := range []any{old, new} {
		if o, ok := tree.(object); ok {
			for _, name := range volatile {
				delete(o, name)
			}
		}
	}
	if empty(old) && empty(new) {
		return
	}
	if found := walk(old, new); len(found) > 0 {
		c.report(rule, finding.Finding{
			Item: s.id, Path: rawjson.Join(s.path, key), Old: s.old[key], New: s.new[key],
			Message: c.rules[rule].Title + ", " + whereabouts(found) + ".",
		})
	}
}

// empty tells whether a member is absent, or an object or array that says no more than an absent one.
func empty(tree any) bool {
	switch t := tree.(type) {
	case object:
		return len(t) == 0
	case array:
		return len(t) == 0
	case leaf:
		return t.Text == ""
	}
	return false
}

// rest reports the members that no rule knows.
func (c *comparison) rest(s subject, known ...string) {
	for _, key := range keys(s.old, s.new, known...) {
		if !same(s.old[key], s.new[key]) {
			c.field(s, s.kind.Word()+"-changed", key)
		}
	}
}
