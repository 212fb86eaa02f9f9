package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// difference is one place at which a result is not as recorded.
type difference struct {
	pointer  string          // into the result; empty = the whole
	old, new json.RawMessage // nil = absent, or too large to be shown
	length   bool            // a text that is only longer or shorter than before
}

const (
	maxCompared    = 4 << 20  // bytes of two results that are compared place by place
	maxDifferences = 20       // places reported of one call
	maxShown       = 16 << 10 // bytes of a value that is shown
)

// comparer compares results.
type comparer struct {
	ignore    [][]string // steps of JSON pointers; "*" stands for any step
	structure bool       // types and keys only
}

func newComparer(ignore []string, structure bool) comparer {
	return comparer{kit.Map(ignore, rawjson.Split), structure}
}

// compare returns where a result differs from the recorded one; _meta does not count. A text that holds JSON
// on both sides is compared as JSON.
func (c comparer) compare(recorded, result json.RawMessage) []difference {
	if bytes.Equal(recorded, result) {
		return nil
	}
	if len(recorded)+len(result) > maxCompared {
		if rawjson.Equal(recorded, result) {
			return nil
		}
		return []difference{{}}
	}
	old, new := resultOf(recorded), resultOf(result)
	if old["isError"] != new["isError"] && !c.ignored("/isError") {
		return []difference{{pointer: "/isError", old: shownJSON(old["isError"] == true),
			new: shownJSON(new["isError"] == true)}}
	}
	texts := decodeTexts(old, new)
	var left, right any = old, new
	var found []difference
	if c.structure {
		for _, pointer := range texts {
			a, _ := rawjson.At(old, pointer)
			b, _ := rawjson.At(new, pointer)
			if before, after := a.(string), b.(string); len(before) != len(after) && !c.ignored(pointer) {
				found = append(found, difference{pointer, shownJSON(a), shownJSON(b), true})
			}
		}
		left, right = shapeOf(old), shapeOf(new)
	}
	w := &walker{found: found}
	options := []gocmp.Option{gocmp.Reporter(w), gocmp.Comparer(sameNumber)}
	if c.structure { // an empty list says nothing about its items
		options = append(options, gocmp.FilterValues(
			func(a, b []any) bool { return len(a) == 0 || len(b) == 0 }, gocmp.Ignore()))
	}
	if len(c.ignore) > 0 {
		options = append(options, gocmp.FilterPath(
			func(path gocmp.Path) bool { return c.ignored(pointerOf(path)) }, gocmp.Ignore()))
	}
	gocmp.Equal(left, right, options...)
	return w.found
}

// sameNumber reports whether two numbers have the same value; long ones must be written alike.
func sameNumber(a, b json.Number) bool {
	const exact = 15 // characters of a number that a float64 holds exactly
	if a == b || len(a) > exact || len(b) > exact {
		return a == b
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return errX == nil && errY == nil && x == y
}

// sameJSON reports whether two texts hold the same JSON value.
func sameJSON(a, b json.RawMessage) bool {
	x, errX := rawjson.Decode(a)
	y, errY := rawjson.Decode(b)
	return errX == nil && errY == nil && gocmp.Equal(x, y, gocmp.Comparer(sameNumber))
}

// ignored reports whether a pointer, or a place around it, is ignored.
func (c comparer) ignored(pointer string) bool {
	steps := rawjson.Split(pointer)
	return slices.ContainsFunc(c.ignore, func(pattern []string) bool {
		if len(pattern) > len(steps) {
			return false
		}
		for i, step := range pattern {
			if step != "*" && step != steps[i] {
				return false
			}
		}
		return true
	})
}

// resultOf returns the members of a result that are compared.
func resultOf(raw json.RawMessage) map[string]any {
	value, _ := rawjson.Decode(raw)
	members, _ := value.(map[string]any)
	if members == nil {
		members = map[string]any{"result": value}
	}
	delete(members, "_meta")
	if members["resultType"] == "complete" { // said since protocol 2026-07-28
		delete(members, "resultType")
	}
	if members["isError"] == false {
		delete(members, "isError")
	}
	return members
}

// decodeTexts replaces texts that hold an object or an array on both sides with what they hold, and returns
// the pointers of the other texts that both sides have.
func decodeTexts(old, new map[string]any) (others []string) {
	before, _ := old["content"].([]any)
	after, _ := new["content"].([]any)
	for i := range min(len(before), len(after)) {
		a, _ := before[i].(map[string]any)
		b, _ := after[i].(map[string]any)
		text, isText := a["text"].(string)
		again, both := b["text"].(string)
		if !isText || !both {
			continue
		}
		oldValue, newValue := heldJSON(text), heldJSON(again)
		if oldValue == nil || newValue == nil {
			others = append(others, rawjson.Join("/content", strconv.Itoa(i), "text"))
			continue
		}
		a["text"], b["text"] = oldValue, newValue
	}
	return others
}

// heldJSON returns the object or array that a text holds, else nil.
func heldJSON(text string) any {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' {
		return nil
	}
	value, err := rawjson.Decode(json.RawMessage(text))
	if err != nil {
		return nil
	}
	return value
}

