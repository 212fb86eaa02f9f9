package schema

import "slices"

// ruling returns what the rules say of the item at an index. A limit of none is a rule.
func (a *arrayProblem) ruling(index int) []lit {
	var out []lit
	for _, l := range a.rules {
		if l.op == opItem && l.count == index || l.op == opItems && index >= l.count {
			out = append(out, l.kids[0])
		}
	}
	for _, l := range a.limits {
		if l.count == 0 {
			out = append(out, l.lit.flip())
		}
	}
	return out
}

// grow makes the cells up to a length.
func (a *arrayProblem) grow(length int) {
	for len(a.cells) < length {
		a.cells = append(a.cells, cell{lits: a.ruling(len(a.cells)), count: 1})
	}
}

// place finds an item for each need, in every way there is until one succeeds.
func (a *arrayProblem) place(needs []need) outcome {
	if a.step() {
		return undecided(outOfSteps)
	}
	if len(needs) == 0 {
		return a.complete()
	}
	n := needs[0]
	out := outcome{answer: void}
	last := n.from
	if !n.fixed {
		// Behind the horizon and behind all that is chosen, one item is like another.
		last = max(n.from, a.horizon, len(a.cells))
	}
	for i := n.from; i <= last && i < a.most; i++ {
		size := len(a.cells)
		a.grow(i + 1)
		before := a.cells[i]
		if !slices.Contains(before.groups, n.group) {
			a.cells[i].lits = append(slices.Clone(before.lits), n.lit)
			a.cells[i].groups = append(slices.Clone(before.groups), n.group)
			if a.inside(a.cells[i].lits).answer != void {
				out = better(out, a.place(needs[1:]))
			}
			a.cells[i] = before
		}
		a.cells = a.cells[:size]
		if out.answer == inhabited || a.left < 0 {
			return out
		}
	}
	return out
}

// complete makes the array long enough and decides its items together.
func (a *arrayProblem) complete() outcome {
	size := len(a.cells)
	defer func() { a.cells = a.cells[:size] }()
	length := max(size, a.least)
	if a.repeated {
		length = max(length, 2)
	}
	if length > a.most {
		return outcome{answer: void}
	}
	a.grow(min(length, max(a.horizon, maxCells)))
	if rest := length - len(a.cells); rest > 0 {
		a.cells = append(a.cells, cell{lits: a.ruling(a.horizon), count: rest})
	}
	return a.limit(0, 0)
}
