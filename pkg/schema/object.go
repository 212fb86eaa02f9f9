package schema

import (
	"slices"
)

// An object problem is a clause about objects, sorted: rules say what properties of some names must satisfy,
// needs ask for a property of some name, and the count lies between least and most.
type objectProblem struct {
	*engine
	rules       []lit
	needs       []lit
	least, most int
	names       []string // all names that are mentioned
	languages   []*node  // schemas of names that divide the other names
	slots       []slot   // the properties chosen so far
	doubt       reason
}

// A slot is a property of the value that is being put together.
type slot struct {
	name string
	lits []lit
	out  outcome
}

// maxLanguages bounds the patterns of names that are combined.
const maxLanguages = 8

const unbounded = 1 << 52

// decideObject first decides the properties whose names are known, and then looks for names for the others.
// It is void as soon as one known property has no value.
func decideObject(e *engine, atoms []lit) outcome {
	o := e.objectProblem(atoms)
	if e.spend(8 * (len(atoms) + len(o.names))) {
		return undecided(outOfSteps)
	}
	if o.least > o.most {
		return outcome{answer: void}
	}
	var open []lit
	for _, need := range o.needs {
		if name, fixed := fixedName(need); fixed {
			o.put(name, demand(need))
		} else {
			open = append(open, need)
		}
	}
	if len(o.slots) > o.most {
		return outcome{answer: void}
	}
	for i := range o.slots {
		if o.fill(i) == void {
			return outcome{answer: void}
		}
	}
	if len(o.languages) > maxLanguages && (len(open) > 0 || o.least > len(o.slots)) {
		return undecided(reason{"many patterns of names", o.languages[0]})
	}
	return o.place(open)
}

// objectProblem sorts the atoms of a clause and surveys the names in them.
func (e *engine) objectProblem(atoms []lit) *objectProblem {
	o := &objectProblem{engine: e}
	o.least, o.most = counts(atoms, opMinProperties, opMaxProperties)
	for _, l := range atoms {
		switch {
		case l.op == opMinProperties, l.op == opMaxProperties:
		case l.not == (l.op == opRequired): // it speaks of all properties, and asks for none
			o.rules = append(o.rules, l)
		default:
			o.needs = append(o.needs, l)
		}
	}
	o.survey(atoms)
	return o
}

