package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

func writeJSON(w io.Writer, r *Report, _ Options) error {
	raw, err := encode(r)
	if err != nil {
		return err
	}
	_, err = w.Write(append(layout{indent: "  "}.append(nil, raw), '\n'))
	return err
}

// encode is v as compact JSON in which raw values stand as they came.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// MarshalJSON gives every finding its fingerprint.
func (all Findings) MarshalJSON() ([]byte, error) {
	list := []judged{}
	for _, f := range all {
		list = append(list, judged{f, f.Fingerprint()})
	}
	return encode(list)
}

// maxIndent is how deep values are spread over lines; what lies deeper stands on one line.
const maxIndent = 64

// layout spreads compact JSON over lines, or with an empty indent over one line with spaces in it. Characters that
// cannot be seen are written as \u escapes, which changes no value; invalid UTF-8 becomes U+FFFD.
type layout struct{ indent string }

func (l layout) append(dst, raw []byte) []byte {
	depth := 0
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '"':
			end := stringEnd(raw, i)
			dst = appendEscaped(dst, raw[i:end])
			i = end - 1
		case '{', '[':
			dst = append(dst, c)
			if raw[i+1] == c+2 { // an empty object or array
				dst, i = append(dst, raw[i+1]), i+1
				continue
			}
			depth++
			dst = l.newLine(dst, depth)
		case '}', ']':
			depth--
			dst = append(l.newLine(dst, depth), c)
		case ',':
			dst = l.between(append(dst, c), depth)
		case ':':
			dst = append(dst, ": "...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func (l layout) newLine(dst []byte, depth int) []byte {
	if l.indent == "" || depth > maxIndent {
		return dst
	}
	return append(append(dst, '\n'), strings.Repeat(l.indent, depth)...)
}

// between is what follows a comma.
func (l layout) between(dst []byte, depth int) []byte {
	if l.indent == "" || depth > maxIndent {
		return append(dst, ' ')
	}
	return l.newLine(dst, depth)
}

// stringEnd is the position after the closing quote of the string that starts at i.
func stringEnd(raw []byte, i int) int {
	for i++; i < len(raw) && raw[i] != '"'; i++ {
		if raw[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(raw))
}

// appendEscaped copies a JSON string and escapes what cannot be seen.
func appendEscaped(dst, s []byte) []byte {
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		switch {
		case r >= ' ' && r <= '~':
			dst = append(dst, byte(r))
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case !hidden(r):
			dst = append(dst, s[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		s = s[size:]
	}
	return dst
}
