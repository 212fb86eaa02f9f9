package schema

import (
	"cmp"
	"slices"
)

// An array problem is a clause about arrays, sorted: rules say what items must satisfy, needs ask for items,
// and the length lies between least and most.
type arrayProblem struct {
	*engine
	rules       []lit // opItem, opItems
	needs       []need
	least, most int
	distinct    bool
	repeated    bool
	horizon     int // from here on all items are ruled alike
	cells       []cell
	doubt       reason
}

// A need asks for items from an index on that satisfy a literal, each behind the one before.
type need struct {
	from  int
	fixed bool // exactly at from
	lit   lit
	count int
}

// A cell is an item of the value that is being put together, or several that are alike.
type cell struct {
	lits  []lit
	count int
	out   outcome
}

// Bounds on arrays that are looked at item by item.
const (
	maxCells   = 96
	maxHorizon = 2048
)

// decideArray returns void only where the bounds contradict each other or every placement of the needs fails.
// Arrays with very many positions are undecided, since items are looked at one by one.
func decideArray(e *engine, atoms []lit) outcome {
	a := e.arrayProblem(atoms)
	if a.least > a.most {
		return outcome{answer: void}
	}
	tooMany := func(n need) bool { return n.count > maxCells }
	if a.horizon > maxHorizon || slices.ContainsFunc(a.needs, tooMany) {
		return undecided(reason{"an array with very many positions", atoms[0].node})
	}
	return a.place(a.needs)
}

// arrayProblem sorts the atoms of a clause. A negated rule becomes a need, since some item must break it.
// That no item satisfies something is a rule, and that only so many do is left out. Needs with a fixed index,
// which have one position only, come first.
func (e *engine) arrayProblem(atoms []lit) *arrayProblem {
	a := &arrayProblem{engine: e}
	a.least, a.most = counts(atoms, opMinItems, opMaxItems)
	for _, l := range atoms {
		switch {
		case l.op == opMinItems, l.op == opMaxItems:
		case l.op == opUnique:
			a.distinct, a.repeated = a.distinct || !l.not, a.repeated || l.not
		case l.op == opContains && !l.not:
			a.least = max(a.least, l.count)
			a.needs = append(a.needs, need{lit: l.kids[0], count: l.count})
		case l.op == opContains && l.count == 1:
			a.rules = append(a.rules, yes(&node{op: opItems, kids: []lit{l.kids[0].flip()}}))
		case l.op == opContains:
			a.doubt = reason{"a limit on the items that satisfy a schema", l.node}
		case l.not:
			a.needs = append(a.needs, need{l.count, l.op == opItem, l.kids[0].flip(), 1})
		default:
			a.rules = append(a.rules, l)
		}
		switch l.op { // items behind the positions that are named are all under the same rules
		case opItem:
			a.horizon = max(a.horizon, l.count+1)
		case opItems:
			a.horizon = max(a.horizon, l.count)
		}
	}
	slices.SortStableFunc(a.needs, func(x, y need) int { return order(y.fixed) - order(x.fixed) })
	return a
}

// counts returns the least and the greatest count that bounds allow.
func counts(atoms []lit, minimum, maximum op) (least, most int) {
	most = unbounded
	for _, l := range atoms {
		switch {
		case l.op == minimum && !l.not:
			least = max(least, l.count)
		case l.op == maximum && l.not:
			least = max(least, l.count+1)
		case l.op == maximum:
			most = min(most, l.count)
		case l.op == minimum:
			most = min(most, l.count-1)
		}
	}
	return least, most
}

func order(b bool) int {
	if b {
		return 1
	}
	return 0
}

// fill looks for the items and writes the value.
func (a *arrayProblem) fill() outcome {
	doubt, tried := a.doubt, true
	for i := range a.cells {
		out := a.inside(a.cells[i].lits)
		switch out.answer {
		case void:
			return out
		case unsure:
			doubt, tried = out.why, tried && out.tried
		}
		a.cells[i].out = out
	}
	if a.distinct {
		return a.differ(doubt)
	}
	value := []any{}
	for _, c := range a.cells {
		for range min(c.count, 1<<17) {
			value = append(value, c.out.value)
		}
	}
	if len(value) > maxWitnessItems {
		return undecided(reason{what: "an array too long to write out"})
	}
	return settled(value, doubt, tried)
}

const maxWitnessItems = 1 << 16

// ruling returns what the rules say of the item at an index.
func (a *arrayProblem) ruling(index int) []lit {
	var out []lit
	for _, l := range a.rules {
		if l.op == opItem && l.count == index || l.op == opItems && index >= l.count {
			out = append(out, l.kids[0])
		}
	}
	return out
}

func (a *arrayProblem) grow(length int) {
	for len(a.cells) < length {
		a.spend(4 + 2*len(a.rules))
		a.cells = append(a.cells, cell{lits: a.ruling(len(a.cells)), count: 1})
	}
}

// place finds the items for each need, in every way there is until one succeeds.
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
		a.cells[i].lits = append(slices.Clone(before.lits), n.lit)
		if a.inside(a.cells[i].lits).answer != void {
			rest := needs[1:]
			if n.count > 1 {
				rest = append([]need{{i + 1, false, n.lit, n.count - 1}}, rest...)
			}
			out = better(out, a.place(rest))
		}
		a.cells[i] = before
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
	rest := length - len(a.cells)
	if rest > 0 {
		a.cells = append(a.cells, cell{lits: a.ruling(a.horizon), count: rest})
	}
	if a.repeated && rest < 2 { // else the rest are equal
		return a.repeat()
	}
	return a.fill()
}

// repeat makes two items equal, if need be further ones: those behind the horizon are alike.
func (a *arrayProblem) repeat() outcome {
	out := outcome{answer: void}
	for {
		out = better(out, a.pairs())
		switch n := len(a.cells); {
		case out.answer == inhabited || n >= min(a.most, a.horizon+2):
			return out
		case n > maxCells:
			return better(out, undecided(reason{what: "equal items among very many"}))
		default:
			a.grow(n + 1)
		}
	}
}

// pairs tries each pair of items as the two equal ones: both get the assertions of both, and so the same
// value. Void means that no two of the present items can be equal.
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

// differ finds items that are all different, each unlike those before it. Where one is not found, and all are
// ruled alike, there are none.
func (a *arrayProblem) differ(doubt reason) outcome {
	value, others, alike := []any{}, []lit{}, true
	for _, c := range a.cells {
		alike = alike && slices.EqualFunc(c.lits, a.cells[0].lits, lit.same)
		for range c.count {
			if len(value) == maxCells {
				return undecided(reason{what: "very many different items"})
			}
			out := a.inside(slices.Concat(c.lits, others))
			switch {
			case out.answer == void && alike:
				return out
			case out.answer == void:
				return undecided(cmp.Or(doubt, reason{what: "different items"}))
			case out.answer == unsure && !out.tried:
				return out
			case out.answer == unsure:
				doubt = out.why
			}
			a.spend(32 * weight(out.value, maxEvaluation))
			value, others = append(value, out.value), append(others, not(seal(constant(out.value))))
		}
	}
	return settled(value, doubt, true)
}
