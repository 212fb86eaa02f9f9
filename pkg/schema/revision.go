package schema

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
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
	// Edits are the differences along matched paths, with references resolved on both sides, each a loss or a
	// gain. A difference inside a shared definition is listed once. The order is that of the paths.
	Edits []Edit

	root *schemaPair // nil where the schemas were not compared
	cut  bool        // not all was compared
}

// Compare separates the edits between two versions.
func Compare(ctx context.Context, before, after *Schema, b Budget) *Revision {
	r := &Revision{Before: before, After: after, cut: true}
	old, new := before.doc, after.doc
	if old == nil || new == nil {
		return r
	}
	b = b.pooled()
	written := [...]*document{old, new}
	r.Before, r.After = joinArms(ctx, before, after, b.Pool)
	before, after = r.Before, r.After
	old, new = before.doc, after.doc
	m, paid := b.Pool.meter(ctx, b.Pool.Left*unitsPerStep)
	defer paid()
	c := &comparison{meter: m, seen: map[schemaPairKey]*schemaPair{}, texts: map[string]json.RawMessage{},
		views: map[string]view{}, nulls: map[string]answer{}}
	if old.owner("").dialect.draft != new.owner("").dialect.draft {
		c.edits = []Edit{{Family: FamilyDialect, Keyword: "$schema", Old: before.At("/$schema"),
			New: after.At("/$schema")}}
	}
	r.root = c.compare(site{old, "", old.root}, site{new, "", new.root}, trail{})
	r.cut = c.cut || c.left < 0
	slices.SortStableFunc(c.edits, func(a, b Edit) int { return strings.Compare(a.Path, b.Path) })
	c.shareArms(written[0], written[1])
	for i, e := range c.edits {
		for _, same := range e.everywhere() {
			if e.asserts() {
				same.at.own = append(same.at.own, i)
			}
		}
	}
	r.Edits = c.edits
	c.reach()
	return r
}

// With returns the old version with some of the edits, named by their number.
func (r *Revision) With(edits ...int) *Schema {
	return r.with(context.Background(), nil, edits, r.root)
}

// with returns the old schema of a pair with some of the edits.
func (r *Revision) with(ctx context.Context, pool *Pool, edits []int, at *schemaPair) *Schema {
	if r.root == nil {
		return r.Before
	}
	edits = kit.Filter(at.reaching(edits),
		func(i int) bool { return i >= 0 && i < len(r.Edits) && r.Edits[i].patch != nil })
	switch {
	case len(edits) == 0 && at == r.root:
		return r.Before
	case len(edits) == 0:
		return r.Before.inside(at.old.place)
	}
	m, _ := pool.meter(ctx, r.Before.doc.limit)
	ps := r.patches(edits)
	return r.Before.variant(m, pool, ps, ps.part(at))
}

// Without returns the new version with some of the edits undone.
func (r *Revision) Without(edits ...int) *Schema {
	return r.With(r.others(edits)...)
}

// others returns the numbers of all edits but the given ones, in order.
func (r *Revision) others(edits []int) []int {
	given := setOf(edits)
	return kit.Filter(indexes(len(r.Edits)), func(i int) bool { return !given.has(i) })
}

// Change is what an edit does.
type Change struct {
	// Edit is the number of the edit in the revision; -1 for a difference that no edit explains.
	Edit int
	// Kept and Inside: with this edit alone, is all that was right still right, and was all that is right now
	// right before? They are asked at the place of the edit.
	Kept, Inside Result
	// Breaks is the answer to the two questions of docs/compatibility.md, section 1.
	Breaks Result
	// Path and Instance are the place in the schemas, and in the value, where the questions were asked. Old
	// and New are the pointers of the schemas there.
	Path, Instance, Old, New string
	// LosesNone and GainsNone: the edit is in an alternative of a union, and that alternative is proved to
	// lose or to gain no values, though the union does.
	LosesNone, GainsNone bool
	// Together are other edits of the same union with which this one was judged as one edit.
	Together []int
}

// Judgement is the answer of [Revision.Judge].
type Judgement struct {
	// Whole is what all edits together do.
	Whole Change
	// Changes are what each edit that asserts something does, in the order of the edits.
	Changes []Change
	// Rest are differences that no edit explains: the edits that break leave them when they are undone.
	Rest []Change
}

