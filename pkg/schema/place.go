package schema

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// A place is a pair of schemas about which edits are judged: the deepest one to which, on both sides, only
// schemas lead that say nothing but which values an object or an array holds, or are unions of alternatives
// that exclude each other. What is found there holds for the whole.
type place struct {
	child  // of the core of the parent
	trail  // from the root
	parent *place
	edits  []int // that are judged here
	inside []int // those of the members, which are judged at their own places
	depth  int
	tried  answer // whether it fits into what is around it; unsure until it is asked
}

// placesOf lists where edits are judged: the deepest first, and those last that may take much work.
func placesOf(j *judgement) []*place {
	if j.root == nil {
		return nil
	}
	all := []*place{{child: child{schemaPair: j.root}}}
	seen := map[*schemaPair]bool{j.root: true}
	for n := 0; n < len(all); n++ {
		p := all[n]
		if !p.core.plain {
			p.edits = j.within(p.schemaPair)
			continue
		}
		if p.edits = slices.Sorted(slices.Values(slices.Concat(p.own, p.core.own))); len(p.edits) > 0 {
			own := setOf(p.edits)
			p.inside = kit.Filter(j.within(p.schemaPair), func(i int) bool { return !own.has(i) })
		}
		for _, c := range p.core.children {
			if !seen[c.schemaPair] {
				seen[c.schemaPair] = true
				all = append(all, &place{child: c, trail: p.trail.into(c.at...).short(c.new), parent: p,
					depth: p.depth + 1})
			}
		}
	}
	slices.Reverse(all)
	all = kit.Filter(all, func(p *place) bool { return len(p.edits) > 0 })
	easy := kit.Filter(all, func(p *place) bool { return !j.isHard(p) })
	return append(easy, kit.Filter(all, j.isHard)...)
}

// isHard reports whether an answer at a place may take much work.
func (j *judgement) isHard(p *place) bool {
	easy := []Family{FamilyType, FamilyNull, FamilyEnum, FamilyRange, FamilyLength, FamilyItemCount}
	return !p.core.plain && slices.ContainsFunc(p.edits,
		func(i int) bool { return !slices.Contains(easy, j.Edits[i].Family) })
}

// within lists the edits that are reached from a pair and assert something.
func (j *judgement) within(m *schemaPair) []int {
	return kit.Filter(m.reached.list(), func(i int) bool { return j.Edits[i].asserts() })
}

// lifted completes a value that shows a break at a place to a value of the whole, which both whole schemas
// read. Where none is found, the question is asked about the whole.
func lifted(j *judgement, p *place, edit int, r Result) Result {
	if p.parent == nil || r.Verdict != Incompatible {
		return r
	}
	value := r.value
	root := &place{child: child{schemaPair: j.root}}
	from := j.source(root)
	if edit >= 0 && j.opens(edit) {
		from = from.asWritten()
	}
	if p.depth > maxShown && fits(j, p) {
		return Result{Verdict: Incompatible, Reason: tooLarge, Steps: r.Steps}
	}
	if whole, ok := j.complete(p, &place{}, value); ok && j.shows(from, j.target(root), whole) {
		r.show(whole)
		return r
	}
	for _, siblings := range [...]bool{true, false} {
		inner := constant(value)
		for at := p; at.parent != nil; at = at.parent {
			inner = j.around(at, inner, siblings)
		}
		q := question{in: []*Schema{from}, with: []literal{yes(seal(inner))}, budget: j.budget}
		if whole := q.answer(j.ctx); j.reads(j.target(root), whole) == empty {
			r.show(whole.value)
			return r
		}
	}
	if edit >= 0 {
		r = j.breaksWithout(root, edit, append(j.restored(edit), p.inside...))
	}
	return proved(j, root, r)
}

// maxShown is the depth of a place up to which a value of the whole is shown.
const maxShown = 128

// fits reports whether any value that is accepted before at a place is a part of one that is accepted as a
// whole: at each place around it, one such value is put into what is around it.
func fits(j *judgement, p *place) bool {
	if p.parent == nil {
		return true
	}
	if p.tried == unsure {
		q := question{in: []*Schema{j.source(p)}, budget: j.budget}
		r := q.answer(j.ctx)
		around, ok := j.complete(p, p.parent, r.value)
		q.in[0], p.tried = j.source(p.parent), empty
		if ok && r.Verdict == Incompatible && fits(j, p.parent) {
			p.tried = answerOf(q.holds(j.ctx, around))
		}
	}
	return p.tried == inhabited
}

// shows reports whether a value is accepted by one schema and refused by the other one.
func (j *judgement) shows(from, to *Schema, value any) bool {
	q := question{in: []*Schema{from}, out: []*Schema{to}, budget: j.budget}
	return q.holds(j.ctx, value)
}

