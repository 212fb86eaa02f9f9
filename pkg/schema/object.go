package schema

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// An object problem is a clause about objects, sorted: rules say what properties of some names must satisfy,
// and the count lies between least and most. A need asks for a property of some name.
type objectProblem struct {
	*engine
	rules       memberRules
	least, most int
	names       []string // all names that are mentioned
	languages   []*node  // schemas of names that divide the other names
	slots       []slot   // the properties chosen so far
	slotOf      map[string]int
	doubt       reason
}

// A slot is a property of the value that is being put together.
type slot struct {
	name string
	lits []literal
	out  outcome
}

// maxLanguages bounds the patterns of names that are combined.
const maxLanguages = 8

const unbounded = 1 << 62

// decideObject sorts the atoms of a clause, decides the properties whose names are known, and then looks for
// names for the others. It is void as soon as one known property has no value.
func decideObject(e *engine, atoms []literal) outcome {
	o := &objectProblem{engine: e, slotOf: map[string]int{}}
	o.least, o.most = counts(atoms, opMinProperties, opMaxProperties)
	var needs, open []literal
	for _, l := range atoms {
		switch l.op {
		case opMinProperties, opMaxProperties:
			continue
		case opProperty, opRequired:
			o.names = append(o.names, l.text)
		case opRest:
			o.names = append(o.names, l.names...)
			for _, language := range slices.Concat(l.patterns, l.within) {
				o.languages = append(o.languages, language)
				o.names = append(o.names, listedStrings(language)...)
			}
		}
		switch {
		case l.isRule():
			o.rules.add(l)
		case l.op == opRest:
			open = append(open, l)
		default:
			needs = append(needs, l)
		}
	}
	slices.Sort(o.names)
	o.names = slices.Compact(o.names)
	slices.SortFunc(o.languages, func(a, b *node) int { return compareLits(yes(a), yes(b)) })
	o.languages = slices.CompactFunc(o.languages, func(a, b *node) bool { return a.sum == b.sum })
	if e.spend(8 * (len(atoms) + len(o.names))) {
		return undecided(outOfSteps)
	}
	for _, need := range needs {
		o.put(need)
	}
	if max(o.least, len(o.slots)) > o.most {
		return outcome{answer: empty}
	}
	for i := range o.slots {
		if o.fill(i) == empty {
			return outcome{answer: empty}
		}
	}
	if !o.manyLanguages() || len(open) == 0 && o.least <= len(o.slots) {
		return o.place(open)
	}
	if slices.ContainsFunc(open, o.unmet) {
		return outcome{answer: empty}
	}
	o.sampleNames(open)
	if out := o.place(open); out.answer != empty {
		return out
	}
	return undecided(reason{"many patterns of names", o.languages[0]}) // not all names were tried
}

// manyLanguages reports whether names are sampled, since the patterns have too many combinations.
func (o *objectProblem) manyLanguages() bool { return len(o.languages) > maxLanguages }

// unmet reports whether no property can meet a need, by the rules that speak of every name that it does.
func (o *objectProblem) unmet(need literal) bool {
	open := func(n *node) bool { return !o.among(need.within, n) }
	within := func(n *node) bool { return !o.among(need.patterns, n) && !o.disjoint(need.within, n) }
	named := func(name string) bool {
		_, left := slices.BinarySearch(need.names, name)
		return !left
	}
	lits := []literal{demand(need)}
	for _, rule := range o.rules.many {
		if !slices.ContainsFunc(rule.within, open) && !slices.ContainsFunc(rule.names, named) &&
			!slices.ContainsFunc(rule.patterns, within) {
			lits = append(lits, demand(rule))
		}
	}
	return o.inside(lits).answer == empty
}

// among reports whether a language is one of some.
func (o *objectProblem) among(languages []*node, n *node) bool {
	o.spend(2 * len(languages))
	return slices.ContainsFunc(languages, func(m *node) bool { return m.sum == n.sum })
}

// disjoint reports whether no name is in all of some languages and in one more.
func (o *objectProblem) disjoint(languages []*node, n *node) bool {
	lits := []literal{yes(seal(&node{op: opKinds, kinds: kindString})), yes(n)}
	for _, language := range languages {
		lits = append(lits, yes(language))
	}
	return len(languages) > 0 && o.inhabit(lits).answer == empty
}

