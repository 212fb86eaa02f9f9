package config

import (
	"fmt"
	"time"
)

var waiverKeys = []string{"rule", "server", "item", "reason", "owner", "expires"}

// waivers are the accepted findings; one that is not whole is left out.
func (p *projectReader) waivers(f field) []Waiver {
	if !p.want(f, list) {
		return nil
	}
	var out []Waiver
	for i, v := range f.value.items {
		before := len(p.problems)
		w := p.waiver(field{fmt.Sprintf("waivers[%d]", i), v.line, v})
		if len(p.problems) == before {
			out = append(out, w)
		}
	}
	return out
}

func (p *projectReader) waiver(f field) Waiver {
	w := Waiver{Line: f.line}
	if !p.want(f, object) {
		return w
	}
	where := fmt.Sprintf(" in %q", f.key)
	p.unique(f.value, where)
	p.known(f.value, where, waiverKeys)
	w.Rule, w.Server, w.Item = p.word(f, "rule"), p.word(f, "server"), p.word(f, "item")
	w.Reason, w.Owner, w.Expires = p.word(f, "reason"), p.word(f, "owner"), p.expires(f)
	if w.Rule == "" {
		p.complain(f.line, "name the rule of the finding", `%q has no "rule"`, f.key)
	} else {
		p.rule(w.Rule, f.line)
	}
	if w.Reason == "" {
		p.complain(f.line, "say why the finding is accepted", `%q has no "reason"`, f.key)
	}
	return w
}

// word is a string of an object; "" when it is not there.
func (p *projectReader) word(of field, key string) string {
	f, ok := of.value.get(key)
	if !ok || f.value.kind == null {
		return ""
	}
	return p.text(field{of.key + "." + key, f.line, f.value})
}

func (p *projectReader) expires(of field) time.Time {
	day := p.word(of, "expires")
	if day == "" {
		return time.Time{}
	}
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		f, _ := of.value.get("expires")
		p.complain(f.value.line, "write a day such as 2026-12-31", `"%s.expires" is not a day`, of.key)
	}
	return t
}
