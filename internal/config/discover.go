package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
)

// Looked is a file of an application that was looked at.
type Looked struct {
	App     string      // as people call it
	Scope   string      // "user", "project", "managed", …
	Path    string      // as shown
	State   LookedState // what became of it
	Servers int         // that it has
	Problem *Problem    // why it could not be read, or not all of it
}

// LookedState is what became of a file.
type LookedState string

// The states of files that were looked at.
const (
	Absent    LookedState = "absent"    // there is none
	Read      LookedState = "read"      // it was read
	Broken    LookedState = "broken"    // it could not be read, or is not what it should be
	Overruled LookedState = "overruled" // the application does not read it: the administrator's file decides alone
)

// Limits on what all files of applications together may cost, whatever somebody put into a repository.
const (
	maxDiscovered      = 1000     // servers
	maxDiscoveredBytes = 64 << 20 // of files
)

// discovery looks at the files of applications.
type discovery struct {
	*loader
	host  clients.Host
	seen  map[string]document // by path
	bytes int                 // that were read
	count int                 // of servers
}

// discover is what applications have, as each would use it.
func (l *loader) discover() []Entry {
	host := clients.Host{OS: cmp.Or(l.in.OS, runtime.GOOS), Home: l.in.Home, Lookup: l.in.Lookup, Projects: files.ProjectFolders(l.in.Dir), Root: l.in.Root}
	d := &discovery{loader: l, host: host, seen: map[string]document{}}
	var found []Entry
	byApp := map[string][]clients.File{}
	for _, file := range host.Files() {
		byApp[file.App.ID] = append(byApp[file.App.ID], file)
	}
	for _, app := range clients.Table() {
		found = append(found, d.application(app, byApp[app.ID])...)
	}
	return l.usable(found)
}

// application is the servers of one application: of each name the strongest, with what the others are.
func (d *discovery) application(app clients.App, files []clients.File) []Entry {
	var entries []Entry
	sole := false
	for _, file := range files {
		looked := Looked{App: app.Name, Scope: string(file.Row.Scope), Path: d.in.present(file.Path)}
		if doc := d.open(file.Path); doc.state == Absent || !sole {
			looked.State, looked.Problem = doc.state, doc.wrong
			if doc.state == Read {
				entries = append(entries, d.row(file, doc.root, &looked)...)
			}
		} else {
			looked.State = Overruled
		}
		sole = sole || file.Row.Sole && looked.State != Absent
		d.look(looked)
	}
	d.switchOff(app, files, entries)
	return override(app, entries)
}

// look keeps what became of a file.
func (d *discovery) look(looked Looked) {
	if looked.Problem != nil {
		d.config.Remarks = append(d.config.Remarks, *looked.Problem)
	}
	d.config.Looked = append(d.config.Looked, looked)
}

// row is the servers of one row of an application's table.
func (d *discovery) row(file clients.File, root value, looked *Looked) []Entry {
	if file.Row.Dialect == clients.Plugins {
		return d.plugins(file, root)
	}
	entries, wrong := d.scopeOf(file).rowServers(file, root, d.host.Projects)
	if len(wrong) > 0 {
		looked.State, looked.Problem = Broken, &wrong[0]
	}
	looked.Servers = len(entries)
	if d.count+len(entries) > maxDiscovered {
		looked.State = Broken
		looked.Problem = &Problem{File: looked.Path, Message: fmt.Sprintf("more than %d servers with those before", maxDiscovered), Hint: "name the file with --config if you mean it"}
		return nil
	}
	d.count += len(entries)
	return placed(file, entries)
}

// placed notes of entries where they come from.
func placed(file clients.File, entries []Entry) []Entry {
	for i := range entries {
		e := &entries[i]
		e.Places = []Place{{App: file.App.Name, ID: file.App.ID, Scope: string(file.Row.Scope), File: e.File, Line: e.Line, Name: e.Server.Name}}
		e.beside = file.App.Each || file.Row.Beside
	}
	return entries
}

// scopeOf is what the servers of a file share. What a user has everywhere runs in the home folder, so that no project gets
// a say in it; ${workspaceFolder} is the project nevertheless.
func (d *discovery) scopeOf(file clients.File) scope {
	project := files.ProjectRoot(d.in.Dir)
	s := scope{file: d.in.present(file.Path), abs: file.Path, found: Discovered, folder: cmp.Or(d.in.Home, d.in.Dir)}
	if scope := file.Row.Scope; scope == clients.Project || scope == clients.Container {
		s.folder = projectFolder(file.Path)
		project = s.folder
	}
	s.expander = expander{lookup: d.in.Lookup, home: d.in.Home, folder: project, known: map[string]string{
		"CLAUDE_PROJECT_DIR": project, "workspacePath": project, "extensionPath": filepath.Dir(file.Path),
	}}
	return s.in(file.Row.Dialect)
}

// present is a path as the user knows it: from the current folder if it is in the project, absolute otherwise.
func (in Input) present(path string) string {
	root := files.ProjectRoot(in.Dir)
	rel, err := filepath.Rel(root, path)
	if err != nil || root == in.Home || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return in.show(path)
}
