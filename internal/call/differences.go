package call

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// difference is one place at which a result is not as recorded, or the whole result.
type difference struct {
	pointer    string          // into the result; empty = the whole
	old, new   json.RawMessage // nil = absent, or too large to be shown
	message    string          // a sentence without a full stop
	lengthOnly bool            // a text is only longer or shorter than before
}

const (
	maxCompared    = 4 << 20 // bytes of two results that are compared place by place
	maxDifferences = 20      // places reported of one call
	maxPlaces      = 1000    // places reported of one tool
)

// compare returns where a result differs from the recorded one; _meta does not count. A text that holds JSON
// on both sides is compared as JSON. ignore has the steps of JSON pointers; "*" stands for any step. With
// structure only types and keys are compared.
func compare(recorded, result json.RawMessage, ignore [][]string, structure bool) []difference {
	if bytes.Equal(recorded, result) {
		return nil
	}
	old, new := comparedResult(recorded), comparedResult(result)
	if old["isError"] != new["isError"] { // the rest is an error message on one side
		d := differenceOf(rawjson.Difference{Pointer: "/isError", Old: old["isError"], New: new["isError"]})
		d.message = "The call no longer fails"
		if new["isError"] == true {
			d.message = "The call fails now"
		}
		return []difference{d}
	}
	decodeTexts(old, new)
	var left, right any = old, new
	if structure {
		left, right = valueShape(old), valueShape(new)
	}
	if len(recorded)+len(result) > maxCompared {
		if rawjson.Same(left, right) {
			return nil
		}
		return []difference{{message: "The result differs"}}
	}
	found, _ := rawjson.Differences(left, right, maxDifferences, ignore...)
	if structure { // an empty list says nothing about its items
		found = kit.Filter(found, func(d rawjson.Difference) bool {
			return d.Added || d.Removed || d.Old != nil && d.New != nil
		})
	}
	return kit.Map(found, differenceOf)
}

// differenceOf returns a difference as it is reported. A text of the content that goes on longer, or breaks
// off earlier, differs in length only.
func differenceOf(d rawjson.Difference) difference {
	found := difference{pointer: d.Pointer}
	if !d.Added {
		found.old = calls.ShownJSON(d.Old)
	}
	if !d.Removed {
		found.new = calls.ShownJSON(d.New)
	}
	const short = 40 // bytes of a value in the message
	steps := rawjson.Split(d.Pointer)
	before, _ := d.Old.(string)
	after, _ := d.New.(string)
	switch old, new := string(found.old), string(found.new); {
	case before != "" && after != "" && len(steps) == 3 && steps[0] == "content" &&
		(strings.HasPrefix(after, before) || strings.HasPrefix(before, after)):
		found.lengthOnly = true
		found.message = fmt.Sprintf("The text at %s has %d characters, it had %d", d.Pointer,
			utf8.RuneCountInString(after), utf8.RuneCountInString(before))
	case len(old) > short || len(new) > short || !d.Added && old == "" || !d.Removed && new == "":
		found.message = "The result differs at " + d.Pointer
	case d.Added:
		found.message = fmt.Sprintf("The result differs at %s (new: %s)", d.Pointer, new)
	case d.Removed:
		found.message = fmt.Sprintf("The result differs at %s (gone: %s)", d.Pointer, old)
	default:
		found.message = fmt.Sprintf("The result differs at %s (%s → %s)", d.Pointer, old, new)
	}
	return found
}

// comparedResult returns the members of a result that are compared.
func comparedResult(raw json.RawMessage) map[string]any {
	value, _ := rawjson.Decode(raw)
	members, _ := value.(map[string]any) // a result is an object
	delete(members, "_meta")
	if members["resultType"] == "complete" { // said since protocol 2026-07-28
		delete(members, "resultType")
	}
	members["isError"] = members["isError"] == true
	return members
}

// decodeTexts replaces texts that hold JSON on both sides with what they hold.
func decodeTexts(old, new map[string]any) {
	before, _ := old["content"].([]any)
	after, _ := new["content"].([]any)
	for i := range min(len(before), len(after)) {
		a, _ := before[i].(map[string]any)
		b, _ := after[i].(map[string]any)
		oldText, _ := a["text"].(string)
		newText, _ := b["text"].(string)
		oldValue, oldErr := rawjson.Decode(json.RawMessage(oldText))
		newValue, newErr := rawjson.Decode(json.RawMessage(newText))
		if oldErr == nil && newErr == nil {
			a["text"], b["text"] = oldValue, newValue
		}
	}
}

// valueShape returns values with the names of types in place of scalars, and with one shape of all its items,
// under "*", in place of a list; nil without values.
func valueShape(values ...any) any {
	members, types := map[string][]any{}, map[string]bool{}
	for _, value := range values {
		switch v := value.(type) {
		case map[string]any:
			types["object"] = true
			for key, member := range v {
				members[key] = append(members[key], member)
			}
		case []any:
			types["array"] = true
			members["*"] = append(members["*"], v...)
		default:
			raw, _ := rawjson.Encode(value) // a scalar
			types[strings.TrimPrefix(rawjson.TypeName(raw), "a ")] = true
		}
	}
	switch {
	case len(types) == 0:
		return nil
	case len(types) > 1 || !types["object"] && !types["array"]:
		return strings.Join(kit.SortedKeys(types), " or ")
	}
	shape := map[string]any{}
	for key, all := range members {
		shape[key] = valueShape(all...)
	}
	return shape
}
