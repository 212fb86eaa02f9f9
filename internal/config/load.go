package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Load reads the configuration. The Config is never nil and holds all that could be read; the error is
// Problems with whole files: one that cannot be read or parsed, or a mistake in mcpctl.yaml. What is wrong
// with a single server is in its Entry.
func Load(in Input) (*Config, error) {
	l := loader{in: in, config: &Config{}}
	l.project()
	l.servers()
	l.entries = l.usable(l.entries)
	if in.Discover || l.config.Project.Discover {
		l.entries = l.join(merge(l.entries), l.discover())
	}
	l.grant()
	l.config.Entries = merge(l.entries)
	l.refuse()
	l.confinePaths()
	for i, e := range l.config.Entries {
		if leads := e.linkOut(); leads != nil {
			e.Problems = append(e.Problems, *leads)
		}
		l.config.Entries[i].Problems, l.config.Entries[i].Warnings = discreet(e.Problems),
			discreet(e.Warnings)
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
	named    []origin   // files of servers that were named
	include  []included // of mcpctl.yaml
	alone    bool       // mcpctl.yaml says where servers come from
	distant  bool       // servers come from another project than mcpctl.yaml, inside of its own
	entries  []Entry
	granted  map[string]Grants // by the names of servers
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
			l.complain(file, fmt.Sprintf("a second project file beside %s", files[0].shown),
				"name one project file; others can be JSON files of servers")
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
	root, ok := l.parse(file, syntax.YAML)
	if !ok {
		return
	}
	s := l.scope(file)
	s.unit, s.strict = time.Second, true
	p := projectReader{fieldReader: fieldReader{file: file.shown}, scope: s, rules: l.in.Rules}
	l.config.Project = p.project(root)
	l.include, l.alone, l.granted = p.include, p.alone, p.granted
	l.entries = append(l.entries, p.entries...)
	l.problems = append(l.problems, p.problems...)
}

// scope is what the servers of a file share.
func (l *loader) scope(file origin) scope {
	folder := clients.ProjectFolder(file.path)
	if isStream(file.path) {
		folder = l.in.Dir
	}
	s := scope{
		file: file.shown, abs: file.path, found: file.found, prefix: file.prefix, folder: folder,
		root:     files.ProjectRoot(l.in.Dir),
		expander: expander{lookup: l.in.Lookup, home: l.in.Home, folder: folder},
	}
	return s.in(clients.DialectOf(file.path))
}

// isStream reports whether a path stands for what a shell or a caller passes: it has no folder of a project.
func isStream(path string) bool {
	return path == standardInput || strings.HasPrefix(path, "/dev/fd/") ||
		strings.HasPrefix(path, "/proc/self/fd/")
}

// standardInput is where the configuration "-" is read.
const standardInput = "/dev/stdin"

func (l *loader) parse(file origin, parser syntax.Parser) (syntax.Value, bool) {
	l.config.Files = append(l.config.Files, file.shown)
	read := readFile
	if file.found != Named { // a pipe would keep the run waiting for ever
		read = readRegular
	}
	data, kept := l.in.Streams[file.path]
	var err error
	switch {
	case kept:
	case file.shown == "-" && l.in.Stdin != nil:
		data, err = decoded(files.ReadLimited(l.in.Stdin, syntax.MaxFile))
	default:
		data, err = read(file.path)
	}
	if isStream(file.path) && l.in.Streams != nil {
		l.in.Streams[file.path] = data
	}
	if err != nil {
		hint := ""
		if file.from != "" {
			hint = "it is named by " + file.from
		}
		l.complain(file, "reading the file: "+err.Error(), hint)
		return syntax.Value{}, false
	}
	root, wrong := parser(data)
	if wrong != nil {
		l.problems = append(l.problems, Problem{File: file.shown, Line: wrong.Line, Message: wrong.Message,
			Hint: wrong.Hint})
		return syntax.Value{}, false
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
	} else if raw, ok := l.in.Lookup.Value("MCP_SERVER_URL"); ok && raw != "" {
		l.fromVariable(raw)
	}
}

func (l *loader) included() []origin {
	var files []origin
	for _, f := range l.include {
		file := origin{
			path: f.path, shown: f.path, found: l.config.Project.Found, prefix: f.prefix,
			from: fmt.Sprintf("%s:%d", l.config.Project.File, f.line),
		}
		if !filepath.IsAbs(file.path) {
			project := l.in.origin(l.config.Project.File)
			file.path = filepath.Join(filepath.Dir(project.path), f.path)
			file.shown = filepath.Join(filepath.Dir(project.shown), f.path)
		}
		if isProjectFile(file) {
			l.problems = append(l.problems, Problem{
				File: l.config.Project.File, Line: f.line,
				Message: fmt.Sprintf("%q is not a JSON file of servers", f.path),
				Hint:    "include takes files such as .mcp.json",
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
		l.config.Project.Snapshots = filepath.Join(clients.ProjectFolder(file.path), defaultSnapshots)
		return
	}
	l.distant = clients.ProjectFolder(file.path) != clients.ProjectFolder(
		l.in.origin(l.config.Project.File).path)
}

func (l *loader) readServers(file origin) {
	root, ok := l.parse(file, syntax.ParserFor(file.path))
	if !ok {
		return
	}
	entries, problems := l.scope(file).entries(root)
	l.entries = append(l.entries, entries...)
	l.problems = append(l.problems, problems...)
}

func (l *loader) fromVariable(raw string) {
	const name = "MCP_SERVER_URL"
	server, err := FromURL(raw)
	if err != nil {
		l.problems = append(l.problems, Problem{File: name, Message: err.Error(),
			Hint: "write an address such as https://example.com/mcp"})
		return
	}
	server.Source = name
	l.entries = append(l.entries, Entry{Server: server, File: name})
}

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
	place := map[string]int{}
	for i, file := range l.config.Files {
		place[file] = i + 1
	}
	slices.SortStableFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(place[a.File], place[b.File]), cmp.Compare(a.Line, b.Line))
	})
	return l.problems
}