// survey collects the names and the languages that the atoms mention.
func (o *objectProblem) survey(atoms []lit) {
	for _, l := range atoms {
		switch l.op {
		case opProperty, opRequired:
			o.names = append(o.names, l.text)
		case opRest:
			o.names = append(o.names, l.names...)
			for _, language := range append(l.patterns[:len(l.patterns):len(l.patterns)], l.within...) {
				o.languages = append(o.languages, language)
				o.names = append(o.names, listedStrings(language)...)
			}
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	slices.SortFunc(o.languages, func(a, b *node) int { return compareLits(yes(a), yes(b)) })
	o.languages = slices.CompactFunc(o.languages, func(a, b *node) bool { return a.sum == b.sum })
}

// listedStrings returns the strings that a schema of names lists in itself or in its parts.
func listedStrings(n *node) []string {
	if n.op == opScalars {
		return n.set.strings()
	}
	var out []string
	for _, k := range n.kids {
		if k.op == opScalars {
			out = append(out, k.set.strings()...)
		}
	}
	return out
}

// fixedName returns the one name that an atom speaks of.
func fixedName(l lit) (string, bool) {
	return l.text, l.op == opProperty || l.op == opRequired
}

// demand returns what the property that a need asks for must satisfy.
func demand(need lit) []lit {
	if need.op == opProperty || need.op == opRest {
		return []lit{need.kids[0].flip()}
	}
	return nil
}

// ruling returns what the rules say of the property of a name. A rule that may or may not speak of it is left
// out.
func (o *objectProblem) ruling(name string) []lit {
	var out []lit
	for _, rule := range o.rules {
		if o.spend(2) {
			break
		}
		switch o.covers(rule, name) {
		case inhabited:
			out = append(out, consequence(rule))
		case unsure:
			o.doubt = reason{"a pattern that is not understood", rule.node}
		}
	}
	return out
}

// consequence returns what a rule says of the properties that it speaks of; a negated required forbids one.
func consequence(rule lit) lit {
	if rule.op == opRequired {
		return yes(nothing())
	}
	return rule.kids[0]
}

// put adds demands to the property of a name, which becomes part of the value.
func (o *objectProblem) put(name string, demands []lit) {
	for i := range o.slots {
		if o.spend(1); o.slots[i].name == name {
			o.slots[i].lits = slices.Concat(o.slots[i].lits, demands)
			return
		}
	}
	o.slots = append(o.slots, slot{name: name, lits: append(o.ruling(name), demands...)})
}

func (o *objectProblem) has(name string) bool {
	return slices.ContainsFunc(o.slots, func(s slot) bool { return s.name == name })
}

func (o *objectProblem) fill(i int) answer {
	o.slots[i].out = o.inside(o.slots[i].lits)
	return o.slots[i].out.answer
}

// place finds a property for each open need, in every way there is until one succeeds.
func (o *objectProblem) place(needs []lit) outcome {
	if o.step() {
		return undecided(outOfSteps)
	}
	if len(needs) == 0 {
		return o.complete()
	}
	out := outcome{answer: void}
	o.options(needs[0], func() bool {
		out = better(out, o.place(needs[1:]))
		return out.answer != inhabited
	})
	return out
}

// options calls try for every way to meet a need, until it reports false. The slots are as before afterwards.
func (o *objectProblem) options(need lit, try func() bool) {
	for i := range o.slots {
		if !o.share(i, need, try) {
			return
		}
	}
	if len(o.slots) < o.most {
		o.additions(need, try)
	}
}

// additions calls try for every further property that meets a need, until it reports false.
func (o *objectProblem) additions(need lit, try func() bool) {
	for _, name := range o.names {
		if !o.has(name) && o.covers(need, name) != void &&
			!o.extend(name, append(o.ruling(name), demand(need)...), try) {
			return
		}
	}
	for inside := range uint(1) << len(o.languages) { // all combinations of the languages
		region := nameRegion{o.languages, inside}
		if !region.within(need) {
			continue
		}
		name, answer := o.fresh(region)
		if answer == unsure {
			o.doubt = reason{"names that are divided by patterns", need.node}
			name = "x"
		}
		if answer != void && !o.extend(name, append(demand(need), o.rulingOf(region)...), try) {
			return
		}
	}
}

// share meets a need with a property that is there already.
func (o *objectProblem) share(i int, need lit, try func() bool) bool {
	s := o.slots[i]
	switch o.covers(need, s.name) {
	case void:
		return true
	case unsure:
		o.doubt = reason{"a pattern that is not understood", need.node}
	}
	o.slots[i].lits = slices.Concat(s.lits, demand(need))
	more := o.fill(i) == void || try()
	o.slots[i] = s
	return more
}

// extend meets a need with a further property.
func (o *objectProblem) extend(name string, lits []lit, try func() bool) bool {
	n := len(o.slots)
	o.slots = append(o.slots, slot{name: name, lits: lits})
	more := o.fill(n) == void || try()
	o.slots = o.slots[:n]
	return more
}

// rulingOf returns what the rules say of the properties of a region.
func (o *objectProblem) rulingOf(r nameRegion) []lit {
	var out []lit
	for _, rule := range o.rules {
		if r.within(rule) {
			out = append(out, consequence(rule))
		}
	}
	return out
}

// complete adds properties up to the least number and writes the value.
func (o *objectProblem) complete() outcome {
	if missing := o.least - len(o.slots); missing > 0 {
		return o.enlarge(missing)
	}
	if o.spend(8 * len(o.slots)) {
		return undecided(outOfSteps)
	}
	value := map[string]any{}
	doubt, tried := o.doubt, true
	for _, s := range o.slots {
		if s.out.answer == unsure {
			doubt, tried = s.out.why, tried && s.out.tried
		}
		value[s.name] = s.out.value
	}
	return settled(value, doubt, tried)
}

// maxEnlarge bounds the properties that are made up to reach a least number.
const maxEnlarge = 512

// anyProperty asks for a property of any name with any value.
var anyProperty = not(&node{op: opRest, kids: []lit{yes(nothing())}})

// enlarge adds properties of any name: every name whose rules can be met counts once.
func (o *objectProblem) enlarge(missing int) outcome {
	if missing > maxEnlarge {
		return undecided(reason{what: "very many properties are required"})
	}
	out := outcome{answer: void}
	o.additions(anyProperty, func() bool {
		out = o.complete()
		return false
	})
	return out
}