// shapeOf returns a value with the names of types in place of scalars, and with the different shapes of its
// items in place of a list.
func shapeOf(value any) any {
	switch v := value.(type) {
	case map[string]any:
		shape := make(map[string]any, len(v))
		for key, member := range v {
			shape[key] = shapeOf(member)
		}
		return shape
	case []any:
		shapes := map[string]any{}
		for _, item := range v {
			shape := shapeOf(item)
			shapes[fmt.Sprint(shape)] = shape // fmt sorts keys
		}
		return kit.Map(kit.SortedKeys(shapes), func(key string) any { return shapes[key] })
	case string:
		return "string"
	case json.Number:
		return "number"
	case bool:
		return "boolean"
	}
	return "null"
}

// walker collects the places that go-cmp reports.
type walker struct {
	path  gocmp.Path
	found []difference
}

// PushStep follows the comparison into a value.
func (w *walker) PushStep(s gocmp.PathStep) { w.path = append(w.path, s) }

// PopStep follows the comparison out of a value.
func (w *walker) PopStep() { w.path = w.path[:len(w.path)-1] }

// Report records the place of a difference.
func (w *walker) Report(r gocmp.Result) {
	if r.Equal() || len(w.found) >= maxDifferences {
		return
	}
	d := difference{pointer: pointerOf(w.path)}
	x, y := w.path.Last().Values()
	var old, new any
	if x.IsValid() {
		old = x.Interface()
		d.old = shownJSON(old)
	}
	if y.IsValid() {
		new = y.Interface()
		d.new = shownJSON(new)
	}
	before, isText := old.(string)
	after, both := new.(string)
	d.length = isText && both && before != "" && after != "" && isContentText(d.pointer) &&
		(strings.HasPrefix(after, before) || strings.HasPrefix(before, after))
	w.found = append(w.found, d)
}

// isContentText reports whether a pointer leads to the text of a content block.
func isContentText(pointer string) bool {
	steps := rawjson.Split(pointer)
	return len(steps) == 3 && steps[0] == "content" && steps[2] == "text"
}

func pointerOf(path gocmp.Path) string {
	pointer := ""
	for _, step := range path {
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

// shownJSON returns a value as JSON with what looks secret masked; nil where it is too large to be shown.
func shownJSON(value any) json.RawMessage {
	raw, err := rawjson.Encode(value)
	if err != nil || len(raw) > maxShown {
		return nil
	}
	return masked(raw)
}

// say returns a difference as a sentence without a full stop.
func (d difference) say() string {
	at := ""
	if d.pointer != "" {
		at = " at " + d.pointer
	}
	switch {
	case d.pointer == "/isError" && string(d.new) == "true":
		return "The call fails now"
	case d.pointer == "/isError":
		return "The call no longer fails"
	case d.length:
		return fmt.Sprintf("The text%s has %d characters, it had %d",
			at, characters(d.new), characters(d.old))
	}
	return "The result differs" + at + d.values()
}

// values returns the two values where both are short, for a sentence.
func (d difference) values() string {
	const short = 40 // bytes
	switch old, now := string(d.old), string(d.new); {
	case len(old) > short || len(now) > short || old+now == "":
		return ""
	case old == "":
		return " (new: " + now + ")"
	case now == "":
		return " (gone: " + old + ")"
	default:
		return " (" + old + " → " + now + ")"
	}
}

func characters(raw json.RawMessage) int {
	text, _ := rawjson.Text(raw)
	return utf8.RuneCountInString(text)
}
