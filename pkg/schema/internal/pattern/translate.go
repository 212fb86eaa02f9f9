package pattern

import (
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/ecma"
)

// A part is one condition of an ECMA pattern, in RE2's syntax.
type part struct {
	re2     string
	negated bool
}

// The limits on counted repetition: RE2 takes 1,000 at most, more are spelled out.
const (
	maxCount     = 20_000
	maxRE2Count  = 1_000
	maxRE2Length = 1 << 20
)

// What RE2 has no shorter form for.
const (
	anything = `[\x{0}-\x{10ffff}]`
	nothing  = `[^\x{0}-\x{10ffff}]`
)

// translate is a pattern as the conditions that a string must fulfil. A leading ^ and the lookaheads that
// follow it are one each.
func translate(source string) ([]part, error) {
	read := ecma.Read(source, ecma.Tolerant)
	switch {
	case read.Fault != "":
		return nil, errors.New(read.Fault)
	case read.Tree == nil:
		return nil, errTooLarge
	}
	var parts []part
	w := &writer{}
	tree := read.Tree
	if words := tree.Parts[0].Parts; len(words) > 1 && words[0].Text == "^" && lookahead(words[1]) {
		if len(tree.Parts) > 1 {
			return nil, errors.New("lookahead beside an alternative is not decided")
		}
		for words = words[1:]; len(words) > 0 && lookahead(words[0]); words = words[1:] {
			inner := &writer{}
			inner.write(words[0].Parts[0])
			parts = append(parts, part{`\A(?:` + inner.out.String() + ")", words[0].Text == "(?!"})
			w.err = errors.Join(w.err, inner.err)
		}
		w.text(`\A`)
		tree = &ecma.Node{Op: ecma.Sequence, Parts: words}
	}
	w.write(tree)
	return append(parts, part{re2: w.out.String()}), w.err
}

func lookahead(n *ecma.Node) bool { return n.Text == "(?=" || n.Text == "(?!" }

// A writer writes a tree in RE2's syntax. Grouping, alternation and repetition mean the same in both
// languages.
type writer struct {
	out strings.Builder
	err error
}

func (w *writer) text(re2 string) {
	if w.out.Len()+len(re2) > maxRE2Length {
		w.fail("the pattern is too large")
		return
	}
	w.out.WriteString(re2)
}

func (w *writer) fail(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// assertions are those that RE2 has, too.
var assertions = map[string]string{"^": `\A`, "$": `\z`, `\b`: `\b`, `\B`: `\B`}

func (w *writer) write(n *ecma.Node) {
	switch n.Op {
	case ecma.Character:
		w.class(n)
	case ecma.Choice:
		for i, one := range n.Parts {
			if i > 0 {
				w.text("|")
			}
			w.write(one)
		}
	case ecma.Sequence:
		if n.Text != "" {
			w.fail("the flags of the group (?%s: are not decided", n.Text)
		}
		for _, one := range n.Parts {
			w.atom(one)
		}
	case ecma.Repetition:
		w.repeat(n)
	case ecma.Assertion:
		if assertions[n.Text] == "" {
			w.fail("lookaround is decided only at an anchored start")
		}
		w.text(assertions[n.Text])
	case ecma.Reference:
		w.fail("a backreference is not regular")
	}
}

// atom writes what stands beside others, or is repeated.
func (w *writer) atom(n *ecma.Node) {
	if n.Op != ecma.Choice {
		w.write(n)
		return
	}
	w.text("(?:")
	w.write(n)
	w.text(")")
}

func (w *writer) repeat(n *ecma.Node) {
	start, most := w.out.Len(), max(n.Least, n.Most)
	w.atom(n.Parts[0])
	if most <= maxRE2Count {
		w.text(bounds(n.Least, n.Most))
		return
	}
	whole := w.out.String()
	atom := whole[start:]
	if most > maxCount || len(atom)*(1+most/maxRE2Count) > maxRE2Length {
		w.fail("a repetition is too large")
		return
	}
	w.out.Reset()
	w.text(whole[:start] + "(?:" + spelled(atom, n.Least, n.Most) + ")")
}

// class writes the characters that one can be.
func (w *writer) class(n *ecma.Node) {
	var items strings.Builder
	for i := 0; i+1 < len(n.Set); i += 2 {
		from, to := n.Set[i], n.Set[i+1]
		if surrogate(from) || surrogate(to) {
			w.fail("a lone surrogate is not decided")
		}
		if fmt.Fprintf(&items, `\x{%x}`, from); from != to {
			fmt.Fprintf(&items, `-\x{%x}`, to)
		}
	}
	for _, property := range n.Properties {
		items.WriteString(w.property(property))
	}
	single := len(n.Set) == 2 && n.Set[0] == n.Set[1] && len(n.Properties) == 0
	switch {
	case items.Len() == 0 && n.Inverse:
		w.text(anything)
	case items.Len() == 0:
		w.text(nothing)
	case n.Inverse:
		w.text("[^" + items.String() + "]")
	case single:
		w.text(items.String())
	default:
		w.text("[" + items.String() + "]")
	}
}

func surrogate(c rune) bool { return c >= 0xd800 && c < 0xe000 }

// property translates \p{…} for general categories and scripts, which RE2 names the same way.
func (w *writer) property(text string) string {
	kind, name := text[:2], text[3:len(text)-1]
	key, value, keyed := strings.Cut(name, "=")
	if !keyed {
		key, value = "gc", name
	}
	known := false
	switch key {
	case "gc", "General_Category":
		known = unicode.Categories[value] != nil || unicode.CategoryAliases[value] != ""
	case "sc", "Script":
		known = unicode.Scripts[value] != nil
	}
	if !known {
		w.fail(`property %s is not decided`, name)
	}
	return kind + "{" + value + "}"
}
