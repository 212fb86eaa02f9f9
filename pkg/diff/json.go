package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// broken is what is no JSON, as it stands there; an empty one is no value at all.
type broken string

// treeOf reads a JSON value as rawjson.Decode does. What is no JSON is a value of its own.
func treeOf(raw json.RawMessage) any {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return broken(raw)
	}
	return value
}

// same tells whether two JSON values mean the same, whatever the order of keys and the spelling of numbers.
func same(old, new json.RawMessage) bool {
	if old == nil || new == nil {
		return old == nil && new == nil
	}
	return bytes.Equal(old, new) || alike(treeOf(old), treeOf(new))
}

func alike(old, new any) bool {
	switch o := old.(type) {
	case map[string]any:
		n, ok := new.(map[string]any)
		return ok && maps.EqualFunc(o, n, alike)
	case []any:
		n, ok := new.([]any)
		return ok && slices.EqualFunc(o, n, alike)
	case json.Number:
		n, ok := new.(json.Number)
		return ok && (o == n || exact(o.String()) == exact(n.String()))
	}
	return old == new
}

// exact is one spelling for all spellings of a number. It never writes out a large exponent.
func exact(number string) string {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	digits, negative := strings.CutPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(digits, ".")
	significant := strings.TrimLeft(whole+fraction, "0")
	trimmed := strings.TrimRight(significant, "0")
	if trimmed == "" {
		return "0"
	}
	scale, ok := new(big.Int).SetString(exponent, 10)
	if !ok {
		scale = new(big.Int)
	}
	scale.Add(scale, big.NewInt(int64(len(significant)-len(trimmed)-len(fraction))))
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + scale.String()
}

// walker lists the JSON pointers at which two trees differ, in the order of keys and indexes.
type walker struct {
	way   []string
	found []string // mostTold of them
	more  int      // how many more there are
}

func walk(old, new any) (w walker) {
	w.walk(old, new)
	return w
}

func (w *walker) walk(old, new any) {
	before, wasObject := old.(map[string]any)
	after, isObject := new.(map[string]any)
	was, wasArray := old.([]any)
	is, isArray := new.([]any)
	switch {
	case wasObject && isObject:
		for _, name := range keys(before, after) {
			w.in(rawjson.Join("", name), member(before, name), member(after, name))
		}
	case wasArray && isArray:
		for i := range max(len(was), len(is)) {
			w.in("/"+strconv.Itoa(i), element(was, i), element(is, i))
		}
	case alike(old, new):
	case len(w.found) == mostTold:
		w.more++
	default:
		w.found = append(w.found, strings.Join(w.way, ""))
	}
}

func (w *walker) in(token string, old, new any) {
	w.way = append(w.way, token)
	w.walk(old, new)
	w.way = w.way[:len(w.way)-1]
}

func member(object map[string]any, name string) any {
	if value, there := object[name]; there {
		return value
	}
	return broken("")
}

func element(array []any, i int) any {
	if i < len(array) {
		return array[i]
	}
	return broken("")
}

// whereabouts names up to three places at which two values differ, for a message.
func (w walker) whereabouts() string {
	const shown = 3
	if w.found[0] == "" {
		return "as a whole"
	}
	if more := len(w.found) + w.more - shown; more > 0 {
		return fmt.Sprintf("at %s, %d more", strings.Join(w.found[:shown], ", "), more)
	}
	return "at " + strings.Join(w.found, ", ")
}

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

// only is the members of these keys.
func (v view) only(keys []string) view {
	some := view{}
	for _, key := range keys {
		if value, there := v[key]; there {
			some[key] = value
		}
	}
	return some
}

// text is a member that is a text; empty when it is missing or of another kind.
func (v view) text(key string) string {
	text, _ := rawjson.Text(v[key])
	return text
}

// keys are the keys of both sides that are not known, sorted.
func keys[M ~map[string]V, V any](old, new M, known ...string) []string {
	union := M{}
	maps.Copy(union, old)
	maps.Copy(union, new)
	for _, key := range known {
		delete(union, key)
	}
	return lists.SortedKeys(union)
}

// normal is a text without what no reader sees: the style of line ends and trailing blanks.
func normal(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " \t\r")
	}
	return strings.TrimRight(strings.Join(lines, "\n"), "\n")
}