// sampleNames adds names, short and long ones, of the languages that needs speak of, or of any language that
// they do not exclude where they name none.
func (o *objectProblem) sampleNames(needs []literal) {
	const perLanguage, most, longer = 4, 128, "0123456789abcdef"
	var names []string
	for _, need := range append(slices.Clip(needs), anyProperty) {
		languages := need.within
		if len(languages) == 0 {
			names = append(names, "extra", longer)
			languages = kit.Filter(o.languages, func(n *node) bool { return !o.among(need.patterns, n) })
		}
		for _, language := range languages {
			if language.pattern == nil || len(names) > most || o.spend(64+language.pattern.Size()) {
				continue
			}
			for _, sample := range language.pattern.Samples(perLanguage) {
				names = append(names, sample, sample+longer)
			}
		}
	}
	o.names = sortedNames(o.names, names)
}

// listedStrings returns the strings that a schema of names lists in itself or in its parts.
func listedStrings(n *node) []string {
	out := n.set.strings()
	for _, k := range n.kids {
		out = append(out, k.set.strings()...)
	}
	return out
}

// demand returns what an atom says of a property that it speaks of; a negated required forbids it.
func demand(l literal) literal {
	switch {
	case l.op == opRequired && l.not:
		return yes(some())
	case l.op == opRequired:
		return yes(all())
	case l.not:
		return l.kids[0].flip()
	}
	return l.kids[0]
}

// memberRules are the rules of an object: those about one name by the name, and those about many.
type memberRules struct {
	named map[string][]literal
	many  []literal
}

// isRule reports whether an atom speaks of properties that may be there, and asks for none.
func (l literal) isRule() bool { return l.not == (l.op == opRequired) }

// ofMember reports whether an atom speaks of one property.
func (l literal) ofMember() bool { return l.op == opProperty || l.op == opRequired }

func (r *memberRules) add(l literal) {
	if !l.ofMember() {
		r.many = append(r.many, l)
		return
	}
	if r.named == nil {
		r.named = map[string][]literal{}
	}
	r.named[l.text] = append(r.named[l.text], l)
}

// ruling returns what the rules about many properties say of one. speaks answers whether a rule speaks of it;
// one that may or may not is left out.
func (o *objectProblem) ruling(speaks func(rule literal) answer) []literal {
	var out []literal
	for _, rule := range o.rules.many {
		if o.spend(2) {
			break
		}
		switch speaks(rule) {
		case inhabited:
			out = append(out, demand(rule))
		case unsure:
			o.doubt = reason{"a pattern that is not understood", rule.node}
		}
	}
	return out
}

// rulingOf returns what the rules say of the property of a name.
func (o *objectProblem) rulingOf(name string) []literal {
	out := o.ruling(func(rule literal) answer { return o.covers(rule, name) })
	return append(out, kit.Map(o.rules.named[name], demand)...)
}

// put adds the demand of a need to the property that it names, which becomes part of the value.
func (o *objectProblem) put(need literal) {
	if i, there := o.slotOf[need.text]; there {
		o.slots[i].lits = append(o.slots[i].lits, demand(need))
		return
	}
	o.add(slot{name: need.text, lits: append(o.rulingOf(need.text), demand(need))})
}

func (o *objectProblem) add(s slot) {
	o.spend(4)
	o.slotOf[s.name] = len(o.slots)
	o.slots = append(o.slots, s)
}

func (o *objectProblem) has(name string) bool {
	_, there := o.slotOf[name]
	return there
}

func (o *objectProblem) fill(i int) answer {
	o.slots[i].out = o.inside(o.slots[i].lits)
	return o.slots[i].out.answer
}

// place finds a property for each open need, in every way there is until one succeeds: one that is there
// already, or a further one.
func (o *objectProblem) place(needs []literal) outcome {
	if o.step() {
		return undecided(outOfSteps)
	}
	if len(needs) == 0 {
		return o.complete()
	}
	need, out := needs[0], outcome{answer: empty}
	for i, s := range o.slots {
		switch o.covers(need, s.name) {
		case empty:
			continue
		case unsure:
			o.doubt = reason{"a pattern that is not understood", need.node}
		}
		o.slots[i].lits = append(slices.Clip(s.lits), demand(need))
		if o.fill(i) != empty {
			out = better(out, o.place(needs[1:]))
		}
		o.slots[i] = s
		if out.answer == inhabited {
			return out
		}
	}
	if len(o.slots) < o.most {
		o.additions(need, func() bool {
			out = better(out, o.place(needs[1:]))
			return out.answer != inhabited
		})
	}
	return out
}

