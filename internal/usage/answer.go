package usage

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Bounds of the results that are looked at, and of what is kept of one.
const (
	longestAnswer = 4 << 20
	mostPlaces    = 400
)

// unkept stands for members that are not kept.
const unkept = "…"

// held are places in a result at which there was something, as JSON pointers with * for every item of an array.
type held map[string]bool

// heldIn is where a result held something, sorted; nil = it is no structured one, or is not recorded.
func heldIn(result json.RawMessage) []string {
	if len(result) > longestAnswer {
		return nil
	}
	value, _ := rawjson.Decode(result) // what is none has no structure
	h := held{}
	switch value = structured(value); value.(type) {
	case []any, map[string]any:
		h.add("", value, 0)
		return append([]string{}, slices.Sorted(maps.Keys(h))...)
	}
	return nil
}

// structured is what a program reads of a result: its structured content, or the one text in which servers are to repeat it.
func structured(value any) any {
	switch v := value.(type) {
	case string:
		value, _ := rawjson.Decode([]byte(v)) // mostly prose
		if _, again := value.(string); !again {
			return structured(value)
		}
		return nil
	case map[string]any:
		content, isList := v["content"].([]any)
		if v["structuredContent"] != nil {
			return v["structuredContent"]
		}
		if isList && blocks(content) {
			return structured(content)
		}
	case []any:
		if len(v) > 0 && blocks(v) {
			one, _ := v[0].(map[string]any)
			if len(v) > 1 {
				return nil
			}
			return structured(one["text"])
		}
	}
	return value
}

// blocks tells whether items are the blocks of content of which the protocol makes results.
func blocks(items []any) bool {
	return !slices.ContainsFunc(items, func(item any) bool {
		block, _ := item.(map[string]any)
		kind, _ := block["type"].(string)
		return !slices.Contains([]string{"text", "image", "audio", "resource", "resource_link"}, kind)
	})
}

func (h held) add(at string, value any, depth int) {
	items, _ := value.([]any)
	members, _ := value.(map[string]any)
	named := slices.Sorted(maps.Keys(members))
	data := len(named) > mostMembers || slices.ContainsFunc(named, func(name string) bool { return !plainName(name) })
	switch inside := len(items)+len(named) > 0; {
	case len(h) >= mostPlaces:
		h["/"+unkept] = true
		return
	case inside && (depth == mostDepth || data):
		h[at+"/"+unkept] = true
		return
	}
	for _, item := range items {
		h[at+"/*"] = true
		h.add(at+"/*", item, depth+1)
	}
	for _, name := range named {
		place := rawjson.Join(at, name)
		h[place] = true
		h.add(place, members[name], depth+1)
	}
}

// held tells whether there was something at a place of the answer, and whether that is known; * in it is every item and member.
func (r *Record) held(steps []string) (held, known bool) {
	known = true
	for _, place := range r.Answer {
		at := rawjson.Split(place)
		last := len(at) - 1
		switch {
		case at[last] != unkept:
			held = held || len(at) == len(steps) && along(at, steps)
		case last < len(steps):
			known = known && !along(at[:last], steps)
		}
	}
	return held, held || known
}

// along tells whether a place lies on the way.
func along(at, steps []string) bool {
	for i, step := range at {
		if step != "*" && steps[i] != "*" && step != steps[i] {
			return false
		}
	}
	return true
}
