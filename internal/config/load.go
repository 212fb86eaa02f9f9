package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Load reads the configuration. The Config is never nil and holds all that could be read. The error is
// Problems with whole files, such as one that cannot be parsed, and with mcpctl.yaml; problems with a single
// server are in its Entry.
func Load(in Input) (*Config, error) {
	l := &loader{in: in, config: &Config{}}
	l.config.Project.Snapshots = filepath.Join(in.Dir, defaultSnapshots)
	project, named := l.readProject()
	entries := l.runnable(l.readServers(project, named))
	if in.Discover || l.config.Project.Discover {
		entries = l.join(merge(entries), l.discover())
	}
	entries = merge(entries)
	for i := range entries {
		e := &entries[i]
		if may, ok := project.granted[e.Server.Name]; ok {
			e.May = may
		}
		l.config.Project.Allow.refuse(e)
		if !e.Disabled {
			l.config.Unread = append(l.config.Unread, maskTokens(e.Unread)...)
		}
	}
	l.config.Entries = entries
	l.confineSnapshots()
	if len(l.problems) > 0 {
		return l.config, l.sorted()
	}
	return l.config, nil
}

// loader collects the configuration and the problems of its files.
type loader struct {
	in       Input
	config   *Config
	problems []Problem
}

// runnable removes the servers that only their application can run, with a remark for each.
func (l *loader) runnable(entries []Entry) []Entry {
	return slices.DeleteFunc(entries, func(e Entry) bool {
		if e.unusable && !e.Disabled {
			l.config.Remarks = append(l.config.Remarks, e.Problems...)
		}
		return e.unusable
	})
}

// readProject reads mcpctl.yaml. It returns what that says about servers, and the other files that the user
// named.
func (l *loader) readProject() (project projectReader, named []configFile) {
	var projects []configFile
	for _, file := range l.in.named() {
		if isProjectFile(file) {
			projects = append(projects, file)
		} else {
			named = append(named, file)
		}
	}
	if len(projects) == 0 {
		file, ok := l.in.search(projectFile)
		switch {
		case ok && len(named) == 0:
			projects = append(projects, file)
			if !l.in.Provisional {
				l.config.Searched = append(l.config.Searched, file.shown)
			}
		case ok: // what it says is not the word of the one who names the files
			l.noteUnread(file)
		}
	}
	if len(projects) == 0 {
		return project, named
	}
	file := projects[0]
	for _, second := range projects[1:] {
		l.problems = append(l.problems, Problem{File: second.shown,
			Message: "a second project file beside " + file.shown,
			Hint:    "name one project file; others can be JSON files of servers"})
	}
	l.config.Project.File, l.config.Project.Found = file.shown, file.found
	root, ok := l.parse(file, syntax.YAML)
	if !ok {
		return project, named
	}
	s := l.scope(file)
	s.unit, s.strict = time.Second, true
	project = projectReader{fieldReader: &fieldReader{file: file.shown, rules: l.in.Rules}, fileScope: s}
	l.config.Project = project.read(root)
	l.problems = append(l.problems, project.problems...)
	return project, named
}

// policyKeys are the keys of mcpctl.yaml that decide about findings and failures.
var policyKeys = []string{"fail-on", "check-fail-on", "rules", "overrides", "waivers", "tolerate", "budgets",
	"allow", "calls"}

// noteUnread notes the policy in a mcpctl.yaml that is not read, since the user named other files.
func (l *loader) noteUnread(file configFile) {
	data, err := l.content(file)
	root, wrong := parsed(file.shown, data, err, "", syntax.YAML)
	if wrong != nil {
		return
	}
	var keys []string
	for _, field := range root.Fields {
		if slices.Contains(policyKeys, field.Key) {
			keys = append(keys, field.Key)
		}
	}
	if len(keys) > 0 {
		l.config.Unread = append(l.config.Unread, Problem{File: file.shown,
			Message: fmt.Sprintf("without effect, since %s names other files: %s; name this file too",
				l.in.naming(), kit.Some(keys))})
	}
}

