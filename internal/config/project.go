package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Project is what mcpctl.yaml sets beside servers. Without such a file only Snapshots is set.
type Project struct {
	finding.Policy // levels, thresholds and waivers; an empty FailOn = each command's default

	File      string // the mcpctl.yaml that was read; empty = none
	Found     Found  // how File came to be read
	Discover  bool   // read the files of applications too
	Snapshots string // absolute directory of saved snapshots
	// where Snapshots leads to if that is outside of the project and the user named neither; empty otherwise
	SnapshotsOutside string
	Tolerate         []finding.Tolerance // servers that may fail until a day
	Budgets          Budgets             // limits on what servers offer
	Allow            Allow               // servers that may be contacted
	Calls            Calls               // how results of replayed calls are judged

	snapshotsLine int // of the key; 0 = not set
}

// Allow lists the servers that may be contacted. The zero value allows all.
type Allow struct {
	Names []string // exactly these, if Line is set
	Line  int      // of the list in mcpctl.yaml; 0 = none
	File  string   // the mcpctl.yaml
}

// Refusal returns the problem with contacting a server, configured or not; nil = it is allowed.
func (a Allow) Refusal(server string) *Problem {
	if a.Line == 0 || slices.Contains(a.Names, server) {
		return nil
	}
	return &Problem{
		File: a.File, Line: a.Line, Server: server, Message: "not in the allow list",
		Hint: "add it to allow there if it may be contacted",
	}
}

// defaultSnapshots is the directory of snapshots beside the configuration.
const defaultSnapshots = "mcp-snapshots"

// projectReader reads mcpctl.yaml.
type projectReader struct {
	*fieldReader
	scope
	include []origin          // other files of servers
	entries []Entry           // servers in the file itself
	granted map[string]Grants // by server
	alone   bool              // include or servers is set: no other file is looked for
}

// read returns the settings of a whole file; the problems stay in p.
func (p *projectReader) read(root syntax.Value) Project {
	out := Project{File: p.fieldReader.file, Found: p.found,
		Snapshots: filepath.Join(p.folder, defaultSnapshots)}
	p.granted = map[string]Grants{}
	var allow syntax.Field // for which null is not absent
	b := &out.Budgets
	p.decode(syntax.Field{Value: root}, keys{
		"include": func(f syntax.Field) { p.alone, p.include = true, p.includedFiles(f) },
		"servers": func(f syntax.Field) {
			if p.alone = true; p.want(f, syntax.Object) && p.fewEnough(f) {
				p.entries = p.servers(f.Value)
			}
		},
		"discover": func(f syntax.Field) { out.Discover = p.discover(f) },
		"snapshots": func(f syntax.Field) {
			folder := files.From(p.folder, cmp.Or(p.path(f), defaultSnapshots))
			out.Snapshots, out.snapshotsLine = filepath.Clean(folder), f.Line
		},
		"fail-on": &out.FailOn, "check-fail-on": &out.CheckFailOn, "rules": &out.Rules,
		"overrides": func(f syntax.Field) { out.Overrides = p.overrides(f) },
		"tolerate":  func(f syntax.Field) { out.Tolerate = decodeList(p.fieldReader, f, p.tolerance) },
		"waivers":   func(f syntax.Field) { out.Waivers = decodeList(p.fieldReader, f, p.waiver) },
		"budgets": func(f syntax.Field) {
			p.decode(f, keys{"tokens": &b.Tokens, "tools": &b.Tools, "server-tokens": &b.ServerTokens,
				"server-tools": &b.ServerTools, "tool-tokens": &b.ToolTokens, "item-bytes": &b.ItemBytes,
				"text-characters": &b.TextCharacters})
		},
		"calls": func(f syntax.Field) { out.Calls = p.calls(f) },
		"allow": &allow,
	})
	if allow.Line > 0 {
		out.Allow = Allow{File: out.File, Line: allow.Line}
		for _, item := range p.scalars(allow) {
			out.Allow.Names = append(out.Allow.Names, item.Value.Text)
		}
	}
	return out
}

