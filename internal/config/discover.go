package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// The states of files that were looked at.
const (
	Absent    = "absent"    // there is none
	Read      = "read"      // it was read
	Broken    = "broken"    // it could not be read, or is not what it should be
	Overruled = "overruled" // the application does not read it: the administrator's file decides alone
)

type looked struct {
	File
	wrong *Problem // why it could not be read, or not all of it
}

// Limits on what all files of applications together may cost, whatever somebody put into a repository.
const (
	maxDiscovered      = 1000     // servers
	maxDiscoveredBytes = 64 << 20 // of files
)

type discovery struct {
	*loader
	host  clients.Host
	seen  map[string]document // by path
	bytes int                 // that were read
	count int                 // of servers
}

// discover is what applications have, as each would use it.
func (l *loader) discover() []Entry {
	host := clients.Host{OS: cmp.Or(l.in.OS, runtime.GOOS), Home: l.in.Home, Lookup: l.in.Lookup,
		Projects: files.ProjectFolders(l.in.Dir), Root: l.in.Root}
	d := &discovery{loader: l, host: host, seen: map[string]document{}}
	return l.usable(kit.Flat(clients.Table(), func(app clients.App) []Entry {
		return d.application(app,
			host.Files(app))
	}))
}

// application is the servers of one application: of each name the strongest, with what the others are.
func (d *discovery) application(app clients.App, files []clients.File) []Entry {
	var entries []Entry
	sole := false
	for _, file := range files {
		looked := d.looked(file)
		if doc := d.open(file.Path); doc.state == Absent || !sole {
			looked.State, looked.wrong = doc.state, doc.wrong
			if doc.state == Read {
				entries = append(entries, d.row(file, doc.root, &looked)...)
			}
		} else {
			looked.State = Overruled
		}
		sole = sole || file.Row.Sole && looked.State != Absent
		d.look(looked)
	}
	for i, e := range entries {
		if e.Disabled {
			entries[i].Places[0].State = "disabled"
		}
	}
	return override(entries)
}

func (d *discovery) looked(file clients.File) looked {
	return looked{File: File{Application: file.App.Name, Scope: string(file.Row.Scope),
		Path: d.in.present(file.Path)}}
}

func (d *discovery) look(l looked) {
	if l.wrong != nil {
		d.config.Remarks = append(d.config.Remarks, *l.wrong)
		l.Problem = fmt.Sprintf("%s: %s", l.wrong, l.wrong.Hint)
	}
	d.config.Looked = append(d.config.Looked, l.File)
}

// row is the servers of one row of an application's table.
func (d *discovery) row(file clients.File, root syntax.Value, looked *looked) []Entry {
	if file.Row.Dialect == clients.Plugins {
		return d.plugins(file, root)
	}
	return d.servers(d.scopeOf(file), file, root, looked)
}

// servers are those of a file, as far as they are not too many; each tells where it comes from.
func (d *discovery) servers(s scope, file clients.File, root syntax.Value, looked *looked) []Entry {
	entries, wrong := s.rowServers(file, root, d.host.Projects)
	if len(wrong) > 0 {
		looked.State, looked.wrong = Broken, &wrong[0]
	}
	looked.Servers = len(entries)
	if d.count+len(entries) > maxDiscovered {
		looked.State = Broken
		looked.wrong = &Problem{File: looked.Path,
			Message: fmt.Sprintf("more than %d servers with those before", maxDiscovered),
			Hint:    "name the file with --config if you mean it"}
		return nil
	}
	d.count += len(entries)
	return placed(file, entries)
}

// placed notes of entries where they come from.
func placed(file clients.File, entries []Entry) []Entry {
	for i := range entries {
		e := &entries[i]
		e.Places = []Place{{Application: file.App.Name, ID: file.App.ID, Scope: string(file.Row.Scope),
			File: e.File, Line: e.Line, Name: e.Server.Name}}
		e.beside = file.App.Each || file.Row.Beside
	}
	return entries
}

