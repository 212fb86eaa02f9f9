package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// JCS is one JSON value by RFC 8785, the form that other programs sign and hash: as Canonical, but on one
// line, with numbers as ECMAScript writes them, so that 1.0 is 1, and keys in the order of their UTF-16. The
// error is about what has no such form: a key that is there twice, half a surrogate pair, invalid UTF-8, a
// number beyond those of ECMAScript.
func JCS(raw json.RawMessage) ([]byte, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not valid UTF-8")
	}
	v, err := parseValue(raw)
	if err != nil {
		return nil, err
	}
	return v.appendJCS(make([]byte, 0, len(raw)))
}

func (v value) appendJCS(dst []byte) (_ []byte, err error) {
	if v.open == 0 {
		return appendToken(dst, v.token)
	}
	if v.open == '{' && slices.ContainsFunc(v.members, ordersOtherwise) {
		slices.SortStableFunc(v.members,
			func(a, b member) int { return slices.Compare(units(a.key), units(b.key)) })
	}
	dst = append(dst, v.open)
	for i, m := range v.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		if m.key != nil {
			if i > 0 && bytes.Equal(m.key, v.members[i-1].key) {
				return nil, fmt.Errorf("the key %s is there twice", m.key)
			}
			if dst, err = appendToken(dst, m.key); err != nil {
				return nil, err
			}
			dst = append(dst, ':')
		}
		if dst, err = m.appendJCS(dst); err != nil {
			return nil, err
		}
	}
	return append(dst, v.open+2), nil
}

// ordersOtherwise tells whether a key may come elsewhere in the order of UTF-16: it has a character from
// U+E000 on.
func ordersOtherwise(m member) bool {
	return slices.ContainsFunc(m.key, func(c byte) bool { return c >= 0xEE })
}

func units(key []byte) []uint16 {
	s, _ := text(key)
	return utf16.Encode([]rune(s))
}

func appendToken(dst, token []byte) ([]byte, error) {
	switch {
	case token[0] == '"' && bytes.Contains(token, []byte(`\ud`)) && lonely(token):
		return nil, fmt.Errorf("the text %s has half a surrogate pair", token)
	case token[0] != '-' && (token[0] < '0' || token[0] > '9'):
		return append(dst, token...), nil
	}
	number, err := strconv.ParseFloat(string(token), 64)
	if err != nil {
		return nil, fmt.Errorf("the number %s is beyond those of ECMAScript", token)
	}
	if number == 0 {
		return append(dst, '0'), nil // of minus nought, too
	}
	written, err := json.Marshal(number) // as ECMAScript does, it says of itself
	return append(dst, written...), err
}

// lonely tells whether a canonical string has the escape of half a surrogate pair, which is none of a
// backslash before "ud".
func lonely(token []byte) bool {
	for i := 0; i+1 < len(token); i++ {
		if token[i] == '\\' {
			if i++; token[i] == 'u' && token[i+1] == 'd' {
				return true
			}
		}
	}
	return false
}
