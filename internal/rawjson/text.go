package rawjson

import (
	"bytes"
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"
)

// canonicalString has the fewest and shortest escapes. Invalid UTF-8 becomes U+FFFD; the escape of a lone
// surrogate stays. A canonical string is itself, not a copy.
func canonicalString(quoted []byte) []byte {
	if plain(quoted) {
		return quoted
	}
	dst := append(make([]byte, 0, len(quoted)), '"')
	for rest := quoted[1 : len(quoted)-1]; len(rest) > 0; {
		r, size, lone := nextRune(rest)
		rest = rest[size:]
		if lone {
			dst = appendUnicodeEscape(dst, r)
			continue
		}
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

// plain tells whether a string is canonical as it is: no escape, and valid UTF-8.
func plain(quoted []byte) bool {
	return bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted)
}

// nextRune decodes the first character of a string's inside. lone tells that it is the escape of half a
// surrogate pair.
func nextRune(rest []byte) (r rune, size int, lone bool) {
	if rest[0] != '\\' {
		r, size = utf8.DecodeRune(rest)
		return r, size, false
	}
	if rest[1] != 'u' {
		return simpleEscape(rest[1]), 2, false
	}
	r = unicodeEscape(rest)
	if !utf16.IsSurrogate(r) {
		return r, 6, false
	}
	if len(rest) >= 12 && rest[6] == '\\' && rest[7] == 'u' {
		if pair := utf16.DecodeRune(r, unicodeEscape(rest[6:])); pair != utf8.RuneError {
			return pair, 12, false
		}
	}
	return r, 6, true
}

func unicodeEscape(escape []byte) (r rune) {
	for _, c := range escape[2:6] {
		r = r<<4 | rune(hexDigit(c))
	}
	return r
}

func simpleEscape(c byte) rune {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return rune(c)
}

func appendRune(dst []byte, r rune) []byte {
	switch r {
	case '"', '\\':
		return append(dst, '\\', byte(r))
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	if r < ' ' {
		return appendUnicodeEscape(dst, r)
	}
	return utf8.AppendRune(dst, r)
}

func appendUnicodeEscape(dst []byte, r rune) []byte {
	const hex = "0123456789abcdef"
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// Quote is the canonical JSON string of a text. Invalid UTF-8 becomes U+FFFD.
func Quote(s string) json.RawMessage {
	dst := append(make([]byte, 0, len(s)+2), '"')
	for _, r := range s {
		dst = appendRune(dst, r)
	}
	return append(dst, '"')
}

// Text is the text of a JSON string; false for a value of any other kind, and for what is no JSON.
func Text(raw json.RawMessage) (string, bool) {
	s := scanner{data: raw}
	var token []byte
	err := s.whole(func() (err error) {
		token, err = s.scalar()
		return err
	})
	if err != nil {
		return "", false
	}
	return text(token)
}

// text is the text of a JSON string; false for any other value. Halves of surrogate pairs and invalid UTF-8
// become U+FFFD.
func text(value []byte) (string, bool) {
	if len(value) < 2 || value[0] != '"' {
		return "", false
	}
	if plain(value) {
		return string(value[1 : len(value)-1]), true
	}
	dst := make([]byte, 0, len(value))
	for rest := value[1 : len(value)-1]; len(rest) > 0; {
		r, size, _ := nextRune(rest)
		rest = rest[size:]
		dst = utf8.AppendRune(dst, r) // half a pair becomes U+FFFD
	}
	return string(dst), true
}

// Encode is a value as JSON on one line, without the escapes for HTML; raw values stand as written, but for
// white space.
func Encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}

// Decode reads one JSON value, and no more, with numbers as json.Number; of equal keys the last one counts.
func Decode(raw json.RawMessage) (decoded any, err error) {
	s := scanner{data: raw}
	err = s.whole(func() error {
		decoded, err = s.decode()
		return err
	})
	if err != nil {
		return nil, err
	}
	return decoded, nil
}

func (s *scanner) decode() (any, error) {
	switch s.peek() {
	case '{':
		members := map[string]any{}
		return members, s.object(func(key []byte) error {
			value, err := s.decode()
			name, _ := text(key)
			members[name] = value
			return err
		})
	case '[':
		elements := []any{}
		err := s.array(func() error {
			value, err := s.decode()
			elements = added(elements, value)
			return err
		})
		return elements, err
	}
	token, err := s.scalar()
	if err != nil {
		return nil, err
	}
	switch token[0] {
	case '"':
		value, _ := text(token)
		return value, nil
	case 't', 'f':
		return token[0] == 't', nil
	case 'n':
		return nil, nil
	}
	return json.Number(token), nil
}

// Build is an object of these members in this order; the values stand in it as they are.
func Build(members ...Member) json.RawMessage {
	out := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, Quote(m.Key)...), ':'), m.Value...)
	}
	return append(out, '}')
}

// List is an array of these elements, which stand in it as they are.
func List(elements []json.RawMessage) json.RawMessage {
	out := []byte{'['}
	for i, element := range elements {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	return append(out, ']')
}
