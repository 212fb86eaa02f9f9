package rawjson

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// indentedLevels is how many levels of a value get lines of their own in a file.
const indentedLevels = 64

// Canonical returns the canonical form of one JSON value, without white space: keys sorted (equal ones in
// their order), numbers as written, strings with the fewest escapes. Invalid UTF-8 becomes U+FFFD, the escape
// of half a surrogate pair stays. Values of the same form mean the same; numbers spelled differently differ.
//
// The error names the place by JSON pointer, also for more than 10,000 levels of nesting.
func Canonical(raw json.RawMessage) ([]byte, error) {
	return AppendIndented(make([]byte, 0, len(raw)), raw, indentedLevels)
}

// AppendIndented appends the canonical form with two spaces for each level, the value on the given one, and
// without a final newline. From the 64th level on a value stays on one line.
func AppendIndented(dst []byte, raw json.RawMessage, level int) ([]byte, error) {
	var v canonicalValue
	r := newReader(raw)
	err := r.whole(func() (err error) {
		v, err = r.value()
		return err
	})
	if err != nil {
		return nil, err
	}
	return v.append(dst, level), nil
}

// Equal reports whether two values have the same canonical form. What is not JSON equals nothing.
func Equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return jsontext.Value(a).IsValid(lenient...)
	}
	x, errX := Canonical(a)
	y, errY := Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// Digest returns a hash of the canonical form, or of the bytes of what is not JSON.
func Digest(seed maphash.Seed, raw json.RawMessage) uint64 { return maphash.Bytes(seed, Form(raw)) }

// Size returns the number of bytes of the canonical form, or of what is not JSON.
func Size(raw json.RawMessage) int { return len(Form(raw)) }

// Form returns the canonical form, or the bytes of what is not JSON.
func Form(raw json.RawMessage) json.RawMessage {
	form, err := Canonical(raw)
	if err != nil {
		return raw
	}
	return form
}

// canonicalValue is a parsed JSON canonicalValue, in canonical order.
type canonicalValue struct {
	token   []byte            // the text of a string, number, true, false or null
	open    byte              // '{' or '[', 0 for a token
	members []canonicalMember // those of an array have no key
}

type canonicalMember struct {
	key []byte // in quotes
	canonicalValue
}

func (r reader) value() (v canonicalValue, err error) {
	switch r.PeekKind() {
	case '{':
		v.open = '{'
		err = r.object(func(key []byte) error {
			inner, err := r.value()
			v.members = append(v.members, canonicalMember{canonicalString(key), inner})
			return err
		})
		slices.SortStableFunc(v.members, func(a, b canonicalMember) int { return compareKeys(a.key, b.key) })
	case '[':
		v.open = '['
		err = r.array(func(int) error {
			inner, err := r.value()
			v.members = append(v.members, canonicalMember{nil, inner})
			return err
		})
	default:
		if v.token, err = r.next(); err == nil && v.token[0] == '"' {
			v.token = canonicalString(v.token)
		}
	}
	v.members = slices.Clip(v.members)
	return v, err
}

// append writes the value at a level of indentation.
func (v canonicalValue) append(dst []byte, level int) []byte {
	if v.open == 0 {
		return append(dst, v.token...)
	}
	dst = append(dst, v.open)
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = breakLine(dst, level, level+1)
		if m.key != nil {
			dst = append(append(dst, m.key...), ':')
			if level < indentedLevels {
				dst = append(dst, ' ')
			}
		}
		dst = m.append(dst, level+1)
	}
	if len(v.members) > 0 {
		dst = breakLine(dst, level, level)
	}
	if v.open == '{' {
		return append(dst, '}')
	}
	return append(dst, ']')
}

// breakLine starts a new line with an indentation, unless level is too deep for it to help a reader.
func breakLine(dst []byte, level, indentation int) []byte {
	if level >= indentedLevels {
		return dst
	}
	return append(append(dst, '\n'), spaces[:2*indentation]...)
}

// spaces are the deepest indentation.
var spaces = strings.Repeat("  ", indentedLevels)

// compareKeys orders two canonical strings by their text, then by their spelling.
func compareKeys(a, b []byte) int {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Compare(a[:len(a)-1], b[:len(b)-1]) // without the closing quotes
	}
	if order := strings.Compare(Unquote(a), Unquote(b)); order != 0 {
		return order
	}
	return bytes.Compare(a, b)
}
