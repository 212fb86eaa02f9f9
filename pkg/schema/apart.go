package schema

import (
	"cmp"
	"context"
	"slices"
)

// witness shows that edits break by a value that nothing else rejects; else by one that beside them only edits reject which
// reject every value, or the one at hand, with its repair. Declared values come first, whatever the semantics.
func (j *judgement) witness(set, repair []int, value any) (r Result, beside []int) {
	q := question{in: []*Schema{j.from}, out: []*Schema{j.to, j.alone(set...)}, budget: j.budget}
	tried := [][]int{nil}
	if bars := j.bars(set, value); len(bars) > 0 {
		tried = append(tried, bars)
	}
	for _, others := range tried {
		q.also = j.undone(slices.Sorted(slices.Values(slices.Concat(set, others)))...)
		if j.reads(q.also, value) == inhabited && j.declares(value) {
			return q.shown(j.ctx, value), others
		}
		if r := j.ask(q); r.Witness != nil {
			return r, others
		}
	}
	q.also = j.undone(repair...)
	return q.shown(j.ctx, value), slices.DeleteFunc(slices.Clone(repair), func(i int) bool { return slices.Contains(set, i) })
}

// ask looks for a value that the schema accepts which must accept what is shown.
func (j *judgement) ask(q question) Result {
	q.in = append(q.in, q.also)
	strict := q.budget.Semantics
	if q.budget.Semantics = Declared; strict == Strict {
		if r := q.answer(j.ctx); r.Witness != nil {
			return r
		}
		q.budget.Semantics = Strict
	}
	return q.answer(j.ctx)
}

// declares reports whether a value is one that callers send who follow the declaration.
func (j *judgement) declares(value any) bool {
	q := question{budget: Budget{AssertFormats: j.formats, Pool: j.budget.Pool}}
	return j.budget.Semantics == Declared || q.reads(j.ctx, yes(j.from.declared()), value) == inhabited
}

// bars are the other edits that reject a value because they reject every value.
func (j *judgement) bars(set []int, value any) []int {
	var bars []int
	for _, i := range j.rejecting(value, set) {
		if _, known := j.barring[i]; !known {
			j.barring[i] = question{in: []*Schema{j.from, j.alone(i)}, budget: j.budget}.void(j.ctx)
		}
		if j.barring[i] {
			bars = append(bars, i)
		}
	}
	return bars
}

// void reports whether it is proved that no value answers the question.
func (q question) void(ctx context.Context) bool {
	e := newEngine(ctx, q.budget)
	limit := e.left
	defer func() { q.budget.Pool.take(limit - cmp.Or(e.spared, e.left)) }()
	return e.inhabit(q.literals()).answer == void
}

// rejecting are the edits that reject a value for themselves, but for some.
func (j *judgement) rejecting(value any, but []int) []int {
	return slices.DeleteFunc(slices.Clone(j.asserting), func(i int) bool {
		return slices.Contains(but, i) || j.spent() || j.reads(j.alone(i), value) != void
	})
}

const mostCovering = 200

// cover takes out the edits that break nothing once another one is taken for granted that rejects the same values: that one
// tells of them. Where this goes for both, the two are one change.
func (j *judgement) cover(changes []Change) []Change {
	if len(j.asserting) > mostCovering {
		return changes
	}
	for i := range changes {
		for _, m := range j.beside(changes, i) {
			a, b := &changes[i], &changes[m]
			switch {
			case !j.moot(a.Edits[0], b.Edits[0]):
				continue
			case j.moot(b.Edits[0], a.Edits[0]):
				changes = j.unite(changes, i, m)
			default:
				a.Breaks, a.Beside, a.Within = Result{Verdict: Compatible}, nil, b.Edits
			}
			break
		}
	}
	return changes
}

// beside are the changes that break by one edit which rejects the witness of a change that no value shows alone.
func (j *judgement) beside(changes []Change, i int) []int {
	value, err := decode(changes[i].Breaks.Witness)
	if err != nil || len(changes[i].Beside) == 0 || len(changes[i].Edits) != 1 {
		return nil
	}
	rejecting := j.rejecting(value, slices.Concat(changes[i].Edits, j.bars(changes[i].Edits, value))) // once one that bars all is taken, all is moot
	var all []int
	for m, ch := range changes {
		if len(ch.Edits) == 1 && ch.Breaks.Verdict == Incompatible && slices.Contains(rejecting, ch.Edits[0]) {
			all = append(all, m)
		}
	}
	return all
}

// moot reports whether it is proved that an edit breaks no value once another one is taken for granted.
func (j *judgement) moot(edit, taken int) bool {
	both := []int{min(edit, taken), max(edit, taken)}
	with := j.variant([]int{taken}, false)
	q := question{in: []*Schema{with}, out: []*Schema{j.After, j.variant(both, false)}, budget: j.budget}
	q.budget.Semantics = Strict
	if j.direction == Output {
		q.in, q.out = []*Schema{j.After}, []*Schema{with, j.variant([]int{edit}, true)}
	}
	return q.void(j.ctx)
}

func (j *judgement) unite(changes []Change, i, m int) []Change {
	edits := []int{min(changes[i].Edits[0], changes[m].Edits[0]), max(changes[i].Edits[0], changes[m].Edits[0])}
	ch := j.effectOf(edits...)
	ch.Edits, ch.Breaks = edits, changes[i].Breaks
	if value, err := decode(ch.Breaks.Witness); err == nil {
		ch.Breaks, ch.Beside = j.witness(edits, slices.Compact(slices.Sorted(slices.Values(slices.Concat(edits, changes[i].Beside)))), value)
	}
	for _, part := range []int{i, m} {
		changes[part].Breaks, changes[part].Beside = Result{Verdict: Compatible}, nil
	}
	return append(changes, ch)
}
