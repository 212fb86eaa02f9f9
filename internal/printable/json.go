package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Spaced is JSON on one line, with a space after each comma and colon so that it can be read and wrapped. Nothing stays
// nothing, and what is no JSON stays as it is.
func Spaced(raw json.RawMessage) string { return laidOut(raw, layout{}) }

// Indented is JSON over several lines, with its numbers and the order of its members as they came, and everything
// invisible in it escaped.
func Indented(raw json.RawMessage) string { return laidOut(raw, layout{indent: "  "}) }

func laidOut(raw json.RawMessage, l layout) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return string(l.append(nil, compact.Bytes()))
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

// EscapedJSON is JSON of a server as it was sent, but for characters in its strings that cannot be seen, or that a terminal or a
// runner of CI would obey: they are \u escapes, which changes no value.
func EscapedJSON(raw []byte) []byte {
	dst := make([]byte, 0, len(raw)+1)
	for i := 0; i < len(raw); i++ {
		if raw[i] != '"' {
			dst = append(dst, raw[i])
			continue
		}
		end := stringEnd(raw, i)
		dst, i = appendEscaped(dst, raw[i:end]), end-1
	}
	return append(dst, '\n')
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

// appendEscaped copies a JSON string and escapes what cannot be seen, and what makes a runner obey.
func appendEscaped(dst, s []byte) []byte {
	var order mark
	for len(s) > 0 {
		r, size := utf8.DecodeRune(s)
		switch {
		case r == '[' && order.armed():
			dst = append(dst, `\u005b`...)
		case r >= ' ' && r <= '~':
			dst = append(dst, byte(r))
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case !Hidden(r):
			dst = append(dst, s[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		order, s = order.next(s[0]), s[size:]
	}
	return dst
}
