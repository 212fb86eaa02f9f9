package schema

import "slices"

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
		branch := c.fork()
		branch.choices = append(branch.choices[:chosen], branch.choices[chosen+1:]...)
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

// next returns the index of the choice to resolve: the one with the fewest alternatives, and those that say what the
// value is before those that say what it is not, since the former settle the latter.
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

// prune drops alternatives that cannot hold and choices that are met. A choice with one alternative left is assumed.
// It reports false where a choice has none left.
func (e *engine) prune(c *clause) bool {
	for again := true; again; {
		again = false
		open := c.choices
		c.choices = nil
		for i, ch := range open {
			left, met := e.weigh(c, ch, len(open) > 1)
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

// weigh returns the alternatives of a choice that may still hold, or that the choice is met already. Only where there
// are other choices is it worth to find out by deciding.
func (e *engine) weigh(c *clause, ch choice, among bool) (left [][]lit, met bool) {
	if c.excluded(ch.of.flip()) {
		return nil, true
	}
	if slices.ContainsFunc(ch.alternatives, c.certain) {
		return nil, true
	}
	for _, alternative := range ch.alternatives {
		if !e.refuted(c, alternative) {
			left = append(left, alternative)
		}
	}
	if !among || len(left) <= 1 {
		return left, false
	}
	for _, alternative := range left {
		if len(alternative) == 1 && e.refuted(c, []lit{alternative[0].flip()}) {
			return nil, true
		}
	}
	return left, false
}

// certain reports whether every literal of an alternative is known to hold.
func (c *clause) certain(alternative []lit) bool {
	for _, l := range alternative {
		if !c.vacuous(l) && !c.known.settle(l) {
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
	for _, l := range alternative {
		if c.impossible(l) || c.known.contradict(l) || c.excluded(l) {
			return true
		}
	}
	branch := c.probe()
	if !e.assume(branch, alternative) {
		return true
	}
	switch {
	case len(branch.atoms) == 0:
		return false
	case c.kind == kindObject:
		return e.objectRefuted(branch)
	}
	return e.decide(branch).answer == void
}

// decide decides a clause by its atoms alone, without the choices that are still open.
func (e *engine) decide(c *clause) outcome {
	var out outcome
	atoms := c.assertions()
	switch c.kind {
	case kindNull:
		out = e.null(atoms)
	case kindBoolean:
		out = e.boolean(atoms)
	case kindNumber:
		out = e.number(atoms)
	case kindString:
		out = e.text(atoms)
	case kindArray:
		out = e.array(atoms)
	case kindObject:
		out = e.object(atoms)
	}
	if out.answer == inhabited && c.doubted {
		return doubtful(out.value, c.doubt)
	}
	return out
}

// exactlyOne turns oneOf, or its negation, into a choice. Branches that are proved to exclude each other need not be
// told apart again.
func (e *engine) exactlyOne(l lit) [][]lit {
	var out [][]lit
	if l.not {
		out = append(out, signed(l.kids, true))
	}
	overlaps := make([][]lit, len(l.kids))
	for i, a := range l.kids {
		for j, b := range l.kids[:i] {
			if apart(a, b) || e.inhabit([]lit{a, b}).answer == void {
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