// additions calls try for every further property that meets a need, until it reports false.
func (o *objectProblem) additions(need literal, try func() bool) {
	for _, name := range o.names {
		if !o.has(name) && o.covers(need, name) != empty && !o.extend(name, o.rulingOf(name), need, try) {
			return
		}
	}
	if o.manyLanguages() {
		return
	}
	for inside := range uint(1) << len(o.languages) { // all combinations of the languages
		region := nameRegion{o.languages, inside}
		if !region.within(need) {
			continue
		}
		name, there := o.fresh(region)
		if there == unsure {
			o.doubt = reason{"names that are divided by patterns", need.node}
			name = "x"
		}
		speaks := func(rule literal) answer { return answerOf(region.within(rule)) }
		if there != empty && !o.extend(name, o.ruling(speaks), need, try) {
			return
		}
	}
}

// extend meets a need with a further property.
func (o *objectProblem) extend(name string, rules []literal, need literal, try func() bool) bool {
	n := len(o.slots)
	o.add(slot{name: name, lits: append(rules, demand(need))})
	more := o.fill(n) == empty || try()
	o.slots = o.slots[:n]
	delete(o.slotOf, name)
	return more
}

// Bounds on the properties that are made up one by one to reach a least number, and on those that are where
// names that no schema mentions would do: these need not be written out.
const (
	maxEnlarge = 512
	maxMadeUp  = 128
)

// anyProperty asks for a property of any name with any value.
var anyProperty = not(&node{op: opRest, kids: []literal{yes(some())}})

// complete adds properties up to the least number and writes the value. Every name whose rules can be met
// counts once. Very many have one value, under names that are not mentioned.
func (o *objectProblem) complete() outcome {
	missing := o.least - len(o.slots)
	others := outcome{answer: empty}
	switch {
	case missing > maxEnlarge && len(o.languages) > 0:
		return undecided(reason{"very many properties are required", o.languages[0]})
	case missing > maxMadeUp && len(o.languages) == 0:
		others = o.inside(o.ruling(func(rule literal) answer { return answerOf(nameRegion{}.within(rule)) }))
		if others.answer == empty && missing > len(o.names) {
			return others
		}
	}
	switch {
	case missing <= 0 || others.answer != empty:
	case missing > maxEnlarge:
		return undecided(reason{what: "very many properties are required"})
	default:
		out := outcome{answer: empty}
		o.additions(anyProperty, func() bool {
			out = o.complete()
			return false
		})
		return out
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
	if missing <= 0 {
		return settled(value, doubt, tried)
	}
	if others.answer == unsure {
		doubt, tried = others.why, tried && others.tried
	}
	return settled(longObject{value, o.least, others.value}, doubt, tried)
}

// refutedMembers reports whether a property that atoms speak of can have no value beside what a clause says
// of it: no other property needs to be looked at.
func (e *engine) refutedMembers(c *clause, atoms []literal) bool {
	byName := e.byName(c)
	for _, about := range kit.Group(atoms, func(l literal) string { return l.text }) {
		name, asked := about[0].text, false
		lits := make([]literal, 0, len(about))
		for _, l := range slices.Concat(about, byName.named[name]) {
			asked, lits = asked || !l.isRule(), append(lits, demand(l))
		}
		if !asked {
			continue
		}
		for _, rule := range byName.many {
			if rule.isRule() && e.covers(rule, name) == inhabited {
				lits = append(lits, demand(rule))
			}
		}
		if e.inside(lits).answer == empty {
			return true
		}
	}
	return false
}

// byName returns the atoms of a clause by the property that they speak of, and those that speak of many.
func (e *engine) byName(c *clause) *memberRules {
	if c.members == nil {
		c.members = &memberRules{}
	}
	for ; c.sorted < len(c.atoms); c.sorted++ {
		if l := c.atoms[c.sorted]; l.ofMember() || l.op == opRest {
			c.members.add(l)
		}
		e.spend(4)
	}
	return c.members
}
