package schema

import "slices"

// An array problem is a clause about arrays, sorted: rules say what items must satisfy, needs ask for an item, limits
// say how many items at most satisfy something, and the length lies between least and most.
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
	doubted     bool
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

// array decides a clause about arrays.
func (e *engine) array(atoms []lit) outcome {
	a := e.arrayProblem(atoms)
	if a.least > a.most {
		return outcome{answer: void}
	}
	if a.horizon > maxHorizon || len(a.needs) > maxCells {
		return undecided(reason{"an array with very many positions", atoms[0].node})
	}
	return a.place(a.needs)
}

func (e *engine) arrayProblem(atoms []lit) *arrayProblem {
	a := &arrayProblem{engine: e, most: unbounded}
	for i, l := range atoms {
		switch {
		case l.op == opMinItems && !l.not:
			a.least = max(a.least, l.count)
		case l.op == opMaxItems && l.not:
			a.least = max(a.least, l.count+1)
		case l.op == opMaxItems:
			a.most = min(a.most, l.count)
		case l.op == opMinItems:
			a.most = min(a.most, l.count-1)
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
	doubt, doubted, tried := a.doubt, a.doubted, true
	for i := range a.cells {
		out := a.inside(a.cells[i].lits)
		switch out.answer {
		case void:
			return out
		case unsure:
			doubt, doubted, tried = out.why, true, tried && out.tried
		}
		a.cells[i].out = out
	}
	if a.distinct {
		return a.differ(doubt, doubted)
	}
	var value []any
	for _, c := range a.cells {
		for range min(c.count, 1<<17) {
			value = append(value, c.out.value)
		}
	}
	switch {
	case value == nil:
		value = []any{}
	case len(value) > maxWitnessItems:
		return undecided(reason{what: "an array too long to write out"})
	}
	switch {
	case !doubted:
		return found(value)
	case tried:
		return doubtful(value, doubt)
	}
	return undecided(doubt)
}

const maxWitnessItems = 1 << 16
