package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// A witness should be the call that an agent would send. plain leaves out members and items, and puts what
// the schema shows, or plain values, in place of scalars, as long as it shows what it showed before.
type plainer struct {
	schema *Schema  // where values come from
	base   []string // leads to the values in a whole value
	holds  func(value any) bool
	pool   *Pool
	left   int // values to try
	floor  int // what is to be left in the pool
}

// maxPlainer bounds the values that are tried to make one plainer, which may take a quarter of what is left
// of the budget.
const maxPlainer = 400

func (p *plainer) plain(value any) any {
	root := value
	p.left, p.floor = maxPlainer, p.pool.Left-p.pool.Left/4
	p.less(value, func(v any) bool { return p.try(&root, v) })
	p.likely(root, nil, func(v any) bool { return p.try(&root, v) })
	return root
}

func (p *plainer) try(root *any, other any) bool {
	if p.left--; p.left < 0 || p.pool.Left < p.floor || !p.holds(other) {
		return false
	}
	*root = other
	return true
}

// less leaves out what can be left out of a value; put tries the whole value with another one in its place.
func (p *plainer) less(value any, put func(any) bool) {
	switch v := value.(type) {
	case map[string]any:
		v = maps.Clone(v)
		for _, name := range kit.SortedKeys(v) {
			rest := maps.Clone(v)
			delete(rest, name)
			if put(rest) {
				v = rest
			}
		}
		value = v
	case []any:
		v = slices.Clone(v)
		for size := (len(v) + 1) / 2; size > 0; size /= 2 {
			for at := 0; at < len(v); {
				if rest := slices.Delete(slices.Clone(v), at, min(at+size, len(v))); put(rest) {
					v = rest
				} else {
					at += size
				}
			}
		}
		value = v
	}
	inner(value, put, func(_ string, v any, put func(any) bool) { p.less(v, put) })
}

// maxInner bounds the items of an array that are looked at.
const maxInner = 20

// inner visits the values in a value, each with its step, "*" for items. put tries the whole value with
// another one there.
func inner(value any, put func(any) bool, visit func(step string, v any, put func(any) bool)) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range kit.SortedKeys(value) {
			visit(name, value[name], func(v any) bool {
				with := maps.Clone(value)
				if with[name] = v; put(with) {
					value = with
					return true
				}
				return false
			})
		}
	case []any:
		for i := range value[:min(len(value), maxInner)] {
			visit("*", value[i], func(v any) bool {
				with := slices.Clone(value)
				if with[i] = v; put(with) {
					value = with
					return true
				}
				return false
			})
		}
	}
}

// likely puts likely values in place of the scalars in a value; path leads to it.
func (p *plainer) likely(value any, path []string, put func(any) bool) {
	switch value.(type) {
	case map[string]any, []any:
		inner(value, put, func(step string, v any,
			put func(any) bool) {
			p.likely(v, append(slices.Clone(path), step), put)
		})
		return
	}
	for _, other := range p.likelier(value, path) {
		if same(value, other) || put(other) {
			return
		}
	}
}

// likelier lists what is likelier than a scalar: what the schema shows at its place, then plain values of the
// same type.
func (p *plainer) likelier(value any, path []string) []any {
	shown, out := p.shown(path), []any(nil)
	for _, o := range shown {
		out = append(out, listed(o["const"])...)
		if list, ok := o["examples"].([]any); ok {
			out = append(out, list...)
		}
		if v, ok := o["default"]; ok {
			out = append(out, v)
		}
		if list, ok := o["enum"].([]any); ok {
			out = append(out, list[:min(len(list), 8)]...)
		}
	}
	out = slices.DeleteFunc(out, func(v any) bool { return v == nil || kindOf(v) != kindOf(value) })
	switch v := value.(type) {
	case string:
		n := utf8.RuneCountInString(v)
		formatted := func(name string) {
			f := formats()[name]
			out = append(out, asAny(f.examples)...)
			out = append(out, f.ofLength(n))
		}
		for _, o := range shown {
			name, _ := o["format"].(string)
			formatted(name)
		}
		if whole := append(slices.Clone(p.base), path...); len(whole) > 0 {
			formatted(formatNamed(whole[len(whole)-1]))
		}
		out = append(out, "a", strings.Repeat("a", n))
	case json.Number:
		if len(v) < 4 { // a bound, or what lies beside one
			return append(out, v)
		}
		for _, n := range [...]json.Number{"1", "0", "0.5", "1.5", "2", "10", "-1"} {
			out = append(out, n)
		}
	}
	return slices.DeleteFunc(out, func(v any) bool { return v == "" })
}

// formatNamed returns the format that a name suggests; empty for most names.
func formatNamed(name string) string {
	name = strings.ToLower(name)
	for _, f := range [...]struct{ part, format string }{{"url", "uri"}, {"uri", "uri"}, {"email", "email"},
		{"uuid", "uuid"}, {"hostname", "hostname"}} {
		if strings.HasSuffix(name, f.part) {
			return f.format
		}
	}
	if strings.HasSuffix(name, "date") {
		return "date"
	}
	return ""
}

// shown lists the schema objects that speak of the place that a path leads to.
func (p *plainer) shown(path []string) []map[string]any {
	if p.schema.doc == nil {
		return nil
	}
	here := inPlace((site{doc: p.schema.doc}).child(rawjson.Split(p.schema.place)...), nil)
	for _, step := range path {
		var inner []site
		for _, s := range here {
			inner = append(inner, s.inside(step)...)
		}
		here = nil
		for _, s := range inner {
			here = inPlace(s, here)
		}
	}
	return kit.Map(here, site.keywords)
}

// maxInPlace bounds the schema objects that are looked at for one place.
const maxInPlace = 64

// inPlace adds a schema object and those that speak of the same value to a list.
func inPlace(s site, list []site) []site {
	if len(list) > maxInPlace || slices.ContainsFunc(list,
		func(t site) bool { return t.doc == s.doc && t.place == s.place }) {
		return list
	}
	list = append(list, s)
	if target, ok := s.follow(); ok {
		list = inPlace(target, list)
	}
	for _, k := range [...]string{"allOf", "anyOf", "oneOf"} {
		for _, member := range s.list(k) {
			list = inPlace(member, list)
		}
	}
	return list
}

// inside lists the schemas that a schema object has for a property, or for items.
func (s site) inside(step string) []site {
	var out []site
	for _, place := range [...][]string{{"properties", step}, {"additionalProperties"}, {"items"}} {
		if inner := s.child(place...); inner.value != nil && (step == "*") == (place[0] == "items") {
			out = append(out, inner)
			break
		}
	}
	return out
}
