package oracle

import (
	"slices"
	"strings"
)

// The bounds on spelling out what is written in place.
const (
	maxAlternatives = 48
	maxInPlace      = 30
	maxBag          = 300
	maxExpansions   = 3_000
)

// An alternative is one way to satisfy some schemas: object schemas that all hold, with what they refer to or combine
// in place spelled out. Negations are left to the validator.
type alternative []node

// alternatives spells out the ways to satisfy all the schemas together.
func alternatives(ns []node) []alternative {
	all := []alternative{nil}
	e := expander{left: maxExpansions}
	for _, n := range ns {
		all = product(all, e.expand(n, 0, nil))
	}
	return all
}

// An expander spells out in-place combinations as long as it has steps left; they can be exponential in number.
type expander struct{ left int }

func product(a, b []alternative) []alternative {
	var out []alternative
	for _, x := range a {
		for _, y := range b {
			if len(out) < maxAlternatives {
				out = append(out, slices.Concat(x, y))
			}
		}
	}
	return out
}

func (e *expander) expand(n node, depth int, open []string) []alternative {
	if b, ok := n.value.(bool); ok && !b {
		return nil
	}
	o := n.object()
	if e.left--; o == nil || depth > maxInPlace || e.left < 0 {
		return []alternative{nil}
	}
	all := []alternative{{n}}
	for _, target := range n.references() {
		if slices.Contains(open, target.at) {
			continue
		}
		all = product(all, e.expand(target, depth+1, append(slices.Clone(open), target.at)))
	}
	for _, sub := range n.list("allOf") {
		all = product(all, e.expand(sub, depth+1, open))
	}
	for _, key := range [...]string{"anyOf", "oneOf"} {
		if subs := n.list(key); len(subs) > 0 {
			all = product(all, e.union(subs, depth, open))
		}
	}
	return product(product(all, e.conditions(n, depth, open)), e.dependents(n, depth, open))
}

func (e *expander) union(subs []node, depth int, open []string) []alternative {
	var out []alternative
	for _, sub := range subs {
		out = append(out, e.expand(sub, depth+1, open)...)
	}
	return out
}

// conditions spells out if, then and else; that if fails in the second way is left to the validator.
func (e *expander) conditions(n node, depth int, open []string) []alternative {
	condition, ok := n.child("if")
	if !ok {
		return []alternative{nil}
	}
	met := e.expand(condition, depth+1, open)
	if then, ok := n.child("then"); ok {
		met = product(met, e.expand(then, depth+1, open))
	}
	unmet := []alternative{nil}
	if other, ok := n.child("else"); ok {
		unmet = e.expand(other, depth+1, open)
	}
	return append(met, unmet...)
}

// dependents spells out schemas that depend on a property: it is absent, or there and the schema holds.
func (e *expander) dependents(n node, depth int, open []string) []alternative {
	all := []alternative{nil}
	for _, key := range [...]string{"dependentSchemas", "dependencies"} {
		table, _ := n.object()[key].(map[string]any)
		for _, name := range keys(table) {
			sub, _ := n.child(key, name)
			if _, list := sub.value.([]any); list {
				continue
			}
			there := node{value: map[string]any{"required": []any{name}}}
			all = product(all, append([]alternative{nil}, product([]alternative{{there}}, e.expand(sub, depth+1, open))...))
		}
	}
	return all
}

// references returns what a schema refers to in place.
func (n node) references() []node {
	var out []node
	for _, key := range [...]string{"$ref", "$dynamicRef", "$recursiveRef"} {
		if ref, ok := n.object()[key].(string); ok {
			if target, ok := n.resolve(ref); ok {
				out = append(out, target)
			}
		}
	}
	return out
}

// bag lists every object schema that has a say at the place of the given ones, holding or not, and reports whether
// they all hold: no choice, condition or negation among them.
func bag(ns []node) (all []node, plain bool) {
	plain = true
	seen := map[string]bool{}
	var visit func(n node)
	visit = func(n node) {
		o := n.object()
		if o == nil || len(all) >= maxBag || n.doc != nil && seen[n.at] {
			return
		}
		seen[n.at] = true
		all = append(all, n)
		for _, target := range n.references() {
			visit(target)
		}
		for _, key := range [...]string{"allOf", "anyOf", "oneOf"} {
			for _, sub := range n.list(key) {
				visit(sub)
			}
		}
		for _, key := range [...]string{"not", "if", "then", "else"} {
			if sub, ok := n.child(key); ok {
				visit(sub)
			}
		}
		for _, key := range [...]string{"dependentSchemas", "dependencies"} {
			table, _ := o[key].(map[string]any)
			for _, name := range keys(table) {
				sub, _ := n.child(key, name)
				visit(sub)
			}
		}
		plain = plain && !chooses(o)
	}
	for _, n := range ns {
		visit(n)
	}
	return all, plain && len(all) < maxBag
}

func chooses(o map[string]any) bool {
	for _, key := range [...]string{"anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies", "contains",
		"unevaluatedProperties", "unevaluatedItems", "uniqueItems", "$dynamicRef", "$recursiveRef"} {
		if _, ok := o[key]; ok {
			return true
		}
	}
	return false
}

// targets lists schemas that a witness may have to satisfy besides the narrow one: what the wide schema negates or
// makes a condition, its branches, and the overlaps of branches of which only one may hold.
func targets(ws []node) [][]node {
	all, _ := bag(ws)
	var out [][]node
	for _, n := range all {
		for _, key := range [...]string{"not", "if"} {
			if sub, ok := n.child(key); ok {
				out = append(out, []node{sub})
			}
		}
		one := n.list("oneOf")
		for i := range one {
			for j := 0; j < i && len(out) < maxBag; j++ {
				out = append(out, []node{one[j], one[i]})
			}
		}
		for _, sub := range append(one, n.list("anyOf")...) {
			out = append(out, []node{sub})
		}
	}
	return out
}

// key names a list of schemas.
func key(ns []node) string {
	var b strings.Builder
	for _, n := range ns {
		if n.doc != nil {
			b.WriteString(n.doc.URL)
		}
		b.WriteString(n.at)
		b.WriteByte('\n')
	}
	return b.String()
}
