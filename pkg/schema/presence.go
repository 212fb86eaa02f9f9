package schema

import (
	"slices"
	"strconv"
	"strings"
)

// A name region is a set of names that are not mentioned and satisfy exactly some of the languages. All atoms
// treat them alike.
type nameRegion struct {
	languages []*node
	inside    uint // a bit for each language
}

// has reports whether the names of the region are in a language.
func (r nameRegion) has(language *node) bool {
	i := slices.IndexFunc(r.languages, func(n *node) bool { return n.sum == language.sum })
	return r.inside>>i&1 == 1
}

// within reports whether an atom speaks of the names of the region. Atoms about one name never do, since the
// names of a region are those that are not mentioned.
func (r nameRegion) within(l literal) bool {
	return l.op == opRest && !slices.ContainsFunc(l.patterns, r.has) &&
		!slices.ContainsFunc(l.within, func(n *node) bool { return !r.has(n) })
}

// fresh finds a name of the region that is not mentioned and not used.
func (o *objectProblem) fresh(r nameRegion) (string, answer) {
	if len(r.languages) == 0 {
		return o.anyName(), inhabited
	}
	o.spend(32 * len(o.names))
	var names []any
	for _, name := range o.names {
		names = append(names, name)
	}
	for _, s := range o.slots {
		names = append(names, s.name)
	}
	taken, _ := scalarsOf(names...)
	question := []literal{yes(seal(&node{op: opKinds, kinds: kindString})),
		not(seal(&node{op: opScalars, set: taken}))}
	for i, language := range r.languages {
		question = append(question, literal{language, r.inside>>i&1 == 0})
	}
	out := o.inhabit(question)
	switch name := out.value.(type) {
	case string:
		return name, out.answer
	case longText:
		if name <= maxStretched && !o.spend(int(name)/16) {
			return strings.Repeat("a", int(name)), out.answer
		}
	}
	if out.answer == inhabited {
		return "", unsure
	}
	return "", out.answer
}

// anyName makes up a name that is not mentioned and not used.
func (o *objectProblem) anyName() string {
	for i := 1; ; i++ {
		o.spend(8 + len(o.slots))
		name := "extra"
		if i > 1 {
			name += strconv.Itoa(i)
		}
		if _, mentioned := slices.BinarySearch(o.names, name); !mentioned && !o.has(name) {
			return name
		}
	}
}

// covers reports whether an atom speaks of a name, as an answer: void is no.
func (m *meter) covers(l literal, name string) answer {
	if l.op == opProperty || l.op == opRequired {
		return answerOf(l.text == name)
	}
	if m.spend(8) {
		return unsure
	}
	if _, left := slices.BinarySearch(l.names, name); left {
		return empty
	}
	within := every(l.within, func(p *node) answer { return m.satisfies(p, name) })
	return allOf(within, every(l.patterns, func(p *node) answer { return negate(m.satisfies(p, name)) }))
}

func answerOf(ok bool) answer {
	if ok {
		return inhabited
	}
	return empty
}

// matches answers whether a pattern matches a text. It is unsure for a pattern that is not understood, and
// where the budget is spent.
func (m *meter) matches(p *node, text string) answer {
	if p.pattern == nil || m.spend(p.pattern.Cost(text)) {
		return unsure
	}
	found, sure := p.pattern.Match(text)
	if !sure {
		return unsure
	}
	return answerOf(found)
}

// allOf is "and" with three values: one void answer decides it.
func allOf(a, b answer) answer {
	switch {
	case a == empty || b == empty:
		return empty
	case a == inhabited && b == inhabited:
		return inhabited
	}
	return unsure
}