// complete puts a value at a place into the objects and arrays around it, up to another place or all of them,
// with the members that are required beside it.
func (j *judgement) complete(p, up *place, value any) (any, bool) {
	for at := p; at.parent != nil && at != up; at = at.parent {
		switch at.at[0] {
		case "anyOf", "oneOf":
		case "items":
			value = []any{value}
		case "properties":
			object := map[string]any{at.at[1]: value}
			from := at.parent.x
			if j.direction == Output {
				from = at.parent.y
			}
			for _, name := range from.required() {
				if name == at.at[1] {
					continue
				}
				sample, ok := sampleOf(j, at.parent, name)
				if !ok {
					return nil, false
				}
				object[name] = sample
			}
			value = object
		default:
			return nil, false
		}
	}
	return value, true
}

// sampleOf returns a value of a member that is right on both sides, found once; or right before, if there is
// none.
func sampleOf(j *judgement, p *place, name string) (any, bool) {
	key := p.schemaPair.name() + " " + name
	if value, found := j.samples[key]; found {
		return value, true
	}
	from, to := p.x, p.y
	if j.direction == Output {
		from, to = to, from
	}
	member := func(of *Schema, v view) *Schema { return of.inside(v.child("properties", name).place) }
	root := &place{child: child{schemaPair: j.root}}
	if from.table("properties")[name] == nil {
		return nil, false
	}
	in := []*Schema{member(j.source(root), from)}
	if to.table("properties")[name] != nil {
		in = append(in, member(j.target(root), to))
	}
	for n := len(in); n > 0; n-- {
		q := question{in: in[:n], budget: j.budget}
		if r := q.answer(j.ctx); r.Verdict == Incompatible {
			j.samples[key] = r.value
			return r.value, true
		}
	}
	return nil, false
}

// unproved is the answer for a break that no value shows which is right before and wrong now.
var unproved = Result{Reason: "it may break once the other breaking changes are undone"}

// proved returns an answer if it is not a break, or one that is shown at a place: one without a value, since
// that is too large, was shown before.
func proved(j *judgement, p *place, r Result) Result {
	if r.Verdict != Incompatible || r.value == nil && r.Reason == tooLarge ||
		j.reads(j.target(p), r) == empty {
		return r
	}
	return unproved
}

// around returns the assertion that a value holds another one at a place, which satisfies n. With siblings,
// the members that it must have beside that one are right on both sides.
func (j *judgement) around(p *place, n *node, siblings bool) *node {
	switch p.at[0] {
	case "anyOf", "oneOf":
		return n
	case "items":
		return all(yes(&node{op: opKinds, kinds: kindArray}), yes(&node{op: opMinItems, count: 1}),
			yes(&node{op: opItem, kids: []literal{yes(n)}}))
	}
	object := all(yes(&node{op: opKinds, kinds: kindObject}))
	from, to := p.parent.x, p.parent.y
	if j.direction == Output {
		from, to = to, from
	}
	x, y := from.table("properties"), to.table("properties")
	for _, name := range from.required() {
		if y[name] != nil && !slices.Equal(p.at, []string{"properties", name}) && siblings {
			allowed := j.target(&place{}).inside(to.child("properties", name).place).plain
			object.kids = append(object.kids,
				yes(&node{op: opProperty, text: name, kids: []literal{yes(allowed)}}))
		}
	}
	if p.at[0] == "properties" {
		object.kids = append(object.kids, yes(&node{op: opRequired, text: p.at[1]}),
			yes(&node{op: opProperty, text: p.at[1], kids: []literal{yes(n)}}))
		return object
	}
	declared := sortedNames(kit.SortedKeys(x), kit.SortedKeys(y))
	others := &node{op: opRest, names: declared, kids: []literal{not(n)}}
	object.kids = append(object.kids, not(others))
	return object
}

// restOf asks whether anything is left once all edits are undone that break or are undecided. Edits that then
// break are added to what was found; places with a difference that no edit explains are returned.
func restOf(j *judgement, places []*place, whole Change) []Change {
	if whole.Breaks.Verdict == Compatible {
		return nil
	}
	if j.root == nil || j.cut {
		if whole.Breaks.Verdict == Unknown && j.root != nil { // else it says why they were not compared
			whole.Breaks = notAsked
		}
		return []Change{whole}
	}
	root := &place{child: child{schemaPair: j.root}, inside: j.asserting}
	all := append(places, root)
	if j.left(root).Verdict != Compatible {
		for n, p := range places {
			askAgain(j.share(len(places)-n), p)
		}
		if rest := unexplained(j, all, (*judgement).left); len(rest) > 0 {
			return orWhole(j, rest, whole)
		}
	}
	return orWhole(j, unexplained(j, all, differs), whole)
}

