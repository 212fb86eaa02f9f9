package schema

import "slices"

// limit decides, for each item from an index on and for each limit from one on, whether the item counts for it.
func (a *arrayProblem) limit(which, index int) outcome {
	if a.step() {
		return undecided(outOfSteps)
	}
	if which == len(a.limits) {
		return a.repeat()
	}
	l := a.limits[which]
	if index == len(a.cells) || l.count == 0 {
		return a.limit(which+1, 0)
	}
	before := a.cells[index]
	defer func() { a.cells[index] = before }()
	a.cells[index].lits = append(slices.Clone(before.lits), l.lit.flip())
	out := outcome{answer: void}
	if a.inside(a.cells[index].lits).answer != void {
		out = a.limit(which, index+1)
	}
	if out.answer == inhabited {
		return out
	}
	a.cells[index].lits = append(slices.Clone(before.lits), l.lit)
	if a.limits[which].count >= before.count && a.inside(a.cells[index].lits).answer != void {
		a.limits[which].count -= before.count
		if a.limits[which].count == 0 { // keep it from being read as a rule: the rest is decided cell by cell
			out = better(out, a.exhausted(which, index+1))
		} else {
			out = better(out, a.limit(which, index+1))
		}
		a.limits[which].count += before.count
	}
	if before.count > 1 && a.limits[which].count > 0 {
		out = better(out, undecided(reason{"maxContains over very many items", l.lit.node}))
	}
	return out
}

// exhausted demands of all items from an index on that they do not count for a limit any more.
func (a *arrayProblem) exhausted(which, index int) outcome {
	before := slices.Clone(a.cells)
	defer func() { copy(a.cells, before) }()
	for i := index; i < len(a.cells); i++ {
		a.cells[i].lits = append(slices.Clone(a.cells[i].lits), a.limits[which].lit.flip())
		if a.inside(a.cells[i].lits).answer == void {
			return outcome{answer: void}
		}
	}
	return a.limit(which+1, 0)
}

// repeat makes two items equal where the array must not be unique.
func (a *arrayProblem) repeat() outcome {
	if !a.repeated {
		return a.fill()
	}
	out := outcome{answer: void}
	if len(a.cells) > 0 && a.cells[len(a.cells)-1].count > 1 {
		out = undecided(reason{what: "equal items among very many"})
	}
	// Two further items behind the others may be the equal ones.
	size := len(a.cells)
	defer func() { a.cells = a.cells[:size] }()
	for range max(a.horizon-size, 0) + 3 {
		out = better(out, a.pairs())
		if out.answer == inhabited || len(a.cells) >= a.most {
			return out
		}
		if len(a.cells) > maxCells {
			return better(out, undecided(reason{what: "equal items among very many"}))
		}
		a.cells = append(a.cells, cell{lits: a.limited(len(a.cells)), count: 1})
	}
	return out
}

// limited is what is said of an item that is added after the limits were decided: it must not count.
func (a *arrayProblem) limited(index int) []lit {
	out := a.ruling(index)
	for _, l := range a.limits {
		if l.count > 0 {
			a.doubt, a.doubted = reason{"maxContains together with equal items", l.lit.node}, true
		}
	}
	return out
}

// pairs tries every pair of items as the equal ones.
func (a *arrayProblem) pairs() outcome {
	out := outcome{answer: void}
	for j := range a.cells {
		for i := range j {
			x, y := a.cells[i], a.cells[j]
			both := slices.Concat(x.lits, y.lits)
			a.cells[i].lits, a.cells[j].lits = both, both
			if a.inside(both).answer != void {
				out = better(out, a.fill())
			}
			a.cells[i], a.cells[j] = x, y
			if out.answer == inhabited || a.left < 0 {
				return out
			}
		}
	}
	return out
}