// projectFile is the project's own file.
const projectFile = "mcpctl.yaml"

// serverFiles are what clients keep in a project, in the order in which they are looked for.
var serverFiles = []string{".mcp.json", "mcp.json", filepath.Join(".vscode", "mcp.json"),
	filepath.Join(".cursor", "mcp.json")}

type origin struct {
	path  string // absolute
	shown string // as the user knows it
	from  string // what names it, for hints
	found Found  // how it came to be read

	prefix string // of the names of its servers
}

// resolve is a path as seen from a folder; an absolute one is the same from everywhere.
func resolve(folder, path string) string {
	return filepath.Clean(files.From(folder, path))
}

// origin resolves a path that was written by the user.
func (in Input) origin(path string) origin {
	if path == "-" {
		return origin{path: standardInput, shown: path, from: "--config or MCPCTL_CONFIG"}
	}
	return origin{path: resolve(in.Dir, path), shown: path, from: "--config or MCPCTL_CONFIG"}
}

// named are the files that --config or MCPCTL_CONFIG name, each once. MCPCTL_CONFIG is a list as PATH is.
func (in Input) named() []origin {
	names := in.Files
	if value, ok := in.Lookup.Value("MCPCTL_CONFIG"); len(names) == 0 && ok {
		names = slices.DeleteFunc(filepath.SplitList(value), func(s string) bool { return s == "" })
	}
	var files []origin
	for _, name := range names {
		files = addOrigin(files, in.origin(name))
	}
	return files
}

func addOrigin(files []origin, file origin) []origin {
	if slices.ContainsFunc(files, func(o origin) bool { return o.path == file.path }) {
		return files
	}
	return append(files, file)
}

// search is the first of names that exists in the nearest folder that has one.
func (in Input) search(names []string) (origin, bool) {
	for _, folder := range files.ProjectFolders(in.Dir) {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				return origin{path: path, shown: in.show(path), found: Searched}, true
			}
		}
	}
	return origin{}, false
}

