package call

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// quote is a text as JSON.
func quote(text string) json.RawMessage {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string and a buffer cannot fail
	return bytes.TrimSpace(out.Bytes())
}

// object is an object of these members, whose values stand in it as they are.
func object(members ...rawjson.Member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, quote(m.Key)...), ':'), m.Value...)
	}
	return append(out, '}')
}

// Texts is an object of strings, sorted by name.
func Texts(values map[string]string) json.RawMessage {
	var members []rawjson.Member
	for _, name := range slices.Sorted(maps.Keys(values)) {
		members = append(members, rawjson.Member{Key: name, Value: quote(values[name])})
	}
	return object(members...)
}

// list is an array of these elements, as they are.
func list(elements []json.RawMessage) json.RawMessage {
	parts := make([][]byte, len(elements))
	for i, e := range elements {
		parts[i] = e
	}
	return slices.Concat([]byte{'['}, bytes.Join(parts, []byte{','}), []byte{']'})
}

// decode reads JSON with its numbers as they are written.
func decode(raw json.RawMessage) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	err := decoder.Decode(&value)
	return value, err
}

// fields are the members of an object by name, the last of those that repeat; none when raw is no object.
func fields(raw json.RawMessage) map[string]json.RawMessage {
	members, _ := rawjson.Members(raw)
	byName := make(map[string]json.RawMessage, len(members))
	for _, m := range members {
		byName[m.Key] = m.Value
	}
	return byName
}

// word is the text of a JSON string, empty for anything else.
func word(raw json.RawMessage) string {
	text, _ := rawjson.Text(raw)
	return text
}

// pointer is a JSON pointer of these names.
func pointer(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString(rawjson.Join("", name))
	}
	return b.String()
}

// typeOf names the type of a JSON value, with its article.
func typeOf(raw json.RawMessage) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return "missing"
	}
	names := map[byte]string{'{': "an object", '[': "an array", '"': "a string", 't': "a boolean", 'f': "a boolean", 'n': "null"}
	if name, ok := names[raw[0]]; ok {
		return name
	}
	return "a number"
}

// brief is a value for a message, cut when it is long.
func brief(value any) string {
	raw, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(raw) > 60 {
		return strings.ToValidUTF8(string(raw[:60]), "") + "…"
	}
	return string(raw)
}
