package schema

import (
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// maxEvaluation bounds the work of one evaluation, in units; combinations can nest to exponential cost.
const maxEvaluation = 1 << 22

// Values are read as a validator reads them: value in hand. Reading shares with the engine no more than the
// nodes and the assertions about numbers and strings, and so confirms what the engine finds.

// Accepts reports whether the schema accepts a value, decoded with numbers as [json.Number]; formats are
// annotations. sure is false where that cannot be decided.
func (s *Schema) Accepts(value any) (accepted, sure bool) {
	found := soonMeter(maxEvaluation).satisfies(s.plain, value)
	return found == inhabited, found != unsure
}

func (m *meter) accepts(l literal, v any) answer {
	if l.not {
		return negate(m.satisfies(l.node, v))
	}
	return m.satisfies(l.node, v)
}

// satisfies returns inhabited for values of a type that the node does not speak of. It is unsure for opaque
// nodes, for a schema that refers to itself about the same value, and where the budget is spent.
func (m *meter) satisfies(n *node, v any) answer {
	switch {
	case m.spend(2) || n.loop || n.op == opOpaque && n.parts == nil:
		return unsure
	case n.op.guard()&kindOf(v) == 0:
		return inhabited
	}
	switch n.op {
	case opOpaque:
		switch v := v.(type) {
		case map[string]any:
			return m.unevaluated(n, v)
		case []any:
			return m.unevaluatedItems(n, v)
		case longObject, longList:
			return unsure
		}
		return inhabited
	case opAll:
		return every(n.kids, func(k literal) answer { return m.accepts(k, v) })
	case opAny:
		return negate(every(n.kids, func(k literal) answer { return negate(m.accepts(k, v)) }))
	case opOne:
		return m.one(n.kids, v)
	case opKinds:
		return answerOf(n.kinds&kindOf(v) != 0)
	}
	if number, ok := v.(json.Number); ok {
		return m.number(n, number)
	}
	if long, ok := v.(longText); ok {
		return long.satisfies(n)
	}
	if n.op == opScalars {
		return answerOf(n.set.has(v))
	}
	switch v := v.(type) {
	case string:
		return m.text(n, v)
	case []any:
		return m.array(n, longList{v, len(v)})
	case longList:
		return m.array(n, v)
	case longObject:
		return m.object(n, v)
	}
	object := v.(map[string]any)
	return m.object(n, longObject{members: object, length: len(object)})
}

// satisfiesAll evaluates several literals. The reason names one that is not decided.
func (m *meter) satisfiesAll(lits []literal, v any) (a answer, doubt reason) {
	a = every(lits, func(l literal) answer {
		got := m.accepts(l, v)
		if got == unsure {
			doubt = reason{"a pattern that is not understood", l.node}
		}
		return got
	})
	return a, doubt
}

func negate(a answer) answer {
	if a == unsure {
		return a
	}
	return inhabited + empty - a
}

// every returns void if the answer for one item is void, unsure if one is not decided, else inhabited; an
// empty list is inhabited.
func every[T any](list []T, ask func(T) answer) answer {
	out := inhabited
	for _, item := range list {
		if out = allOf(out, ask(item)); out == empty {
			return empty
		}
	}
	return out
}

// one decides oneOf. Two alternatives that accept the value refuse it, even if others are undecided.
func (m *meter) one(kids []literal, v any) answer {
	count := map[answer]int{}
	for _, k := range kids {
		count[m.accepts(k, v)]++
	}
	switch {
	case count[inhabited] > 1:
		return empty
	case count[unsure] > 0:
		return unsure
	}
	return answerOf(count[inhabited] == 1)
}

// kindOf returns the type of a decoded value. Values are as [encoding/json] decodes them with numbers as
// [json.Number], so the rest are objects.
func kindOf(v any) kindSet {
	switch v.(type) {
	case nil:
		return kindNull
	case bool:
		return kindBoolean
	case json.Number:
		return kindNumber
	case string, longText:
		return kindString
	case []any, longList:
		return kindArray
	}
	return kindObject
}

// array decides an assertion about arrays.
func (m *meter) array(n *node, v longList) answer {
	switch n.op {
	case opMinItems:
		return answerOf(v.length >= n.count)
	case opMaxItems:
		return answerOf(v.length <= n.count)
	case opUnique:
		seen := map[string]bool{}
		for _, item := range v.items {
			w := weight(item, maxEvaluation)
			if w == maxEvaluation || m.spend(32*w) {
				return unsure
			}
			seen[canonical(item)] = true
		}
		return answerOf(len(seen) == v.length)
	case opItem:
		items := v.from(n.count)
		return every(items[:min(1, len(items))], func(item any) answer { return m.accepts(n.kids[0], item) })
	case opItems:
		m.spend(len(v.items) / 4)
		return every(withoutRepeats(v.from(n.count)),
			func(item any) answer { return m.accepts(n.kids[0], item) })
	}
	return m.contains(n, v)
}

// withoutRepeats drops items that are the one before, as a value that was made up has them by the thousand.
func withoutRepeats(v []any) []any {
	return slices.CompactFunc(slices.Clone(v), func(a, b any) bool {
		x, isList := a.([]any)
		y, areLists := b.([]any)
		return isList && areLists && len(x) > 0 && len(x) == len(y) && &x[0] == &y[0]
	})
}

// contains is sure when the items that satisfy the child are enough, or are too few even with all undecided
// ones.
func (m *meter) contains(n *node, v longList) answer {
	count := map[answer]int{}
	last := empty
	for _, item := range v.items {
		last = m.accepts(n.kids[0], item)
		count[last]++
	}
	count[last] += v.length - len(v.items)
	switch {
	case count[inhabited] >= n.count:
		return inhabited
	case count[inhabited]+count[unsure] < n.count:
		return empty
	}
	return unsure
}

// object decides an assertion about objects. A property that opRest may or may not speak of makes the answer
// unsure only if its value does not satisfy the child.
func (m *meter) object(n *node, v longObject) answer {
	switch n.op {
	case opMinProperties:
		return answerOf(v.length >= n.count)
	case opMaxProperties:
		return answerOf(v.length <= n.count)
	case opRequired:
		_, ok := v.members[n.text]
		return answerOf(ok)
	case opProperty:
		value, ok := v.members[n.text]
		if !ok {
			return inhabited
		}
		return m.accepts(n.kids[0], value)
	}
	m.spend(16 * len(v.members))
	ruled := func(covered answer, value any) answer {
		return negate(allOf(covered, negate(m.accepts(n.kids[0], value))))
	}
	out := every(kit.SortedKeys(v.members),
		func(name string) answer { return ruled(m.covers(yes(n), name), v.members[name]) })
	if v.length > len(v.members) {
		out = allOf(out, ruled(v.covered(n), v.other))
	}
	return out
}
