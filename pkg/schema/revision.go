package schema

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/mcpctl/mcpctl/internal/lists"
)

// Direction is the side of a call that a schema describes.
type Direction int

const (
	// Input schemas say what is accepted: what was accepted must stay accepted.
	Input Direction = iota
	// Output schemas say what is promised: what is given must stay within what was promised.
	Output
)

// Revision is two versions of a schema with the edits that lead from one to the other.
type Revision struct {
	Before, After *Schema
	// Edits are the syntactic differences along matched paths, with references resolved on both sides. A difference inside
	// a shared definition is listed once. All together they make the new schema of the old one; where finer ones would
	// not, a coarse one of [FamilySchema] takes their place. The order is that of the paths.
	Edits []Edit

	written func() *written
}

// Compare separates the edits between two versions. Where budget or context ends, they may be finer than is exact.
func Compare(ctx context.Context, before, after *Schema, b Budget) *Revision {
	b = b.pooled()
	before.pay(b.Pool)
	after.pay(b.Pool)
	b.Steps = b.Pool.Left
	return &Revision{before, after, editsOf(ctx, before, after, b), sync.OnceValue(before.written)}
}

// With returns the old version with some of the edits, named by their number.
func (r *Revision) With(edits ...int) *Schema {
	return r.with(context.Background(), nil, edits)
}

func (r *Revision) with(ctx context.Context, pool *Pool, edits []int) *Schema {
	if r.Before.doc == nil {
		return r.Before
	}
	chosen := make([]Edit, 0, len(edits))
	for _, i := range slices.Compact(slices.Sorted(slices.Values(edits))) {
		if i >= 0 && i < len(r.Edits) {
			chosen = append(chosen, r.Edits[i])
		}
	}
	m := pool.bound(newMeter(ctx, r.Before.doc.limit))
	return r.Before.patched(m, patchesOf(r.Before.doc, chosen), r.written())
}

// Without returns the new version with some of the edits undone.
func (r *Revision) Without(edits ...int) *Schema {
	return r.With(r.others(edits)...)
}

func (r *Revision) others(edits []int) []int {
	left := lists.Set(edits)
	var kept []int
	for i := range r.Edits {
		if !left[i] {
			kept = append(kept, i)
		}
	}
	return kept
}

// Change is what an edit does, or what several edits only do together.
type Change struct {
	// Edits are numbers of edits of the revision. A change without any is a difference that no edit explains.
	Edits []int
	// Kept and Inside: with these edits alone, is all that was right still right, and was all that is right now right before?
	Kept, Inside Result
	// Breaks is Incompatible where these edits break the other side of the call. Its witness was right before (of a result:
	// is given now), is rejected with these edits alone and by the whole revision, and is accepted with these edits, and
	// those of Beside, undone. Compatible also where other edits make up for it.
	Breaks Result
	// Beside are other edits that reject the witness as well, where each value that shows the change is rejected by others.
	Beside []int
	// Within is an edit that breaks whatever these edits break, also once it is taken for granted: it tells of them.
	Within []int
}

// Judge tells what the whole revision does, and each edit that asserts something; edits that only break together come last.
func (r *Revision) Judge(ctx context.Context, d Direction, b Budget) (whole Change, changes []Change) {
	b = b.pooled()
	j := &judgement{Revision: r, ctx: ctx, direction: d, budget: b, made: map[string]*Schema{}, barring: map[int]bool{}, formats: b.AssertFormats}
	j.from, j.to = r.Before, r.After
	if d == Output {
		j.from, j.to = r.After, r.Before
	}
	whole = j.effect(r.After)
	whole.Breaks = Contains(ctx, j.to, j.from, b)
	for i, e := range r.Edits {
		if e.patch != nil && (!e.Family.Annotation() || e.Family == FamilyFormat && b.AssertFormats) {
			j.asserting = append(j.asserting, i)
		}
	}
	if len(j.asserting) == 1 {
		ch := whole
		ch.Edits = j.asserting
		if value, err := decode(whole.Breaks.Witness); err == nil && b.Semantics == Strict && whole.Breaks.Verdict == Incompatible {
			ch.Breaks, _ = j.witness(j.asserting, nil, value)
		}
		return whole, []Change{ch}
	}
	for n, i := range j.asserting {
		ch := j.share(len(j.asserting) - n).effectOf(i)
		ch.Edits, ch.Breaks.Verdict = []int{i}, Compatible
		changes = append(changes, ch)
	}
	return whole, j.blame(whole.Breaks, changes)
}

// A judgement is the work of telling which edits of a revision break.
type judgement struct {
	*Revision
	ctx       context.Context
	direction Direction
	budget    Budget
	formats   bool
	from, to  *Schema // where values come from, and what must accept them
	asserting []int
	made      map[string]*Schema
	barring   map[int]bool // edits that reject all values, as far as somebody asked
}

// effect compares the old version with another one on all values.
func (j *judgement) effect(other *Schema) Change {
	b := j.budget
	b.Semantics = Strict
	return Change{Kept: Contains(j.ctx, other, j.Before, b), Inside: Contains(j.ctx, j.Before, other, b)}
}

// effectOf compares the old version with the one that has some of the edits.
func (j *judgement) effectOf(edits ...int) Change {
	if j.spent() {
		open := Result{Reason: outOfSteps.what}
		return Change{Kept: open, Inside: open}
	}
	return j.effect(j.variant(edits, false))
}

