package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// treeOf reads a JSON value as rawjson.Decode does; nil for what is absent or not JSON.
func treeOf(raw json.RawMessage) any {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return nil
	}
	return value
}

// same reports whether two JSON values mean the same, ignoring the order of keys and the spelling of numbers.
// A value that is not there is the same as none, and null is a value.
func same(old, new json.RawMessage) bool {
	if bytes.Equal(old, new) {
		return true
	}
	before, errOld := rawjson.Decode(old)
	after, errNew := rawjson.Decode(new)
	return errOld == nil && errNew == nil && rawjson.Same(before, after)
}

// whereabouts names up to three places at which two values differ, for a message.
func whereabouts(found []rawjson.Difference, more int) string {
	const shown = 3
	places := kit.Map(found, func(d rawjson.Difference) string { return d.Pointer })
	if places[0] == "" {
		return "as a whole"
	}
	if more += len(places) - shown; more > 0 {
		return fmt.Sprintf("at %s, %d more", strings.Join(places[:shown], ", "), more)
	}
	return "at " + strings.Join(places, ", ")
}

// view is the members of a JSON object by key. Of members with the same key the last one holds; null is the
// same as absent.
type view rawjson.Object

// viewOf reads an object; a value of any other kind has no members.
func viewOf(raw json.RawMessage) view {
	v := view(rawjson.ObjectOf(raw))
	maps.DeleteFunc(v, func(_ string, value json.RawMessage) bool { return string(value) == "null" })
	return v
}

// only returns an object of the members of these keys; nil if there are none.
func (v view) only(keys []string) json.RawMessage {
	some, wanted := maps.Clone(v), kit.Set(keys)
	maps.DeleteFunc(some, func(key string, _ json.RawMessage) bool { return !wanted[key] })
	if len(some) == 0 {
		return nil
	}
	return some.json()
}

// text returns a member that is a string; empty if it is missing or of another type.
func (v view) text(key string) string { return rawjson.Object(v).Text(key) }

// keys returns the keys of both sides that are not known, sorted.
func keys[M ~map[string]V, V any](old, new M, known ...string) []string {
	union := M{}
	maps.Copy(union, old)
	maps.Copy(union, new)
	for _, key := range known {
		delete(union, key)
	}
	return kit.SortedKeys(union)
}

// normal returns a text without the style of its line ends and without trailing blanks.
func normal(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
