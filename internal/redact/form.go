package redact

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// leastEncoded is the length from which a value is looked for in encodings that change every character of it, and leastLine
// that from which a line of a value with several lines is a secret of its own.
const (
	leastEncoded = 6
	leastLine    = 16
)

// forms are the ways in which a value is written: as it is, line by line, and as URLs, JSON, HTML, shells and Go write it,
// in hexadecimal digits and base64.
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

// escaped are the forms in which ordinary characters stay as they are. JSON is written inside of JSON, too.
func escaped(value string) []string {
	all := []string{value, url.QueryEscape(value), url.PathEscape(value), percent(value), html.EscapeString(value)}
	all = append(all, strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&#x27;").Replace(value))
	for _, lower := range all[1:4] {
		all = append(all, lowerEscapes(lower))
	}
	for _, once := range jsonForms(value) {
		all = append(all, once, strings.ReplaceAll(once, "/", `\/`))
		all = append(all, jsonForms(once)...)
	}
	return append(all, inside(strconv.Quote(value)), inside(strconv.QuoteToASCII(value)), strings.ReplaceAll(value, "'", `'\''`))
}

// jsonForms are a string as encoders write it: with characters of HTML escaped as Go has it, plainly, and in ASCII alone.
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

// inside is what stands between quotes.
func inside(quoted string) string { return quoted[1 : len(quoted)-1] }

// percent escapes all that RFC 3986 does not call unreserved, as encodeURIComponent nearly does.
func percent(value string) string {
	return strings.ReplaceAll(url.QueryEscape(value), "+", "%20")
}

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
	all = append(all, base64.StdEncoding.EncodeToString([]byte(value)), base64.URLEncoding.EncodeToString([]byte(value)))
	for shift := range 3 {
		for _, alphabet := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			all = append(all, core(alphabet, value, shift))
		}
	}
	return all
}

// core is what base64 makes of a value that begins shift bytes behind a group of three, without the characters that depend
// on what stands before and after it.
func core(alphabet *base64.Encoding, value string, shift int) string {
	text := alphabet.EncodeToString([]byte(strings.Repeat("\x00", shift) + value))
	start := (shift*8 + 5) / 6
	end := (shift + len(value)) * 8 / 6
	if start >= end {
		return ""
	}
	return text[start:end]
}

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
	clean, _ := rawjson.Encode(s.Text(text)) // cannot fail: it is a string
	return clean, true
}
