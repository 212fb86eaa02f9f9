package accept

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// at does an edit at a place inside two values. A step is the name of a member, the name of an element that has one, or
// an index in arrays of one length.
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
	var b bytes.Buffer
	for i, m := range members {
		name, err := json.Marshal(m.Key)
		if err != nil || bytes.ContainsRune(name, '\uFFFD') {
			return nil, false // a key that no text can say
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.Value)
	}
	return slices.Concat([]byte("{"), b.Bytes(), []byte("}")), true
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
	return array(olds), true
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
		name, _ := rawjson.Text(snapshot.Item{Raw: raw}.Field("name"))
		if i := named(list, name); i >= 0 {
			return i + 1
		}
	}
	return 0
}

func array(list []json.RawMessage) json.RawMessage {
	return slices.Concat([]byte("["), bytes.Join(rawBytes(list), []byte(",")), []byte("]"))
}

func rawBytes(list []json.RawMessage) [][]byte {
	parts := make([][]byte, len(list))
	for i, raw := range list {
		parts[i] = raw
	}
	return parts
}
