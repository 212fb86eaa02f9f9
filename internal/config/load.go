package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// Load reads the configuration. The Config is never nil and holds all that could be read; the error is Problems with whole
// files: one that cannot be read or parsed, or a mistake in mcpctl.yaml. What is wrong with a single server is in its Entry.
func Load(in Input) (*Config, error) {
	l := loader{in: in, config: &Config{}}
	l.project()
	l.servers()
	l.entries = l.usable(l.entries)
	if in.Discover || l.config.Project.Discover {
		l.entries = l.join(merge(l.entries), l.discover())
	}
	l.vary()
	l.refuse()
	l.confineSnapshots()
	for i, e := range l.config.Entries {
		l.config.Entries[i].Problems, l.config.Entries[i].Warnings = discreet(e.Problems), discreet(e.Warnings)
	}
	l.problems = discreet(l.problems)
	if len(l.problems) > 0 {
		return l.config, l.sorted()
	}
	return l.config, nil
}

// loader gathers what the files say.
type loader struct {
	in       Input
	config   *Config
	named    []origin // files of servers that were named
	include  []field  // of mcpctl.yaml
	alone    bool     // mcpctl.yaml says where servers come from
	distant  bool     // servers come from another project than mcpctl.yaml, inside of its own
	entries  []Entry
	variants []variant
	problems []Problem
}

// usable leaves out what only its application can run, and remarks on it.
func (l *loader) usable(entries []Entry) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool {
		if e.unusable && !e.Disabled {
			l.config.Remarks = append(l.config.Remarks, e.Problems...)
		}
		return e.unusable
	})
}

// project finds and reads mcpctl.yaml.
func (l *loader) project() {
	l.config.Project.Snapshots = filepath.Join(l.in.Dir, defaultSnapshots)
	var files []origin
	for _, file := range l.in.named() {
		if isProjectFile(file) {
			files = append(files, file)
		} else {
			l.named = append(l.named, file)
		}
	}
	if len(files) == 0 && len(l.named) == 0 {
		if file, ok := l.in.search([]string{projectFile}); ok {
			files = append(files, file)
		}
	}
	for i, file := range files {
		if i > 0 {
			l.complain(file, fmt.Sprintf("a second project file beside %s", files[0].shown), "name one project file; others can be JSON files of servers")
			continue
		}
		l.readProject(file)
	}
}

func (l *loader) complain(file origin, message, hint string) {
	l.problems = append(l.problems, Problem{File: file.shown, Message: message, Hint: hint})
}

func (l *loader) readProject(file origin) {
	l.config.Project.File, l.config.Project.Found = file.shown, file.found
	if file.found == Searched {
		l.config.Searched = append(l.config.Searched, file.shown)
	}
	root, ok := l.parse(file, parseYAML)
	if !ok {
		return
	}
	s := l.scope(file)
	s.dialect = dialect{unit: time.Second, strict: true}
	p := projectReader{reader: reader{file: file.shown}, scope: s, rules: l.in.Rules}
	l.config.Project = p.project(root)
	l.include, l.alone, l.variants = p.include, p.alone, p.varied
	l.entries = append(l.entries, p.entries...)
	l.problems = append(l.problems, p.problems...)
}

// scope is what the servers of a file share.
func (l *loader) scope(file origin) scope {
	folder := projectFolder(file.path)
	s := scope{
		file: file.shown, abs: file.path, found: file.found, folder: folder,
		expander: expander{lookup: l.in.Lookup, home: l.in.Home, folder: folder},
	}
	return s.in(dialectOf(file.path))
}

// parse reads a file; ok is false after a problem.
func (l *loader) parse(file origin, syntax func([]byte) (value, *syntaxError)) (value, bool) {
	l.config.Files = append(l.config.Files, file.shown)
	read := readFile
	if file.found != Named { // a pipe would keep the run waiting for ever
		read = readRegular
	}
	data, err := read(file.path)
	if err != nil {
		hint := ""
		if file.from != "" {
			hint = "it is named by " + file.from
		}
		l.complain(file, "reading the file: "+err.Error(), hint)
		return value{}, false
	}
	root, wrong := syntax(data)
	if wrong != nil {
		l.problems = append(l.problems, Problem{File: file.shown, Line: wrong.line, Message: wrong.message, Hint: wrong.hint})
		return value{}, false
	}
	return root, true
}

