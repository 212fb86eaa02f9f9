package schema

import (
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Null is written in many ways: as a type, as a value, as an alternative, as a wrapper of all the rest. It
// has an edit of its own, and that edit alone decides whether null is accepted: in a pair whose null is
// fixed, all others speak of the other values. Otherwise the edits of a union would have to know which of
// them add an alternative that accepts null to one that accepts it already.

// A nullness says whether null is accepted before and after.
type nullness struct {
	was, is bool
	fixed   bool // it changes with one edit, and no other edit changes it
	carried bool // and that edit is one of the union's, see carryNull
}

// acceptsNull reports whether a view accepts null by its type and its values, and whether it says so at all.
func (v view) acceptsNull() (null, typed bool) {
	value, hasType := v.o["type"]
	members, hasEnum := v.enum()
	byType := !hasType || slices.Contains(listed(value), any("null"))
	byEnum := !hasEnum || slices.Contains(members, nil)
	typed = hasType || hasEnum || v.null != ""
	return v.null != "" || byType && byEnum && typed, typed
}

// compareNull settles whether other edits of a pair may decide about null, and adds an edit if null is
// accepted on one side only. It adds none where a side that is not a union does not say which types it
// accepts.
func compareNull(p pair) {
	x, y, m := p.x, p.y, p.schemaPair
	before, after := p.null(x.target), p.null(y.target)
	was, typed := x.acceptsNull()
	is, stillTyped := y.acceptsNull()
	open := before == unsure || after == unsure
	if open {
		before, after = answerOf(was), answerOf(is)
	}
	wrapped := x.null != "" || y.null != ""
	m.was, m.is = before == inhabited, after == inhabited
	m.fixed = !open &&
		(wrapped || x.isUnion() || y.isUnion() || typed && was != m.was || stillTyped && is != m.is)
	switch {
	case m.was == m.is:
	case !wrapped && (!typed && !x.isUnion() || !stillTyped && !y.isUnion()):
		m.carried = !open && len(x.members)+len(y.members) > 0
		m.fixed = m.carried
	default:
		m.fixed = true
		p.add(Edit{Family: FamilyNull, Keyword: "type", Old: p.rawAt(m.old), New: p.rawAt(m.new)},
			func(*object) {})
	}
}

// carryNull lets an edit of a union decide whether null is accepted where null has no edit of its own, since
// the other side does not say which types it accepts: one that takes that side out, or puts it in.
func carryNull(p pair) {
	if p.x.isUnion() == p.y.isUnion() {
		return
	}
	carrier := -1
	for i := p.schemaPair.begin; i < len(p.edits); i++ {
		if p.edits[i].at == p.schemaPair && (carrier < 0 || (p.edits[i].New == nil) == p.y.isUnion()) {
			carrier = i
		}
	}
	if carrier >= 0 {
		p.edits[carrier].carriesNull = true
	}
}

// turnNull marks the pairs whose null an edit decides.
func (ps *patches) turnNull(e Edit) {
	switch {
	case e.Family == FamilyNull:
		ps.null[e.at] = true
	case e.carriesNull:
		for _, around := range e.at.parents {
			if around.core == e.at && around.carried {
				ps.null[around] = true
			}
		}
	}
}

// isUnion reports whether a view has alternatives, or is written as one because they are plain.
func (v view) isUnion() bool { return len(v.members) > 0 || v.flat() }

// fixNull returns a schema that accepts null as a pair has it, and of other values what the given one does.
func (ps *patches) fixNull(m *schemaPair, schema any) any {
	only := &node{op: opKinds, kinds: kindNull}
	if ps.null[m] && m.is || !ps.null[m] && m.was {
		return map[string]any{"anyOf": []any{schema, only}}
	}
	return map[string]any{"allOf": []any{schema}, "not": only}
}

// null answers whether a schema accepts null, by what is written.
func (c *comparison) null(s site) answer {
	o, isObject := s.value.(map[string]any)
	if !isObject {
		return answerOf(s.value == true)
	}
	key := s.doc.digest + s.place
	if known, asked := c.nulls[key]; asked {
		return known
	}
	if c.spend(64 + 8*len(o)) {
		return unsure
	}
	c.nulls[key] = unsure // until it is known: it may refer to itself
	kind := s.doc.owner(s.place).dialect
	out := inhabited
	says := func(keyword string) bool { return hasAny(o, keyword) && kind.reads(keyword) }
	and := func(a answer) { out = allOf(out, a) }
	sub := func(at ...string) answer { return c.null(s.child(at...)) }
	if ref, refers := o["$ref"]; refers {
		text, _ := ref.(string)
		doc, place, _, found := s.doc.resolve(text, s.doc.owner(s.place))
		if and(unsure); found {
			value, _ := rawjson.At(doc.root, place)
			out = c.null(site{doc, place, value})
		}
		if kind.refAlone() {
			c.nulls[key] = out
			return out
		}
	}
	if says("$dynamicRef") || says("$recursiveRef") {
		and(unsure)
	}
	if says("type") {
		and(answerOf(slices.Contains(listed(o["type"]), any("null"))))
	}
	if list, listed := o["enum"].([]any); listed {
		and(answerOf(slices.Contains(list, nil)))
	}
	if value, constant := o["const"]; constant {
		and(answerOf(value == nil))
	}
	for _, keyword := range [...]string{"allOf", "anyOf", "oneOf"} {
		count := map[answer]int{}
		n := len(s.list(keyword))
		for i := range n {
			count[sub(keyword, strconv.Itoa(i))]++
		}
		switch {
		case n == 0:
		case keyword == "allOf" && count[empty] > 0, keyword == "oneOf" && count[inhabited] > 1,
			keyword != "allOf" && count[empty] == n:
			and(empty)
		case keyword == "anyOf" && count[inhabited] > 0:
		case count[unsure] > 0:
			and(unsure)
		}
	}
	if says("not") {
		and(negate(sub("not")))
	}
	if says("if") {
		condition := sub("if")
		for branch, holds := range map[string]answer{"then": condition, "else": negate(condition)} {
			if hasAny(o, branch) {
				and(negate(allOf(holds, negate(sub(branch)))))
			}
		}
	}
	c.nulls[key] = out
	return out
}
