package printable

import (
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Spelling is how a format writes the last character of an order to a runner of CI, so that it is none. Runners obey
// lines that a program prints: GitHub's, once a line is trimmed, those that begin with ::, and those that have ##[ anywhere;
// Azure's those that have ##[ or ##vso[ anywhere. GitLab's marks need control characters, which are never printed.
type Spelling struct{ colon, bracket string }

var (
	SpelledOut = Spelling{`\x3a`, `\x5b`}   // for people, and in YAML's double quotes
	References = Spelling{"&#58;", "&#91;"} // in HTML and XML
)

// Guard is w with every order to a runner in what is written spelled out, such as "::" as ":\x3a"; nothing is held back.
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

// Unwrap is the stream itself, which may be a terminal.
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

// mark is how much of "##vso" has just been read, in whatever case.
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

// armed tells whether a bracket makes an order of what was read.
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

// stillBegins tells whether another byte at the beginning of a line leaves it there.
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

// Without is a text, from the beginning of a line, in which no runner finds an order.
func (s Spelling) Without(text string) string {
	if !strings.Contains(text, "::") && !strings.Contains(text, "##") {
		return text
	}
	var b strings.Builder
	_, _ = newGuard(&b, s).Write([]byte(text)) // a Builder takes everything
	return b.String()
}