// show is a path as seen from the current folder, with forward slashes.
func (in Input) show(path string) string {
	rel, err := filepath.Rel(in.Dir, path)
	if err != nil {
		rel = path
	}
	return strings.ReplaceAll(rel, `\`, "/")
}

// Environment is what the environment says about a run; flags go before it.
type Environment struct {
	Timeout *time.Duration // MCP_TIMEOUT, seconds or a duration; nil = not set, 0 = none
	Retries *int           // MCP_MAX_RETRIES; nil = not set
	Format  string         // MCPCTL_FORMAT, one of the formats given; empty = not set
}

// maxRetries bounds MCP_MAX_RETRIES.
const maxRetries = 100

// ReadEnvironment reads MCP_TIMEOUT, MCP_MAX_RETRIES and MCPCTL_FORMAT; the error is Problems. An empty
// variable is not set.
func ReadEnvironment(lookup clients.Lookup, formats []string) (Environment, error) {
	var env Environment
	var problems Problems
	read := func(name, hint, message string, accept func(string) bool) {
		value, ok := lookup.Value(name)
		if ok && value != "" && !accept(value) {
			problems = append(problems, Problem{File: name, Message: message, Hint: hint})
		}
	}
	read("MCP_TIMEOUT", `write seconds, or a duration such as "30s" or "2m"; 0 means none`,
		"not a number of seconds up to 3600, nor a duration", env.setTimeout)
	read("MCP_MAX_RETRIES", "write a whole number; 0 means none", "not a whole number from 0 to 100",
		env.setRetries)
	if value, ok := lookup.Value("MCPCTL_FORMAT"); ok {
		read("MCPCTL_FORMAT", kit.Suggest(value, formats), "unknown format "+strconv.Quote(value),
			func(format string) bool {
				env.Format = format
				return slices.Contains(formats, format)
			})
	}
	if len(problems) > 0 {
		return env, problems
	}
	return env, nil
}

// setTimeout takes a bare number above an hour for a mistake: other programs read MCP_TIMEOUT as
// milliseconds.
func (e *Environment) setTimeout(value string) bool {
	t, err := time.ParseDuration(value)
	ok := err == nil && t >= 0 && t <= maxTimeout
	if seconds, isNumber := inUnit(value, time.Second); isNumber {
		t, ok = seconds, seconds <= time.Hour
	}
	e.Timeout = &t
	return ok
}

func (e *Environment) setRetries(value string) bool {
	n, err := strconv.Atoi(value)
	e.Retries = &n
	return err == nil && n >= 0 && n <= maxRetries
}

// foreignKeys are where applications keep servers in YAML; mcpctl.yaml knows none of them.
var foreignKeys = []string{"mcpServers", "extensions"}

// isProjectFile is whether a file is read as mcpctl.yaml is: YAML that is not an application's.
func isProjectFile(file origin) bool {
	if !syntax.IsYAML(file.path) || filepath.Base(file.path) == projectFile {
		return syntax.IsYAML(file.path)
	}
	data, err := readRegular(file.path) // what is wrong with the file is told when it is read in earnest
	if err != nil {
		return true
	}
	root, wrong := syntax.YAML(data)
	if wrong != nil {
		return true
	}
	return len(root.Without(foreignKeys...).Fields) == len(root.Fields)
}

// A repository must not decide about files outside of it: what a found mcpctl.yaml names, links followed,
// lies inside.

const confineHint = "keep it inside the project, or name the file with --config if you mean it"

// outside is where a path leads that is not inside the project; "" when it is.
func (in Input) outside(path string) string {
	return files.LeadsOut(in.Dir, path)
}

// confineIncludes leaves out files that a found mcpctl.yaml must not include.
func (l *loader) confineIncludes(file origin, line int) bool {
	if file.found == Named || l.in.outside(file.path) == "" {
		return true
	}
	l.stray(line, "includes", file.shown)
	return false
}

// confinePaths finds a folder of snapshots that leads out of the project though no flag named it.
func (l *loader) confinePaths() {
	p := &l.config.Project
	if p.File != "" && p.Found == Named {
		return
	}
	if p.Stray = l.in.outside(p.Snapshots); p.Stray != "" && p.snapshotsLine > 0 {
		l.stray(p.snapshotsLine, "keeps snapshots in", p.Stray)
	}
}

func (l *loader) stray(line int, does, path string) {
	l.problems = append(l.problems, Problem{
		File: l.config.Project.File, Line: line, Hint: confineHint,
		Message: fmt.Sprintf("%s %q, which is outside of the project, and nobody named this file",
			does, path),
	})
}

// readFile is the UTF-8 text of a file without its byte order mark. The error names the cause, not the file.
func readFile(path string) ([]byte, error) { return decoded(files.Read(path, syntax.MaxFile)) }

// readRegular is readFile for paths that a file names: a pipe there would keep the reader waiting for ever.
func readRegular(path string) ([]byte, error) {
	return decoded(files.ReadRegular(path, syntax.MaxFile))
}

func decoded(data []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, plainCause(err)
	}
	return syntax.Decode(data)
}

// plainCause is an error of the file system without the path, which the caller names.
func plainCause(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file")
	}
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}
