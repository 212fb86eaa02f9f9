package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"strconv"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// broken is text that is not JSON; empty for an absent value.
type broken string

// treeOf reads a JSON value as rawjson.Decode does; text that is not JSON becomes broken.
func treeOf(raw json.RawMessage) any {
	value, err := rawjson.Decode(raw)
	if err != nil {
		return broken(raw)
	}
	return value
}

// numbers compares numbers by value, however they are spelled.
var numbers = gocmp.Comparer(func(a, b json.Number) bool {
	return a == b ||
		exact(a.String()) == exact(b.String())
})

// mostCompared is the size in bytes up to which the values of two members are compared place by place.
const mostCompared = 1 << 20

// same reports whether two JSON values mean the same, ignoring the order of keys and the spelling of numbers.
// Large ones are compared by their canonical texts.
func same(old, new json.RawMessage) bool {
	switch {
	case old == nil || new == nil:
		return old == nil && new == nil
	case bytes.Equal(old, new):
		return true
	case len(old)+len(new) > mostCompared:
		return rawjson.Equal(old, new)
	}
	return gocmp.Equal(treeOf(old), treeOf(new), numbers)
}

// exact returns one spelling for all spellings of a number. It never writes out a large exponent.
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

// walker is a reporter of go-cmp that collects the JSON pointers at which two trees differ.
type walker struct {
	path  gocmp.Path
	found []string // maxListed of them
	more  int      // how many more there are
}

func walk(old, new any) *walker {
	w := &walker{}
	gocmp.Equal(old, new, numbers, gocmp.Reporter(w))
	return w
}

// PushStep follows the comparison into a value.
func (w *walker) PushStep(s gocmp.PathStep) { w.path = append(w.path, s) }

// PopStep follows the comparison out of a value.
func (w *walker) PopStep() { w.path = w.path[:len(w.path)-1] }

// Report records the place of a difference.
func (w *walker) Report(r gocmp.Result) {
	switch {
	case r.Equal():
	case len(w.found) == maxListed:
		w.more++
	default:
		w.found = append(w.found, w.pointer())
	}
}

func (w *walker) pointer() string {
	var pointer string
	for _, step := range w.path {
		switch s := step.(type) {
		case gocmp.MapIndex:
			pointer = rawjson.Join(pointer, s.Key().String())
		case gocmp.SliceIndex:
			x, y := s.SplitKeys()
			pointer += "/" + strconv.Itoa(max(x, y))
		}
	}
	return pointer
}

// whereabouts names up to three places at which two values differ, for a message.
func (w *walker) whereabouts() string {
	const shown = 3
	if w.found[0] == "" {
		return "as a whole"
	}
	if more := len(w.found) + w.more - shown; more > 0 {
		return fmt.Sprintf("at %s, %d more", strings.Join(w.found[:shown], ", "), more)
	}
	return "at " + strings.Join(w.found, ", ")
}

// view is the members of a JSON object by key. Of members with the same key the last one holds; null is the
// same as absent.
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

// only returns the members of these keys.
func (v view) only(keys []string) view {
	some := view{}
	for _, key := range keys {
		if value, there := v[key]; there {
			some[key] = value
		}
	}
	return some
}

// text returns a member that is a string; empty if it is missing or of another type.
func (v view) text(key string) string {
	text, _ := rawjson.Text(v[key])
	return text
}

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