// share leaves a part of a pool for what comes after, so that one costly edit does not keep the others from an answer.
func (j *judgement) share(edits int) *judgement {
	part := *j
	if pool := j.budget.Pool; pool != nil {
		part.budget.Steps = min(cmp.Or(j.budget.Steps, DefaultSteps), max(pool.Left/(4*edits), minShare))
	}
	return &part
}

// minShare is the number of steps that plain edits need.
const minShare = 500

// spent reports whether no work is left to be done.
func (j *judgement) spent() bool {
	return j.ctx.Err() != nil || j.budget.Pool.empty()
}

// alone is what values come from, with some edits as what must accept the values has them.
func (j *judgement) alone(edits ...int) *Schema { return j.variant(edits, j.direction == Output) }

// undone is what must accept values, with some edits undone.
func (j *judgement) undone(edits ...int) *Schema { return j.variant(edits, j.direction == Input) }

func (j *judgement) variant(edits []int, without bool) *Schema {
	key := fmt.Sprint(edits, without)
	made := j.made[key]
	if made != nil {
		return made
	}
	if without {
		edits = j.others(edits)
	}
	made = j.with(j.ctx, j.budget.Pool, edits)
	made.pay(j.budget.Pool)
	j.made[key] = made
	return made
}

func (j *judgement) reads(s *Schema, value any) answer {
	return question{budget: Budget{AssertFormats: j.formats, Pool: j.budget.Pool}}.reads(j.ctx, yes(s.plain), value)
}

// blame finds the edits that break values: one value after another that is broken even with those found before undone.
func (j *judgement) blame(r Result, changes []Change) []Change {
	var found []int
	for r.Verdict == Incompatible && r.Witness != nil && !j.spent() {
		value, err := decode(r.Witness)
		if err != nil {
			break
		}
		repair := j.repair(value)
		fresh := slices.DeleteFunc(slices.Clone(repair), func(i int) bool { return slices.Contains(found, i) })
		for _, i := range fresh {
			changes = j.tell(changes, i, repair, value)
		}
		if len(fresh) == 0 {
			if repair == nil {
				changes = append(changes, Change{Breaks: r})
			}
			break
		}
		found = append(found, fresh...)
		slices.Sort(found)
		r = j.next(found)
	}
	if r.Verdict == Incompatible && j.spent() {
		r = Result{Reason: outOfSteps.what}
	}
	if r.Verdict == Unknown {
		j.doubt(r, changes)
	}
	return j.cover(changes)
}

// next asks for a value that is broken with some edits undone, too.
func (j *judgement) next(undone []int) Result {
	if len(undone) == len(j.asserting) {
		return Result{Verdict: Compatible}
	}
	without := j.undone(undone...)
	r := Contains(j.ctx, without, j.from, j.budget)
	if value, err := decode(r.Witness); err == nil && j.reads(j.to, value) != void {
		r = question{in: []*Schema{j.from}, out: []*Schema{j.to, without}, budget: j.budget}.answer(j.ctx)
	}
	return r
}

// tell puts down that an edit breaks a value, or that it does so together with others.
func (j *judgement) tell(changes []Change, edit int, repair []int, value any) []Change {
	set := []int{edit}
	if j.reads(j.alone(edit), value) != void {
		rejects := func(edits []int) bool {
			return slices.Contains(edits, edit) && j.reads(j.alone(edits...), value) == void
		}
		quiet := slices.DeleteFunc(slices.Clone(j.asserting), func(i int) bool { return j.reads(j.alone(i), value) == void })
		if !rejects(quiet) { // only those tell which edits act together that do not reject the value by themselves
			quiet = j.asserting
		}
		set = j.least(quiet, rejects)
	}
	r, beside := j.witness(set, repair, value)
	for i := range changes {
		if slices.Equal(changes[i].Edits, set) {
			changes[i].Breaks, changes[i].Beside = r, beside
			return changes
		}
	}
	ch := j.effectOf(set...)
	ch.Edits, ch.Breaks, ch.Beside = set, r, beside
	return append(changes, ch)
}

// repair finds few edits that, undone, let a broken value pass: one, or those that reject it alone, or all; else nil.
func (j *judgement) repair(value any) []int {
	passes := func(edits []int) bool {
		return len(edits) > 0 && !j.spent() && j.reads(j.undone(edits...), value) == inhabited
	}
	var rejecting []int
	for _, i := range j.asserting {
		if passes([]int{i}) {
			return []int{i}
		}
		if !j.spent() && j.reads(j.alone(i), value) == void {
			rejecting = append(rejecting, i)
		}
	}
	for _, edits := range [...][]int{rejecting, j.asserting} {
		if passes(edits) {
			return j.least(edits, passes)
		}
	}
	return nil
}

// least leaves out edits, many at a time and then one by one, as long as the rest is enough.
func (j *judgement) least(edits []int, enough func([]int) bool) []int {
	for size := (len(edits) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(edits); {
			if less := slices.Delete(slices.Clone(edits), at, min(at+size, len(edits))); !j.spent() && enough(less) {
				edits = less
			} else {
				at += size
			}
		}
	}
	return edits
}

// doubt judges the edits by themselves for which nothing was found before a question was left open.
func (j *judgement) doubt(open Result, changes []Change) {
	for i, ch := range changes {
		if ch.Breaks.Verdict != Compatible || len(ch.Edits) == 0 {
			continue
		}
		if j.spent() {
			changes[i].Breaks = open
			continue
		}
		r := Contains(j.ctx, j.alone(ch.Edits...), j.from, j.budget)
		if value, err := decode(r.Witness); r.Verdict == Incompatible && (err != nil || j.reads(j.to, value) != void) {
			r = open
		}
		changes[i].Breaks = r
	}
}
