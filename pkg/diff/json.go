package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A tree is a JSON value made of object, array and leaf.
type (
	object map[string]any
	array  map[int]any // by index
)

// leaf is a string, number, true, false or null.
type leaf struct {
	Text  string // as written
	Value string // the same for every spelling of a number
}

// Equal tells whether two leaves mean the same.
func (l leaf) Equal(other leaf) bool { return l.Value == other.Value }

// treeOf reads a JSON value. Of members with the same key the last one holds. What is no JSON is a leaf of its own.
func treeOf(raw json.RawMessage) any {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return leaf{string(raw), string(raw)}
	}
	return grow(value)
}

func grow(value any) any {
	switch v := value.(type) {
	case map[string]any:
		o := make(object, len(v))
		for name, member := range v {
			o[name] = grow(member)
		}
		return o
	case []any:
		a := make(array, len(v))
		for i, element := range v {
			a[i] = grow(element)
		}
		return a
	case json.Number:
		return leaf{v.String(), exact(v.String())}
	}
	text, _ := rawjson.Encode(value) // a string, a bool and nil always encode
	return leaf{string(text), string(text)}
}

// same tells whether two JSON values mean the same, whatever the order of keys and the spelling of numbers.
func same(old, new json.RawMessage) bool {
	if old == nil || new == nil {
		return old == nil && new == nil
	}
	return bytes.Equal(old, new) || alike(treeOf(old), treeOf(new))
}

// alike tells whether two trees mean the same.
func alike(old, new any) bool {
	switch o := old.(type) {
	case object:
		n, ok := new.(object)
		return ok && maps.EqualFunc(o, n, alike)
	case array:
		n, ok := new.(array)
		return ok && maps.EqualFunc(o, n, alike)
	case leaf:
		n, ok := new.(leaf)
		return ok && o.Equal(n)
	}
	return false
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
	scale, ok := new(big.Int).SetString(strings.TrimPrefix(exponent, "+"), 10)
	if !ok {
		scale = new(big.Int)
	}
	scale.Add(scale, big.NewInt(int64(len(significant)-len(trimmed)-len(fraction))))
	if negative {
		trimmed = "-" + trimmed
	}
	return trimmed + "e" + scale.String()
}

// walk lists the JSON pointers at which two trees differ. The trees hold no Go slice: go-cmp aligns those by a search that
// takes exponential time on nested ones, and whose answer depends on the second at which the process started.
func walk(old, new any) []string {
	w := &walker{}
	cmp.Equal(old, new, cmp.Reporter(w))
	return w.found
}

// walker is told each step of go-cmp's way through two values.
type walker struct {
	path  cmp.Path
	found []string
}

// PushStep enters a member or element.
func (w *walker) PushStep(step cmp.PathStep) { w.path = append(w.path, step) }

// PopStep leaves it.
func (w *walker) PopStep() { w.path = w.path[:len(w.path)-1] }

// Report takes note of two leaves, or of a value that only one side has.
func (w *walker) Report(result cmp.Result) {
	if !result.Equal() {
		w.found = append(w.found, pointer(w.path))
	}
}

// pointer is the JSON pointer of a path through objects and arrays.
func pointer(path cmp.Path) string {
	var b strings.Builder
	for _, step := range path {
		index, ok := step.(cmp.MapIndex)
		if !ok {
			continue // a step into an interface
		}
		switch key := index.Key().Interface().(type) {
		case string:
			b.WriteString(rawjson.Join("", key))
		case int:
			fmt.Fprintf(&b, "/%d", key)
		}
	}
	return b.String()
}

// whereabouts names up to three places at which two values differ, for a message.
func whereabouts(found []string) string {
	const shown = 3
	if found[0] == "" {
		return "as a whole"
	}
	if more := len(found) - shown; more > 0 {
		return fmt.Sprintf("at %s, %d more", strings.Join(found[:shown], ", "), more)
	}
	return "at " + strings.Join(found, ", ")
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

// part is the view of some of its members.
func (v view) part(keys []string) view {
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
