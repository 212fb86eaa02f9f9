// Package redact hides known secrets in texts, in whichever of the usual ways they were written there, and
// nothing else.
package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Mask stands for what is not shown.
const Mask = "***"

// Least is the length below which a value is not looked for, in bytes: it would hide ordinary words and
// numbers.
const Least = 4

// Secrets are values to hide. The zero value hides nothing; a value may be used by several goroutines.
type Secrets struct {
	forms   []string // each once, longest first
	doubled []string // forms in a second encoding, which the finder alone looks for
	finder  *finder  // nil = nothing is hidden
}

// Of are the secrets with these values.
func Of(values ...string) Secrets { return Secrets{}.And(values...) }

// And are the secrets of s and further ones.
func (s Secrets) And(values ...string) Secrets {
	all, doubled := slices.Clone(s.forms), slices.Clone(s.doubled)
	for _, value := range values {
		once := forms(value)
		all = append(all, once...)
		if len(value) >= leastFolded {
			doubled = append(doubled, twice(once)...)
		}
	}
	all = slices.DeleteFunc(all, func(form string) bool { return len(form) < Least })
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	if all = slices.Compact(all); len(all) == 0 {
		return Secrets{}
	}
	doubled = slices.Compact(slices.Sorted(slices.Values(doubled)))
	return Secrets{all, doubled, newFinder(slices.Concat(all, doubled))}
}

// Elision is what stands in a text where the rest of something was left out.
const Elision = "…"

// Text is text with every secret in it replaced by Mask, and what is left of one beside an Elision. Longer
// secrets are also found where lines were wrapped, in another case of letters, and in base64, once more
// encoded or not.
func (s Secrets) Text(text string) string {
	if s.finder == nil {
		return text
	}
	for _, form := range s.forms {
		text = strings.ReplaceAll(text, form, Mask)
	}
	text = cover(text, s.finder.spans(text, false))
	text = cover(text, s.finder.encodedSpans(text, nested, false))
	pieces := strings.Split(text, Elision)
	for i := range pieces[:len(pieces)-1] {
		for _, form := range s.forms {
			pieces[i], pieces[i+1] = end(pieces[i], form), start(pieces[i+1], form)
		}
	}
	return strings.Join(pieces, Elision)
}

// cover is text with pieces of it replaced by Mask.
func cover(text string, spans []span) string {
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
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

// In tells whether a text holds a secret.
func (s Secrets) In(text string) bool {
	return s.finder != nil && (slices.ContainsFunc(s.forms,
		func(form string) bool { return strings.Contains(text, form) }) ||
		len(s.finder.spans(text, true)) > 0 || len(s.finder.encodedSpans(text, nested, true)) > 0)
}

// Cut is Text for a text that was cut out of a longer one: the part of a secret that was left at an edge is
// replaced, too.
func (s Secrets) Cut(text string) string {
	text = s.Text(text)
	for _, form := range s.forms {
		text = end(start(text, form), form)
	}
	return text
}

// start replaces the longest end of form that text begins with.
func start(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasPrefix(text, form[len(form)-n:]) {
			return Mask + text[n:]
		}
	}
	return text
}

// end replaces the longest beginning of form that text ends with.
func end(text, form string) string {
	for n := min(len(form)-1, len(text)); n >= Least; n-- {
		if strings.HasSuffix(text, form[:n]) {
			return text[:len(text)-n] + Mask
		}
	}
	return text
}

// Header are the secrets in a header's value: the whole, the credential of "Bearer abc", the user and
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

// URL are the secrets in a URL: its user info in three forms, and query values. What is no URL is one as a
// whole.
func URL(raw string) []string {
	address, err := url.Parse(raw)
	if err != nil {
		return []string{raw}
	}
	var secrets []string
	if user := address.User; user != nil {
		password, _ := user.Password()
		written, _, _ := strings.Cut(raw, "@")
		_, written, _ = strings.Cut(written, "//")
		_, writtenPassword, _ := strings.Cut(written, ":")
		secrets = append(secrets, written, writtenPassword, user.String(), user.Username(), password,
			user.Username()+":"+password)
	}
	for _, pair := range strings.Split(address.RawQuery, "&") {
		_, value, _ := strings.Cut(pair, "=")
		secrets = append(secrets, value)
	}
	for _, values := range address.Query() {
		secrets = append(secrets, values...)
	}
	return append(secrets, address.Fragment)
}

