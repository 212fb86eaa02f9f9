// Package printable makes text from anywhere safe to print: no terminal or CI runner obeys it, and nothing
// goes unseen.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Text is text that can be printed: it has no line break and nothing that cannot be seen. Only Visible makes
// it, and pieces of it.
type Text string

// maxMarks is how many combining marks may sit on one character; natural languages need no more.
const maxMarks = 4

// Visible spells out what a terminal would obey or hide: \x1b, <U+202E>. A variation selector after a symbol
// is dropped.
func Visible(s string) Text {
	if ascii(s) {
		return Text(s)
	}
	var b strings.Builder
	before, marks := rune(0), 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		marks = countMarks(marks, r)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case chooses(before, r):
		case Hidden(r) || marks > maxMarks || marks == 1 && before == 0:
			b.WriteString(spell(r))
		default:
			b.WriteRune(r)
		}
		s, before = s[size:], r
	}
	return Text(b.String())
}

// ascii reports whether s has nothing but the visible characters of ASCII.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func countMarks(marks int, r rune) int {
	if unicode.IsMark(r) {
		return marks + 1
	}
	return 0
}

// Hidden reports whether a character has no look of its own, or changes the look of others.
func Hidden(r rune) bool {
	return !unicode.IsGraphic(r) || r == '\u2800' ||
		unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// chooses reports whether r picks the text or the emoji look of the symbol before it.
func chooses(before, r rune) bool {
	return (r == '\ufe0e' || r == '\ufe0f') &&
		(unicode.IsSymbol(before) || unicode.IsPunct(before) || unicode.IsDigit(before))
}

func spell(r rune) string {
	switch {
	case r == '\n':
		return `\n`
	case r == '\t':
		return `\t`
	case r == '\r':
		return `\r`
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// Message returns s with everything spelled out that a terminal or a CI runner would obey or hide,
// including line breaks.
func Message(s string) string { return SpelledOut.Without(string(Visible(s))) }

// Size returns a number of bytes for people: 512 bytes, 12 KB, 1.5 MB.
func Size(n int) string {
	const kilo = 1000
	switch {
	case n < kilo:
		return fmt.Sprintf("%d bytes", n)
	case n < 10*kilo:
		return fmt.Sprintf("%.1f KB", float64(n)/kilo)
	case n < kilo*kilo:
		return fmt.Sprintf("%d KB", n/kilo)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/kilo/kilo)
}

// bare are words that a shell takes as they are.
var bare = kit.Pattern(`^[A-Za-z0-9_@%+=:,./-]+$`)

// ShellWord returns a word as a shell takes it.
func ShellWord(word string) string {
	if bare().MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// A Spelling is how a format writes the last character of an order to a runner: GitHub's lines that begin
// with ::, or ##[ anywhere; Azure's ##[ or ##vso[. GitLab's need control characters, never printed.
type Spelling struct{ colon, bracket string }

var (
	SpelledOut = Spelling{`\x3a`, `\x5b`}   // for people, and in YAML's double quotes
	References = Spelling{"&#58;", "&#91;"} // in HTML and XML
)

// Guard returns w with every order to a runner spelled out, such as "::" as ":\x3a". Nothing is held back.
func Guard(w io.Writer, s Spelling) io.Writer { return newGuard(w, s) }

func newGuard(w io.Writer, s Spelling) *guard { return &guard{w: w, Spelling: s, begins: true} }

// guard knows the line so far.
type guard struct {
	mu sync.Mutex // several goroutines may write
	w  io.Writer
	Spelling
	begins bool   // nothing but white space, colours and perhaps one colon stand on the line
	colon  bool   // that one colon
	escape bool   // in a sequence that colours
	char   []byte // the bytes so far of a character that may be white space
	mark   mark
}

// Unwrap returns the stream itself, which may be a terminal.
func (g *guard) Unwrap() io.Writer { return g.w }

// Write passes p on with orders to runners spelled out.
func (g *guard) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]byte, 0, len(p))
	for _, c := range p {
		switch {
		case c == ':' && g.begins && g.colon:
			out = append(out, g.Spelling.colon...)
		case c == '[' && g.mark.armed():
			out = append(out, g.bracket...)
		default:
			out = append(out, c)
		}
		g.advance(c)
	}
	_, err := g.w.Write(out)
	return len(p), err
}

// mark is how much of "##vso" has just been read, in upper or lower case.
type mark int

func (m mark) next(c byte) mark {
	switch {
	case c == '#' && (m == 1 || m == 2):
		return 2
	case c == '#':
		return 1
	case m >= 2 && m < 5 && c|0x20 == "##vso"[m]:
		return m + 1
	}
	return 0
}

// armed reports whether a bracket makes an order of what was read.
func (m mark) armed() bool { return m == 2 || m == 5 }

func (g *guard) advance(c byte) {
	g.mark = g.mark.next(c)
	switch {
	case c == '\n' || c == '\r':
		g.begins, g.colon, g.escape, g.char = true, false, false, nil
	case g.escape:
		g.escape = c == '[' || c < '@'
	case c == '\x1b':
		g.escape = true
	case g.begins:
		g.begins = g.stillBegins(c)
	}
}

// stillBegins reports whether another byte at the beginning of a line leaves it there.
func (g *guard) stillBegins(c byte) bool {
	if c == ':' && !g.colon {
		g.colon = true
		return true
	}
	g.char = append(g.char, c)
	if !utf8.FullRune(g.char) {
		return !g.colon
	}
	r, _ := utf8.DecodeRune(g.char)
	g.char = nil
	return !g.colon && unicode.IsSpace(r)
}

// Without returns a text, from the beginning of a line, in which no runner finds an order.
func (s Spelling) Without(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	_, _ = newGuard(&b, s).Write([]byte(text)) // a Builder takes everything
	return b.String()
}

// Spaced returns JSON on one line, with a space after each comma and colon; other text stays as it is.
func Spaced(raw json.RawMessage) string { return laidOut(raw, layout{}) }

// Indented returns JSON over several lines, numbers and order as they came, everything invisible escaped.
func Indented(raw json.RawMessage) string { return laidOut(raw, layout{indent: "  "}) }

func laidOut(raw json.RawMessage, l layout) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return string(raw)
	}
	return string(l.append(nil, compact.Bytes(), 0))
}

// AppendIndented appends JSON without white space as Indented has it, where it lies so deep in another value.
func AppendIndented(dst []byte, compact json.RawMessage, depth int) []byte {
	return layout{indent: "  "}.append(dst, compact, depth)
}

// maxIndent is how deep values are spread over lines; what lies deeper stands on one line.
const maxIndent = 64

// layout spreads compact JSON over lines, or spaces it on one; invisible characters are \u escapes, invalid
// UTF-8 U+FFFD.
type layout struct{ indent string }

func (l layout) append(dst, raw []byte, depth int) []byte {
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

func (l layout) between(dst []byte, depth int) []byte {
	if l.indent == "" || depth > maxIndent {
		return append(dst, ' ')
	}
	return l.newLine(dst, depth)
}

// EscapedJSON returns JSON with \u escapes for what cannot be seen in strings, or what a terminal or
// runner obeys. Values stay.
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

// stringEnd returns the position after the closing quote of the string that starts at i.
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
