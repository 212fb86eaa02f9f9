package schema

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// A value counts for a union as a whole, so that edits of its alternatives may mean nothing without each
// other: one alternative that was replaced comes out as one edit that takes it out and one that puts another
// in, and a range that grows breaks where another one shrinks only as long as that one does not. Where an
// edit of a union breaks only together with another, or only once that one is undone, they have one finding,
// and are undone together.

// joinJoint joins edits of a union at a place that break, but only together.
func joinJoint(j *judgement, p *place) {
	breaks := func(i int) bool {
		return !j.isJoined(i) && j.Edits[i].ofUnion && j.found[i].Breaks.Verdict == Incompatible
	}
	for _, i := range p.edits {
		if !j.joint[i] || !breaks(i) {
			continue
		}
		for _, k := range slices.Backward(p.edits) {
			if k != i && breaks(k) && j.Edits[k].at == j.Edits[i].at && !j.spent() &&
				j.breaksWithout(p, i, []int{k}).Verdict == Compatible {
				join(j, p, i, k)
				break
			}
		}
	}
}

// join gives an edit the finding of a leader. An edit inside an alternative is still reported, as what it
// does beside the leader.
func join(j *judgement, p *place, edit, leader int) {
	ch := j.found[edit]
	ch.Breaks, ch.Kept, ch.Inside = compatible, compatible, compatible
	lead := j.found[leader]
	if j.Edits[edit].ofUnion {
		lead.Together = append(lead.Together, edit)
	} else {
		ch.Kept, ch.Inside = j.effect(j.version(p, []int{leader}), j.version(p, []int{leader, edit}))
	}
	j.found[edit], j.found[leader], j.joined[edit] = ch, lead, leader
}

func (j *judgement) isJoined(edit int) bool {
	_, joined := j.joined[edit]
	return joined
}

// leaderOf returns an edit of the same union that breaks, if the given one breaks only once that one is
// undone.
func leaderOf(j *judgement, p *place, edit int) (leader int, found bool) {
	settled := j.settled()
	for _, union := range p.core.unions(map[*schemaPair]bool{}) {
		edits := j.within(union)
		if !slices.Contains(edits, edit) {
			continue
		}
		for _, k := range edits {
			if k == edit || j.isJoined(k) || j.found[k].Breaks.Verdict != Incompatible {
				continue
			}
			others := kit.Filter(settled, func(i int) bool {
				leader, joined := j.joined[i]
				return i != k && !(joined && leader == k)
			})
			if breaksUndone(j, p, edit, others).Verdict == Compatible {
				return k, true
			}
		}
	}
	return 0, false
}

// unions lists the pairs below m with alternatives, the innermost first.
func (m *schemaPair) unions(seen map[*schemaPair]bool) (all []*schemaPair) {
	if m == nil || seen[m] {
		return nil
	}
	seen[m] = true
	all, is := m.core.unions(seen), len(m.x.members)+len(m.y.members) > 0
	for _, c := range m.children {
		all = append(all, c.unions(seen)...)
		is = is || c.at[0] == "anyOf" || c.at[0] == "oneOf"
	}
	if is {
		all = append(all, m)
	}
	return all
}

// effectTogether compares what is accepted before and with all edits that are judged as one.
func effectTogether(j *judgement, places []*place) {
	for _, i := range j.asserting {
		ch := j.found[i]
		if len(ch.Together) == 0 {
			continue
		}
		p := &place{child: child{schemaPair: j.root}}
		for _, at := range places {
			if slices.Contains(at.edits, i) {
				p = at
				break
			}
		}
		part := j.share(1)
		ch.Kept, ch.Inside = part.effect(j.side(p, false), j.version(p, append([]int{i}, ch.Together...)))
		j.found[i] = ch
	}
}

// alternativeKeeps reports whether the alternative that an edit is in loses and gains no values, though the
// union does: an alternative that grows takes values from a oneOf.
func alternativeKeeps(j *judgement, p *place, ch Change) (losesNone, gainsNone bool) {
	at := j.Edits[ch.Edit].at
	lost, gained := ch.Kept.Verdict == Incompatible, ch.Inside.Verdict == Incompatible
	if p.core.plain || at == p.schemaPair || at == p.core || !lost && !gained {
		return false, false
	}
	kept, inside := j.effect(j.Before.inside(at.old.place),
		j.with(j.ctx, j.budget.Pool, []int{ch.Edit}, at))
	return lost && kept.Verdict == Compatible, gained && inside.Verdict == Compatible
}