// readServers reads all files of servers: those that mcpctl.yaml includes, then mcpctl.yaml itself, then
// those that the user named; if there are none, the nearest one in the project, else MCP_SERVER_URL.
func (l *loader) readServers(project projectReader, named []configFile) []Entry {
	var entries []Entry
	for _, file := range project.include {
		entries = append(entries, l.readFile(file)...)
	}
	entries = append(entries, project.entries...)
	for _, file := range named {
		if !slices.ContainsFunc(project.include, func(o configFile) bool { return o.path == file.path }) {
			entries = append(entries, l.readFile(file)...)
		}
	}
	if project.alone || len(named) > 0 {
		return entries
	}
	if file, ok := l.in.search(serverFiles...); ok {
		l.config.Searched = append(l.config.Searched, file.shown)
		if l.config.Project.File == "" {
			l.config.Project.Snapshots = filepath.Join(clients.ProjectFolder(file.path), defaultSnapshots)
		}
		return append(entries, l.readFile(file)...)
	}
	const variable = "MCP_SERVER_URL"
	raw, _ := l.in.Lookup.Value(variable)
	if raw == "" {
		return entries
	}
	server, err := FromURL(raw)
	if err != nil {
		l.problems = append(l.problems, Problem{File: variable, Message: err.Error(),
			Hint: "write an address such as https://example.com/mcp"})
		return entries
	}
	server.Source = variable
	return append(entries, Declare(server, Allow{}))
}

// readFile reads a file of servers.
func (l *loader) readFile(file configFile) []Entry {
	root, ok := l.parse(file, syntax.ParserFor(file.path))
	if !ok {
		return nil
	}
	entries, problems := l.scope(file).entries(root)
	l.problems = append(l.problems, problems...)
	return entries
}

// scope returns what the servers of a file share.
func (l *loader) scope(file configFile) fileScope {
	folder := clients.ProjectFolder(file.path)
	if isStream(file.path) {
		folder = l.in.Dir
	}
	s := fileScope{
		file: file.shown, abs: file.path, found: file.found, opens: file.found == Named, folder: folder,
		root:     files.ProjectRoot(l.in.Dir),
		expander: expander{lookup: l.in.Lookup, home: l.in.Home, folder: folder},
	}
	if filepath.Base(file.path) == ".mcp.json" && folder == filepath.Dir(file.path) { // Claude Code's
		s.known = map[string]string{projectVariable: folder}
		s.gives = map[string]string{projectVariable: folder}
	}
	return s.in(clients.DialectOf(file.path))
}

// projectVariable is the variable that Claude Code sets for servers to the directory of the project.
const projectVariable = "CLAUDE_PROJECT_DIR"

// standardInput is the path of the configuration "-".
const standardInput = "/dev/stdin"

// isStream reports whether a path is standard input or another pipe of the process, which is in no directory.
func isStream(path string) bool {
	return path == standardInput || strings.HasPrefix(path, "/dev/fd/") ||
		strings.HasPrefix(path, "/proc/self/fd/")
}

// parse reads and parses a file; ok is false after a problem.
func (l *loader) parse(file configFile, parser syntax.Parser) (root syntax.Value, ok bool) {
	l.config.Files = append(l.config.Files, file.shown)
	hint := ""
	if file.from != "" {
		hint = "it is named by " + file.from
	}
	data, err := l.content(file)
	root, problem := parsed(file.shown, data, err, hint, parser)
	if problem != nil {
		l.problems = append(l.problems, *problem)
	}
	return root, problem == nil
}

// parsed returns what was read from a file; hint is for an error of reading it.
func parsed(
	shown string, data []byte, err error, hint string, parser syntax.Parser,
) (syntax.Value, *Problem) {
	p := Problem{File: shown, Hint: hint}
	if err != nil {
		p.Message = "reading the file: " + err.Error()
		return syntax.Value{}, &p
	}
	root, wrong := parser(data)
	if wrong != nil {
		p.Line, p.Message, p.Hint = wrong.Line, wrong.Message, wrong.Hint
		return syntax.Value{}, &p
	}
	return root, nil
}

// content returns the text of a file. A pipe can be read once, so its text is kept in Input.Streams. A file
// that the user did not name must be a regular one.
func (l *loader) content(file configFile) (data []byte, err error) {
	data, kept := l.in.Streams[file.path]
	switch {
	case kept:
		return data, nil
	case file.shown == "-" && l.in.Stdin != nil:
		data, err = decoded(files.ReadLimited(l.in.Stdin, syntax.MaxFile))
	case file.found == Named:
		data, err = decoded(files.Read(file.path, syntax.MaxFile))
	default:
		return readRegular(file.path)
	}
	if isStream(file.path) && l.in.Streams != nil {
		l.in.Streams[file.path] = data
	}
	return data, err
}

