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

// Limits on the files of all applications together: a repository may hold hostile ones.
const (
	maxDiscovered      = 1000     // servers
	maxDiscoveredBytes = 64 << 20 // of files
	maxPlugins         = 200      // installations of plugins
)

// File is a file of an application that discovery looked at.
type File struct {
	Application string `json:"application"`
	Scope       string `json:"scope"`
	Path        string `json:"path"`
	State       string `json:"state"` // FileRead, FileBroken, FileOverruled or FileAbsent
	Servers     int    `json:"servers"`
	Problem     string `json:"problem,omitempty"` // why it is broken, with its line
}

// The states of a File.
const (
	FileAbsent    = "absent"    // it does not exist
	FileRead      = "read"      // it was read
	FileBroken    = "broken"    // it could not be read or parsed
	FileOverruled = "overruled" // the application ignores it: the administrator's file decides alone
)

// discovery reads the files of applications.
type discovery struct {
	*loader
	host  clients.Host
	read  map[string]discoveredFile // by path
	bytes int                       // that were read
	count int                       // of servers
}

// discover returns the servers of applications, as each would use them.
func (l *loader) discover() []Entry {
	d := &discovery{loader: l, read: map[string]discoveredFile{}, host: clients.Host{
		OS: cmp.Or(l.in.OS, runtime.GOOS), Home: l.in.Home, Lookup: l.in.Lookup,
		Projects: files.ProjectFolders(l.in.Dir), Root: l.in.Root}}
	return l.runnable(kit.Flat(clients.Table(), d.application))
}

// application returns the servers of one application: the strongest of each name, with the places of the
// others.
func (d *discovery) application(app clients.App) []Entry {
	var entries []Entry
	sole := false // an administrator's file decides alone
	for _, file := range d.host.Files(app) {
		doc := d.open(file.Path)
		exists := doc.state != FileAbsent
		if sole && exists {
			doc = discoveredFile{state: FileOverruled}
		}
		looked := d.lookedAt(file, doc)
		switch {
		case doc.state == FileRead && file.Row.Dialect == clients.Plugins:
			entries = append(entries, d.plugins(file, doc.root)...)
		case doc.state == FileRead:
			entries = append(entries, d.servers(d.scopeOf(file), file, doc.root, &looked)...)
		}
		sole = sole || file.Row.Sole && exists
		d.config.Looked = append(d.config.Looked, looked)
	}
	for i, e := range entries {
		if e.Disabled {
			entries[i].Places[0].State = "disabled"
		}
	}
	return override(entries)
}

// lookedAt returns what reports say about a file. A broken one is a remark, too.
func (d *discovery) lookedAt(file clients.File, doc discoveredFile) File {
	f := File{Application: file.App.Name, Scope: string(file.Row.Scope), Path: d.in.show(file.Path),
		State: doc.state}
	if doc.problem != nil {
		d.addRemark(&f, *doc.problem)
	}
	return f
}

// addRemark adds a problem of a file as a remark: the file is broken, and the run goes on without it.
func (d *discovery) addRemark(f *File, p Problem) {
	d.config.Remarks = append(d.config.Remarks, p)
	f.State, f.Problem = FileBroken, fmt.Sprintf("%s: %s", p, p.Hint)
}

// servers returns the servers in a file, unless they are too many.
func (d *discovery) servers(s fileScope, file clients.File, root syntax.Value, looked *File) []Entry {
	entries, problems := s.rowServers(file, root, d.host.Projects)
	if len(problems) > 0 {
		d.addRemark(looked, problems[0])
	}
	looked.Servers = len(entries)
	if d.count+len(entries) > maxDiscovered {
		d.addRemark(looked, Problem{File: looked.Path,
			Message: fmt.Sprintf("more than %d servers in the files of applications", maxDiscovered),
			Hint:    "use --config with this file"})
		return nil
	}
	d.count += len(entries)
	return withPlaces(file, entries)
}

// withPlaces sets the place of entries.
func withPlaces(file clients.File, entries []Entry) []Entry {
	for i := range entries {
		e := &entries[i]
		e.Places = []clients.Place{{Application: file.App.Name, ID: file.App.ID,
			Scope: string(file.Row.Scope),
			File:  e.File, Line: e.Line, Name: e.Server.Name, Filter: e.filters[0]}}
		e.duplicate = file.App.Each || file.Row.Beside
	}
	return entries
}

