package rawjson

import (
	"bytes"
	"encoding/json"
	"hash/maphash"
	"slices"
	"strings"
)

// indentedLevels is how many levels of a value get lines of their own in a file.
const indentedLevels = 64

// Canonical is the canonical form of one JSON value, without white space: keys sorted (equal ones in their
// order), numbers as written, strings with the fewest escapes. Invalid UTF-8 becomes U+FFFD, the escape of a
// lone surrogate stays. The same form means the same; numbers spelled differently differ.
//
// The error names the place by JSON pointer, also for more than 10,000 arrays and objects inside one another.
func Canonical(raw json.RawMessage) ([]byte, error) {
	return AppendIndented(make([]byte, 0, len(raw)), raw, indentedLevels)
}

// AppendIndented appends the canonical form with two spaces for each level, the value on the given one, and
// no final newline. From the 64th level on a value stays on one line.
func AppendIndented(dst []byte, raw json.RawMessage, level int) ([]byte, error) {
	v, err := parseValue(raw)
	if err != nil {
		return nil, err
	}
	return v.append(dst, level), nil
}

// Equal tells whether two values have the same canonical form. What is no JSON equals nothing.
func Equal(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return valid(a)
	}
	// most that are compared differ, and no form of them is written
	if Digest(equality, a) != Digest(equality, b) {
		return false
	}
	x, errX := Canonical(a)
	y, errY := Canonical(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

var equality = maphash.MakeSeed()

// valid tells whether a text is one JSON value.
func valid(raw []byte) bool {
	s := scanner{data: raw}
	return s.whole(s.skip) == nil
}

// Size is the number of bytes of one JSON value in canonical form, or as it stands when it has none.
func Size(raw json.RawMessage) int {
	canonical, err := Canonical(raw)
	if err != nil {
		return len(raw)
	}
	return len(canonical)
}

type value struct {
	token   []byte   // the text of a string, number, true, false or null
	open    byte     // '{' or '[', 0 for a token
	members []member // in canonical order; those of an array have no key
}

type member struct {
	key []byte // in quotes
	value
}

func parseValue(raw []byte) (v value, err error) {
	p := parser{scanner: scanner{data: raw}}
	err = p.whole(func() error {
		v, err = p.value()
		return err
	})
	return v, err
}

// parser reads values. Members wait together until their object or array ends, so that each takes the memory
// that it needs.
type parser struct {
	scanner
	members []member
}

func (p *parser) value() (value, error) {
	start := len(p.members)
	switch p.peek() {
	case '{':
		err := p.object(func(key []byte) error { return p.member(canonicalString(key)) })
		v := p.end('{', start)
		slices.SortStableFunc(v.members, func(a, b member) int { return compareKeys(a.key, b.key) })
		return v, err
	case '[':
		err := p.array(func() error { return p.member(nil) })
		return p.end('[', start), err
	}
	token, err := p.scalar()
	if err == nil && token[0] == '"' {
		token = canonicalString(token)
	}
	return value{token: token}, err
}

func (p *parser) member(key []byte) error {
	v, err := p.value()
	p.members = added(p.members, member{key, v})
	return err
}

// manyMembers are not copied when they are most of those that wait: what is before them moves instead.
const manyMembers = 1024

// end is the object or array whose members begin at an index.
func (p *parser) end(open byte, start int) value {
	before, own := p.members[:start], p.members[start:]
	if len(own) >= max(start, manyMembers) {
		p.members = slices.Clip(before)
		return value{open: open, members: slices.Clip(own)}
	}
	p.members = before
	return value{open: open, members: slices.Clone(own)}
}

// append writes the value at a level of indentation; at indentedLevels and beyond it takes no white space at
// all.
func (v value) append(dst []byte, level int) []byte {
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
			dst = appendKey(dst, m.key, level)
		}
		dst = m.append(dst, level+1)
	}
	if len(v.members) > 0 {
		dst = breakLine(dst, level, level)
	}
	return append(dst, v.open+2) // '{' + 2 = '}' and '[' + 2 = ']'
}

func appendKey(dst, key []byte, level int) []byte {
	dst = append(append(dst, key...), ':')
	if level < indentedLevels {
		dst = append(dst, ' ')
	}
	return dst
}

// breakLine starts a new line with an indentation, unless level is too deep for it to help a reader.
func breakLine(dst []byte, level, indentation int) []byte {
	if level >= indentedLevels {
		return dst
	}
	dst = append(dst, '\n')
	for range indentation {
		dst = append(dst, ' ', ' ')
	}
	return dst
}

// compareKeys orders two canonical strings by their text, then by their spelling.
func compareKeys(a, b []byte) int {
	if bytes.IndexByte(a, '\\') < 0 && bytes.IndexByte(b, '\\') < 0 {
		return bytes.Compare(a[:len(a)-1], b[:len(b)-1]) // a closing quote is no part of the text
	}
	x, _ := text(a)
	y, _ := text(b)
	if order := strings.Compare(x, y); order != 0 {
		return order
	}
	return bytes.Compare(a, b)
}
