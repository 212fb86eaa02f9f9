package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/manifest"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/sandbox"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// variant is one way to start or to contact a server, as mcpctl.yaml has it under variants.
type variant struct {
	*serverReader        // of what it says, and what is wrong with that
	of, name      string // of the server; of the variant alone
	line          int    // of the variant's name
	ofLine        int    // of the server's name

	protocol string
	args     []expanded
	env      map[string]probe.Secret
	without  []string // variables that the variant takes away
	headers  map[string]probe.Secret
	has      []syntax.Field // args, env and headers, as far as they are there
}

var variantKeys = []string{"args", "env", "headers", "protocol"}

// VariantName is the name of a variant of a server. It has no character that a shell takes for something else.
func VariantName(server, variant string) string { return server + "@" + variant }

// variants reads all variants of all servers, in the order of the file.
func (p *projectReader) variants(f syntax.Field) []variant {
	var all []variant
	for _, server := range p.object(f, nil) {
		inner := server.In(f.Key)
		variants := p.object(inner, nil)
		if server.Value.Kind == syntax.Object && len(variants) == 0 {
			p.complain(server.Line, "write one as NAME: {args: [--flag]}, or remove it", "%q names no variant", inner.Key)
		}
		for _, one := range variants {
			all = append(all, p.variant(server, one))
		}
	}
	return all
}

// variant reads one variant. What is wrong with it is a problem of this server alone.
func (p *projectReader) variant(server, f syntax.Field) variant {
	name := VariantName(server.Key, f.Key)
	r := &serverReader{fieldReader: fieldReader{file: p.fieldReader.file, server: name}, scope: p.scope, fields: f.Value}
	v := variant{serverReader: r, of: server.Key, name: f.Key, line: f.Line, ofLine: server.Line}
	switch {
	case f.Key == "" || plainName(f.Key) != f.Key:
		r.complain(f.Line, "use letters, digits, -, _ and .", "%q is no name for a variant", f.Key)
	case len(FileName(name)) > maxName:
		r.complain(f.Line, "shorten it", "the name is too long for the name of a file")
	}
	if r.is(f.Value, syntax.Object, "a variant") {
		v.read()
	}
	return v
}

func (v *variant) read() {
	v.keys(v.fields, "", variantKeys)
	program := stdioReader{v.serverReader}
	v.args, v.env, v.protocol = program.args(), program.environ(), v.readProtocol()
	v.headers = map[string]probe.Secret{}
	v.readHeaders("headers", v.headers)
	v.secrets = slices.Concat(v.secrets, Confidential(v.env), Confidential(v.headers), hiddenIn(values(v.args)))
	for _, f := range v.fields.Fields {
		if f.Key != "protocol" && len(f.Value.Items)+len(f.Value.Fields) > 0 {
			v.has = append(v.has, f)
		}
		for _, m := range f.Value.Fields {
			if f.Key == "env" && m.Value.Kind == syntax.Null {
				v.without = append(v.without, m.Key)
			}
		}
	}
}

// values are texts as they are handed to a server.
func values(of []expanded) []string {
	return lists.Map(of, func(x expanded) string { return x.value })
}

// readProtocol is a version of the protocol; empty when there is none, or after a problem.
func (r *serverReader) readProtocol() string {
	f, ok := r.fields.Get("protocol")
	if !ok || !r.scalar(f) {
		return ""
	}
	if !slices.Contains(probe.Versions(), f.Value.Text) {
		r.complain(f.Value.Line, cmp.Or(match.Suggest(f.Value.Text, probe.Versions()), "there is "+match.Quoted(probe.Versions(), ", ")),
			"unknown protocol version %.40q", f.Value.Text)
		return ""
	}
	return f.Value.Text
}