// scopeOf returns what the servers of a file share. Servers that a user has for all projects run in the home
// directory, so that no project influences them; ${workspaceFolder} is the project nevertheless.
func (d *discovery) scopeOf(file clients.File) fileScope {
	project := files.ProjectRoot(d.in.Dir)
	s := fileScope{file: d.in.show(file.Path), abs: file.Path, found: Discovered, app: file.App,
		folder: cmp.Or(d.in.Home, d.in.Dir), root: project}
	if project == d.in.Home {
		s.root = ""
	}
	if scope := file.Row.Scope; scope == clients.Project || scope == clients.Container {
		s.folder = clients.ProjectFolder(file.Path)
		project = s.folder
	}
	if file.App.ID == "claude-code" {
		s.gives = map[string]string{projectVariable: project}
	}
	s.expander = expander{lookup: d.in.Lookup, home: d.in.Home, folder: project, known: map[string]string{
		projectVariable: project, "workspacePath": project, "extensionPath": filepath.Dir(file.Path),
	}}
	return s.in(file.Row.Dialect)
}

// discoveredFile is a file of an application, read once for all that is looked up in it.
type discoveredFile struct {
	root    syntax.Value
	state   string   // Absent, Read, Broken or Overruled
	problem *Problem // of a broken one
}

// open reads a file. Pipes, devices, endless files and loops of links are problems.
func (d *discovery) open(path string) discoveredFile {
	doc, ok := d.read[path]
	if ok {
		return doc
	}
	doc.state = FileAbsent
	if _, err := os.Lstat(path); err == nil {
		doc.state = FileRead
		doc.root, doc.problem = d.parseFile(path)
	}
	if doc.problem != nil {
		doc.state = FileBroken
	}
	d.read[path] = doc
	return doc
}

// parseFile reads and parses a file. An empty one is an empty object. Beyond maxDiscoveredBytes in all files
// together each further one is a problem.
func (d *discovery) parseFile(path string) (syntax.Value, *Problem) {
	shown := d.in.show(path)
	data, err := readRegular(path)
	if d.bytes += len(data); err == nil && d.bytes > maxDiscoveredBytes {
		err = fmt.Errorf("more than %d MiB in the files of applications", maxDiscoveredBytes>>20)
	}
	if err == nil && strings.TrimSpace(string(data)) == "" { // some applications create such
		return syntax.Value{Kind: syntax.Object, Line: 1}, nil
	}
	root, problem := parsed(shown, data, err, "the other files were read", syntax.ParserFor(path))
	if problem == nil && root.Kind != syntax.Object {
		problem = &Problem{File: shown, Line: root.Line, Message: "the file must be an object, but is " +
			root.Kind.String(), Hint: "the application expects one, too"}
	}
	return root, problem
}

// rowServers returns the servers that a row of the table finds in its file. A file of settings may have none.
func (s fileScope) rowServers(file clients.File, root syntax.Value, projects []string) ([]Entry, []Problem) {
	s.readInputs(root)
	s.content = root
	sections := file.Row.Sections(root)
	if file.Row.Dialect == clients.Projects { // each project may have a server of one name
		project := projectOf(root, projects)
		s.folder, s.section = cmp.Or(project.Key, s.folder), " in "+project.Key
		sections = kit.Map(project.Value.At("mcpServers"),
			func(f syntax.Field) clients.Section { return clients.Section{Servers: f} })
	}
	sections = slices.DeleteFunc(sections,
		func(section clients.Section) bool { return section.Servers.Value.Kind == syntax.Null })
	for i, section := range sections { // without what only switches a server of another file, as in Codex
		declares := func(f syntax.Field) bool {
			tools := file.App.Tools
			rest := f.Value.Without("enabled", "disabled", tools.Only, tools.Off)
			return len(f.Value.Fields) == 0 || len(rest.Fields) > 0
		}
		sections[i].Servers.Value.Fields = kit.Filter(section.Servers.Value.Fields, declares)
	}
	r := &fieldReader{file: s.file}
	entries := s.inSections(r, sections)
	off := switchedOff(file, root, projects)
	for i, e := range entries {
		entries[i].Disabled = e.Disabled || off(e.Server.Name)
	}
	return entries, r.problems
}

// switchedOff returns whether a file disables one of its own servers in another place: Claude Code's
// .claude.json for a project, and Gemini CLI's settings by mcp.allowed and mcp.excluded.
func switchedOff(file clients.File, root syntax.Value, projects []string) func(name string) bool {
	var off, allowed []string
	switch {
	case file.App.ID == "claude-code" && filepath.Base(file.Path) == ".claude.json":
		project := projectOf(root, projects)
		off = texts(project.Value, "disabledMcpServers")
	case file.Row.Dialect == clients.Gemini:
		for _, mcp := range root.At("mcp") {
			off, allowed = texts(mcp.Value, "excluded"), texts(mcp.Value, "allowed")
		}
	}
	return func(name string) bool {
		return slices.Contains(off, name) || len(allowed) > 0 && !slices.Contains(allowed, name)
	}
}

func texts(of syntax.Value, key string) []string {
	f, _ := of.Get(key)
	return kit.Map(f.Value.Items, func(item syntax.Value) string { return item.Text })
}

