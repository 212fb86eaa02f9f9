package config

import (
	"path/filepath"
	"strconv"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// defaultSnapshots is the folder of snapshots beside the configuration.
const defaultSnapshots = "mcp-snapshots"

// second is the unit of a timeout in mcpctl.yaml.
const second = time.Second

// projectReader reads mcpctl.yaml.
type projectReader struct {
	reader
	scope
	rules   []string // known rule ids; nil = not checked
	include []field  // paths of files of servers
	entries []Entry  // servers written in the file
	alone   bool     // include or servers is there: no other file is looked for
}

var projectKeys = []string{"include", "servers", "snapshots", "fail-on", "rules", "waivers", "budgets", "allow"}

// project reads the whole file; the problems are those of the reader.
func (p *projectReader) project(root value) Project {
	out := Project{File: p.reader.file, Snapshots: filepath.Join(p.folder, defaultSnapshots)}
	if !p.is(root, object, "the file") {
		return out
	}
	p.unique(root, "")
	p.known(root, "", projectKeys)
	for _, f := range root.fields {
		if f.value.kind != null || f.key == "allow" { // an empty allow must not allow all
			p.key(f, &out)
		}
	}
	return out
}

// key reads one member of the file.
func (p *projectReader) key(f field, out *Project) {
	switch f.key {
	case "include":
		p.alone = true
		p.include = p.paths(f)
	case "servers":
		p.alone = true
		if p.want(f, object) {
			p.entries = append(p.entries, p.servers(f.value)...)
		}
	case "snapshots":
		out.Snapshots = p.folderOf(f)
	case "fail-on":
		out.FailOn = p.failOn(f)
	case "rules":
		out.Rules = p.levels(f)
	case "waivers":
		out.Waivers = p.waivers(f)
	case "budgets":
		out.Budgets = p.budgets(f)
	case "allow":
		out.Allow = p.allow(f)
	}
}

// path expands one string; "" after a problem.
func (p *projectReader) path(f field) string {
	if !p.want(f, text) {
		return ""
	}
	out, missing := p.scope.expand(f.value.text)
	for _, m := range missing {
		p.complain(f.value.line, m.hint, "%s, needed in %q", m.message, f.key)
	}
	if len(missing) == 0 && out.value == "" {
		p.complain(f.value.line, "write a path", "%q is empty", f.key)
	}
	return out.value
}

// paths are the files to include, each with its line.
func (p *projectReader) paths(f field) []field {
	var files []field
	for _, item := range p.scalars(f) {
		if path := p.path(item); path != "" {
			files = append(files, field{item.key, item.line, value{kind: text, line: item.line, text: path}})
		}
	}
	return files
}

func (p *projectReader) folderOf(f field) string {
	folder := p.path(f)
	switch {
	case folder == "":
		folder = defaultSnapshots
	case filepath.IsAbs(folder):
		return filepath.Clean(folder)
	}
	return filepath.Join(p.folder, folder)
}

func (p *projectReader) failOn(f field) *finding.Level {
	if !p.want(f, text) {
		return nil
	}
	level, err := ParseFailOn(f.value.text)
	if err != nil {
		p.complain(f.value.line, suggest(f.value.text, []string{"breaking", "warning", "info", "any", "never"}), `"fail-on": %v`, err)
		return nil
	}
	return &level
}

// levels are the rules whose level the project chose.
func (p *projectReader) levels(f field) map[string]finding.Level {
	levels := map[string]finding.Level{}
	for _, m := range p.members(f) {
		p.rule(m.key, m.line)
		level, err := finding.ParseLevel(m.value.text)
		if err != nil {
			p.complain(m.value.line, suggest(m.value.text, []string{"breaking", "warning", "info", "off"}), "rule %q: %v", m.key, err)
			continue
		}
		levels[m.key] = level
	}
	return levels
}

// rule keeps a problem for an id that is not in the catalogue.
func (p *projectReader) rule(id string, line int) {
	if _, ok := find(p.rules, id); !ok && p.rules != nil {
		hint := suggest(id, p.rules)
		if hint == "" {
			hint = "mcpctl rules shows all rules"
		}
		p.complain(line, hint, "unknown rule %q", id)
	}
}

func (p *projectReader) budgets(f field) Budgets {
	var b Budgets
	if !p.want(f, object) {
		return b
	}
	p.unique(f.value, ` in "budgets"`)
	p.known(f.value, ` in "budgets"`, []string{"tokens", "tools"})
	for _, m := range f.value.fields {
		n, err := strconv.Atoi(m.value.text)
		if m.value.kind != number || err != nil || n < 1 {
			p.complain(m.value.line, "leave it out for no limit", `"budgets.%s" must be a whole number above 0`, m.key)
			continue
		}
		switch m.key {
		case "tokens":
			b.Tokens = n
		case "tools":
			b.Tools = n
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
