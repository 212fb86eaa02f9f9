package rawjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Member is one member of a JSON object, or one element of an array.
type Member struct {
	// unescaped; halves of surrogate pairs and invalid UTF-8 are U+FFFD. The index of an element
	Key   string
	Value json.RawMessage // as written
	// where Value begins in the text that was read; without meaning in a member that is to be written
	At int
}

// Members returns an object's members in their order, repeated keys included, sharing raw's memory. Another
// kind of value wraps ErrNotObject; the members before a syntax error are returned with it.
func Members(raw json.RawMessage) (members []Member, err error) {
	r := newReader(raw)
	err = r.members(func(key, value []byte) {
		members = append(members, Member{Unquote(key), value, int(r.InputOffset()) - len(value)})
	})
	return members, err
}

func (r reader) members(member func(key, value []byte)) error {
	return r.whole(func() error {
		return r.object(func(key []byte) error {
			value, err := r.next()
			if err == nil {
				member(key, value)
			}
			return err
		})
	})
}

// MemberReader reads many objects with less work than Members.
type MemberReader struct {
	decoder *jsontext.Decoder
	buffer  bytes.Buffer
}

// Read calls member with the members of an object, like Members: the key in quotes, and the value as written.
func (m *MemberReader) Read(raw json.RawMessage, member func(key, value []byte)) error {
	if m.decoder == nil {
		m.decoder = new(jsontext.Decoder)
	}
	m.buffer = *bytes.NewBuffer(raw)
	m.decoder.Reset(&m.buffer, lenient...)
	return reader{m.decoder, raw}.members(member)
}

// Field returns the value of the last member with the key; nil when there is none. The error is that of
// Members.
func Field(raw json.RawMessage, key string) (json.RawMessage, error) {
	members, err := Members(raw)
	return Last(members, key), err
}

// Elements returns the elements of a JSON array, sharing raw's memory. A value of another kind wraps
// ErrNotArray.
func Elements(raw json.RawMessage) ([]json.RawMessage, error) {
	elements := []json.RawMessage{}
	r := newReader(raw)
	err := r.whole(func() error {
		return r.array(func(int) error {
			value, err := r.next()
			elements = append(elements, value)
			return err
		})
	})
	return elements, err
}

// Children returns the members of an object or the elements of an array, up to a syntax error; none for other
// values.
func Children(raw json.RawMessage) []Member {
	r := newReader(raw)
	if r.PeekKind() != '[' {
		members, _ := Members(raw)
		return members
	}
	var children []Member
	_ = r.array(func(i int) error { // what stands before an error counts
		value, err := r.next()
		if err == nil {
			children = append(children, Member{strconv.Itoa(i), value, int(r.InputOffset()) - len(value)})
		}
		return err
	})
	return children
}

// Texts returns the strings among the elements of a JSON array; none for other values.
func Texts(raw json.RawMessage) []string {
	elements, _ := Elements(raw)
	var texts []string
	for _, element := range elements {
		if element != nil && element[0] == '"' {
			texts = append(texts, Unquote(element))
		}
	}
	return texts
}

// Strings calls found for every string inside a value and for every name of a member, up to a syntax error.
// steps lead to the string or to the member; they are valid during the call.
func Strings(raw json.RawMessage, found func(steps []string, text string, isName bool)) {
	r := newReader(raw)
	var walk func(steps []string) error
	walk = func(steps []string) error {
		switch r.PeekKind() {
		case '{':
			return r.object(func(key []byte) error {
				name := Unquote(key)
				inner := append(steps, name)
				found(inner, name, true)
				return walk(inner)
			})
		case '[':
			return r.array(func(i int) error { return walk(append(steps, strconv.Itoa(i))) })
		}
		value, err := r.next()
		if err == nil && value[0] == '"' {
			found(steps, Unquote(value), false)
		}
		return err
	}
	_ = walk(nil) // what stands before a syntax error counts
}

// Repeated returns the JSON pointers of the members that an object inside a value has more than once.
func Repeated(raw json.RawMessage) []string {
	r := newReader(raw)
	var found []string
	var walk func(steps []string) error
	walk = func(steps []string) error {
		switch r.PeekKind() {
		case '{':
			seen := map[string]int{}
			return r.object(func(key []byte) error {
				inner := append(steps, Unquote(key))
				if seen[inner[len(steps)]]++; seen[inner[len(steps)]] == 2 {
					found = append(found, Join("", inner...))
				}
				return walk(inner)
			})
		case '[':
			return r.array(func(i int) error { return walk(append(steps, strconv.Itoa(i))) })
		}
		return r.SkipValue()
	}
	_ = walk(nil) // what stands before a syntax error counts
	return found
}

