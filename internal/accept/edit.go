package accept

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// edit takes a part of new over into old; nil stands for a value that is not there. ok is false when the part cannot be
// told on both sides.
type edit func(old, new json.RawMessage) (raw json.RawMessage, ok bool)

// edits are the steps inside an item that may end a finding, the smallest first.
func edits(f finding.Finding, kind snapshot.Kind) []edit {
	place := tokens(f.Path)
	var list []edit
	if len(place) == 0 {
		return []edit{take([]string{kind.KeyField()})} // the item as a whole comes after all edits
	}
	switch f.Pointer() {
	case "/title":
		list = append(list, all(take(place), take([]string{"annotations", "title"}))) // one name for people, in two places
	case "/inputSchema":
		list = append(list, take(beside(place, "type")))
	}
	if n := len(place); f.Member == "" && n >= 2 {
		inside, name := place[:n-1], place[n-1]
		if other := otherName(f); other != "" && other != name {
			list = append(list, all(property(inside, name), property(inside, other)), all(take(place), take(beside(inside, other))))
		}
		if inside[n-2] == "properties" {
			list = append(list, property(inside, name), required(inside, name))
		}
	}
	return append(list, outwards(tokens(f.Pointer()), 1)...)
}

// otherName is the new name that a finding of something renamed speaks of.
func otherName(f finding.Finding) string {
	if name, ok := rawjson.Text(f.New); ok {
		return name
	}
	name, _ := rawjson.Text(snapshot.Item{Raw: f.New}.Field("name"))
	return name
}

// property takes over a property, and whether it is required.
func property(properties []string, name string) edit {
	return all(take(beside(properties, name)), required(properties, name))
}

// required takes over whether a property is required.
func required(properties []string, name string) edit {
	quoted, _ := json.Marshal(name) // a string always encodes
	return at(beside(properties[:len(properties)-1], "required"), element(quoted))
}

// outwards takes over the value at a place, then those around it, as long as they lie at least so deep.
func outwards(place []string, depth int) []edit {
	var list []edit
	for n := len(place); n >= depth; n-- {
		list = append(list, take(place[:n]))
	}
	return list
}

// take takes over the value at a place.
func take(place []string) edit {
	return at(place, func(_, new json.RawMessage) (json.RawMessage, bool) { return new, true })
}

// all does one edit after the other.
func all(edits ...edit) edit {
	return func(old, new json.RawMessage) (json.RawMessage, bool) {
		for _, e := range edits {
			var ok bool
			if old, ok = e(old, new); !ok {
				return nil, false
			}
		}
		return old, true
	}
}

// element takes over whether a value is among those of an array.
func element(value json.RawMessage) edit {
	return func(old, new json.RawMessage) (json.RawMessage, bool) {
		olds, okOld := elements(old)
		news, okNew := elements(new)
		if !okOld || !okNew {
			return nil, false
		}
		is := func(raw json.RawMessage) bool { return sameValue(raw, value) }
		switch wanted := slices.ContainsFunc(news, is); {
		case wanted == slices.ContainsFunc(olds, is):
			return old, true
		case wanted:
			olds = append(slices.Clone(olds), value)
		default:
			olds = slices.DeleteFunc(slices.Clone(olds), is)
		}
		if len(olds) == 0 && new == nil {
			return nil, true
		}
		return array(olds), true
	}
}

func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	if raw == nil {
		return nil, true
	}
	list, err := rawjson.Elements(raw)
	return list, err == nil
}

func sameValue(a, b json.RawMessage) bool {
	x, errX := rawjson.Canonical(a)
	y, errY := rawjson.Canonical(b)
	return errX == nil && errY == nil && string(x) == string(y)
}

// tokens are the parts of a JSON pointer.
func tokens(pointer string) []string {
	var parts []string
	for _, part := range strings.Split(pointer, "/")[1:] {
		parts = append(parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(part))
	}
	return parts
}

// beside is a place with one more step at its end.
func beside(place []string, name string) []string { return append(slices.Clone(place), name) }
