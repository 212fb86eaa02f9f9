package schema

import (
	"cmp"
	"iter"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// A clause is what is known of a value of one type: assertions about that type, and choices that are still
// open.
type clause struct {
	kind    kindSet
	asked   []literal // the question that the clause is a way to answer
	known   *facts    // what was assumed, and what that stands for
	atoms   []literal
	members *memberRules // the first of the atoms, by name, and how many those are
	sorted  int
	shape   shape
	choices []choice
	doubt   reason    // a construct that had to be left out
	readers []literal // those left out that are read with a value in hand
}

// A choice is a list of alternatives; one of them holds.
type choice struct {
	of           literal // what it was made from; a negation says what the value is not
	alternatives [][]literal
}

// A literal is the meaning of a lit.
type literalKey struct {
	sum digest
	not bool
}

func (l literal) literalKey() literalKey { return literalKey{l.sum, l.not} }

// Facts are what a clause is known to hold, over those of the clause that it was made from.
type facts struct {
	around *facts
	own    map[literalKey]bool
	depth  int
}

// maxLayers bounds the facts that are looked through.
const maxLayers = 16

func (f *facts) has(l literalKey) bool {
	for ; f != nil; f = f.around {
		if f.own[l] {
			return true
		}
	}
	return false
}

func (f *facts) add(l literalKey) {
	if f.own == nil {
		f.own = map[literalKey]bool{}
	}
	f.own[l] = true
}

// over returns facts that are added to without a change of the given ones.
func (e *engine) over(f *facts) *facts {
	if f.depth < maxLayers {
		return &facts{around: f, depth: f.depth + 1}
	}
	all := &facts{own: map[literalKey]bool{}}
	for ; f != nil; f = f.around {
		e.spend(8 * len(f.own))
		maps.Copy(all.own, f.own)
	}
	return &facts{around: all, depth: 1}
}

// fork returns a copy of a clause without the open choices.
func (e *engine) fork(c *clause) *clause {
	return &clause{kind: c.kind, asked: c.asked, known: e.over(c.known), atoms: slices.Clip(c.atoms),
		shape: c.shape, doubt: c.doubt, readers: slices.Clip(c.readers)}
}

// assume adds literals to a clause, as far as the budget allows: what a literal stands for, or itself as an
// atom or a choice. It reports false where that is a contradiction.
func (e *engine) assume(c *clause, lits []literal) bool {
	queue := slices.Clone(lits)
	for len(queue) > 0 && !e.spend(12) {
		l := queue[0].core()
		queue = queue[1:]
		if c.certain(l) {
			continue
		}
		if c.refutes(l) || l.op == opFormat && l.not { // a format is an annotation, which a witness keeps
			return false
		}
		c.known.add(l.literalKey())
		switch {
		case l.loop:
			c.doubt = reason{"a schema that refers to itself", l.node}
		case l.op == opOpaque:
			c.doubt = reason{l.why, l.node}
			if l.parts != nil {
				c.readers = append(c.readers, l)
			}
		case l.op == opKinds, e.spend(4 * len(l.kids)):
		case l.op == opAll && !l.not || l.op == opAny && l.not:
			if !l.not {
				c.shape = c.shape.and(l.shape)
			}
			queue = append(queue, signed(l.kids, l.not)...)
		case l.op == opAll || l.op == opAny:
			alternatives := kit.Map(signed(l.kids, l.not), func(k literal) []literal { return []literal{k} })
			c.choices = append(c.choices, choice{l, alternatives})
		case l.op == opOne:
			c.choices = append(c.choices, choice{l, e.exactlyOne(l)})
		default:
			c.atoms = append(c.atoms, l)
		}
	}
	return true
}

// certain reports whether a literal is seen at once to hold.
func (c *clause) certain(l literal) bool {
	return c.known.has(l.literalKey()) || c.impossible(l.flip())
}

// impossible reports whether a literal holds for no value of the clause's type.
func (c *clause) impossible(l literal) bool {
	if l.op == opKinds {
		return (l.kinds&c.kind == 0) != l.not
	}
	return l.may()&c.kind == 0
}

// refutes reports whether a literal is seen at once not to hold.
func (c *clause) refutes(l literal) bool {
	return c.known.has(l.flip().literalKey()) || c.impossible(l)
}

// signed returns the children as they are, or each of them negated. With De Morgan, it turns a negated
// combination into one of negated parts.
func signed(kids []literal, negated bool) []literal {
	if !negated {
		return kids
	}
	out := make([]literal, len(kids))
	for i, k := range kids {
		out[i] = k.flip()
	}
	return out
}

// solve resolves the choices of a clause until none is left, and then decides what remains.
func (e *engine) solve(c *clause) outcome {
	if e.step() {
		return undecided(outOfSteps)
	}
	if !e.prune(c) {
		return outcome{answer: empty}
	}
	if len(c.choices) == 0 {
		return e.decide(c)
	}
	if e.decide(c).answer == empty {
		return outcome{answer: empty}
	}
	chosen := c.next()
	out := outcome{answer: empty}
	for _, alternative := range c.choices[chosen].alternatives {
		e.spend(8 * len(c.choices))
		branch := e.fork(c)
		branch.choices = slices.Concat(c.choices[:chosen], c.choices[chosen+1:])
		if !e.assume(branch, alternative) {
			continue
		}
		if out = better(out, e.solve(branch)); out.answer == inhabited {
			return out
		}
		if e.left < 0 {
			return undecided(outOfSteps)
		}
	}
	return out
}

// next returns the choice with the fewest alternatives, preferring those that say what the value is.
func (c *clause) next() int {
	best := 0
	for i, ch := range c.choices {
		b := c.choices[best]
		if cmp.Or(order(ch.of.not)-order(b.of.not), len(ch.alternatives)-len(b.alternatives)) < 0 {
			best = i
		}
	}
	return best
}

// prune drops alternatives that cannot hold and choices that are met, and assumes the last one; false where
// none is left. It stops when the budget is spent, since nothing is decided any more.
func (e *engine) prune(c *clause) bool {
	for again := true; again; {
		again = false
		open := c.choices
		c.choices = nil
		for _, ch := range open {
			if e.spend(4 * len(ch.alternatives)) {
				return true
			}
			if ch.of.not && e.excluded(c, ch.of.flip()) || slices.ContainsFunc(ch.alternatives, c.holding) {
				continue
			}
			left := kit.Filter(ch.alternatives, func(a []literal) bool { return !e.refuted(c, a) })
			switch len(left) {
			case 0:
				return false
			case 1:
				if !e.assume(c, left[0]) {
					return false
				}
				again = true
			default:
				c.choices = append(c.choices, choice{ch.of, left})
			}
		}
	}
	return true
}

// holding reports whether every literal of an alternative is seen at once to hold.
func (c *clause) holding(alternative []literal) bool {
	return !slices.ContainsFunc(alternative, func(l literal) bool { return !c.certain(l) })
}

// refuted reports whether an alternative is seen not to hold without resolving further choices.
func (e *engine) refuted(c *clause, alternative []literal) bool {
	if e.step() {
		return false
	}
	if slices.ContainsFunc(alternative, func(l literal) bool { return c.refutes(l) || e.excluded(c, l) }) {
		return true
	}
	probe := &clause{kind: c.kind, known: e.over(c.known)}
	if !e.assume(probe, alternative) {
		return true
	}
	switch {
	case len(probe.atoms) == 0:
		return false
	case c.kind == kindObject &&
		!slices.ContainsFunc(probe.atoms, func(l literal) bool { return !l.ofMember() }):
		return e.refutedMembers(c, probe.atoms)
	}
	return e.decideKind(c.kind, slices.Concat(c.atoms, probe.atoms)).answer == empty
}

// decide decides a clause by its atoms alone, without the choices that are still open.
func (e *engine) decide(c *clause) outcome {
	if e.spend(8 * len(c.atoms)) {
		return undecided(outOfSteps)
	}
	atoms := append(slices.Clip(c.atoms), e.implied(c)...)
	out := e.decideKind(c.kind, atoms)
	if out.answer != inhabited || c.doubt == (reason{}) {
		return out
	}
	if e.confirmed(c, out.value) {
		return found(out.value)
	}
	for more := range c.samples() {
		further := e.decideKind(c.kind, append(slices.Clip(atoms), more...))
		if further.answer == inhabited && e.confirmed(c, further.value) {
			return found(further.value)
		}
	}
	return doubtful(out.value, c.doubt)
}

// implied returns what follows from readers that were left out: members and items that no part speaks of
// satisfy the schema of the reader. Of a negated one, some member or item refuses it, and is not among those
// of the parts that are certain to hold.
func (e *engine) implied(c *clause) (atoms []literal) {
	for _, l := range c.readers {
		rest := &node{op: opRest, kids: l.kids[:1]}
		items := &node{op: opItems}
		others := some(l.kids[0])
		everyName, everyItem := false, false
		for _, part := range l.parts {
			if e.spend(16 * (1 + len(part.names))); l.not && slices.ContainsFunc(part.when,
				func(when literal) bool { return !c.certain(when.core()) }) {
				continue
			}
			rest.names = append(rest.names, part.names...)
			rest.patterns = append(rest.patterns, part.patterns...)
			items.count = max(items.count, part.items)
			if part.containing != nil {
				others.kids = append(others.kids, yes(part.containing))
			}
			everyName, everyItem = everyName || part.every, everyItem || part.everyItem
		}
		about := rest
		if rest.names = sortedNames(rest.names); c.kind == kindArray {
			items.kids, about, everyName = []literal{yes(others)}, items, everyItem
		}
		if everyName {
			about.kids = []literal{yes(all())}
		}
		if about.op.guard() == c.kind {
			atoms = append(atoms, literal{seal(about), l.not})
		}
	}
	return atoms
}

// samples yields what else a value may satisfy, so that readers come to speak of it: further items, or
// members of the names that only some values have, which satisfy what readers say of others.
func (c *clause) samples() iter.Seq[[]literal] {
	const most = 12 // names and items
	var others []literal
	var names []string
	items := 0
	for _, l := range c.readers {
		others = append(others, literal{l.kids[0].node, l.not})
		for _, part := range l.parts {
			names, items = append(names, part.names...), max(items, part.items)
		}
	}
	names = append(sortedNames(names), "extra")
	names = names[:min(len(names), most)]
	return func(yield func([]literal) bool) {
		switch {
		case len(c.readers) == 0 || len(c.choices) > 0:
		case c.kind == kindArray:
			for n := range min(items, most) + 1 {
				more := yes(seal(&node{op: opMinItems, count: n + 1}))
				last := yes(seal(&node{op: opItem, count: n, kids: []literal{yes(all(others...))}}))
				if !yield([]literal{more, last}) || !yield([]literal{more}) {
					return
				}
			}
		case c.kind == kindObject:
			var every []literal
			for _, name := range names {
				there := yes(seal(&node{op: opRequired, text: name}))
				every = append(every, there)
				is := yes(seal(&node{op: opProperty, text: name, kids: []literal{yes(all(others...))}}))
				if !yield([]literal{there, is}) || !yield([]literal{there}) {
					return
				}
			}
			if !yield(every[:len(every)-1]) {
				return
			}
		}
	}
}

// maxConfirmed bounds the values that are read before they are doubted.
const maxConfirmed = 64

// confirmed reads a value that was put together without what is in doubt: it may be an answer all the same,
// where the next one is not.
func (e *engine) confirmed(c *clause, value any) bool {
	if e.confirms++; e.confirms > maxConfirmed || len(c.choices) > 0 {
		return false
	}
	answer, _ := e.satisfiesAll(c.asked, value)
	return answer == inhabited
}

func (e *engine) decideKind(kind kindSet, atoms []literal) outcome {
	if kind == kindNumber && e.exact {
		atoms = slices.Concat(atoms, exactRange)
	}
	for _, l := range atoms {
		if l.op == opScalars && !l.not {
			e.spend(len(l.set))
			return e.tryEach(atoms, l.set.of(kind)...)
		}
	}
	switch kind {
	case kindNull:
		return e.tryEach(atoms, nil)
	case kindBoolean:
		return e.tryEach(atoms, true, false)
	case kindNumber:
		return decideNumber(e, atoms)
	case kindString:
		return decideText(e, atoms)
	case kindArray:
		return decideArray(e, atoms)
	}
	return decideObject(e, atoms)
}

// tryEach looks for a value that satisfies all atoms. It is void only if each is refused for certain; a value
// that may satisfy them is worth trying.
func (e *engine) tryEach(atoms []literal, values ...any) outcome {
	return e.tryAll(atoms, slices.Values(values))
}

func (e *engine) tryAll(atoms []literal, values iter.Seq[any]) outcome {
	out := outcome{answer: empty}
	for v := range values {
		e.step()
		switch answer, doubt := e.satisfiesAll(atoms, v); {
		case answer == inhabited:
			return found(v)
		case e.left < 0:
			return undecided(outOfSteps)
		case answer == unsure:
			out = better(out, doubtful(v, doubt))
		}
	}
	return out
}

// exactlyOne turns oneOf, or its negation, into a choice. Branches that exclude each other need no further
// conditions.
func (e *engine) exactlyOne(l literal) [][]literal {
	var out [][]literal
	if l.not {
		out = append(out, signed(l.kids, true))
	}
	overlaps := make([][]literal, len(l.kids))
	for i, a := range l.kids {
		for j, b := range l.kids[:i] {
			if e.spend(4) {
				return out // nothing is decided any more
			}
			if e.apart(a, b) || e.inhabit([]literal{a, b}).answer == empty {
				continue
			}
			if l.not {
				out = append(out, []literal{a, b})
			}
			overlaps[i] = append(overlaps[i], b.flip())
			overlaps[j] = append(overlaps[j], a.flip())
		}
	}
	if !l.not {
		for i, k := range l.kids {
			out = append(out, append([]literal{k}, overlaps[i]...))
		}
	}
	return out
}