// Judge decides what the whole revision does and what each edit does. Every edit is asked the two questions
// of docs/compatibility.md, section 1, at the deepest place where they can be asked; at the end it is asked
// whether anything is left once all edits that break are undone.
func (r *Revision) Judge(ctx context.Context, d Direction, b Budget) Judgement {
	b = b.pooled()
	j := &judgement{Revision: r, ctx: cmp.Or(ctx, context.Background()), direction: d, budget: b,
		samples: map[string]any{}, made: map[string]*Schema{},
		asserting: kit.Filter(indexes(len(r.Edits)), func(i int) bool { return r.Edits[i].asserts() }),
		found:     map[int]Change{}, joint: map[int]bool{}, joined: map[int]int{}}
	if r.root != nil {
		j.used = r.root.reached
	}
	part, out := j.share(4), Judgement{Whole: Change{Edit: -1}}
	out.Whole.Kept, out.Whole.Inside = part.effect(j.Before, j.After)
	out.Whole.Breaks = part.contains(j.target(&place{}), j.source(&place{}))
	same := out.Whole.Kept.Verdict == Compatible && out.Whole.Inside.Verdict == Compatible
	if !same {
		places := placesOf(j)
		for n, p := range places {
			j.judgePlace(p, len(places)-n, out.Whole)
			clear(j.made) // each place has versions of its own
		}
		out.Rest = restOf(j, places, out.Whole)
		effectTogether(j, places)
	}
	for _, i := range j.asserting {
		ch, asked := j.found[i]
		switch {
		case asked:
		case same || !j.used.has(i): // other words for the same, or no value leads there
			ch = Change{Edit: i, Kept: compatible, Inside: compatible, Breaks: compatible}
		default:
			ch = Change{Edit: i, Breaks: notAsked}
		}
		out.Changes = append(out.Changes, ch)
	}
	return out
}

// The answers that are known without asking.
var (
	compatible = Result{Verdict: Compatible}
	notAsked   = Result{Reason: outOfSteps.what}
)

// A judgement is the work of deciding which edits of a revision break.
type judgement struct {
	*Revision
	ctx       context.Context
	direction Direction
	budget    Budget
	asserting []int
	used      editSet            // those that some value leads to
	made      map[string]*Schema // by pair and edits
	found     map[int]Change     // by edit: the worst of all places
	samples   map[string]any     // of required members
	joint     map[int]bool       // edits that break, but not alone
	joined    map[int]int        // edits that have the finding of another, see together.go
}

// share leaves a part of the pool for what comes after, so that one costly edit does not keep the others from
// an answer.
func (j *judgement) share(parts int) *judgement {
	const minShare = 500 // the number of steps that plain edits need
	part := *j
	part.budget.Steps = min(j.budget.steps(), max(j.budget.Pool.Left/(4*parts), minShare))
	return &part
}

// spent reports whether no work is left to be done.
func (j *judgement) spent() bool {
	return j.ctx.Err() != nil || j.budget.Pool.empty()
}

// judgePlace asks about each edit at a place whether it breaks. The worst answer of all places counts.
func (j *judgement) judgePlace(p *place, places int, whole Change) {
	kept := whole.Breaks
	if p.parent != nil {
		kept = j.share(places).contains(j.target(p), j.source(p))
	}
	same := kept.Verdict == Compatible && !p.core.plain &&
		Equivalent(j.ctx, j.side(p, true), j.side(p, false), j.share(4).budget) // other words for the same
	for n, i := range p.edits {
		part := j.share(places + len(p.edits) - n)
		ch := Change{Edit: i, Path: p.path, Instance: p.instance, Old: p.old.place, New: p.new.place}
		switch {
		case part.spent():
			ch.Breaks = notAsked
		case kept.Verdict == Compatible && !j.opens(i):
			ch.Breaks = compatible // nothing at all is refused here
		default:
			ch.Breaks = lifted(part, p, i, part.breaks(p, i))
		}
		if before, asked := j.found[i]; asked && worse(before.Breaks.Verdict) >= worse(ch.Breaks.Verdict) {
			continue
		}
		switch {
		case same:
			ch.Kept, ch.Inside = compatible, compatible
		case part.spent():
			ch.Kept, ch.Inside = notAsked, notAsked
		default:
			ch.Kept, ch.Inside = part.effect(j.side(p, false), j.version(p, []int{i}))
			ch.LosesNone, ch.GainsNone = alternativeKeeps(part, p, ch)
		}
		j.found[i] = ch
	}
	joinJoint(j.share(places), p)
}

// worse orders verdicts.
func worse(v Verdict) int { return map[Verdict]int{Compatible: 0, Unknown: 1, Incompatible: 2}[v] }

// breaks asks the two questions of an edit: is there a value from the one side that the other side refuses,
// and that is refused with this edit alone, or accepted with this edit undone?
func (j *judgement) breaks(p *place, edit int) Result {
	r := j.breaksWithout(p, edit, append(j.restored(edit), p.inside...))
	if r.Verdict != Incompatible || j.reads(j.target(p), r) == empty {
		return r
	}
	return j.breaksWithout(p, edit, nil)
}

