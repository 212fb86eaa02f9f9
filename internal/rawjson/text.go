package rawjson

import (
	"bytes"
	"encoding/json"
	"regexp"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// canonicalString returns a string with the fewest and shortest escapes. Invalid UTF-8 becomes U+FFFD; the
// escape of half a surrogate pair stays.
func canonicalString(quoted []byte) []byte {
	if bytes.IndexByte(quoted, '\\') < 0 && utf8.Valid(quoted) {
		return quoted
	}
	if !bytes.Contains(quoted, []byte(`\ud`)) && !bytes.Contains(quoted, []byte(`\uD`)) { // no surrogates
		return Quote(Unquote(quoted))
	}
	dst, from := []byte{'"'}, 1
	for _, escape := range surrogates.FindAllSubmatchIndex(quoted, -1) {
		if half := escape[2]; half >= 0 { // else a pair, or another escape
			dst = appendUnescaped(dst, quoted[from:half])
			from = escape[3]
			dst = append(dst, bytes.ToLower(quoted[half:from])...)
		}
	}
	return append(appendUnescaped(dst, quoted[from:len(quoted)-1]), '"')
}

// surrogates finds escapes, and as a group those of half a surrogate pair.
var surrogates = regexp.MustCompile(
	`(?i)\\u(?:d[89ab]..\\ud[c-f]..|[0-9a-ce-f]...|d[0-7]..)|(\\ud[89a-f]..)|\\[^u]`)

// appendUnescaped appends the inside of a string without the escapes that it does not need.
func appendUnescaped(dst, inside []byte) []byte {
	quoted := Quote(Unquote(append(append([]byte{'"'}, inside...), '"')))
	return append(dst, quoted[1:len(quoted)-1]...)
}

// Unquote returns the text of a JSON string. Halves of surrogate pairs and invalid UTF-8 become U+FFFD.
func Unquote(quoted []byte) string {
	text, _ := jsontext.AppendUnquote(nil, quoted) // the error is about what became U+FFFD
	return string(text)
}

// Quote returns the canonical JSON string of a text. Invalid UTF-8 becomes U+FFFD.
func Quote(s string) json.RawMessage {
	quoted, _ := jsontext.AppendQuote(make([]byte, 0, len(s)+2), s) // the error is about what became U+FFFD
	return quoted
}

// Text returns the text of a JSON string; false for a value of any other kind, and for what is not JSON.
func Text(raw json.RawMessage) (string, bool) {
	raw = bytes.Trim(raw, " \t\r\n")
	if len(raw) == 0 || raw[0] != '"' || !jsontext.Value(raw).IsValid(lenient...) {
		return "", false
	}
	return Unquote(raw), true
}

// Encode returns a value as JSON on one line, without the escapes for HTML; raw values stay as written, but
// for white space.
func Encode(value any) (json.RawMessage, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte{'\n'}), nil
}

// Decode returns the decoded form of one JSON value, with numbers as json.Number; of equal keys the last one
// counts.
func Decode(raw json.RawMessage) (decoded any, err error) {
	r := newReader(raw)
	err = r.whole(func() error {
		decoded, err = r.decoded()
		return err
	})
	return decoded, err
}

func (r reader) decoded() (any, error) {
	switch r.PeekKind() {
	case '{':
		members := map[string]any{}
		return members, r.object(func(key []byte) error {
			name := Unquote(key)
			value, err := r.decoded()
			members[name] = value
			return err
		})
	case '[':
		elements := []any{}
		err := r.array(func(int) error {
			value, err := r.decoded()
			elements = append(elements, value)
			return err
		})
		return elements, err
	}
	value, err := r.next()
	switch {
	case err != nil:
		return nil, err
	case value[0] == '"':
		return Unquote(value), nil
	case value[0] == 't' || value[0] == 'f':
		return value[0] == 't', nil
	case value[0] == 'n':
		return nil, nil
	}
	return json.Number(value), nil
}

// Build returns an object of these members in this order; their values stay as they are.
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

// List returns an array of these elements, which stay as they are.
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
