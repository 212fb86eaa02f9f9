package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// variant is one way to start or to contact a server, as mcpctl.yaml has it under variants.
type variant struct {
	of, name string // of the server; of the variant alone
	file     string
	line     int // of the variant's name
	ofLine   int // of the server's name

	protocol string
	args     []expanded
	env      map[string]probe.Secret
	without  []string // variables that the variant takes away
	headers  map[string]probe.Secret
	secrets  []probe.Secret
	has      []field // args, env and headers, as far as they are there

	found   Found
	essence essence // of the variant alone

	problems, warnings []Problem
	prompts            []Prompt
}

var variantKeys = []string{"args", "env", "headers", "protocol"}

// VariantName is the name of a variant of a server. It has no character that a shell takes for something else.
func VariantName(server, variant string) string { return server + "@" + variant }

// variants reads all variants of all servers, in the order of the file.
func (p *projectReader) variants(f field) []variant {
	if !p.want(f, object) {
		return nil
	}
	p.unique(f.value, fmt.Sprintf(" in %q", f.key))
	var all []variant
	for _, server := range f.value.fields {
		inner := field{f.key + "." + server.key, server.line, server.value}
		if !p.want(inner, object) {
			continue
		}
		if len(server.value.fields) == 0 {
			p.complain(server.line, "write one as NAME: {args: [--flag]}, or remove it", "%q names no variant", inner.key)
		}
		p.unique(server.value, fmt.Sprintf(" in %q", inner.key))
		for _, one := range server.value.fields {
			all = append(all, p.variant(server, one))
		}
	}
	return all
}

// variant reads one variant. What is wrong with it is a problem of this server alone.
func (p *projectReader) variant(server, f field) variant {
	name := VariantName(server.key, f.key)
	d := &draft{reader: reader{file: p.reader.file, server: name}, scope: p.scope, fields: f.value}
	v := variant{of: server.key, name: f.key, file: p.reader.file, line: f.line, ofLine: server.line}
	switch {
	case f.key == "" || plainName(f.key) != f.key:
		d.complain(f.line, "use letters, digits, -, _ and .", "%q is no name for a variant", f.key)
	case len(FileName(name)) > maxName:
		d.complain(f.line, "shorten it", "the name is too long for the name of a file")
	}
	if d.is(f.value, object, "a variant") {
		d.vary(&v)
	}
	v.problems, v.warnings, v.prompts = d.problems, d.warnings, d.prompts
	v.found, v.essence = d.found, essence{d.abs, f.key, f.value.flatten([]string{"variant", f.key})}
	return v
}

// vary reads what the variant says.
func (d *draft) vary(v *variant) {
	d.unique(d.fields, "")
	d.known(d.fields, "", variantKeys)
	v.args, v.env, v.protocol = d.args(), d.environ(), d.protocol()
	v.headers = map[string]probe.Secret{}
	d.headers("headers", v.headers)
	v.secrets = slices.Concat(d.secrets, Confidential(v.env), Confidential(v.headers), secretsOfArgs(v.args))
	for _, f := range d.fields.fields {
		if f.key != "protocol" && len(f.value.items)+len(f.value.fields) > 0 {
			v.has = append(v.has, f)
		}
		for _, m := range f.value.fields {
			if f.key == "env" && m.value.kind == null {
				v.without = append(v.without, m.key)
			}
		}
	}
}

// protocol is a version of the protocol; empty when the variant says none, or after a problem.
func (d *draft) protocol() string {
	f, ok := d.fields.get("protocol")
	if !ok || !d.isScalar(f) {
		return ""
	}
	if !slices.Contains(probe.Versions(), f.value.text) {
		d.complain(f.value.line, cmp.Or(match.Suggest(f.value.text, probe.Versions()), "there is "+match.Quoted(probe.Versions(), ", ")),
			"unknown protocol version %.40q", f.value.text)
		return ""
	}
	return f.value.text
}

// varied are entries with the variants of a server in its place, in the order of mcpctl.yaml.
func varied(entries []Entry, variants []variant) []Entry {
	var all []Entry
	for _, e := range entries {
		own := slices.DeleteFunc(slices.Clone(variants), func(v variant) bool { return v.of != e.Server.Name })
		if len(own) == 0 {
			all = append(all, e)
		}
		for _, v := range own {
			all = append(all, v.entry(e))
		}
	}
	return all
}