// servers reads all files of servers; servers inside mcpctl.yaml come after those it includes.
func (l *loader) servers() {
	inline := l.entries
	l.entries = nil
	included := l.included()
	for _, file := range included {
		l.readServers(file)
	}
	l.entries = append(l.entries, inline...)
	for _, file := range l.named {
		if !slices.ContainsFunc(included, func(o origin) bool { return o.path == file.path }) {
			l.readServers(file)
		}
	}
	if l.alone || len(l.named) > 0 {
		return
	}
	if file, ok := l.in.search(serverFiles); ok {
		l.found(file)
	} else if raw, ok := l.in.look("MCP_SERVER_URL"); ok && raw != "" {
		l.fromVariable(raw)
	}
}

// included are the files that mcpctl.yaml includes.
func (l *loader) included() []origin {
	var files []origin
	for _, f := range l.include {
		file := origin{
			path: f.value.text, shown: f.value.text, found: l.config.Project.Found,
			from: fmt.Sprintf("%s:%d", l.config.Project.File, f.line),
		}
		if !filepath.IsAbs(file.path) {
			project := l.in.origin(l.config.Project.File)
			file.path = filepath.Join(filepath.Dir(project.path), f.value.text)
			file.shown = filepath.Join(filepath.Dir(project.shown), f.value.text)
		}
		if isProjectFile(file) {
			l.problems = append(l.problems, Problem{
				File: l.config.Project.File, Line: f.line,
				Message: fmt.Sprintf("%q is not a JSON file of servers", f.value.text), Hint: "include takes files such as .mcp.json",
			})
			continue
		}
		if l.confineIncludes(file, f.line) {
			files = addOrigin(files, file)
		}
	}
	return files
}

// found reads the file that the search gave; without an mcpctl.yaml its project is where snapshots are kept.
func (l *loader) found(file origin) {
	l.config.Searched = append(l.config.Searched, file.shown)
	l.readServers(file)
	if l.config.Project.File == "" {
		l.config.Project.Snapshots = filepath.Join(projectFolder(file.path), defaultSnapshots)
		return
	}
	l.distant = projectFolder(file.path) != projectFolder(l.in.origin(l.config.Project.File).path)
}

func (l *loader) readServers(file origin) {
	root, ok := l.parse(file, syntaxOf(file.path))
	if !ok {
		return
	}
	entries, problems := l.scope(file).entries(root)
	l.entries = append(l.entries, entries...)
	l.problems = append(l.problems, problems...)
}

// fromVariable is the server of MCP_SERVER_URL.
func (l *loader) fromVariable(raw string) {
	const name = "MCP_SERVER_URL"
	server, err := FromURL(raw)
	if err != nil {
		l.problems = append(l.problems, Problem{File: name, Message: err.Error(), Hint: "write an address such as https://example.com/mcp"})
		return
	}
	server.Source = name
	l.entries = append(l.entries, Entry{Server: server, File: name})
}

// refuse marks the entries that mcpctl.yaml does not allow.
func (l *loader) refuse() {
	for i, e := range l.config.Entries {
		if refusal := l.config.Project.Allow.Refusal(e.Names()...); refusal != nil {
			l.config.Entries[i].refused = true
			l.config.Entries[i].Problems = append(slices.Clip(e.Problems), *refusal)
		}
	}
}

// sorted are the problems by file, in the order of reading, and line.
func (l *loader) sorted() Problems {
	order := func(p Problem) int { return slices.Index(l.config.Files, p.File) }
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(order(a), order(b)), cmp.Compare(a.Line, b.Line))
	})
	return l.problems
}
