package redact

import (
	"bytes"
	"encoding/json"
	"strings"
)

// JSON is raw with every secret inside of its strings replaced, keys included; found tells whether there was one. Without
// one it is raw itself, byte for byte. Numbers stay as they are.
func (s Secrets) JSON(raw []byte) (clean []byte, found bool) {
	plain := len(s.forms) > 0 && s.In(string(raw)) // without escapes
	if len(s.forms) == 0 || !plain && !bytes.ContainsRune(raw, '\\') {
		return raw, false
	}
	var out bytes.Buffer
	for rest := raw; len(rest) > 0; {
		start := bytes.IndexByte(rest, '"')
		if start < 0 {
			out.Write(rest)
			break
		}
		end := start + closing(rest[start:])
		out.Write(rest[:start])
		literal, hit := rest[start:end], false
		if plain || bytes.ContainsRune(literal, '\\') {
			literal, hit = s.literal(literal)
		}
		out.Write(literal)
		found, rest = found || hit, rest[end:]
	}
	if !found {
		return raw, false
	}
	return out.Bytes(), true
}

// closing is the length of the string literal at the beginning of text.
func closing(text []byte) int {
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(text)
}

// literal is a string literal of JSON without secrets.
func (s Secrets) literal(quoted []byte) ([]byte, bool) {
	var text string
	if json.Unmarshal(quoted, &text) != nil || !s.In(text) {
		return quoted, false
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(s.Text(text)) // cannot fail: it is a string
	return []byte(strings.TrimSuffix(out.String(), "\n")), true
}
