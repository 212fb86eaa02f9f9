package schema

import (
	"cmp"
	"slices"
)

// An array problem is a clause about arrays, sorted: rules say what items must satisfy, needs ask for an
// item, limits say how many items at most satisfy something, and the length lies between least and most.
type arrayProblem struct {
	*engine
	rules       []lit // opItem, opItems
	needs       []need
	limits      []limit
	least, most int
	distinct    bool
	repeated    bool
	horizon     int // from here on all items are ruled alike
	cells       []cell
	doubt       reason
}

// A need asks for an item from an index on that satisfies a literal. Needs of one group want different items.
type need struct {
	from  int
	fixed bool // exactly at from
	lit   lit
	group int
}

// A limit says that at most count items satisfy a literal.
type limit struct {
	count int
	lit   lit
}

// A cell is an item of the value that is being put together, or several that are alike.
type cell struct {
	lits   []lit
	groups []int
	count  int
	out    outcome
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
	if a.horizon > maxHorizon || len(a.needs) > maxCells {
		return undecided(reason{"an array with very many positions", atoms[0].node})
	}
	return a.place(a.needs)
}

// arrayProblem sorts the atoms of a clause. A negated rule becomes a need, since some item must break it, and
// a negated contains a limit. Needs with a fixed index come first: they have one position only.
func (e *engine) arrayProblem(atoms []lit) *arrayProblem {
	a := &arrayProblem{engine: e}
	a.least, a.most = counts(atoms, opMinItems, opMaxItems)
	for i, l := range atoms {
		switch {
		case l.op == opMinItems, l.op == opMaxItems:
		case l.op == opUnique:
			a.distinct, a.repeated = a.distinct || !l.not, a.repeated || l.not
		case l.op == opContains && !l.not:
			a.ask(l, i)
		case l.op == opContains:
			a.limits = append(a.limits, limit{l.count - 1, l.kids[0]})
		case l.not:
			a.needs = append(a.needs, need{l.count, l.op == opItem, l.kids[0].flip(), i})
		default:
			a.rules = append(a.rules, l)
		}
		a.extendHorizon(l)
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

// ask adds the needs of contains.
func (a *arrayProblem) ask(l lit, group int) {
	a.least = max(a.least, l.count)
	for range min(l.count, maxCells+1) {
		a.needs = append(a.needs, need{0, false, l.kids[0], group})
	}
}

// extendHorizon moves the horizon behind the positions that an atom names. Items after it are all under the
// same rules.
func (a *arrayProblem) extendHorizon(l lit) {
	switch l.op {
	case opItem:
		a.horizon = max(a.horizon, l.count+1)
	case opItems:
		a.horizon = max(a.horizon, l.count)
	}
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

func (a *arrayProblem) grow(length int) {
	for len(a.cells) < length {
		a.spend(4 + 2*len(a.rules) + len(a.limits))
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

// limit decides for each item from an index on and each limit from one on, whether the item counts for it.
func (a *arrayProblem) limit(which, index int) outcome {
	if a.step() {
		return undecided(outOfSteps)
	}
	if which == len(a.limits) {
		return a.repeat()
	}
	l := a.limits[which]
	if index == len(a.cells) || index == 0 && l.count == 0 { // none at all is a rule
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
		out = better(out, a.limit(which, index+1))
		a.limits[which].count += before.count
	}
	if before.count > 1 && a.limits[which].count > 0 {
		out = better(out, undecided(reason{"maxContains over very many items", l.lit.node}))
	}
	return out
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

// limited returns what holds for an item added after the limits were decided: it must not count.
func (a *arrayProblem) limited(index int) []lit {
	out := a.ruling(index)
	for _, l := range a.limits {
		if l.count > 0 {
			a.doubt = reason{"maxContains together with equal items", l.lit.node}
		}
	}
	return out
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
