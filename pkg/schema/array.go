package schema

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// An array problem is a clause about arrays, sorted: rules say what items must satisfy, and the length lies
// between least and most.
type arrayProblem struct {
	*engine
	rules       []literal // opItem, opItems
	least, most int
	distinct    bool
	repeated    bool
	horizon     int         // from here on all items are ruled alike
	cells       [][]literal // what the items of the value that is being put together satisfy
	doubt       reason
}

// A need asks for items from an index on that satisfy a literal, each behind the one before.
type need struct {
	from    int
	fixed   bool // exactly at from
	literal literal
	count   int
}

// Bounds on arrays that are looked at item by item.
const (
	maxCells   = 96
	fewCells   = 4 // different items that are looked for one by one before a series of them
	maxHorizon = 2048
)

// decideArray sorts the atoms of a clause and places the needs. A negated rule becomes a need, since some
// item must break it. That no item satisfies something is a rule, and that only so many do is left out.
// Needs with a fixed index, which have one position only, come first. Arrays with very many positions are
// undecided, since items are looked at one by one.
func decideArray(e *engine, atoms []literal) outcome {
	a := &arrayProblem{engine: e}
	a.least, a.most = counts(atoms, opMinItems, opMaxItems)
	var needs []need
	for _, l := range atoms {
		switch {
		case l.op == opMinItems, l.op == opMaxItems:
		case l.op == opUnique:
			a.distinct, a.repeated = a.distinct || !l.not, a.repeated || l.not
		case l.op == opContains && !l.not:
			a.least = max(a.least, l.count)
			needs = append(needs, need{literal: l.kids[0], count: l.count})
		case l.op == opContains && l.count == 1:
			a.rules = append(a.rules, yes(&node{op: opItems, kids: []literal{l.kids[0].flip()}}))
		case l.op == opContains:
			a.doubt = reason{"a limit on the items that satisfy a schema", l.node}
		case l.not:
			needs = append(needs, need{l.count, l.op == opItem, l.kids[0].flip(), 1})
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
	if a.least > a.most {
		return outcome{answer: empty}
	}
	if a.horizon > maxHorizon {
		return undecided(reason{"an array with very many positions", atoms[0].node})
	}
	slices.SortStableFunc(needs, func(x, y need) int { return order(y.fixed) - order(x.fixed) })
	return a.place(needs)
}

// counts returns the least and the greatest count that bounds allow.
func counts(atoms []literal, minimum, maximum op) (least, most int) {
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

// fill looks for the items and writes the value. Those that are missing to the least length are as the last
// one.
func (a *arrayProblem) fill() outcome {
	doubt, tried := a.doubt, true
	value := []any{}
	for _, lits := range a.cells {
		out := a.inside(lits)
		switch out.answer {
		case empty:
			return out
		case unsure:
			doubt, tried = out.why, tried && out.tried
		}
		value = append(value, out.value)
	}
	switch missing := a.least - len(value); {
	case a.distinct:
		return a.differ(doubt)
	case a.least > maxWitness:
		return settled(longList{value, a.least}, doubt, tried)
	case missing > 0:
		value = append(value, slices.Repeat(value[len(value)-1:], missing)...)
	}
	return settled(value, doubt, tried)
}

// grow adds items up to a length, with what the rules say of them.
func (a *arrayProblem) grow(length int) {
	for i := len(a.cells); i < length; i++ {
		a.spend(4 + 2*len(a.rules))
		var lits []literal
		for _, l := range a.rules {
			if l.op == opItem && l.count == i || l.op == opItems && i >= l.count {
				lits = append(lits, l.kids[0])
			}
		}
		a.cells = append(a.cells, lits)
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
	out := outcome{answer: empty}
	last := n.from
	if !n.fixed {
		// Behind the horizon and behind all that is chosen, one item is like another.
		last = max(n.from, a.horizon, len(a.cells))
	}
	for i := n.from; i <= last && i < a.most; i++ {
		size := len(a.cells)
		a.grow(i + 1)
		before := a.cells[i]
		a.cells[i] = append(slices.Clone(before), n.literal)
		if a.inside(a.cells[i]).answer != empty {
			rest := needs[1:]
			if n.count > 1 {
				rest = append([]need{{i + 1, false, n.literal, n.count - 1}}, rest...)
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

// complete makes the array long enough and decides its items together. Of many that are alike it keeps one.
func (a *arrayProblem) complete() outcome {
	size := len(a.cells)
	defer func() { a.cells = a.cells[:size] }()
	length := max(size, a.least)
	if a.repeated {
		length = max(length, 2)
	}
	if length > a.most {
		return outcome{answer: empty}
	}
	a.grow(min(length, max(a.horizon+1, maxCells)))
	if a.repeated && length == len(a.cells) { // else the last one is there twice
		return a.repeat()
	}
	return a.fill()
}

// repeat makes two items equal, if need be further ones: those behind the horizon are alike. Both get the
// assertions of both, and so the same value.
func (a *arrayProblem) repeat() outcome {
	out := outcome{answer: empty}
	for j := 1; j < max(len(a.cells), min(a.most, a.horizon+2)); j++ {
		a.grow(j + 1)
		for i := range j {
			x, y := a.cells[i], a.cells[j]
			both := slices.Concat(x, y)
			a.cells[i], a.cells[j] = both, both
			if a.inside(both).answer != empty {
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
	value, others, alike := []any{}, []literal{}, true
	for i, lits := range a.cells {
		alike = alike && slices.EqualFunc(lits, a.cells[0], literal.same)
		if i == fewCells && a.allAlike() { // each further one would be compared with all before
			if all := a.series(value); len(all) == a.least {
				return settled(all, doubt, true)
			}
		}
		out := a.inside(slices.Concat(lits, others))
		switch {
		case out.answer == empty && alike:
			return out
		case out.answer == empty:
			return undecided(cmp.Or(doubt, reason{what: "different items"}))
		case out.answer == unsure && !out.tried:
			return out
		case out.answer == unsure:
			doubt = out.why
		}
		w := weight(out.value, maxEvaluation)
		if w == maxEvaluation {
			return undecided(reason{what: "very large different items"})
		}
		a.spend(32 * w)
		value, others = append(value, out.value), append(others, not(seal(constant(out.value))))
	}
	if len(value) < a.least {
		if value = a.series(value); len(value) < a.least {
			return undecided(reason{what: "very many different items"})
		}
	}
	return settled(value, doubt, true)
}

// allAlike reports whether the same is said of all items.
func (a *arrayProblem) allAlike() bool {
	return !slices.ContainsFunc(a.cells,
		func(lits []literal) bool { return !slices.EqualFunc(lits, a.cells[0], literal.same) })
}

// series adds items to different ones up to the least length: the last one with a number in it that counts.
// They are read, and those that do not fit are left out.
func (a *arrayProblem) series(items []any) []any {
	const misses = 32 // in a row
	rules, last := a.cells[len(a.cells)-1], items[len(items)-1]
	taken := kit.Set(kit.Map(items, canonical))
	for counted := range countings(last) {
		missed := 0
		for n := 1; len(items) < a.least && missed < misses; n++ {
			missed++
			item := counted(n)
			if a.spend(32 * weight(item, maxNodes)) {
				return items
			}
			text := canonical(item)
			if fits, _ := a.satisfiesAll(rules, item); fits == inhabited && !taken[text] {
				items, taken[text], missed = append(items, item), true, 0
			}
		}
	}
	return items
}

// letters writes a number with the letters a to z as digits.
func letters(n int) string {
	const digits = 26
	text := []byte(strconv.FormatInt(int64(n), digits))
	for i, c := range text {
		if text[i] = c - '0' + 'a'; c >= 'a' {
			text[i] = c + 10
		}
	}
	return string(text)
}

// countings yields ways to make a value into different ones by a number.
func countings(v any) iter.Seq[func(int) any] {
	return func(yield func(func(int) any) bool) {
		switch v := v.(type) {
		case string:
			_ = yield(func(n int) any { return v + strconv.Itoa(n) }) &&
				yield(func(n int) any { return letters(n) }) &&
				yield(func(n int) any { return v + letters(n) }) &&
				yield(func(n int) any { return strings.ToUpper(letters(n)) })
		case json.Number:
			r, readable := rational(v)
			for _, step := range [...]int64{1, -1} {
				if !readable || !yield(func(n int) any {
					return decimal(new(big.Rat).Add(r, new(big.Rat).SetInt64(step*int64(n))))
				}) {
					return
				}
			}
		case []any:
			for i, item := range v {
				for counted := range countings(item) {
					if !yield(func(n int) any {
						out := slices.Clone(v)
						out[i] = counted(n)
						return out
					}) {
						return
					}
				}
			}
			yield(func(n int) any { return append(slices.Clone(v), json.Number(strconv.Itoa(n))) })
		case map[string]any:
			with := func(name string, item any) any {
				out := maps.Clone(v)
				out[name] = item
				return out
			}
			for _, name := range kit.SortedKeys(v) {
				for counted := range countings(v[name]) {
					if !yield(func(n int) any { return with(name, counted(n)) }) {
						return
					}
				}
			}
			yield(func(n int) any { return with("extra"+strconv.Itoa(n), true) })
		}
	}
}
