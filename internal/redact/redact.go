// Package redact hides known secrets in texts, and what looks like a secret in command lines and URLs.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Mask replaces what is not shown.
const Mask = "***"

// Elision marks where the rest of a text was left out.
const Elision = "…"

// Lengths in bytes from which a value, a line of it, and its base64 are looked for. Shorter ones would hide
// ordinary words and numbers.
const (
	Least       = 4
	leastLine   = 16
	leastBase64 = 6
)

// Secrets are values to hide. The zero value hides nothing; a value may be used by several goroutines.
type Secrets struct {
	forms []string // as texts have the values, each once, longest first
}

// Of returns the secrets with these values.
func Of(values ...string) Secrets { return Secrets{}.And(values...) }

// And returns the secrets of s and further ones.
func (s Secrets) And(values ...string) Secrets {
	all := slices.Clone(s.forms)
	for _, value := range values {
		all = append(all, forms(value)...)
	}
	all = slices.DeleteFunc(all, func(form string) bool { return len(form) < Least })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return Secrets{slices.Compact(all)}
}

// forms returns a value as it is, line by line, and as URLs and JSON write it. Base64 is decoded where it is
// found.
func forms(value string) []string {
	if len(value) < Least {
		return nil
	}
	all := escaped(value)
	if trimmed := strings.TrimSpace(value); trimmed != value {
		all = append(all, escaped(trimmed)...)
	}
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			line = strings.TrimSpace(line)
			if len(line) >= leastLine && !strings.HasPrefix(line, "-----") {
				all = append(all, escaped(line)...)
			}
		}
	}
	return all
}

// escaped returns a value as it is, as URLs write it, and as JSON and JSON inside of JSON write it.
func escaped(value string) []string {
	query := url.QueryEscape(value)
	all := []string{value, query, url.PathEscape(value), strings.ReplaceAll(query, "+", "%20")}
	for _, upper := range all[1:4] {
		all = append(all, lowerEscapes(upper))
	}
	for _, once := range jsonForms(value) {
		all = append(all, once, strings.ReplaceAll(once, "/", `\/`))
		all = append(all, jsonForms(once)...)
	}
	return all
}

// jsonForms returns a string as JSON encoders write it: plainly, with the characters of HTML escaped, and in
// ASCII alone.
func jsonForms(value string) []string {
	unquoted := func(quoted []byte) string { return string(quoted[1 : len(quoted)-1]) }
	plain, _ := rawjson.Encode(value) // cannot fail for a string
	safe, _ := json.Marshal(value)
	var ascii strings.Builder
	for _, r := range unquoted(plain) {
		switch {
		case r < 0x80:
			ascii.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&ascii, `\u%04x`, r)
		default:
			fmt.Fprintf(&ascii, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return []string{unquoted(plain), unquoted(safe), ascii.String()}
}

// lowerEscapes returns a text with its %XX in lower case.
func lowerEscapes(text string) string {
	out := []byte(text)
	for i := 0; i+2 < len(out); i++ {
		if out[i] == '%' {
			copy(out[i+1:], strings.ToLower(text[i+1:i+3]))
			i += 2
		}
	}
	return string(out)
}

// Text returns a text with every secret replaced by Mask, and what is left of one beside an Elision.
func (s Secrets) Text(text string) string {
	if len(s.forms) == 0 {
		return text
	}
	text = cover(text, append(s.spans(text, Least), s.base64Spans(text)...))
	pieces := strings.Split(text, Elision)
	for i := range pieces[:len(pieces)-1] {
		for _, form := range s.forms {
			pieces[i], pieces[i+1] = maskEnd(pieces[i], form), maskStart(pieces[i+1], form)
		}
	}
	return strings.Join(pieces, Elision)
}

// In reports whether a text holds a secret.
func (s Secrets) In(text string) bool {
	return slices.ContainsFunc(s.forms, func(form string) bool { return strings.Contains(text, form) }) ||
		len(s.forms) > 0 && len(s.base64Spans(text)) > 0
}

// Cut returns Text of a text that was cut out of a longer one: the part of a secret at an edge is replaced,
// too.
func (s Secrets) Cut(text string) string {
	text = s.Text(text)
	for _, form := range s.forms {
		text = maskEnd(maskStart(text, form), form)
	}
	return text
}

// maskStart replaces the longest end of form that text begins with.
func maskStart(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasPrefix(text, form[len(form)-n:]) {
			return Mask + text[n:]
		}
	}
	return text
}

// maskEnd replaces the longest beginning of form that text ends with.
func maskEnd(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasSuffix(text, form[:n]) {
			return text[:len(text)-n] + Mask
		}
	}
	return text
}

type byteRange struct{ start, end int }

// spans returns the places of all forms of at least so many bytes; they may overlap.
func (s Secrets) spans(text string, least int) (found []byteRange) {
	for _, form := range s.forms {
		if len(form) < least {
			break
		}
		for from := 0; ; {
			at := strings.Index(text[from:], form)
			if at < 0 {
				break
			}
			found = append(found, byteRange{from + at, from + at + len(form)})
			from += at + 1
		}
	}
	return found
}

