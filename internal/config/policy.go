package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func (p *projectReader) failOn(f field) finding.Threshold {
	if !p.want(f, text) {
		return ""
	}
	threshold, err := finding.ParseThreshold(f.value.text)
	if err != nil {
		p.complain(f.value.line, match.Suggest(f.value.text, []string{"breaking", "warning", "info", "any", "never"}), "%q: %v", f.key, err)
		return ""
	}
	return threshold
}

// levels are the rules whose level the project chose.
func (p *projectReader) levels(f field) map[string]finding.Level {
	levels := map[string]finding.Level{}
	for _, m := range p.members(f) {
		p.rule(m.key, m.line)
		level, err := finding.ParseLevel(m.value.text)
		if err != nil {
			p.complain(m.value.line, match.Suggest(m.value.text, []string{"breaking", "warning", "info", "off"}), "rule %q: %v", m.key, err)
			continue
		}
		levels[m.key] = level
	}
	return levels
}

// rule keeps a problem for an id that is not in the catalogue.
func (p *projectReader) rule(id string, line int) {
	if !slices.Contains(p.rules, id) && p.rules != nil {
		hint := match.Suggest(id, p.rules)
		if hint == "" {
			hint = "mcpctl rules shows all rules"
		}
		p.complain(line, hint, "unknown rule %q", id)
	}
}

// overrides are what the project decided for single servers.
func (p *projectReader) overrides(f field) map[string]finding.Override {
	if !p.want(f, object) {
		return nil
	}
	p.unique(f.value, fmt.Sprintf(" in %q", f.key))
	all := map[string]finding.Override{}
	for _, m := range f.value.fields {
		all[m.key] = p.override(field{f.key + "." + m.key, m.line, m.value})
	}
	return all
}

func (p *projectReader) override(f field) finding.Override {
	var o finding.Override
	if !p.want(f, object) {
		return o
	}
	where := fmt.Sprintf(" in %q", f.key)
	p.unique(f.value, where)
	p.known(f.value, where, []string{"fail-on", "rules"})
	for _, m := range f.value.fields {
		switch inner := (field{f.key + "." + m.key, m.line, m.value}); m.key {
		case "fail-on":
			o.FailOn = p.failOn(inner)
		case "rules":
			o.Rules = p.levels(inner)
		}
	}
	return o
}

func (p *projectReader) budgets(f field) Budgets {
	var b Budgets
	if !p.want(f, object) {
		return b
	}
	limits := map[string]*int{
		"tokens": &b.Tokens, "tools": &b.Tools, "server-tokens": &b.ServerTokens, "server-tools": &b.ServerTools,
		"tool-tokens": &b.ToolTokens, "item-bytes": &b.ItemBytes, "text-characters": &b.TextCharacters,
	}
	p.unique(f.value, ` in "budgets"`)
	p.known(f.value, ` in "budgets"`, slices.Sorted(maps.Keys(limits)))
	for _, m := range f.value.fields {
		n, err := strconv.Atoi(m.value.text)
		switch {
		case m.value.kind != number || err != nil || n < 1:
			p.complain(m.value.line, "leave it out for no limit", `"budgets.%s" must be a whole number above 0`, m.key)
		case limits[m.key] != nil:
			*limits[m.key] = n
		}
	}
	return b
}

// allow is the list of names; one that is not a list allows nothing.
func (p *projectReader) allow(f field) Allow {
	a := Allow{File: p.reader.file, Line: f.line}
	for _, item := range p.scalars(f) {
		a.Names = append(a.Names, item.value.text)
	}
	return a
}