// Last returns the value of the last member with the key, as most readers of JSON take it; nil when there is
// none.
func Last(members []Member, key string) json.RawMessage {
	for i := len(members) - 1; i >= 0; i-- {
		if members[i].Key == key {
			return members[i].Value
		}
	}
	return nil
}

// Object is the members of a JSON object by key; of a repeated key the last one.
type Object map[string]json.RawMessage

// ObjectOf reads an object; a value of any other kind has no members.
func ObjectOf(raw json.RawMessage) Object {
	if TypeName(raw) != "an object" {
		return Object{} // without the cost of an error
	}
	o, _, err := ReadObject(raw)
	if err != nil {
		return Object{}
	}
	return o
}

// ReadObject reads an object and its repeated keys. The error follows the name of what is read: "is an array,
// not an object".
func ReadObject(raw json.RawMessage) (o Object, repeated []string, err error) {
	if kind := TypeName(raw); kind != "an object" {
		return nil, nil, fmt.Errorf("is %s, not an object", kind)
	}
	members, err := Members(raw)
	if err != nil {
		return nil, nil, fmt.Errorf("cannot be read: %w", err)
	}
	o = make(Object, len(members))
	for _, m := range members {
		if _, there := o[m.Key]; there {
			repeated = append(repeated, m.Key)
		}
		o[m.Key] = m.Value
	}
	return o, repeated, nil
}

// Present returns a member; nil when it is absent or null.
func (o Object) Present(key string) json.RawMessage {
	if value := o[key]; string(value) != "null" {
		return value
	}
	return nil
}

// Text returns a member that is a string; empty when it is absent or of another kind.
func (o Object) Text(key string) string {
	t, _ := Text(o[key])
	return t
}

// Bool returns a member that is true or false; known reports whether it is.
func (o Object) Bool(key string) (value, known bool) {
	word := string(o[key])
	return word == "true", word == "true" || word == "false"
}

// TypeName names the type of a JSON value with its article, such as "an array", to follow "is"; "missing" for
// no value.
func TypeName(raw json.RawMessage) string {
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

// Join returns a JSON pointer (RFC 6901) with further steps at its end: keys of objects as they are, or
// indexes of arrays.
func Join(pointer string, steps ...string) string {
	for _, step := range steps {
		pointer += "/" + strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
	}
	return pointer
}

// Split returns the steps of a JSON pointer, unescaped; none for the whole value, and for other text.
func Split(pointer string) []string {
	if !strings.HasPrefix(pointer, "/") {
		return nil
	}
	steps := strings.Split(pointer[1:], "/")
	for i, step := range steps {
		steps[i] = strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	}
	return steps
}

// Properties returns the names of the properties that a place in a JSON Schema is in, the outermost first;
// nil for none.
func Properties(steps []string) (names []string) {
	for i := 0; i+1 < len(steps); i++ {
		if steps[i] == "properties" {
			i++
			names = append(names, steps[i])
		}
	}
	return names
}

// Step returns one step into a decoded value: a member, or an element by its index (RFC 6901: no sign, no
// leading zeros).
func Step(value any, step string) (any, bool) {
	switch v := value.(type) {
	case map[string]any:
		inner, ok := v[step]
		return inner, ok
	case []any:
		i, err := strconv.Atoi(step)
		if err != nil || i < 0 || i >= len(v) || strconv.Itoa(i) != step {
			return nil, false
		}
		return v[i], true
	}
	return nil, false
}

// At returns what a JSON pointer leads to in a decoded value.
func At(value any, pointer string) (any, bool) {
	ok := true
	for _, step := range Split(pointer) {
		if value, ok = Step(value, step); !ok {
			return nil, false
		}
	}
	return value, true
}

// A Part of a value is as written, and cut into its own parts once one of them is asked for: for many
// questions about one value.
type Part struct {
	Raw   json.RawMessage
	parts map[string]*Part
	cut   sync.Once
}

// At returns the part that a JSON pointer leads to, as Find does. Each step reads all that is behind it, so
// the depth is bounded.
func (p *Part) At(pointer string) json.RawMessage {
	const deepest = 64
	steps := Split(pointer)
	if len(steps) > deepest {
		return nil
	}
	for _, step := range steps {
		p.cut.Do(func() {
			p.parts = map[string]*Part{}
			for _, m := range Children(p.Raw) {
				p.parts[m.Key] = &Part{Raw: m.Value}
			}
		})
		if p = p.parts[step]; p == nil {
			return nil
		}
	}
	return p.Raw
}

// Find returns the value that a JSON pointer leads to, as written, of a repeated member the last one; nil
// when there is none, and for one very deep inside.
func Find(raw json.RawMessage, pointer string) json.RawMessage { return (&Part{Raw: raw}).At(pointer) }

// MembersIn returns the members of an object; none of an array.
func MembersIn(raw json.RawMessage) []Member {
	if TypeName(raw) != "an object" {
		return nil
	}
	return Children(raw)
}