// readRegular returns the text of a file that a configuration names. A pipe is refused: it could block for
// ever.
func readRegular(path string) ([]byte, error) {
	return decoded(files.ReadRegular(path, syntax.MaxFile))
}

// decoded returns UTF-8 text without a byte order mark. Its error is the cause alone, without the path.
func decoded(data []byte, err error) ([]byte, error) {
	pathErr, hasPath := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("no such file")
	case hasPath:
		return nil, pathErr.Err
	case err != nil:
		return nil, err
	}
	return syntax.Decode(data)
}

// confineSnapshots notes where the directory of snapshots leads to, if that is outside of the project and the
// user did not choose it.
func (l *loader) confineSnapshots() {
	p := &l.config.Project
	if p.File != "" && p.Found == Named {
		return
	}
	p.SnapshotsOutside = files.LeadsOut(l.in.Dir, p.Snapshots)
	if p.SnapshotsOutside != "" && p.snapshotsLine > 0 {
		l.problems = append(l.problems, Problem{File: p.File, Line: p.snapshotsLine, Hint: confineHint,
			Message: fmt.Sprintf(`"snapshots" is %q, outside of the project`, p.SnapshotsOutside)})
	}
}

// sorted returns the problems by file, in the order of reading, and line.
func (l *loader) sorted() Problems {
	order := map[string]int{}
	for i, file := range l.config.Files {
		order[file] = i + 1
	}
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(order[a.File], order[b.File]), cmp.Compare(a.Line, b.Line))
	})
	return maskTokens(l.problems)
}

// projectFile is the project's own configuration.
const projectFile = "mcpctl.yaml"

// serverFiles are the files of clients in a project, in the order of the search.
var serverFiles = []string{".mcp.json", "mcp.json", filepath.Join(".vscode", "mcp.json"),
	filepath.Join(".cursor", "mcp.json")}

// configFile is a file to read.
type configFile struct {
	path  string // absolute
	shown string // as the user knows it
	from  string // what names it, for hints
	found Found
}

// named returns the files of --config or MCPCTL_CONFIG, each once. MCPCTL_CONFIG is a list such as PATH.
func (in Input) named() []configFile {
	names := in.Files
	if value, ok := in.Lookup.Value("MCPCTL_CONFIG"); len(names) == 0 && ok {
		names = kit.Filter(filepath.SplitList(value), func(s string) bool { return s != "" })
	}
	var all []configFile
	for _, name := range names {
		path := standardInput
		if name != "-" {
			path = filepath.Clean(files.From(in.Dir, name))
		}
		all = addOrigin(all, configFile{path: path, shown: name, from: in.naming()})
	}
	return all
}

// naming returns what names the files of named.
func (in Input) naming() string {
	if len(in.Files) > 0 {
		return "--config"
	}
	return "MCPCTL_CONFIG"
}

// addOrigin adds a file that is not there yet.
func addOrigin(all []configFile, file configFile) []configFile {
	if slices.ContainsFunc(all, func(o configFile) bool { return o.path == file.path }) {
		return all
	}
	return append(all, file)
}

// search returns the first of some files in the nearest directory of the project that has one.
func (in Input) search(names ...string) (configFile, bool) {
	for _, folder := range files.ProjectFolders(in.Dir) {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return configFile{path: path, shown: in.show(path), found: Searched}, true
			}
		}
	}
	return configFile{}, false
}

// show returns a path as the user knows it: in the project relative to the working directory, with forward
// slashes; else absolute.
func (in Input) show(path string) string {
	root := files.ProjectRoot(in.Dir)
	rel, err := filepath.Rel(in.Dir, path)
	if root == in.Home || !files.Below(path, root) || err != nil {
		return path
	}
	return strings.ReplaceAll(rel, `\`, "/")
}

// isProjectFile reports whether a file is read as mcpctl.yaml: any YAML file but those of applications, which
// have keys that mcpctl.yaml lacks.
func isProjectFile(file configFile) bool {
	if !syntax.IsYAML(file.path) || filepath.Base(file.path) == projectFile {
		return syntax.IsYAML(file.path)
	}
	data, err := readRegular(file.path)
	if err != nil {
		return true
	}
	root, wrong := syntax.YAML(data)
	return wrong != nil || len(root.Without("mcpServers", "extensions").Fields) == len(root.Fields)
}
