package accept

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// edit takes a part of new over into old; nil is no value. ok is false when the part cannot be told on both sides.
type edit func(old, new json.RawMessage) (raw json.RawMessage, ok bool)

// edits are the steps inside an item that may end a finding, the smallest first.
func edits(f finding.Finding, kind snapshot.Kind) []edit {
	place := rawjson.Split(f.Path)
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
	if f.Member == "type" {
		list = append(list, take(rawjson.Split(f.Pointer())), asserting(place))
	}
	return append(list, outwards(rawjson.Split(f.Pointer()), 1)...)
}

// asserting takes over a schema, and keeps the remarks in it: a type goes with keywords that say nothing of another type.
func asserting(place []string) edit {
	return at(place, func(old, new json.RawMessage) (json.RawMessage, bool) {
		ok := old != nil && new != nil
		for _, remark := range schema.Annotations() {
			was, known := member(orEmpty(old), remark)
			if ok = ok && known; ok {
				new, ok = withMember(new, remark, was)
			}
		}
		return new, ok
	})
}

// otherName is the new name that a finding of something renamed speaks of.
func otherName(f finding.Finding) string {
	if name, ok := rawjson.Text(f.New); ok {
		return name
	}
	return snapshot.Item{Raw: f.New}.Text("name")
}

// property takes over a property, and whether it is required.
func property(properties []string, name string) edit {
	return all(take(beside(properties, name)), required(properties, name))
}

// required takes over whether a property is required.
func required(properties []string, name string) edit {
	return at(beside(properties[:len(properties)-1], "required"), element(rawjson.Quote(name)))
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
		is := func(raw json.RawMessage) bool { return rawjson.Equal(raw, value) }
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
		return rawjson.List(olds), true
	}
}

func elements(raw json.RawMessage) ([]json.RawMessage, bool) {
	if raw == nil {
		return nil, true
	}
	list, err := rawjson.Elements(raw)
	return list, err == nil
}

func beside(place []string, name string) []string { return append(slices.Clone(place), name) }

// at does an edit at a place inside two values, by members' names, elements' names, or indexes of arrays of one length.
func at(place []string, inner edit) edit {
	if len(place) == 0 {
		return inner
	}
	deeper := at(place[1:], inner)
	return func(old, new json.RawMessage) (json.RawMessage, bool) {
		if isArray(old) && isArray(new) {
			return inArray(old, new, place[0], deeper)
		}
		return inObject(old, new, place[0], deeper)
	}
}

// inObject does an edit in a member of two objects. An object that only one side has is empty on the other.
func inObject(old, new json.RawMessage, step string, inner edit) (json.RawMessage, bool) {
	before, okOld := member(orEmpty(old), step)
	after, okNew := member(orEmpty(new), step)
	if !okOld || !okNew {
		return nil, false
	}
	value, ok := inner(before, after)
	if !ok {
		return nil, false
	}
	raw, ok := withMember(orEmpty(old), step, value)
	if ok && string(raw) == "{}" && (old == nil || new == nil) {
		return nil, true
	}
	return raw, ok
}

func orEmpty(raw json.RawMessage) json.RawMessage {
	if raw == nil {
		return json.RawMessage("{}")
	}
	return raw
}

func isArray(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '[' }

// member is the value of a member, nil when there is none. ok is false for what is no object, or has the member twice.
func member(raw json.RawMessage, key string) (value json.RawMessage, ok bool) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, false
	}
	for _, m := range members {
		if m.Key == key {
			if value != nil {
				return nil, false
			}
			value = m.Value
		}
	}
	return value, true
}

// withMember is an object with another value in one member; nil takes the member away.
func withMember(raw json.RawMessage, key string, value json.RawMessage) (json.RawMessage, bool) {
	members, err := rawjson.Members(raw)
	if err != nil {
		return nil, false
	}
	i := slices.IndexFunc(members, func(m rawjson.Member) bool { return m.Key == key })
	switch {
	case value == nil && i >= 0:
		members = slices.Delete(members, i, i+1)
	case value == nil:
	case i >= 0:
		members[i].Value = value
	default:
		members = append(members, rawjson.Member{Key: key, Value: value})
	}
	for _, m := range members {
		if strings.ContainsRune(m.Key, '\uFFFD') {
			return nil, false // a key that no text can say
		}
	}
	return rawjson.Build(members...), true
}

// inArray does an edit in the element of two arrays that a step names.
func inArray(old, new json.RawMessage, step string, inner edit) (json.RawMessage, bool) {
	olds, okOld := elements(old)
	news, okNew := elements(new)
	if !okOld || !okNew {
		return nil, false
	}
	i, j := named(olds, step), named(news, step)
	if i < 0 && j < 0 {
		index, err := strconv.Atoi(step)
		if err != nil || index < 0 || index >= len(olds) || len(olds) != len(news) {
			return nil, false
		}
		i, j = index, index
	}
	value, ok := inner(pick(olds, i), pick(news, j))
	if !ok {
		return nil, false
	}
	switch {
	case value == nil && i >= 0:
		olds = slices.Delete(olds, i, i+1)
	case i >= 0 && value != nil:
		olds[i] = value
	case value != nil:
		olds = slices.Insert(olds, follows(olds, news[:j]), value)
	}
	return rawjson.List(olds), true
}

// named is the position of the element that has the name; -1 when none, or more than one, has it.
func named(list []json.RawMessage, name string) int {
	at := -1
	for i, raw := range list {
		if text, ok := rawjson.Text(snapshot.Item{Raw: raw}.Field("name")); ok && text == name {
			if at >= 0 {
				return -1
			}
			at = i
		}
	}
	return at
}

func pick(list []json.RawMessage, i int) json.RawMessage {
	if i < 0 {
		return nil
	}
	return list[i]
}

// follows is the position in list behind the last of those that should come before.
func follows(list, before []json.RawMessage) int {
	for _, raw := range slices.Backward(before) {
		if i := named(list, snapshot.Item{Raw: raw}.Text("name")); i >= 0 {
			return i + 1
		}
	}
	return 0
}
