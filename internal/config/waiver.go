package config

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

var (
	waiverKeys    = []string{"rule", "server", "item", "path", "reason", "owner", "expires"}
	toleranceKeys = []string{"server", "reason", "expires"}
)

// waivers are the accepted findings; one that is not whole is left out.
func (p *projectReader) waivers(f field) []finding.Waiver {
	return whole(p, f, waiverKeys, p.waiver)
}

// tolerate are the servers that may fail; one entry that is not whole is left out.
func (p *projectReader) tolerate(f field) []finding.Tolerance {
	return whole(p, f, toleranceKeys, p.tolerance)
}

// whole are the entries of a list of objects that were read without a problem.
func whole[T any](p *projectReader, f field, keys []string, read func(field) T) []T {
	if !p.want(f, list) {
		return nil
	}
	var out []T
	for i, v := range f.value.items {
		before := len(p.problems)
		entry := field{fmt.Sprintf("%s[%d]", f.key, i), v.line, v}
		if !p.want(entry, object) {
			continue
		}
		where := fmt.Sprintf(" in %q", entry.key)
		p.unique(v, where)
		p.known(v, where, keys)
		if one := read(entry); len(p.problems) == before {
			out = append(out, one)
		}
	}
	return out
}

func (p *projectReader) waiver(f field) finding.Waiver {
	w := finding.Waiver{
		Rule: p.word(f, "rule"), Server: p.word(f, "server"), Item: p.word(f, "item"), Path: p.word(f, "path"),
		Reason: p.reason(f, "say why the finding is accepted"), Owner: p.word(f, "owner"), Expires: p.expires(f),
		Source: finding.Location{File: p.reader.file, Line: f.line},
	}
	if w.Rule == "" {
		p.complain(f.line, "name the rule of the finding", `%q has no "rule"`, f.key)
	} else {
		p.pattern(f, w.Rule)
	}
	return w
}

func (p *projectReader) tolerance(f field) finding.Tolerance {
	t := finding.Tolerance{
		Server: p.word(f, "server"), Reason: p.reason(f, "say why the server may fail"), Expires: p.expires(f),
		Source: finding.Location{File: p.reader.file, Line: f.line},
	}
	if t.Server == "" {
		p.complain(f.line, "name the server that may fail", `%q has no "server"`, f.key)
	}
	return t
}

// pattern keeps a problem for a pattern of rules that matches none.
func (p *projectReader) pattern(f field, rule string) {
	named, _ := f.value.get("rule")
	switch {
	case p.rules == nil:
	case !match.IsGlob(rule):
		p.rule(rule, named.line)
	case !slices.ContainsFunc(p.rules, func(id string) bool { return match.Glob(rule, id) }):
		p.complain(named.line, "mcpctl rules shows all rules", "no rule matches %q", rule)
	}
}

func (p *projectReader) reason(of field, hint string) string {
	reason := p.word(of, "reason")
	if reason == "" {
		p.complain(of.line, hint, `%q has no "reason"`, of.key)
	}
	return reason
}

// word is a string of an object; "" when it is not there.
func (p *projectReader) word(of field, key string) string {
	f, ok := of.value.get(key)
	if !ok || f.value.kind == null {
		return ""
	}
	return p.text(field{of.key + "." + key, f.line, f.value})
}

func (p *projectReader) expires(of field) finding.Day {
	text := p.word(of, "expires")
	if text == "" {
		return ""
	}
	day, err := finding.ParseDay(text)
	if err != nil {
		f, _ := of.value.get("expires")
		p.complain(f.value.line, "write a day such as 2026-12-31", `"%s.expires" is not a day`, of.key)
	}
	return day
}