// leastEncoded is from which length encodings are looked for, leastLine from which a line of a value is a
// secret of its own.
const (
	leastEncoded = 6
	leastLine    = 16
)

// forms are a value as it is, line by line, as URLs, JSON, HTML, shells and Go write it, in hexadecimal and
// base64.
func forms(value string) []string {
	if len(value) < Least {
		return nil
	}
	all := append(escaped(value), strings.TrimSpace(value))
	if strings.Contains(value, "\n") {
		for line := range strings.Lines(value) {
			line = strings.TrimSpace(line)
			if len(line) >= leastLine && !strings.HasPrefix(line, "-----") {
				all = append(all, escaped(line)...)
			}
		}
	}
	if len(value) >= leastEncoded {
		all = append(all, encoded(value)...)
	}
	return all
}

// twice are forms in a second encoding, but for base64, which is decoded where it is found.
func twice(once []string) (all []string) {
	for _, form := range slices.Compact(slices.Sorted(slices.Values(once))) {
		all = append(all, hex.EncodeToString([]byte(form)))
		if strings.ContainsAny(form, `%&\"'<>+/=`) {
			all = append(all, escaped(form)...)
		}
	}
	return all
}

// escaped are forms that keep ordinary characters: a URL's in three ways (as encodeURIComponent), JSON inside
// of JSON, too.
func escaped(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value),
		strings.ReplaceAll(url.QueryEscape(value), "+", "%20"), html.EscapeString(value)}
	all = append(all, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'",
		"&#x27;").Replace(value))
	for _, lower := range all[1:4] {
		all = append(all, lowerEscapes(lower))
	}
	for _, once := range jsonForms(value) {
		all = append(all, once, strings.ReplaceAll(once, "/", `\/`))
		all = append(all, jsonForms(once)...)
	}
	return append(all, inside(strconv.Quote(value)), inside(strconv.QuoteToASCII(value)),
		strings.ReplaceAll(value, "'", `'\''`))
}

// jsonForms are a string as encoders write it: with characters of HTML escaped as Go has it, plainly, and in
// ASCII alone.
func jsonForms(value string) []string {
	plain, _ := rawjson.Encode(value) // cannot fail: it is a string
	raw := inside(string(plain))
	safe, _ := json.Marshal(value)
	return []string{raw, inside(string(safe)), ascii(raw)}
}

// ascii writes every other character of a JSON string as \uXXXX.
func ascii(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r < 0x80:
			out.WriteRune(r)
		case r < 0x10000:
			fmt.Fprintf(&out, `\u%04x`, r)
		default:
			fmt.Fprintf(&out, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		}
	}
	return out.String()
}

func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// lowerEscapes is a text with its %XX in lower case.
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

// encoded are the forms that have no character in common with the value.
func encoded(value string) []string {
	digits := hex.EncodeToString([]byte(value))
	all := []string{digits, strings.ToUpper(digits)}
	all = append(all, base64.StdEncoding.EncodeToString([]byte(value)),
		base64.URLEncoding.EncodeToString([]byte(value)))
	for shift := range 3 {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, core(alphabet, value, shift))
		}
	}
	return all
}

// core is the base64 of a value that begins shift bytes into a group of three, without what depends on its
// surroundings.
func core(alphabet *base64.Encoding, value string, shift int) string {
	text := alphabet.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	start := (shift*8 + 5) / 6
	end := (shift + len(value)) * 8 / 6
	if start >= end {
		return ""
	}
	return text[start:end]
}

// JSON is raw with every secret inside of its strings replaced, keys included; found tells whether there was
// one. Without one it is raw itself, byte for byte. Numbers stay as they are.
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
	clean, _ := rawjson.Encode(s.Text(text)) // cannot fail: it is a string
	return clean, true
}
