package config

import (
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// grants are what a server may do in a sandbox besides what all may, as mcpctl.yaml in a folder says.
func (r *fieldReader) grants(f syntax.Field, folder string) Grants {
	var may Grants
	for _, m := range r.object(f, []string{"network", "write"}) {
		for _, item := range r.scalars(m.In(f.Key)) {
			switch {
			case m.Key == "network" && (item.Value.Text == "" || strings.ContainsAny(item.Value.Text, "/ ")):
				r.complain(item.Line, "write names such as api.example.com", "%.40q is no name of a host",
					item.Value.Text)
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

// Projects are the folders that the program of the entry is of: one of them is what it sees in a sandbox.
func (e Entry) Projects() []string {
	switch s := e.Server.Stdio; {
	case s == nil || e.scope.folder == "":
		return nil
	case e.Found == Searched:
		return []string{e.scope.root}
	}
	return []string{files.ProjectRoot(e.scope.folder)}
}