// scopeOf is what the servers of a file share. What a user has everywhere runs in the home folder, so that
// no project gets a say in it; ${workspaceFolder} is the project nevertheless.
func (d *discovery) scopeOf(file clients.File) scope {
	project := files.ProjectRoot(d.in.Dir)
	s := scope{file: d.in.present(file.Path), abs: file.Path, found: Discovered,
		folder: cmp.Or(d.in.Home, d.in.Dir), root: project}
	if project == d.in.Home { // what the user has everywhere is no project
		s.root = ""
	}
	if scope := file.Row.Scope; scope == clients.Project || scope == clients.Container {
		s.folder = clients.ProjectFolder(file.Path)
		project = s.folder
	}
	s.expander = expander{lookup: d.in.Lookup, home: d.in.Home, folder: project, known: map[string]string{
		"CLAUDE_PROJECT_DIR": project, "workspacePath": project, "extensionPath": filepath.Dir(file.Path),
	}}
	return s.in(file.Row.Dialect)
}

// present is a path as the user knows it: from the current folder if it is in the project, absolute
// otherwise.
func (in Input) present(path string) string {
	root := files.ProjectRoot(in.Dir)
	rel, err := filepath.Rel(root, path)
	if err != nil || root == in.Home || rel == ".." ||
		strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return path
	}
	return in.show(path)
}

// document is a file of an application, read once for all that is looked up in it.
type document struct {
	root  syntax.Value
	state string
	wrong *Problem // of a broken one
}

// open reads a file, whatever somebody put there: pipes, devices, endless files and links in a circle are
// problems.
func (d *discovery) open(path string) document {
	if doc, ok := d.seen[path]; ok {
		return doc
	}
	doc := d.parsed(path)
	d.seen[path] = doc
	return doc
}

func (d *discovery) parsed(path string) document {
	if _, err := os.Lstat(path); err != nil {
		return document{state: Absent}
	}
	shown := d.in.present(path)
	data, err := readRegular(path)
	if d.bytes += len(data); err == nil && d.bytes > maxDiscoveredBytes {
		err = fmt.Errorf("more than %d MiB with those before", maxDiscoveredBytes>>20)
	}
	if err != nil {
		return document{state: Broken, wrong: &Problem{File: shown,
			Message: "reading the file: " + err.Error(), Hint: "the other files were read"}}
	}
	if strings.TrimSpace(string(data)) == "" { // some applications leave such
		return document{state: Read, root: syntax.Value{Kind: syntax.Object, Line: 1}}
	}
	root, wrong := syntax.ParserFor(path)(data)
	if wrong == nil && root.Kind != syntax.Object {
		wrong = &syntax.Error{Line: root.Line, Message: "the file must be an object, but is " +
			root.Kind.String(), Hint: "the application expects one, too"}
	}
	if wrong != nil {
		return document{state: Broken, wrong: &Problem{File: shown, Line: wrong.Line, Message: wrong.Message,
			Hint: wrong.Hint}}
	}
	return document{state: Read, root: root}
}

// rowServers are the servers that a row of the table finds in its file. None is no problem: it is a file of
// settings.
func (s scope) rowServers(file clients.File, root syntax.Value, projects []string) ([]Entry, []Problem) {
	s.hear(root)
	r := &fieldReader{file: s.file}
	var entries []Entry
	sections := file.Row.RowSections(root)
	if file.Row.Dialect == clients.Projects { // each project may have a server of one name
		project, ok := projectOf(root, projects)
		if ok {
			s.folder, s.owner = project.Key, " in "+project.Key
		}
		sections = project.Value.At("mcpServers")
	}
	for _, servers := range sections {
		if servers.Value.Kind == syntax.Null || !r.want(servers, syntax.Object) {
			continue
		}
		servers.Value.Fields = slices.DeleteFunc(slices.Clone(servers.Value.Fields),
			func(f syntax.Field) bool {
				return isSwitch(f.Value)
			})
		entries = append(entries, s.servers(servers.Value)...)
	}
	off := switchedOff(file, root, projects)
	for i, e := range entries {
		entries[i].Disabled = e.Disabled || off(e.Server.Name)
	}
	return entries, r.problems
}

// isSwitch reports whether an entry says nothing but that a server in another file is on or off, as Codex
// and OpenCode have it. mcpctl does not read those.
func isSwitch(server syntax.Value) bool {
	return len(server.Fields) > 0 && len(server.Without("enabled", "disabled").Fields) == 0
}

