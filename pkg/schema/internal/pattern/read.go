package pattern

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// The limits on what is read, in bytes.
const (
	maxRE2Length = 1 << 20
	maxSource    = 10_000
)

// Sets of characters in RE2's syntax. White space is that of ECMA-262 §12.2 and §12.3; it stands in brackets,
// and begins and ends with a class, so that - makes no range of it.
const (
	anything = `[\x{0}-\x{10ffff}]`
	nothing  = `[^\x{0}-\x{10ffff}]`
	inLine   = `[^\n\r\x{2028}\x{2029}]`
	space    = `\p{Zs}\t-\r\x{feff}\p{Zl}\p{Zp}`
	noSpace  = `\d\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}` +
		`\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}\d`
)

// What stands behind a backslash, or begins with a parenthesis or a brace.
var (
	numbered   = kit.Pattern(`^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|u\{0*([0-9a-fA-F]{1,6})\})`)
	control    = kit.Pattern(`^c[A-Za-z]`)
	property   = kit.Pattern(`^[pP]\{(\w+)\}`)
	reference  = kit.Pattern(`^(?:[1-9][0-9]*|k<[A-Za-z_$][\w$]*>)`)
	opening    = kit.Pattern(`^\((?:\?(:|=|!|<=|<!|<[A-Za-z_$][\w$]*>))?`)
	quantifier = kit.Pattern(`^(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})`)
	zeros      = kit.Pattern(`\b0+([0-9])`) // before a number, which make RE2 read its braces as text
)

var errTooLarge = errors.New("the pattern is too large")

// A reader rewrites an ECMAScript pattern (ECMA-262 §22.2.1, with the flag u) where RE2 means something else
// by the same text. Punctuation that has no meaning stands for itself. Most of what is invalid is left to the
// parser of RE2.
type reader struct {
	rest string // to be read
	out  []byte

	bare      bool  // there is nothing that a quantifier could repeat
	irregular bool  // no automaton has its language; what is written is close to it
	err       error // why it is not read
}

// read returns a pattern in RE2's syntax, without lookaround.
func (r *reader) read(pattern string) string {
	if len(pattern) > maxSource {
		r.err = errTooLarge
		return ""
	}
	r.rest, r.bare = pattern, true
	for r.rest != "" && r.err == nil {
		r.term()
	}
	return string(r.out)
}

func (r *reader) fail(format string, args ...any) { r.err = fmt.Errorf(format, args...) }

func (r *reader) write(re2 string) { r.out = append(r.out, re2...) }

// take skips what a pattern finds next and returns it with its groups; nil if it is not there.
func (r *reader) take(next func() *regexp.Regexp) []string {
	found := next().FindStringSubmatch(r.rest)
	if found != nil {
		r.rest = r.rest[len(found[0]):]
	}
	return found
}

// character skips the next character.
func (r *reader) character() rune {
	c, size := utf8.DecodeRuneInString(r.rest)
	r.rest = r.rest[size:]
	return c
}

// term rewrites an assertion, an atom, a quantifier or a sign of the syntax.
func (r *reader) term() {
	if r.rest[0] == '(' {
		r.group()
		return
	}
	if found := r.take(quantifier); found != nil {
		if r.bare {
			r.fail("there is nothing that %s could repeat", found[0])
		}
		r.write(zeros().ReplaceAllString(found[0], "$1"))
		return
	}
	r.bare = false
	switch c := r.character(); c {
	case '^', '$', '|':
		r.write(string(c))
		r.bare = true
	case '[':
		r.class()
	case '.':
		r.write(inLine)
	case '\\':
		r.escape(false)
	default:
		r.write(string(c))
	}
}

// group rewrites a group. What is not closed, or not open, is left to RE2 to refuse. A lookaround is dropped.
func (r *reader) group() {
	kind := r.take(opening)[1]
	if kind == "" && strings.HasPrefix(r.rest, "?") {
		r.fail("(%s begins no group of ECMAScript, or one with flags", r.rest[:min(2, len(r.rest))])
		return
	}
	look, begin := strings.ContainsAny(kind, "=!"), len(r.out)
	r.irregular = r.irregular || look
	r.write("(?:")
	r.bare = true
	for r.rest != "" && r.rest[0] != ')' && r.err == nil {
		r.term()
	}
	if r.rest == "" || r.err != nil {
		return
	}
	r.write(string(r.character()))
	if r.bare = look; look {
		r.out = r.out[:begin]
	}
}

// escape rewrites what follows a backslash.
func (r *reader) escape(inClass bool) {
	set := func(text string) {
		if inClass {
			r.write(text)
		} else {
			r.write("[" + text + "]")
		}
	}
	if found := r.take(numbered); found != nil {
		n, _ := strconv.ParseUint(found[1]+found[2]+found[3], 16, 32)
		r.coded(rune(n))
		return
	}
	if found := r.take(control); found != nil {
		r.coded(rune(found[0][1] & 31))
		return
	}
	if found := r.take(property); found != nil { // RE2 knows scripts by name, too
		if _, alias := unicode.CategoryAliases[found[1]]; !alias && unicode.Categories[found[1]] == nil {
			r.fail("property %q is not decided", found[1])
		}
		r.write(`\` + found[0])
		return
	}
	if !inClass && r.take(reference) != nil {
		r.irregular = true
		r.write("(?:)")
		return
	}
	switch c := r.character(); {
	case c == utf8.RuneError:
		r.fail("it ends with a backslash")
	case c == 's':
		set(space)
	case c == 'S':
		set(noSpace)
	case c == 'b' && inClass:
		r.coded('\b')
	case strings.ContainsRune("bBdDwWfnrtv", c):
		r.write(`\` + string(c))
		r.bare = c == 'b' || c == 'B'
	case c == '0' && (r.rest == "" || r.rest[0] < '0' || r.rest[0] > '9'):
		r.coded(0)
	case unicode.IsLetter(c) || unicode.IsDigit(c):
		r.fail("\\%c is not an escape here", c)
	case c < utf8.RuneSelf:
		r.write(`\` + string(c))
	default:
		r.write(string(c))
	}
}

// coded writes a character that is given by its number.
func (r *reader) coded(c rune) {
	if c >= 0xd800 && c < 0xe000 {
		r.fail("half of a surrogate pair is not decided")
	}
	r.write(fmt.Sprintf(`\x{%x}`, c))
}

// class rewrites a class of characters after its bracket. An empty one matches nothing, and a bracket in one
// stands for itself.
func (r *reader) class() {
	for empty, re2 := range map[string]string{"]": nothing, "^]": anything} {
		if rest, ok := strings.CutPrefix(r.rest, empty); ok {
			r.rest = rest
			r.write(re2)
			return
		}
	}
	r.write("[")
	for r.rest != "" && r.err == nil {
		switch c := r.character(); c {
		case ']':
			r.write("]")
			return
		case '\\':
			r.escape(true)
		case '[':
			r.write(`\[`)
		default:
			r.write(string(c))
		}
	}
}
