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

// projectKeys are the keys of mcpctl.yaml, in kebab-case. Those of type syntax.Field are read later: servers
// and paths refer to variables, and for allow null is not absent.
type projectKeys struct {
	Include     []syntax.Field
	Servers     syntax.Field
	Discover    syntax.Field
	Snapshots   syntax.Field
	FailOn      finding.Threshold
	CheckFailOn finding.Threshold
	Rules       map[string]finding.Level
	Overrides   map[string]overrideKeys
	Tolerate    []finding.Tolerance
	Waivers     []finding.Waiver
	Budgets     Budgets
	Calls       callsKeys
	Allow       syntax.Field
}

// overrideKeys are the settings for one server.
type overrideKeys struct {
	FailOn, CheckFailOn finding.Threshold
	Rules               map[string]finding.Level
	Sandbox             *grantKeys
}

// projectReader reads mcpctl.yaml.
type projectReader struct {
	fieldReader
	rules func() []string // known rule ids; nil = not checked
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
	if !p.is(root, syntax.Object, "the file") {
		return out
	}
	var keys projectKeys
	p.decoder().decode(syntax.Field{Value: root}, &keys)

	out.FailOn, out.CheckFailOn, out.Rules = keys.FailOn, keys.CheckFailOn, keys.Rules
	out.Waivers, out.Tolerate, out.Budgets = keys.Waivers, keys.Tolerate, keys.Budgets
	out.Calls = p.calls(keys.Calls)
	p.granted = map[string]Grants{}
	for server, o := range keys.Overrides {
		if out.Overrides == nil {
			out.Overrides = map[string]finding.Override{}
		}
		out.Overrides[server] = finding.Override{FailOn: o.FailOn, CheckFailOn: o.CheckFailOn, Rules: o.Rules}
		if o.Sandbox != nil {
			p.granted[server] = p.grants(*o.Sandbox, p.folder)
		}
	}
	p.alone = given(keys.Servers) || keys.Include != nil
	if given(keys.Servers) && p.want(keys.Servers, syntax.Object) && p.fewEnough(keys.Servers) {
		p.entries = p.servers(keys.Servers.Value)
	}
	p.include = p.includedFiles(keys.Include)
	if given(keys.Snapshots) {
		out.Snapshots = filepath.Clean(files.From(p.folder, cmp.Or(p.path(keys.Snapshots), defaultSnapshots)))
		out.snapshotsLine = keys.Snapshots.Line
	}
	if given(keys.Discover) {
		out.Discover = p.discover(keys.Discover)
	}
	if f := keys.Allow; f.Line > 0 {
		out.Allow = Allow{File: out.File, Line: f.Line}
		for _, item := range p.scalars(f) {
			out.Allow.Names = append(out.Allow.Names, item.Value.Text)
		}
	}
	return out
}

func (p *projectReader) decoder() decoder { return decoder{&p.fieldReader, p.rules} }

// given reports whether a key is set to something else than null.
func given(f syntax.Field) bool { return f.Line > 0 && f.Value.Kind != syntax.Null }

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
	out, missing := p.scope.expand(f.Value.Text)
	for _, m := range missing {
		p.addProblem(f.Value.Line, m.hint, "%s, needed in %q", m.message, f.Key)
	}
	_, secrets := p.given(f.Value.Text)
	switch {
	case len(missing) == 0 && out.value == "":
		p.addProblem(f.Value.Line, "write a path", "%q is empty", f.Key)
	case len(secrets) > 0:
		p.addProblem(f.Value.Line, "write the path without it",
			"%q holds a variable that looks secret, and paths are shown", f.Key)
		return ""
	}
	return out.value
}

const confineHint = "keep it inside the project, or name this file with --config"

// maxIncluded is how many files may be included.
const maxIncluded = 1000

// includedFiles returns the files to include: paths, or objects with a prefix for the names of servers.
func (p *projectReader) includedFiles(items []syntax.Field) (all []origin) {
	for i, item := range items {
		if i == maxIncluded {
			p.addProblem(item.Line, "include fewer", "more than %d files are included", maxIncluded)
			break
		}
		keys := struct {
			File   syntax.Field
			Prefix string
		}{File: item}
		if item.Value.Kind == syntax.Object {
			p.decoder().decode(item, &keys)
		}
		path := p.path(keys.File)
		if path == "" {
			continue
		}
		file := origin{path: path, shown: path, found: p.scope.found, prefix: keys.Prefix,
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

// grantKeys are the keys of "sandbox".
type grantKeys struct{ Network, Write []syntax.Field }

// grants returns what a server may do in the sandbox; paths are relative to a directory.
func (r *fieldReader) grants(keys grantKeys, folder string) Grants {
	var may Grants
	for _, item := range keys.Network {
		if host := item.Value.Text; host == "" || strings.ContainsAny(host, "/ ") {
			r.addProblem(item.Line, "write names such as api.example.com", "invalid host name %.40q", host)
		} else {
			may.Network = append(may.Network, host)
		}
	}
	for _, item := range keys.Write {
		if item.Value.Text == "" {
			r.addProblem(item.Line, "write a directory, relative to this file", "empty directory name")
		} else {
			may.Write = append(may.Write, filepath.Clean(files.From(folder, item.Value.Text)))
		}
	}
	return may
}
