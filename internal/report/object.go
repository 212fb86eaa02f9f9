package report

import (
	"bytes"
	"encoding/json"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// object gives the members of a JSON object by name; of a name that occurs twice the last one counts.
type object map[string]json.RawMessage

// parse reads an object; anything else gives an empty one.
func parse(raw json.RawMessage) object {
	o := object{}
	for _, m := range members(raw) {
		o[m.Key] = m.Value
	}
	return o
}

// members are the members of an object in the order in which they were sent; none when raw is not an object.
func members(raw json.RawMessage) []rawjson.Member {
	all, err := rawjson.Members(raw)
	if err != nil {
		return nil
	}
	return all
}

// text is the member's value when that is a string, else empty.
func (o object) text(name string) string {
	s, _ := rawjson.Text(o[name])
	return s
}

// truth is the member's value when that is true or false; known tells whether it is.
func (o object) truth(name string) (value, known bool) {
	word := string(o[name])
	return word == "true", word == "true" || word == "false"
}

// array are the elements of a JSON array; none when raw is not an array.
func array(raw json.RawMessage) []json.RawMessage {
	all, err := rawjson.Elements(raw)
	if err != nil {
		return nil
	}
	return all
}

// words are the strings among the elements of a JSON array.
func words(raw json.RawMessage) []string {
	var all []string
	for _, element := range array(raw) {
		if s, ok := rawjson.Text(element); ok {
			all = append(all, s)
		}
	}
	return all
}

// compact is raw on one line, with a space after each comma and colon so that it can be read and wrapped.
// Nothing stays nothing.
func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return string(layout{}.append(nil, b.Bytes()))
}