// orWhole returns what is left or, if nothing is shown to break though the whole does, the whole.
func orWhole(j *judgement, rest []Change, whole Change) []Change {
	breaks := func(ch Change) bool { return ch.Breaks.Verdict == Incompatible }
	if !breaks(whole) || slices.ContainsFunc(rest, breaks) ||
		slices.ContainsFunc(j.asserting, func(i int) bool { return breaks(j.found[i]) }) {
		return rest
	}
	return []Change{whole}
}

// unexplained returns the smallest places for which a question is answered with a value, or left open though
// no edit there is undecided.
func unexplained(j *judgement, places []*place, ask func(*judgement, *place) Result) []Change {
	var rest []Change
	root := &place{child: child{schemaPair: j.root}}
	around := map[*schemaPair]bool{} // the places around those that are returned
	for n, p := range places {
		if around[p.schemaPair] || p.parent == nil && len(rest) > 0 {
			continue
		}
		r := ask(j.share(len(places)-n), p)
		open := slices.ContainsFunc(slices.Concat(p.edits, p.inside), func(i int) bool {
			return j.found[i].Breaks.Verdict == Unknown && j.used.has(i)
		})
		if r.Verdict == Compatible || r.Verdict == Unknown && open {
			continue
		}
		r = proved(j, root, lifted(j, p, -1, r))
		rest = append(rest, Change{Edit: -1, Breaks: r, Path: p.path, Instance: p.instance,
			Old: p.old.place, New: p.new.place})
		for at := p; at != nil; at = at.parent {
			around[at.schemaPair] = true
		}
	}
	return rest
}

// settled returns the edits that have a finding, of their own or with another edit.
func (j *judgement) settled() []int {
	return kit.Filter(j.asserting, func(i int) bool {
		return j.isJoined(i) || j.found[i].Breaks.Verdict != Compatible
	})
}

// left asks whether values break with all edits undone that have a finding of their own.
func (j *judgement) left(p *place) Result {
	settled := j.settled()
	switch {
	case len(settled) == len(j.asserting):
		return compatible
	case len(settled) == 0:
		return j.contains(j.target(p), j.source(p))
	case j.direction == Output:
		return j.contains(j.target(p), j.version(p, j.others(settled)))
	}
	return j.contains(j.undone(p, settled...), j.source(p))
}

// askAgain asks the edits of a place anew that are said to be safe, if something is left there once all edits
// are undone that have a finding of their own.
func askAgain(j *judgement, p *place) {
	if j.left(p).Verdict == Compatible {
		return
	}
	for _, i := range p.edits {
		ch := j.found[i]
		if j.isJoined(i) || ch.Breaks.Verdict != Compatible || j.spent() {
			continue
		}
		ch.Breaks = lifted(j, p, i, breaksUndone(j, p, i, j.settled()))
		if ch.Breaks.Reason == unproved.Reason {
			if leader, found := leaderOf(j, p, i); found {
				join(j, p, i, leader)
				continue
			}
		}
		if ch.Breaks.Verdict != Compatible {
			j.found[i] = ch
		}
	}
}

// breaksUndone asks the two questions of an edit with edits undone that have a finding.
func breaksUndone(j *judgement, p *place, edit int, settled []int) Result {
	from, to := j.source(p), j.version(p, j.others(settled))
	alone, undone := j.version(p, []int{edit}), j.version(p, j.others(append(slices.Clone(settled), edit)))
	if j.direction == Output {
		from, to, alone, undone = to, j.target(p), undone, alone
	}
	for _, q := range [...]question{
		{in: []*Schema{from}, out: []*Schema{to, alone}},
		{in: []*Schema{from, undone}, out: []*Schema{to}},
	} {
		r := j.ask(q)
		if r.Verdict == Compatible {
			continue
		}
		// a value that shows it without anything undone is a better witness
		q.in, q.out = append([]*Schema{j.source(p)}, q.in...), append(q.out, j.target(p))
		if now := j.ask(q); now.Verdict == Incompatible {
			return now
		}
		if r.Verdict == Incompatible {
			return unproved
		}
		return r
	}
	return compatible
}

// differs asks for a value that the new schema refuses, and the old one accepts with all edits together; of
// results it is the mirror.
func differs(j *judgement, p *place) Result {
	after, made := j.side(p, true), j.version(p, j.others(nil))
	switch {
	case alike(after.plain, made.plain):
		return compatible
	case j.direction == Output:
		return j.ask(question{in: []*Schema{after}, out: []*Schema{made, j.target(p)}})
	}
	return j.ask(question{in: []*Schema{j.source(p), made}, out: []*Schema{after}})
}
