package config

import (
	"cmp"
	"encoding/json"
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
	Budgets          finding.Budgets     // limits on what servers offer
	Allow            Allow               // servers that may be contacted
	Calls            CallRules           // how results of replayed calls are judged

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

// refuse adds a problem to an entry that is not allowed.
func (a Allow) refuse(e *Entry) {
	if refusal := a.Refusal(e.Server.Name); refusal != nil {
		e.refused, e.Problems = true, append(slices.Clip(e.Problems), *refusal) // merged ones share theirs
	}
}

// defaultSnapshots is the directory of snapshots beside the configuration.
const defaultSnapshots = "mcp-snapshots"

// projectReader reads mcpctl.yaml.
type projectReader struct {
	*fieldReader
	fileScope
	include []configFile      // other files of servers
	entries []Entry           // servers in the file itself
	granted map[string]Grants // by server
	alone   bool              // include or servers is set: no other file is looked for
}

// read returns the settings of a whole file; the problems stay in p.
func (r *projectReader) read(root syntax.Value) Project {
	out := Project{File: r.fieldReader.file, Found: r.found,
		Snapshots: filepath.Join(r.folder, defaultSnapshots)}
	r.granted = map[string]Grants{}
	var allow syntax.Field // for which null is not absent
	b := &out.Budgets
	r.decode(syntax.Field{Value: root}, keys{
		"include": func(f syntax.Field) { r.alone, r.include = true, r.includedFiles(f) },
		"servers": func(f syntax.Field) {
			if r.alone = true; r.want(f, syntax.Object) && r.fewEnough(f) {
				r.entries = r.servers(f.Value)
			}
		},
		"discover": func(f syntax.Field) { out.Discover = r.discover(f) },
		"snapshots": func(f syntax.Field) {
			folder := files.From(r.folder, cmp.Or(r.path(f), defaultSnapshots))
			out.Snapshots, out.snapshotsLine = filepath.Clean(folder), f.Line
		},
		"fail-on": &out.FailOn, "check-fail-on": &out.CheckFailOn, "rules": &out.Rules,
		"overrides": func(f syntax.Field) { out.Overrides = r.overrides(f) },
		"tolerate":  func(f syntax.Field) { out.Tolerate = decodeList(r.fieldReader, f, r.tolerance) },
		"waivers":   func(f syntax.Field) { out.Waivers = decodeList(r.fieldReader, f, r.waiver) },
		"budgets": func(f syntax.Field) {
			r.decode(f, keys{"tokens": &b.Tokens, "tools": &b.Tools, "server-tokens": &b.ServerTokens,
				"server-tools": &b.ServerTools, "tool-tokens": &b.ToolTokens, "item-bytes": &b.ItemBytes,
				"text-characters": &b.TextCharacters})
		},
		"calls": func(f syntax.Field) { out.Calls = r.calls(f) },
		"allow": &allow,
	})
	if allow.Line > 0 {
		out.Allow = Allow{File: out.File, Line: allow.Line}
		for _, item := range r.scalars(allow) {
			out.Allow.Names = append(out.Allow.Names, item.Value.Text)
		}
	}
	return out
}

// overrides reads the settings for single servers.
func (r *projectReader) overrides(f syntax.Field) map[string]finding.Override {
	all := map[string]finding.Override{}
	for _, server := range r.object(f, nil) {
		var o finding.Override
		r.decode(server.In(f.Key), keys{
			"fail-on": &o.FailOn, "check-fail-on": &o.CheckFailOn, "rules": &o.Rules,
			"sandbox": func(f syntax.Field) { r.granted[server.Key] = r.grants(f, r.folder) },
		})
		all[server.Key] = o
	}
	return all
}

// discover reads whether the files of applications are read too. Only a file that the user named may say so:
// a repository must not have the servers of a user's applications started.
func (r *projectReader) discover(f syntax.Field) bool {
	if r.fileScope.found != Named {
		r.addProblem(f.Line, "use --discover, or name the file with --config",
			`"discover" has no effect in a file that was only found`)
		return false
	}
	return r.flag(f, false)
}

// path reads a path with variables; "" after a problem.
func (r *projectReader) path(f syntax.Field) string {
	if !r.want(f, syntax.Text) {
		return ""
	}
	out := r.fileScope.expand(f.Value.Text)
	for _, m := range out.missing {
		r.addProblem(f.Value.Line, m.hint, "%s, needed in %q", m.message, f.Key)
	}
	switch {
	case len(out.missing) == 0 && out.value == "":
		r.addProblem(f.Value.Line, "write a path", "%q is empty", f.Key)
	case len(out.secrets) > 0:
		r.addProblem(f.Value.Line, "write the path without it",
			"%q holds a variable that looks secret, and paths are shown", f.Key)
		return ""
	}
	return out.value
}

const confineHint = "keep it inside the project, or name this file with --config"

// maxIncluded is how many files may be included.
const maxIncluded = 1000

// includedFiles returns the files to include.
func (r *projectReader) includedFiles(f syntax.Field) (all []configFile) {
	for i, item := range r.items(f) {
		if i == maxIncluded {
			r.addProblem(item.Line, "include fewer", "more than %d files are included", maxIncluded)
			break
		}
		path := r.path(item)
		if path == "" {
			continue
		}
		file := configFile{path: path, shown: path, found: r.fileScope.found,
			from: fmt.Sprintf("%s:%d", r.fieldReader.file, item.Line)}
		if !filepath.IsAbs(path) {
			file.path = filepath.Join(filepath.Dir(r.abs), path)
			file.shown = filepath.Join(filepath.Dir(r.fieldReader.file), path)
		}
		switch {
		case isProjectFile(file):
			r.addProblem(item.Line, "include takes files such as .mcp.json",
				"%q is not a JSON file of servers", path)
		case r.fileScope.found != Named && files.LeadsOut(r.root, file.path) != "":
			r.addProblem(item.Line, confineHint, "includes %q, outside of the project", file.shown)
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

// CallRules is what mcpctl.yaml sets for replayed calls.
type CallRules struct {
	Ignore []string // JSON pointers into results; "*" stands for any member or index
	Expect []Expectation
}

// Expectation is a call with what its result must be, which is its JSON form.
type Expectation struct {
	Server    string           `json:"-"`
	Tool      string           `json:"-"`
	Arguments json.RawMessage  `json:"-"`                  // an object
	Contains  string           `json:"contains,omitempty"` // a part of its texts; empty = any
	Equals    json.RawMessage  `json:"equals,omitempty"`   // its structured content; nil = any
	IsError   bool             `json:"isError"`            // whether the tool must report an error
	Matches   json.RawMessage  `json:"matches,omitempty"`  // a schema of its structured content; nil = any
	Source    finding.Location `json:"-"`
}

// calls reads the settings for replayed calls.
func (r *projectReader) calls(f syntax.Field) (c CallRules) {
	r.decode(f, keys{
		"ignore": func(f syntax.Field) {
			for _, item := range r.items(f) {
				if pointer := item.Value.Text; strings.HasPrefix(pointer, "/") {
					c.Ignore = append(c.Ignore, pointer)
				} else {
					r.addProblem(item.Line, "write a JSON pointer such as /structuredContent/updatedAt",
						`"calls.ignore": %q is not a JSON pointer`, pointer)
				}
			}
		},
		"expect": func(f syntax.Field) { c.Expect = decodeList(r.fieldReader, f, r.expectation) },
	})
	return c
}

// expectation reads one item of "calls.expect".
func (r *projectReader) expectation(f syntax.Field) Expectation {
	e := Expectation{Source: r.source(f)}
	var arguments, matches, equals syntax.Field
	if r.decode(f, keys{"server": &e.Server, "tool": &e.Tool, "arguments": &arguments, "isError": &e.IsError,
		"contains": &e.Contains, "matches": &matches, "equals": &equals}) {
		r.require(f, "server", e.Server, "name the server")
		r.require(f, "tool", e.Tool, "name the tool")
	}
	if e.Arguments = r.json(arguments, true); e.Arguments == nil {
		e.Arguments = json.RawMessage("{}")
	}
	e.Matches, e.Equals = r.json(matches, true), r.json(equals, false)
	return e
}

// json returns a value as JSON; nil where it is not set, or not an object where only objects are allowed.
func (r *projectReader) json(f syntax.Field, object bool) json.RawMessage {
	if f.Line == 0 || object && !r.want(f, syntax.Object) {
		return nil
	}
	value := f.Value.JSON()
	if !json.Valid(value) {
		r.addProblem(f.Line, "write numbers as in JSON, such as 0.5 and 1e3", "%q is not JSON", f.Key)
		return nil
	}
	return value
}
