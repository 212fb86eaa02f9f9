package config

import "path/filepath"

// defaultSnapshots is the folder of snapshots beside the configuration.
const defaultSnapshots = "mcp-snapshots"

// projectReader reads mcpctl.yaml.
type projectReader struct {
	reader
	scope
	rules   []string // known rule ids; nil = not checked
	include []field  // paths of files of servers
	entries []Entry  // servers written in the file
	varied  []variant
	alone   bool // include or servers is there: no other file is looked for
}

var projectKeys = []string{"include", "servers", "discover", "variants", "snapshots", "fail-on", "rules", "overrides", "waivers", "tolerate", "budgets", "allow"}

// project reads the whole file; the problems are those of the reader.
func (p *projectReader) project(root value) Project {
	out := Project{File: p.reader.file, Found: p.found, Snapshots: filepath.Join(p.folder, defaultSnapshots)}
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
	case "variants":
		p.varied = p.variants(f)
	case "discover":
		out.Discover = p.flag(f, false)
	case "snapshots":
		out.Snapshots, out.snapshotsLine = p.folderOf(f), f.line
	case "fail-on":
		out.FailOn = p.failOn(f)
	case "rules":
		out.Rules = p.levels(f)
	case "overrides":
		out.Overrides = p.overrides(f)
	case "tolerate":
		out.Tolerate = p.tolerate(f)
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
	switch {
	case len(missing) == 0 && out.value == "":
		p.complain(f.value.line, "write a path", "%q is empty", f.key)
	case len(p.confidential(f.value.text)) > 0:
		p.complain(f.value.line, "write the path without it", "%q holds a variable that looks secret, and paths are shown", f.key)
		return ""
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
