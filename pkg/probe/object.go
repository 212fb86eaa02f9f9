package probe

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// object is a JSON object with its members as they were sent, by exact name.
type object struct {
	members  map[string]json.RawMessage // of a repeated member the last one
	repeated []string                   // names that stand there more than once
}

// readObject splits raw without changing a byte of any member. The error is to follow the name of what is read.
func readObject(raw json.RawMessage) (object, error) {
	if kind := jsonType(raw); kind != "an object" {
		return object{}, fmt.Errorf("is %s, not an object", kind)
	}
	members, err := rawjson.Members(raw)
	if err != nil {
		return object{}, fmt.Errorf("cannot be read: %w", err)
	}
	o := object{members: make(map[string]json.RawMessage, len(members))}
	for _, member := range members {
		if _, there := o.members[member.Key]; there {
			o.repeated = append(o.repeated, member.Key)
		}
		o.members[member.Key] = member.Value
	}
	return o, nil
}

// present is the member, nil when it is absent or null.
func (o object) present(name string) json.RawMessage {
	if value := o.members[name]; string(value) != "null" {
		return value
	}
	return nil
}

// texts are the strings in the array that raw is; other elements are left out.
func texts(raw json.RawMessage) []string {
	elements, _ := rawjson.Elements(raw)
	var all []string
	for _, element := range elements {
		if text, ok := rawjson.Text(element); ok {
			all = append(all, text)
		}
	}
	return all
}

// jsonType names what raw is, with its article, to follow "is".
func jsonType(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "missing"
	}
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}
