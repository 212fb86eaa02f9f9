package calls

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// difference is one place at which a result is not as recorded.
type difference struct {
	pointer  string          // into the result; empty = the whole
	old, new json.RawMessage // nil = absent, or too large to be shown
	kind     kind            // empty = the value changed
	problem  string          // instead: a sentence about the call as a whole
}

// kind is how a place differs, if its value did not only change.
type kind string

const (
	added   kind = "added"
	removed kind = "removed"
	length  kind = "length" // a text is only longer or shorter than before
)

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
	old, new := resultOf(recorded), resultOf(result)
	before, after := map[string]any{"isError": old["isError"]}, map[string]any{"isError": new["isError"]}
	if failing, _ := rawjson.Differences(before, after, 1, c.ignore...); failing != nil {
		return kit.Map(failing, differenceOf) // the rest is an error message on one side
	}
	decodeTexts(old, new)
	var left, right any = old, new
	if c.structure {
		left, right = shapeOf(old), shapeOf(new)
	}
	if len(recorded)+len(result) > maxCompared {
		if rawjson.Same(left, right) {
			return nil
		}
		return []difference{{}}
	}
	found, _ := rawjson.Differences(left, right, maxDifferences, c.ignore...)
	if c.structure { // an empty list says nothing about its items
		found = kit.Filter(found, func(d rawjson.Difference) bool {
			return d.Added || d.Removed || d.Old != nil && d.New != nil
		})
	}
	return kit.Map(found, differenceOf)
}

// differenceOf returns a difference with its values as they may be shown. A text of the content that goes on
// longer, or breaks off earlier, differs in length only.
func differenceOf(d rawjson.Difference) difference {
	found := difference{pointer: d.Pointer, old: shownJSON(d.Old), new: shownJSON(d.New)}
	before, isText := d.Old.(string)
	after, areTexts := d.New.(string)
	steps := rawjson.Split(d.Pointer)
	switch {
	case d.Added:
		found.kind, found.old = added, nil
	case d.Removed:
		found.kind, found.new = removed, nil
	case isText && areTexts && before != "" && after != "" && len(steps) == 3 && steps[0] == "content" &&
		(strings.HasPrefix(after, before) || strings.HasPrefix(before, after)):
		found.kind = length
	}
	return found
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
	members["isError"] = members["isError"] == true
	return members
}

// decodeTexts replaces texts that hold an object or an array on both sides with what they hold.
func decodeTexts(old, new map[string]any) {
	before, _ := old["content"].([]any)
	after, _ := new["content"].([]any)
	for i := range min(len(before), len(after)) {
		a, _ := before[i].(map[string]any)
		b, _ := after[i].(map[string]any)
		oldValue, newValue := heldJSON(a["text"]), heldJSON(b["text"])
		if oldValue != nil && newValue != nil {
			a["text"], b["text"] = oldValue, newValue
		}
	}
}

// heldJSON returns the object or array that a text holds, else nil.
func heldJSON(text any) any {
	held, _ := text.(string)
	if held = strings.TrimSpace(held); held == "" || held[0] != '{' && held[0] != '[' {
		return nil
	}
	value, err := rawjson.Decode(json.RawMessage(held))
	if err != nil {
		return nil
	}
	return value
}

// shapeOf returns values with the names of types in place of scalars, and with one shape of all its items,
// under "*", in place of a list.
func shapeOf(values ...any) any {
	members, items, types := map[string][]any{}, []any{}, map[string]bool{}
	for _, value := range values {
		switch v := value.(type) {
		case map[string]any:
			types["object"] = true
			for key, member := range v {
				members[key] = append(members[key], member)
			}
		case []any:
			types["array"] = true
			items = append(items, v...)
		case string:
			types["string"] = true
		case json.Number:
			types["number"] = true
		case bool:
			types["boolean"] = true
		default:
			types["null"] = true
		}
	}
	switch {
	case len(types) > 1 || !types["object"] && !types["array"]:
		return strings.Join(kit.SortedKeys(types), " or ")
	case len(items) > 0:
		return map[string]any{"*": shapeOf(items...)}
	case types["array"]:
		return map[string]any{"*": nil}
	}
	shape := map[string]any{}
	for key, all := range members {
		shape[key] = shapeOf(all...)
	}
	return shape
}

// shownJSON returns a value as JSON with what looks secret masked; nil where it is too large to be shown.
func shownJSON(value any) json.RawMessage {
	raw, err := rawjson.Encode(value)
	if err != nil || len(raw) > maxShown {
		return nil
	}
	return masked(raw)
}

// message returns a difference as a sentence without a full stop.
func (d difference) message() string {
	place := ""
	if d.pointer != "" {
		place = " at " + d.pointer
	}
	switch {
	case d.problem != "":
		return d.problem
	case d.pointer == "/isError" && string(d.new) == "true":
		return "The call fails now"
	case d.pointer == "/isError":
		return "The call no longer fails"
	case d.kind == length && d.old != nil && d.new != nil:
		return fmt.Sprintf("The text%s has %d characters, it had %d",
			place, characters(d.new), characters(d.old))
	case d.kind == length:
		return "The text" + place + " has another length"
	}
	return "The result differs" + place + d.values()
}

// values returns the two values where both are short, for a sentence.
func (d difference) values() string {
	const short = 40 // bytes
	switch old, now := string(d.old), string(d.new); {
	case len(old) > short || len(now) > short || old+now == "":
		return ""
	case d.kind == added:
		return " (new: " + now + ")"
	case d.kind == removed:
		return " (gone: " + old + ")"
	case old != "" && now != "":
		return " (" + old + " → " + now + ")"
	}
	return ""
}

func characters(raw json.RawMessage) int {
	text, _ := rawjson.Text(raw)
	return utf8.RuneCountInString(text)
}