// overrides reads the settings for single servers.
func (p *projectReader) overrides(f syntax.Field) map[string]finding.Override {
	all := map[string]finding.Override{}
	for _, server := range p.object(f, nil) {
		var o finding.Override
		p.decode(server.In(f.Key), keys{
			"fail-on": &o.FailOn, "check-fail-on": &o.CheckFailOn, "rules": &o.Rules,
			"sandbox": func(f syntax.Field) { p.granted[server.Key] = p.grants(f, p.folder) },
		})
		all[server.Key] = o
	}
	return all
}

// discover reads whether the files of applications are read too. Only a file that the user named may say so:
// a repository must not have the servers of a user's applications started.
func (p *projectReader) discover(f syntax.Field) bool {
	if p.scope.found != Named {
		p.addProblem(f.Line, "use --discover, or name the file with --config",
			`"discover" has no effect in a file that was only found`)
		return false
	}
	return p.flag(f, false)
}

// path reads a path with variables; "" after a problem.
func (p *projectReader) path(f syntax.Field) string {
	if !p.want(f, syntax.Text) {
		return ""
	}
	out := p.scope.expand(f.Value.Text)
	for _, m := range out.missing {
		p.addProblem(f.Value.Line, m.hint, "%s, needed in %q", m.message, f.Key)
	}
	switch {
	case len(out.missing) == 0 && out.value == "":
		p.addProblem(f.Value.Line, "write a path", "%q is empty", f.Key)
	case len(out.secrets) > 0:
		p.addProblem(f.Value.Line, "write the path without it",
			"%q holds a variable that looks secret, and paths are shown", f.Key)
		return ""
	}
	return out.value
}

const confineHint = "keep it inside the project, or name this file with --config"

// maxIncluded is how many files may be included.
const maxIncluded = 1000

// includedFiles returns the files to include.
func (p *projectReader) includedFiles(f syntax.Field) (all []origin) {
	for i, item := range p.items(f) {
		if i == maxIncluded {
			p.addProblem(item.Line, "include fewer", "more than %d files are included", maxIncluded)
			break
		}
		path := p.path(item)
		if path == "" {
			continue
		}
		file := origin{path: path, shown: path, found: p.scope.found,
			from: fmt.Sprintf("%s:%d", p.fieldReader.file, item.Line)}
		if !filepath.IsAbs(path) {
			file.path = filepath.Join(filepath.Dir(p.abs), path)
			file.shown = filepath.Join(filepath.Dir(p.fieldReader.file), path)
		}
		switch {
		case isProjectFile(file):
			p.addProblem(item.Line, "include takes files such as .mcp.json",
				"%q is not a JSON file of servers", path)
		case p.scope.found != Named && files.LeadsOut(p.root, file.path) != "":
			p.addProblem(item.Line, confineHint, "includes %q, outside of the project", file.shown)
		default:
			all = addOrigin(all, file)
		}
	}
	return all
}

// grants reads "sandbox"; paths are relative to a directory.
func (r *fieldReader) grants(f syntax.Field, folder string) (may Grants) {
	r.decode(f, keys{
		"network": func(f syntax.Field) {
			for _, item := range r.items(f) {
				if host := item.Value.Text; host == "" || strings.ContainsAny(host, "/ ") {
					r.addProblem(item.Line, "write names such as api.example.com", "invalid host name %.40q",
						host)
				} else {
					may.Network = append(may.Network, host)
				}
			}
		},
		"write": func(f syntax.Field) {
			for _, item := range r.items(f) {
				if item.Value.Text == "" {
					r.addProblem(item.Line, "write a directory, relative to this file",
						"empty directory name")
				} else {
					may.Write = append(may.Write, filepath.Clean(files.From(folder, item.Value.Text)))
				}
			}
		},
	})
	return may
}