// entry is a server as the variant has it.
func (v variant) entry(e Entry) Entry {
	e.Base, e.Server.Name = e.Server.Name, VariantName(v.of, v.name)
	e.File, e.Line, e.Server.Source = v.file, v.line, fmt.Sprintf("%s:%d", v.file, v.line)
	e.Found = max(e.Found, v.found) // the less a person has said of it
	e.essence = e.essence.with(v.essence)
	e.Problems = slices.Concat(e.Problems, v.problems)
	e.Warnings, e.Prompts = slices.Concat(e.Warnings, v.warnings), slices.Concat(e.Prompts, v.prompts)
	if v.protocol != "" {
		e.Server.Protocol = v.protocol
	}
	if len(v.problems) > 0 {
		return e
	}
	e.Server.Secrets = slices.Concat(e.Server.Secrets, v.secrets)
	if s := e.Server.Stdio; s != nil {
		e.Server.Stdio, e.shown.command = v.stdio(*s), v.shownCommand(e)
		e.Problems = append(e.Problems, v.foreign(e, "command", "headers")...)
	}
	if h := e.Server.HTTP; h != nil {
		http := *h
		http.Headers = Merged(http.Headers, v.headers)
		e.Server.HTTP = &http
		e.Problems = append(e.Problems, v.foreign(e, "url", "args", "env")...)
	}
	return e
}

func (v variant) stdio(s probe.Stdio) *probe.Stdio {
	s.Args, s.Env = slices.Clone(s.Args), Merged(s.Env, v.env)
	for _, a := range v.args {
		s.Args = append(s.Args, a.value)
	}
	for _, name := range v.without {
		delete(s.Env, name)
	}
	return &s
}

// shownCommand is the command line with the arguments of the variant, as it may be shown.
func (v variant) shownCommand(e Entry) []string {
	shown := slices.Clone(e.Describe().Command)
	for _, a := range v.args {
		shown = append(shown, a.shown)
	}
	return MaskArgs(shown)
}

// foreign are the problems of keys that have no meaning for a server with a command, or with a URL.
func (v variant) foreign(e Entry, beside string, keys ...string) []Problem {
	r := reader{file: e.File, server: e.Server.Name}
	for _, f := range v.has {
		if slices.Contains(keys, f.key) {
			r.complain(f.line, "remove it", "%q has no meaning beside %q", f.key, beside)
		}
	}
	return r.problems
}

// Merged is base with the entries of more, which win; neither is changed.
func Merged(base, more map[string]probe.Secret) map[string]probe.Secret {
	both := make(map[string]probe.Secret, len(base)+len(more))
	maps.Copy(both, base)
	maps.Copy(both, more)
	return both
}

// vary puts variants in the place of their servers, and tells the policy whose they are.
func (l *loader) vary() {
	servers := merge(l.entries)
	l.config.Entries = merge(varied(servers, l.variants))
	l.strangers(servers)
	for _, e := range l.config.Entries {
		if e.Base == "" {
			continue
		}
		if l.config.Project.Variants == nil {
			l.config.Project.Variants = map[string]string{}
		}
		l.config.Project.Variants[e.Server.Name] = e.Base
	}
}

// strangers keeps a problem for each server under variants that is not configured, as far as all servers are known.
func (l *loader) strangers(servers []Entry) {
	unread := func(p Problem) bool { return p.File != l.config.Project.File }
	if l.distant || slices.ContainsFunc(l.problems, unread) {
		return
	}
	var known []string
	for _, e := range servers {
		known = append(known, e.Server.Name)
	}
	for _, v := range l.variants {
		if !slices.Contains(known, v.of) {
			known = append(known, v.of) // once is enough
			l.problems = append(l.problems, Problem{
				File: v.file, Line: v.ofLine, Hint: match.Suggest(v.of, known[:len(servers)]),
				Message: fmt.Sprintf("no server %q is configured, needed in \"variants\"", v.of),
			})
		}
	}
}
