package schema

import (
	"maps"
	"slices"
)

// A clause is what is known of a value of one type: assertions about that type, and choices that are still
// open.
type clause struct {
	kind    kindSet
	known   map[literal]bool // what was assumed, and what that stands for
	atoms   []lit
	choices []choice
	doubt   reason // a construct that had to be left out
}

// A choice is a list of alternatives; one of them holds.
type choice struct {
	of           lit // what the choice was made from
	alternatives [][]lit
}

// A literal is the meaning of a lit.
type literal struct {
	sum digest
	not bool
}

func (l lit) literal() literal { return literal{l.sum, l.not} }

func newClause(k kindSet) *clause { return &clause{kind: k, known: map[literal]bool{}} }

// fork returns a copy of a clause without the open choices.
func (e *engine) fork(c *clause) *clause {
	e.spend(len(c.known))
	return &clause{kind: c.kind, known: maps.Clone(c.known), atoms: slices.Clip(c.atoms),
		doubt: c.doubt}
}

// assume adds literals to a clause, as far as the budget allows. It reports false where that is a
// contradiction.
func (e *engine) assume(c *clause, lits []lit) bool {
	queue := slices.Clone(lits)
	for len(queue) > 0 && !e.spend(12) {
		l := queue[0].core()
		queue = queue[1:]
		if c.vacuous(l) {
			continue
		}
		if c.refutes(l) {
			return false
		}
		if c.known[l.literal()] {
			continue
		}
		c.known[l.literal()] = true
		more, ok := e.unfold(c, l)
		if !ok {
			return false
		}
		queue = append(queue, more...)
	}
	return true
}

// vacuous reports whether a literal holds for every value of the clause's type.
func (c *clause) vacuous(l lit) bool { return c.impossible(l.flip()) }

// impossible reports whether a literal holds for no value of the clause's type.
func (c *clause) impossible(l lit) bool {
	if l.op == opKinds {
		return (l.kinds&c.kind == 0) != l.not
	}
	return l.may()&c.kind == 0
}

// refutes reports whether a literal is seen at once not to hold.
func (c *clause) refutes(l lit) bool { return c.known[l.flip().literal()] || c.impossible(l) }

// unfold returns the literals that l stands for, or records it as an atom or a choice.
func (e *engine) unfold(c *clause, l lit) ([]lit, bool) {
	switch {
	case l.loop:
		c.doubt = reason{"a schema that refers to itself", l.node}
	case l.op == opOpaque:
		c.doubt = reason{l.why, l.node}
	case l.op == opFormat && l.not: // an annotation, which a witness keeps
		return nil, false
	case l.op == opKinds, e.spend(4 * len(l.kids)):
	case l.op == opAll && !l.not || l.op == opAny && l.not:
		return signed(l.kids, l.not), true
	case l.op == opAll || l.op == opAny:
		c.choices = append(c.choices, choice{l, alternatives(l.kids, l.not)})
	case l.op == opOne:
		c.choices = append(c.choices, choice{l, e.exactlyOne(l)})
	default:
		c.atoms = append(c.atoms, l)
	}
	return nil, true
}

// signed returns the children as they are, or each of them negated. With De Morgan, it turns a negated
// combination into one of negated parts.
func signed(kids []lit, negated bool) []lit {
	if !negated {
		return kids
	}
	out := make([]lit, len(kids))
	for i, k := range kids {
		out[i] = k.flip()
	}
	return out
}

func alternatives(kids []lit, negated bool) [][]lit {
	out := make([][]lit, len(kids))
	for i, k := range signed(kids, negated) {
		out[i] = []lit{k}
	}
	return out
}

// solve resolves the choices of a clause until none is left, and then decides what remains.
func (e *engine) solve(c *clause) outcome {
	if e.step() {
		return undecided(outOfSteps)
	}
	if !e.prune(c) {
		return outcome{answer: void}
	}
	if len(c.choices) == 0 {
		return e.decide(c)
	}
	if e.decide(c).answer == void {
		return outcome{answer: void}
	}
	chosen := c.next()
	out := outcome{answer: void}
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
		if ch.of.not == b.of.not && len(ch.alternatives) < len(b.alternatives) || !ch.of.not && b.of.not {
			best = i
		}
	}
	return best
}

// prune drops alternatives that cannot hold and choices that are met, and assumes the last one; false where
// none is left.
func (e *engine) prune(c *clause) bool {
	for again := true; again; {
		again = false
		open := c.choices
		c.choices = nil
		for i, ch := range open {
			left, met := e.weigh(c, ch)
			switch {
			case met:
			case len(left) == 0:
				return false
			case len(left) == 1:
				if !e.assume(c, left[0]) {
					return false
				}
				again = true
			default:
				c.choices = append(c.choices, choice{ch.of, left})
			}
			if e.left < 0 {
				c.choices = append(c.choices, open[i+1:]...)
				return true
			}
		}
	}
	return true
}

// weigh returns the alternatives of a choice that may still hold, or that the choice is met already.
func (e *engine) weigh(c *clause, ch choice) (left [][]lit, met bool) {
	if e.spend(4 * len(ch.alternatives)) {
		return ch.alternatives, false
	}
	if slices.ContainsFunc(ch.alternatives, c.certain) {
		return nil, true
	}
	for _, alternative := range ch.alternatives {
		if !e.refuted(c, alternative) {
			left = append(left, alternative)
		}
	}
	return left, false
}

// certain reports whether every literal of an alternative is known to hold.
func (c *clause) certain(alternative []lit) bool {
	for _, l := range alternative {
		if !c.vacuous(l) && !c.known[l.literal()] {
			return false
		}
	}
	return true
}

// refuted reports whether an alternative is seen not to hold without resolving further choices.
func (e *engine) refuted(c *clause, alternative []lit) bool {
	if e.step() {
		return false
	}
	if slices.ContainsFunc(alternative, c.refutes) {
		return true
	}
	branch := e.fork(c)
	if !e.assume(branch, alternative) {
		return true
	}
	return len(branch.atoms) > len(c.atoms) && e.decide(branch).answer == void
}

// decide decides a clause by its atoms alone, without the choices that are still open.
func (e *engine) decide(c *clause) outcome {
	if e.spend(8 * len(c.atoms)) {
		return undecided(outOfSteps)
	}
	out := e.decideKind(c.kind, c.atoms)
	if out.answer == inhabited {
		return settled(out.value, c.doubt, true)
	}
	return out
}

func (e *engine) decideKind(kind kindSet, atoms []lit) outcome {
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
func (e *engine) tryEach(atoms []lit, values ...any) outcome {
	out := outcome{answer: void}
	for _, v := range values {
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
func (e *engine) exactlyOne(l lit) [][]lit {
	var out [][]lit
	if l.not {
		out = append(out, signed(l.kids, true))
	}
	overlaps := make([][]lit, len(l.kids))
	for i, a := range l.kids {
		for j, b := range l.kids[:i] {
			if e.spend(4) {
				if l.not {
					return append(out, nil) // and does not restrict anything
				}
				break
			}
			if e.inhabit([]lit{a, b}).answer == void {
				continue
			}
			if l.not {
				out = append(out, []lit{a, b})
			}
			overlaps[i] = append(overlaps[i], b.flip())
			overlaps[j] = append(overlaps[j], a.flip())
		}
	}
	if !l.not {
		for i, k := range l.kids {
			out = append(out, append([]lit{k}, overlaps[i]...))
		}
	}
	return out
}
