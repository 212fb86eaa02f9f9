package schema

import (
	"context"
	"slices"
)

// A pairing is a pair that was compared, with what was found inside it.
type pairing struct {
	pair
	inner      int // the first of its inner pairs among all
	begin, end int // its edits, with those of its inner pairs
	coarse     int // the edit that tells the pair as one; 0 for none
}

const (
	maxRounds      = 4    // of making edits coarser, from inside out
	agreementSteps = 5000 // of work on the question whether a pair comes out as it should
)

// complete makes sure that all edits together make the new schema of the old one: keywords that bear on each other, such
// as the members of a oneOf, are not always the sum of their differences. The innermost pairs of which it is proved that
// they come out differently are told as one edit each.
func (c *comparison) complete() {
	for range maxRounds {
		made, after := newBuilder(c.before.doc), newBuilder(c.after.doc)
		made.patches = patchesOf(c.before.doc, c.edits)
		if !differ(made.root(asWritten), after.root(asWritten)) {
			break
		}
		round := len(c.edits)
		for i := range c.pairs {
			p := &c.pairs[i]
			if slices.ContainsFunc(c.pairs[p.inner:i+1], func(q pairing) bool { return q.coarse >= max(round, 1) }) || p.coarse > 0 {
				continue
			}
			if old, new, ok := p.off(made, after); ok {
				c.coarsen(i, old, new)
			}
		}
		if len(c.edits) == round {
			break
		}
	}
	c.edits = slices.DeleteFunc(c.edits, func(e Edit) bool { return e.subsumed })
}

// off returns the place where a pair comes out differently, if that is proved: what a reference leads to, which other
// references may lead to as well, or else the pair as it stands.
func (p pairing) off(made, after *builder) (old, new site, ok bool) {
	for _, s := range [...][2]site{{p.x.site, p.y.site}, {p.old, p.new}} {
		if s[0].place == p.old.place || s[0].doc == p.x.doc && !within(s[0].place, p.old.place) {
			if differ(made.at(s[0]), after.at(s[1])) {
				return s[0], s[1], true
			}
		}
	}
	return old, new, false
}

func within(place, outer string) bool {
	return len(place) > len(outer) && place[:len(outer)] == outer && place[len(outer)] == '/'
}

func (b *builder) at(s site) *node { return seal(b.node(spot{doc: s.doc, place: s.place})) }

// differ reports whether it is proved that two assertions do not accept the same values.
func differ(x, y *node) bool {
	return x.sum != y.sum && (separable(x, y) || separable(y, x))
}

func separable(inside, outside *node) bool {
	out := newEngine(context.Background(), Budget{Steps: agreementSteps}).inhabit([]lit{yes(inside), not(outside)})
	return out.answer == inhabited && accepts(yes(inside), out.value, nil) == inhabited && accepts(yes(outside), out.value, nil) == void
}

// coarsen tells a pair as one edit, in place of those inside it that assert something.
func (c *comparison) coarsen(i int, old, new site) {
	p := c.pairs[i]
	inside := make([]int, 0, p.end-p.begin)
	for j := p.begin; j < p.end; j++ {
		inside = append(inside, j)
	}
	for _, q := range c.pairs[p.inner:i] {
		if q.coarse > 0 {
			inside = append(inside, q.coarse)
		}
	}
	for _, j := range inside {
		c.edits[j].subsumed = c.edits[j].subsumed || c.edits[j].patch != nil
	}
	if len(c.edits) == 0 {
		c.edits = append(c.edits, Edit{subsumed: true}) // the number 0 stands for none
	}
	c.pairs[i].coarse = len(c.edits)
	p.add(Edit{Family: FamilySchema, Old: rawOf(old.value), New: rawOf(new.value), OldPath: old.place, NewPath: new.place,
		OldSchema: rawOf(old.value), NewSchema: rawOf(new.value)}, &patch{place: old.place, instead: new.origin()})
}