// maxPlugins bounds how many installations of plugins are looked at.
const maxPlugins = 200

// plugins are the servers of Claude Code's installed plugins. One that no settings switch on is off.
func (d *discovery) plugins(file clients.File, root syntax.Value) []Entry {
	list, _ := root.Get("plugins")
	var entries []Entry
	looked := 0
	for _, plugin := range list.Value.Fields {
		on := d.pluginOn(file.App, plugin.Key)
		for _, installed := range installations(plugin.Value) {
			folder, project := installed.TextOf("installPath"), installed.TextOf("projectPath")
			here := project == "" || slices.Contains(d.host.Projects, filepath.Clean(project))
			if looked++; looked > maxPlugins || !filepath.IsAbs(folder) || !here {
				continue
			}
			folder = filepath.Clean(folder)
			more := d.plugin(file, folder, map[string]string{
				"CLAUDE_PLUGIN_ROOT": folder, "CLAUDE_PROJECT_DIR": files.ProjectRoot(d.in.Dir),
				"CLAUDE_PLUGIN_DATA": filepath.Join(filepath.Dir(file.Path), "data", pluginData(plugin.Key)),
			})
			for i := range more {
				more[i].Disabled = more[i].Disabled || !on
			}
			entries = append(entries, more...)
		}
	}
	return entries
}

// pluginData returns the name of the folder in which a plugin keeps its data.
func pluginData(id string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && plainByte(byte(r)) && r != '.' {
			return r
		}
		return '-'
	}, id)
}

// installations are the places of a plugin; the list had one only at first.
func installations(plugin syntax.Value) []syntax.Value {
	if plugin.Kind == syntax.List {
		return plugin.Items
	}
	return []syntax.Value{plugin}
}

// pluginOn is what the strongest of the settings says that knows the plugin.
func (d *discovery) pluginOn(app clients.App, id string) bool {
	for _, path := range d.host.Settings(app) {
		for _, switches := range d.open(path).root.At("enabledPlugins") {
			if f, ok := switches.Value.Get(id); ok {
				return f.Value.Text == "true"
			}
		}
	}
	return false
}

// plugin returns the servers of one plugin's folder: of its .mcp.json, and of its manifest or the files
// that it names. Claude Code gives them variables, which may also stand in these files.
func (d *discovery) plugin(file clients.File, folder string, gives map[string]string) []Entry {
	entries := d.pluginFile(file, folder, ".mcp.json", gives)
	manifest := filepath.Join(folder, ".claude-plugin", "plugin.json")
	doc := d.open(manifest)
	servers, ok := doc.root.Get("mcpServers")
	switch {
	case doc.state == Broken:
		file.Path = manifest
		broken := d.looked(file)
		broken.State, broken.wrong = Broken, doc.wrong
		d.look(broken)
	case !ok:
	case servers.Value.Kind == syntax.Object:
		entries = append(entries, d.pluginFile(file, folder, filepath.Join(".claude-plugin", "plugin.json"),
			gives)...)
	default:
		for _, item := range append(slices.Clone(servers.Value.Items), servers.Value) {
			if item.Kind == syntax.Text && filepath.Clean(item.Text) != ".mcp.json" {
				entries = append(entries, d.pluginFile(file, folder, item.Text, gives)...)
			}
		}
	}
	return entries
}

// pluginFile is the servers of one file of a plugin, which must be inside of it.
func (d *discovery) pluginFile(file clients.File, folder, name string, gives map[string]string) []Entry {
	name = filepath.FromSlash(strings.TrimPrefix(name, "${CLAUDE_PLUGIN_ROOT}/"))
	if !filepath.IsLocal(name) {
		return nil
	}
	file.Path = filepath.Join(folder, name)
	doc := d.open(file.Path)
	if doc.state == Absent {
		return nil
	}
	looked := d.looked(file)
	looked.State, looked.wrong = doc.state, doc.wrong
	s := d.scopeOf(file)
	s.folder, s.gives = folder, gives
	maps.Copy(s.known, gives)
	file.Row.Key, file.Row.Dialect = "mcpServers", clients.Shared
	var entries []Entry
	if doc.state == Read {
		entries = d.servers(s, file, doc.root, &looked)
	}
	d.look(looked)
	return entries
}