// projectOf returns what Claude Code's .claude.json has for the nearest directory of this project, if it has
// something; the key is that directory.
func projectOf(root syntax.Value, folders []string) syntax.Field {
	projects, _ := root.Get("projects")
	for _, folder := range folders {
		real := files.RealPath(folder)
		for _, f := range projects.Value.Fields {
			path := filepath.Clean(filepath.FromSlash(f.Key))
			sameOnWindows := runtime.GOOS == "windows" && strings.EqualFold(path, folder)
			if path == folder || path == real || sameOnWindows {
				return syntax.Field{Key: folder, Line: f.Line, Value: f.Value}
			}
		}
	}
	return syntax.Field{}
}

// plugins returns the servers of Claude Code's installed plugins. A plugin that no settings enable is off.
func (d *discovery) plugins(file clients.File, root syntax.Value) []Entry {
	list, _ := root.Get("plugins")
	var entries []Entry
	count := 0
	for _, plugin := range list.Value.Fields {
		enabled := d.pluginEnabled(file.App, plugin.Key)
		installations := plugin.Value.Items
		if plugin.Value.Kind == syntax.Object { // the first format had one only
			installations = []syntax.Value{plugin.Value}
		}
		for _, installed := range installations {
			folder, project := installed.TextOf("installPath"), installed.TextOf("projectPath")
			here := project == "" || slices.Contains(d.host.Projects, filepath.Clean(project))
			if count++; count > maxPlugins || !filepath.IsAbs(folder) || !here {
				continue
			}
			folder = filepath.Clean(folder)
			more := d.plugin(file, folder, map[string]string{
				"CLAUDE_PLUGIN_ROOT": folder, projectVariable: files.ProjectRoot(d.in.Dir),
				"CLAUDE_PLUGIN_DATA": filepath.Join(filepath.Dir(file.Path), "data",
					notInDataName().ReplaceAllString(plugin.Key, "-")),
			})
			for i := range more {
				more[i].Disabled = more[i].Disabled || !enabled
			}
			entries = append(entries, more...)
		}
	}
	return entries
}

// notInDataName matches the characters of a plugin's name that the directory of its data does not have.
var notInDataName = kit.Pattern(`[^A-Za-z0-9_-]`)

// pluginEnabled returns the setting for a plugin in the strongest settings that have one.
func (d *discovery) pluginEnabled(app clients.App, id string) bool {
	for _, path := range d.host.Settings(app) {
		for _, switches := range d.open(path).root.At("enabledPlugins") {
			if f, ok := switches.Value.Get(id); ok {
				return f.Value.Text == "true"
			}
		}
	}
	return false
}

// plugin returns the servers in a plugin's directory: of its .mcp.json, and of its manifest or the files that
// the manifest names. gives are the variables that Claude Code sets for them and in them.
func (d *discovery) plugin(file clients.File, folder string, gives map[string]string) []Entry {
	entries := d.pluginFile(file, folder, ".mcp.json", gives)
	manifest := filepath.Join(".claude-plugin", "plugin.json")
	file.Path = filepath.Join(folder, manifest)
	doc := d.open(file.Path)
	if doc.state == FileBroken {
		d.config.Looked = append(d.config.Looked, d.lookedAt(file, doc))
		return entries
	}
	servers, _ := doc.root.Get("mcpServers")
	if servers.Value.Kind == syntax.Object {
		return append(entries, d.pluginFile(file, folder, manifest, gives)...)
	}
	for _, item := range append(slices.Clone(servers.Value.Items), servers.Value) {
		if item.Kind == syntax.Text && filepath.Clean(item.Text) != ".mcp.json" {
			entries = append(entries, d.pluginFile(file, folder, item.Text, gives)...)
		}
	}
	return entries
}

// pluginFile returns the servers of one file of a plugin, which must be in its directory.
func (d *discovery) pluginFile(file clients.File, folder, name string, gives map[string]string) []Entry {
	name = filepath.FromSlash(strings.TrimPrefix(name, "${CLAUDE_PLUGIN_ROOT}/"))
	if !filepath.IsLocal(name) {
		return nil
	}
	file.Path = filepath.Join(folder, name)
	doc := d.open(file.Path)
	if doc.state == FileAbsent {
		return nil
	}
	looked := d.lookedAt(file, doc)
	s := d.scopeOf(file)
	s.folder, s.gives = folder, gives
	maps.Copy(s.known, gives)
	file.Row.Key, file.Row.Dialect = "mcpServers", clients.Shared
	var entries []Entry
	if doc.state == FileRead {
		entries = d.servers(s, file, doc.root, &looked)
	}
	d.config.Looked = append(d.config.Looked, looked)
	return entries
}
