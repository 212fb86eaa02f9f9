package schema

import (
	"iter"
	"slices"
	"strconv"
)

// A name region is a set of property names that no atom tells apart: names that are not mentioned, and that satisfy
// exactly some of the languages.
type nameRegion struct {
	languages []*node
	inside    uint // a bit for each language
}

// regions lists the name regions; their number is that of the combinations of the languages.
func (o *objectProblem) regions() iter.Seq[nameRegion] {
	return func(yield func(nameRegion) bool) {
		for inside := range uint(1) << len(o.languages) {
			if !yield(nameRegion{o.languages, inside}) {
				return
			}
		}
	}
}

// has reports whether the names of the region are in a language.
func (r nameRegion) has(language *node) bool {
	i := slices.IndexFunc(r.languages, func(n *node) bool { return n.sum == language.sum })
	return r.inside>>i&1 == 1
}

// within reports whether an atom speaks of the names of the region.
func (r nameRegion) within(l lit) bool {
	switch l.op {
	case opProperty, opRequired:
		return false
	case opPropertyNames:
		return !r.has(l.kids[0].node)
	}
	return !slices.ContainsFunc(l.patterns, r.has) &&
		!slices.ContainsFunc(l.within, func(n *node) bool { return !r.has(n) })
}

// fresh finds a name of the region that is not mentioned and not used.
func (o *objectProblem) fresh(r nameRegion) (string, answer) {
	if len(r.languages) == 0 {
		return o.anyName(), inhabited
	}
	taken := &scalars{strings: slices.Clone(o.names)}
	for _, s := range o.slots {
		taken.strings = append(taken.strings, s.name)
	}
	taken.tidy()
	question := []lit{yes(seal(&node{op: opKinds, kinds: kindString})), not(seal(&node{op: opScalars, set: taken}))}
	for i, language := range r.languages {
		question = append(question, lit{language, r.inside>>i&1 == 0})
	}
	out := o.inhabit(question)
	name, _ := out.value.(string)
	return name, out.answer
}

// anyName makes up a name that is not mentioned and not used.
func (o *objectProblem) anyName() string {
	for i := 1; ; i++ {
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
func (e *engine) covers(l lit, name string) answer {
	switch l.op {
	case opProperty, opRequired:
		return answerOf(l.text == name)
	case opPropertyNames: // it speaks of the names that do not satisfy the child
		return e.inhabit([]lit{l.kids[0].flip(), yes(constantString(name))}).answer
	}
	if _, left := slices.BinarySearch(l.names, name); left {
		return void
	}
	out := inhabited
	for _, p := range l.within {
		out = allOf(out, matches(p, name, true))
	}
	for _, p := range l.patterns {
		out = allOf(out, matches(p, name, false))
	}
	return out
}

func answerOf(ok bool) answer {
	if ok {
		return inhabited
	}
	return void
}

func matches(p *node, name string, want bool) answer {
	if p.pattern == nil {
		return unsure
	}
	return answerOf(p.pattern.Match(name) == want)
}

func allOf(a, b answer) answer {
	switch {
	case a == void || b == void:
		return void
	case a == inhabited && b == inhabited:
		return inhabited
	}
	return unsure
}

func constantString(s string) *node {
	return seal(&node{op: opScalars, set: &scalars{strings: []string{s}}})
}
