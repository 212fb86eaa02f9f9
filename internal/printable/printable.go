// Package printable makes text from anywhere safe to print: no terminal or CI runner obeys it, and nothing
// goes unseen.
package printable

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
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
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' }) {
		return Text(s)
	}
	var b strings.Builder
	before, marks := rune(0), 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		if marks++; !unicode.IsMark(r) {
			marks = 0
		}
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
	case r == '\n' || r == '\t' || r == '\r':
		return strings.Trim(strconv.QuoteRune(r), "'")
	case r < ' ' || r == 0x7f:
		return fmt.Sprintf(`\x%02x`, r)
	}
	return fmt.Sprintf("<U+%04X>", r)
}

// ASCII spells out every character of a host that is not ASCII, and that may look like one that is:
// g<U+0456>thub.com.
func ASCII(host string) string {
	var out strings.Builder
	for _, r := range host {
		if r < utf8.RuneSelf {
			out.WriteRune(r)
		} else {
			out.WriteString(spell(r))
		}
	}
	return out.String()
}

// Message returns s with everything spelled out that a terminal or a CI runner would obey or hide,
// including line breaks.
func Message(s string) string { return SpelledOut.Without(string(Visible(s))) }

// OneLine returns JSON on one line, with spaces so that it can be read, for messages outside a report.
func OneLine(raw json.RawMessage) string { return Message(Spaced(raw)) }

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

// ShellWord returns a word as a shell takes it. Control characters, and bytes that are not UTF-8, are
// numbers: "c:\temp" in JSON has a tab, and \t would look as if it were right.
func ShellWord(word string) string {
	switch {
	case bare().MatchString(word):
		return word
	case utf8.ValidString(word) && !strings.ContainsFunc(word, unicode.IsControl):
		return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	var quoted strings.Builder
	for rest := word; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch invalid := r == utf8.RuneError && size == 1; {
		case r == '\\' || r == '\'':
			quoted.WriteString(`\` + rest[:size])
		case invalid || unicode.IsControl(r):
			for _, b := range []byte(rest[:size]) {
				fmt.Fprintf(&quoted, `\x%02x`, b)
			}
		default:
			quoted.WriteString(rest[:size])
		}
		rest = rest[size:]
	}
	return "$'" + quoted.String() + "'"
}

// A Spelling is how a format writes the last character of an order to a runner: GitHub's lines that begin
// with ::, or ##[ anywhere; Azure's ##[ or ##vso[. GitLab's need control characters, never printed.
type Spelling struct{ colon, bracket string }

var (
	SpelledOut = Spelling{`\x3a`, `\x5b`}   // for people, and in YAML's double quotes
	References = Spelling{"&#58;", "&#91;"} // in HTML and XML
)

// Guard returns w with every order to a runner spelled out, such as "::" as ":\x3a". Nothing is held back.
func Guard(w io.Writer, s Spelling) io.Writer { return &guard{w: w, Spelling: s, begins: true} }

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

func (g *guard) advance(c byte) {
	g.mark = g.mark.next(c)
	switch {
	case c == '\n' || c == '\r':
		g.begins, g.colon, g.escape, g.char = true, false, false, nil
	case g.escape:
		g.escape = c == '[' || c < '@'
	case c == '\x1b':
		g.escape = true
	case g.begins && c == ':' && !g.colon:
		g.colon = true
	case g.begins:
		g.char = append(g.char, c)
		if r, _ := utf8.DecodeRune(g.char); utf8.FullRune(g.char) {
			g.begins, g.char = unicode.IsSpace(r), nil
		}
		g.begins = g.begins && !g.colon
	}
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

// Without returns a text, from the beginning of a line, in which no runner finds an order.
func (s Spelling) Without(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	_, _ = Guard(&b, s).Write([]byte(text)) // a Builder takes everything
	return b.String()
}

// Spaced returns JSON on one line, with a space after each comma and colon; other text stays as it is.
func Spaced(raw json.RawMessage) string {
	text := strings.ReplaceAll(string(escaped(inLines(raw))), ",\n", ", ") // strings have no line breaks
	return strings.ReplaceAll(text, "\n", "")
}

// Indented returns JSON over several lines, numbers and order as they came, everything invisible escaped;
// other text stays as it is.
func Indented(raw json.RawMessage) string {
	var out strings.Builder
	WriteIndented(&out, raw, 0)
	return out.String()
}

// WriteIndented writes JSON as Indented has it, where it lies so deep in another value. It goes line by line,
// since raw may be all that a large server offers.
func WriteIndented(w io.Writer, raw json.RawMessage, depth int) {
	const deepest = 64 // levels that are spread over lines
	var previous []byte
	for line := range bytes.SplitSeq(inLines(raw), []byte("\n")) {
		if bytes.HasPrefix(line, []byte("}")) || bytes.HasPrefix(line, []byte("]")) {
			depth--
		}
		switch {
		case previous != nil && depth <= deepest:
			_, _ = io.WriteString(w, "\n"+strings.Repeat("  ", depth))
		case bytes.HasSuffix(previous, []byte(",")):
			_, _ = io.WriteString(w, " ")
		}
		_, _ = w.Write(escaped(line))
		if bytes.HasSuffix(line, []byte("{")) || bytes.HasSuffix(line, []byte("[")) {
			depth++
		}
		previous = line
	}
}

// inLines returns JSON with a line break after each opening bracket and comma, and before each closing one.
func inLines(raw json.RawMessage) []byte {
	var lines bytes.Buffer
	if json.Indent(&lines, bytes.TrimSpace(raw), "", "") != nil {
		return raw
	}
	return lines.Bytes()
}

// EscapedJSON returns JSON, and a line break, with \u escapes for what cannot be seen in strings, or what a
// terminal or runner obeys. Values stay.
func EscapedJSON(raw []byte) []byte { return append(escaped(raw), '\n') }

func escaped(raw []byte) []byte {
	dst := make([]byte, 0, len(raw)+1)
	var order mark
	inString := false
	for size := 0; len(raw) > 0; raw = raw[size:] {
		var r rune
		r, size = utf8.DecodeRune(raw)
		switch {
		case r == '"':
			inString = !inString
			dst = append(dst, '"')
		case r == '\\':
			size = min(2, len(raw))
			dst = append(dst, raw[:size]...)
		case r == '[' && order.armed():
			dst = append(dst, `\u005b`...)
		case !inString || r >= ' ' && r <= '~':
			dst = append(dst, raw[:size]...)
		case r == utf8.RuneError && size == 1:
			dst = append(dst, `\ufffd`...)
		case !Hidden(r):
			dst = append(dst, raw[:size]...)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		default:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		}
		order = order.next(raw[0])
	}
	return dst
}