// cover returns a text with its spans replaced by Mask; those that overlap are one.
func cover(text string, spans []byteRange) string {
	slices.SortFunc(spans, func(a, b byteRange) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	end := 0
	for _, s := range spans {
		if s.start >= end {
			out.WriteString(text[end:s.start] + Mask)
		}
		end = max(end, s.end)
	}
	return out.String() + text[end:]
}

// base64Spans returns the places of secrets in base64, wherever it begins and whether its lines are wrapped
// or not.
func (s Secrets) base64Spans(text string) (found []byteRange) {
	least := max(leastBase64, len(s.forms[len(s.forms)-1]))
	digits, places := make([]byte, 0, 256), make([]int, 0, 256) // of the digits in the text
	mixed := false                                              // more than small letters, unlike most words
	flush := func() {
		if mixed && len(digits)*3/4 >= least {
			for offset := range 4 {
				decoded, _ := base64.RawStdEncoding.AppendDecode(nil, wholeBytes(digits[offset:]))
				for _, inner := range s.spans(string(decoded), leastBase64) {
					from, to := offset+inner.start*8/6, min(offset+(inner.end*8+5)/6, len(places))
					end := places[to-1] + 1
					padding := len(text[end:]) - len(strings.TrimLeft(text[end:], "="))
					found = append(found, byteRange{places[from], end + padding})
				}
			}
		}
		digits, places, mixed = digits[:0], places[:0], false
	}
	for i := 0; i < len(text); {
		if d := base64Digit(text[i]); d != 0 {
			digits, places = append(digits, d), append(places, i)
			mixed = mixed || d < 'a' || d > 'z'
			i++
			continue
		}
		next := i
		if len(digits) > 0 {
			next = afterLineBreak(text, i)
		}
		if next == i {
			flush()
			next++
		}
		i = next
	}
	flush()
	return found
}

// wholeBytes returns base64 digits without a last one that completes no byte.
func wholeBytes(digits []byte) []byte {
	if len(digits)%4 == 1 {
		return digits[:len(digits)-1]
	}
	return digits
}

// base64Digit returns a digit of either alphabet in the standard one; 0 for other characters.
func base64Digit(c byte) byte {
	switch {
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '+', c == '/':
		return c
	}
	return 0
}

// afterLineBreak returns the offset after a line break, also as JSON writes it, and the indent of the next
// line; i without one.
func afterLineBreak(text string, i int) int {
	next := i
	for next < len(text) {
		switch {
		case text[next] == '\n' || text[next] == '\r':
			next++
		case strings.HasPrefix(text[next:], `\n`), strings.HasPrefix(text[next:], `\r`):
			next += 2
		case next > i && (text[next] == ' ' || text[next] == '\t'):
			next++
		default:
			return next
		}
	}
	return next
}

// JSON returns raw with every secret inside of its strings replaced, names of members included, and reports
// whether there was one. Without one it is raw itself, byte for byte. Numbers stay as they are.
func (s Secrets) JSON(raw []byte) (clean []byte, found bool) {
	plain := len(s.forms) > 0 && s.In(string(raw)) // without escapes
	if len(s.forms) == 0 || !plain && !bytes.ContainsRune(raw, '\\') {
		return raw, false
	}
	var out bytes.Buffer
	for rest := raw; len(rest) > 0; {
		start := max(bytes.IndexByte(rest, '"'), 0)
		end := start + literalLength(rest[start:])
		literal := rest[start:end]
		var text string
		mayHold := plain || bytes.ContainsRune(literal, '\\')
		if mayHold && json.Unmarshal(literal, &text) == nil && s.In(text) {
			literal, _ = rawjson.Encode(s.Text(text)) // cannot fail for a string
			found = true
		}
		out.Write(append(rest[:start:start], literal...))
		rest = rest[end:]
	}
	if !found {
		return raw, false
	}
	return out.Bytes(), true
}

// literalLength returns the length of the string literal at the beginning of text, or of text.
func literalLength(text []byte) int {
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

// Header returns the secrets in a header's value: the whole, the credential of "Bearer abc", the user and
// password of "Basic dXNlcjpwYXNz", and the values of cookies.
func Header(value string) []string {
	secrets := []string{value}
	scheme, credential, ok := strings.Cut(value, " ")
	if credential = strings.TrimSpace(credential); ok {
		secrets = append(secrets, credential)
	}
	if user, err := base64.StdEncoding.DecodeString(credential); err == nil &&
		strings.EqualFold(scheme, "Basic") {
		_, password, _ := strings.Cut(string(user), ":")
		secrets = append(secrets, string(user), password)
	}
	for _, cookie := range strings.Split(value, ";") {
		if _, value, ok := strings.Cut(cookie, "="); ok {
			secrets = append(secrets, strings.Trim(strings.TrimSpace(value), `"`))
		}
	}
	return secrets
}