// varied are entries with the variants of a server in its place, in the order of mcpctl.yaml.
func varied(entries []Entry, variants []variant) []Entry {
	all := make([]Entry, 0, len(entries))
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

func (v variant) entry(e Entry) Entry {
	e.Base, e.Server.Name = e.Server.Name, VariantName(v.of, v.name)
	e.File, e.Line = v.fieldReader.file, v.line
	e.Server.Source = fmt.Sprintf("%s:%d", e.File, e.Line)
	e.Found = max(e.Found, v.found) // the less a person has said of it
	e.subject = trustSubject{path: v.abs, name: e.subject.name + "@" + v.name, base: e.subject.path}
	e.Problems = slices.Concat(e.Problems, v.problems)
	e.Warnings, e.Prompts = slices.Concat(e.Warnings, v.warnings), slices.Concat(e.Prompts, v.prompts)
	if v.protocol != "" {
		e.Server.Protocol = v.protocol
	}
	if len(v.problems) > 0 {
		return e
	}
	e.uses = slices.Concat(e.uses, v.uses)
	for _, name := range v.without {
		e.uses = append(e.uses, use{key: "env." + name, from: removed})
	}
	e.Server.Secrets = slices.Concat(e.Server.Secrets, v.secrets)
	if s := e.Server.Stdio; s != nil {
		e.Server.Stdio = v.stdio(*s)
		e.Problems = append(e.Problems, v.misplaced(e, "command", "headers")...)
	}
	if h := e.Server.HTTP; h != nil {
		http := *h
		http.Headers = Merged(http.Headers, v.headers)
		e.Server.HTTP = &http
		e.Problems = append(e.Problems, v.misplaced(e, "url", "args", "env")...)
	}
	return e
}

func (v variant) stdio(s probe.Stdio) *probe.Stdio {
	s.Args, s.Env = slices.Concat(s.Args, values(v.args)), Merged(s.Env, v.env)
	for _, name := range v.without {
		delete(s.Env, name)
	}
	return &s
}

// misplaced are the problems of keys that have no meaning for a server with a command, or with a URL.
func (v variant) misplaced(e Entry, beside string, keys ...string) []Problem {
	r := fieldReader{file: e.File, server: e.Server.Name}
	for _, f := range v.has {
		if slices.Contains(keys, f.Key) {
			r.complain(f.Line, "remove it", "%q has no meaning beside %q", f.Key, beside)
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

// addVariants puts variants in the place of their servers, and tells the policy whose they are.
func (l *loader) addVariants() {
	servers := merge(l.entries)
	l.config.Entries = merge(varied(servers, l.variants))
	l.unknownBases(servers)
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

// unknownBases keeps a problem for each server under variants that is not configured, as far as all servers are known.
func (l *loader) unknownBases(servers []Entry) {
	unread := func(p Problem) bool { return p.File != l.config.Project.File }
	if l.distant || slices.ContainsFunc(l.problems, unread) {
		return
	}
	known := lists.Map(servers, func(e Entry) string { return e.Server.Name })
	for _, v := range l.variants {
		if !slices.Contains(known, v.of) {
			hint := ""
			if len(known) < len(servers)+maxExplained {
				hint = match.Suggest(v.of, known[:len(servers)])
			}
			known = append(known, v.of) // once is enough
			l.problems = append(l.problems, Problem{
				File: v.fieldReader.file, Line: v.ofLine, Hint: hint,
				Message: fmt.Sprintf("no server %q is configured, needed in \"variants\"", v.of),
			})
		}
	}
}

// grants are what a server may do in a sandbox besides what all may, as mcpctl.yaml in a folder says.
func (r *fieldReader) grants(f syntax.Field, folder string) sandbox.Grants {
	var may sandbox.Grants
	for _, m := range r.object(f, []string{"network", "write"}) {
		for _, item := range r.scalars(m.In(f.Key)) {
			switch {
			case m.Key == "network" && (item.Value.Text == "" || strings.ContainsAny(item.Value.Text, "/ ")):
				r.complain(item.Line, "write names such as api.example.com", "%.40q is no name of a host", item.Value.Text)
			case m.Key == "network":
				may.Network = append(may.Network, item.Value.Text)
			case item.Value.Text == "":
				r.complain(item.Line, "write a folder, relative to this file", "an empty name of a folder")
			default:
				may.Write = append(may.Write, filepath.Clean(files.From(folder, item.Value.Text)))
			}
		}
	}
	return may
}

// grant gives entries what the project's overrides grant to them.
func (l *loader) grant() {
	for i := range l.entries {
		e := &l.entries[i]
		for _, name := range e.Names() {
			if may, ok := l.granted[name]; ok {
				e.May = may
			}
		}
	}
}

// granted are lines of a manifest about what the entry may do in a sandbox.
func (e Entry) granted() []manifest.Member {
	var all []manifest.Member
	if hosts := e.May.Network; len(hosts) > 0 {
		all = append(all, manifest.Member{
			Name: "network", Value: manifest.Plain("all of it, for " + strings.Join(hosts, ", ")),
			Unusual: "the sandbox cannot hold it to hosts: everything that this machine reaches, itself included, is open to it",
		})
	}
	for _, folder := range e.May.Write {
		m := manifest.Member{Name: "write", Value: e.located(folder, folder)}
		git := filepath.Join(e.scope.root, ".git")
		switch {
		case !e.scope.holds(folder):
			m.Unusual = "outside of the project"
		case files.Below(git, folder) || files.Below(folder, git):
			m.Unusual = "holds what runs outside of the sandbox later, such as hooks of git"
		}
		all = append(all, m)
	}
	return all
}

// Projects are the folders that the program of the entry is of: one of them is what it sees in a sandbox.
func (e Entry) Projects() []string {
	switch s := e.Server.Stdio; {
	case s == nil || e.Found != Published && e.scope.folder == "":
		return nil
	case e.Found == Published:
		return []string{filepath.Dir(s.Dir)}
	case e.Found == Searched:
		return []string{e.scope.root}
	}
	return []string{files.ProjectRoot(e.scope.folder)}
}