// breaksWithout asks the two questions of an edit with others undone: those inside the members of an object,
// which have their own places, and the removal of members where the object is closed.
func (j *judgement) breaksWithout(p *place, edit int, others []int) Result {
	from, to := j.source(p), j.target(p)
	alone, undone := j.undone(p, j.others([]int{edit})...), j.undone(p, append(others, edit)...)
	if len(others) > 0 {
		to = j.undone(p, others...)
	}
	if j.opens(edit) {
		from = from.asWritten()
	}
	first := j.contains(alone, from) // what the edit alone does not refuse need not be asked of the whole
	if first.Verdict != Compatible && j.reads(to, first) != empty {
		first = j.ask(question{in: []*Schema{from}, out: []*Schema{to, alone}})
	}
	if j.reads(undone, first) == inhabited {
		return first
	}
	second := j.ask(question{in: []*Schema{from, undone}, out: []*Schema{to}})
	j.joint[edit] = first.Verdict == Compatible && second.Verdict == Incompatible
	if second.Verdict == Incompatible || first.Verdict == Compatible {
		return second
	}
	return first
}

// opens reports whether an edit takes away what was allowed in so many words, as additionalProperties or
// unevaluatedProperties: true allow undeclared members: no name is declared, and yet the edit closes
// something.
func (j *judgement) opens(edit int) bool {
	e := j.Edits[edit]
	given := e.Old
	if j.direction == Output {
		given = e.New
	}
	v, err := rawjson.Decode(given)
	return (e.Family == FamilyAdditional || e.Family == FamilyUnevaluated) && err == nil && unrestricted(v)
}

// restored returns the other edits of an object that are undone to judge a closing, or a member that went:
// other members that went, and members that are required now. Each of them could refuse every value. For
// results it is the mirror.
func (j *judgement) restored(edit int) []int {
	e := j.Edits[edit]
	goes := func(o Edit) bool {
		return o.Family == FamilyProperty && (o.New == nil) == (j.direction == Input)
	}
	demands := func(o Edit) bool {
		return (o.Family == FamilyRequired || o.Family == FamilyProperty && o.Required) &&
			(o.New != nil) == (j.direction == Input)
	}
	if e.Family != FamilyAdditional && e.Family != FamilyUnevaluated && !goes(e) {
		return nil
	}
	return kit.Filter(j.asserting, func(i int) bool {
		o := j.Edits[i]
		return i != edit && (goes(o) || demands(o)) && slices.ContainsFunc(o.everywhere(), func(o Edit) bool {
			return slices.ContainsFunc(e.everywhere(), func(e Edit) bool { return o.at == e.at })
		})
	})
}

// effect compares what is accepted before and after, on all values.
func (j *judgement) effect(before, after *Schema) (kept, inside Result) {
	b := j.budget
	b.Semantics = Strict
	return Contains(j.ctx, after, before, b), Contains(j.ctx, before, after, b)
}

func (j *judgement) contains(wide, narrow *Schema) Result {
	return j.ask(question{in: []*Schema{narrow}, out: []*Schema{wide}})
}

func (j *judgement) ask(q question) Result {
	q.budget = j.budget
	return q.answer(j.ctx)
}

// reads answers whether a schema accepts the value of a result; unsure where there is none.
func (j *judgement) reads(s *Schema, r Result) answer {
	if r.Verdict != Incompatible {
		return unsure
	}
	return question{budget: j.budget}.reads(j.ctx, yes(s.plain), r.value)
}

// source returns the schema that values come from at a place, and target the one that must accept them.
func (j *judgement) source(p *place) *Schema { return j.side(p, j.direction == Output) }
func (j *judgement) target(p *place) *Schema { return j.side(p, j.direction == Input) }

// side returns the schema of one version at a place: the whole at the root, else the part there.
func (j *judgement) side(p *place, after bool) *Schema {
	switch {
	case p.parent == nil && after:
		return j.After
	case p.parent == nil:
		return j.Before
	case after:
		return j.After.inside(p.new.place)
	}
	return j.Before.inside(p.old.place)
}

// undone returns the schema that must accept values, with some edits undone.
func (j *judgement) undone(p *place, edits ...int) *Schema {
	if j.direction == Input {
		edits = j.others(edits)
	}
	return j.version(p, edits)
}

// version returns the old version with some edits at a place. It is made once, except for a large schema, as
// most versions are used by one edit.
func (j *judgement) version(p *place, edits []int) *Schema {
	const keptBytes = 1 << 20 // of what the kept versions are made from
	edits = p.reaching(edits)
	key := fmt.Sprint(p.number, edits)
	if j.made[key] == nil {
		if len(j.made)*len(j.Before.Raw()) > keptBytes {
			clear(j.made)
		}
		j.made[key] = j.with(j.ctx, j.budget.Pool, edits, p.schemaPair)
	}
	return j.made[key]
}
