package oracle

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

func matches(p *pattern.Pattern, text string) bool {
	if p == nil {
		return false
	}
	found, _ := p.Match(text)
	return found
}

// property returns the schemas that hold for the property of a name.
func (s *search) property(f facts, name string) []node {
	var out []node
	for _, n := range f.parts {
		matched := false
		if sub, ok := n.child("properties", name); ok {
			matched = true
			out = append(out, sub)
		}
		table, _ := n.object()["patternProperties"].(map[string]any)
		for _, text := range keys(table) {
			if matches(s.pattern(text), name) {
				matched = true
				sub, _ := n.child("patternProperties", text)
				out = append(out, sub)
			}
		}
		if sub, ok := n.child("additionalProperties"); ok && !matched {
			matched = true
			out = append(out, sub)
		}
		if sub, ok := n.child("unevaluatedProperties"); ok && !matched && !f.declares(name) {
			out = append(out, sub)
		}
	}
	return out
}

func (f facts) declares(name string) bool {
	return slices.Contains(f.names(), name)
}

// names lists the property names that schemas speak of.
func (f facts) names() []string {
	names := map[string]bool{}
	for _, n := range f.parts {
		for _, k := range [...]string{"properties", "dependentRequired", "dependentSchemas", "dependencies"} {
			table, _ := n.object()[k].(map[string]any)
			for name := range table {
				names[name] = true
			}
		}
	}
	for _, name := range f.strings("required") {
		names[name] = true
	}
	return keys(names)
}

// strangers returns names that no side declares: plain ones, and those that patterns of either side distinguish.
func (s *search) strangers(narrow, wide facts) []string {
	var all []*pattern.Pattern
	var out []string
	s.work -= len(wide.parts)
	for _, n := range slices.Concat(narrow.parts, wide.parts) {
		table, _ := n.object()["patternProperties"].(map[string]any)
		for _, text := range keys(table) {
			if p := s.pattern(text); p != nil {
				all = append(all, p)
			}
		}
		if names, ok := n.child("propertyNames"); ok {
			f := facts{append([]node{names}, flattened(names)...)}
			all = append(all, s.patterns(f)...)
			for _, v := range s.strings(f, facts{}) {
				out = append(out, v.(string))
			}
			out = append(out, f.strings("enum", "const")...)
		}
	}
	for i, p := range all[:min(len(all), 8)] {
		s.work -= workPerPattern
		for _, r := range []pattern.Region{
			{All: []*pattern.Pattern{p}, MinLen: 1},
			{All: []*pattern.Pattern{p}, None: slices.Delete(slices.Clone(all), i, i+1), MinLen: 1},
		} {
			out = append(out, samples(r, 2)...)
		}
	}
	if name, found := (pattern.Region{None: all, MinLen: 1}).Find(); found == pattern.Yes {
		out = append(out, name)
	}
	return unique(append([]string{"extra"}, out[:min(len(out), 24)]...))
}

func flattened(n node) []node {
	var out []node
	for _, alt := range alternatives([]node{n}) {
		out = append(out, alt...)
	}
	return out
}

func unique(names []string) []string {
	var out []string
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
