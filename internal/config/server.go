package config

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// fileScope is what the servers of a file share.
type fileScope struct {
	file    string // as shown in problems
	found   Found
	abs     string            // absolute path of the file
	folder  string            // absolute directory that relative paths start at
	root    string            // of the project of the run; empty = there is none
	section string            // part of the identity of a server where a file has several of one name
	asked   syntax.Value      // the file's list of inputs
	gives   map[string]string // variables that the application gives to its servers and their headersHelper
	opens   bool              // what servers name may be looked at: they are trusted
	strict  bool              // an unknown key is a problem, as in mcpctl.yaml
	unit    time.Duration     // of a timeout written as a number; see clients.Dialect.Unit
	dialect clients.Dialect
	app     clients.App  // whose file it is; zero = by path and dialect
	content syntax.Value // of the whole file
	expander
}

// in returns the scope for servers written in a dialect.
func (s fileScope) in(dialect clients.Dialect) fileScope {
	s.dialect, s.unit, s.bare = dialect, dialect.Unit(), dialect == clients.Gemini
	return s
}

// entries reads all servers of a file. The problems are those of the file itself.
func (s fileScope) entries(root syntax.Value) ([]Entry, []Problem) {
	r := fieldReader{file: s.file}
	if !r.is(root, syntax.Object, "the file") {
		return nil, r.problems
	}
	s.readInputs(root)
	s.content = root
	sections := clients.Sections(root)
	entries := s.inSections(&r, sections)
	if len(sections) == 0 {
		r.addProblem(root.Line, `write the servers as {"mcpServers": {"NAME": {"command": "…"}}}`,
			`no servers: neither "mcpServers" nor "servers"`)
	}
	return entries, r.problems
}

// inSections reads the servers of some sections of a file; r collects the problems of the file itself.
func (s fileScope) inSections(r *fieldReader, sections []clients.Section) (entries []Entry) {
	for _, section := range sections {
		in := s
		if section.Dialect != clients.Shared {
			in = s.in(section.Dialect)
		}
		if r.want(section.Servers, syntax.Object) && r.fewEnough(section.Servers) {
			entries = append(entries, in.servers(section.Servers.Value)...)
		}
	}
	return entries
}

// maxServers is how many servers one file may hold.
const maxServers = 10_000

// fewEnough reports whether a map of servers is within maxServers, and adds a problem otherwise.
func (r *fieldReader) fewEnough(servers syntax.Field) bool {
	n := len(servers.Value.Fields)
	if n > maxServers {
		r.addProblem(servers.Line, "use several files, each with --config",
			"%d servers in one file; at most %d are read", n, maxServers)
	}
	return n <= maxServers
}

// servers reads a map of servers.
func (s fileScope) servers(of syntax.Value) []Entry {
	entries := make([]Entry, len(of.Fields))
	app := s.app
	if app.Name == "" {
		app = clients.ApplicationOf(s.abs, s.dialect)
	}
	names := kit.Map(of.Fields, func(f syntax.Field) string { return f.Key })
	for i, f := range of.Fields {
		server, reason := f.Value, ""
		if !s.strict {
			server, reason = s.dialect.Translate(f.Value, s.lookup)
		}
		e := s.entry(syntax.Field{Key: f.Key, Line: f.Line, Value: server})
		e.declared.entry = f.Value
		if !s.strict {
			e.passed = s.dialect.Passed(f.Value)
			s.addFilter(&e, f, app, names)
		}
		if reason != "" {
			e.unusable = true
			e.Problems = []Problem{{File: s.file, Line: f.Line, Server: f.Key, Message: reason}}
		}
		entries[i] = e
	}
	return entries
}

// addFilter sets which tools of a server its application gives to the model. A key that cannot be read
// switches nothing off, and is noted.
func (s fileScope) addFilter(e *Entry, server syntax.Field, app clients.App, names []string) {
	local := strings.EqualFold(server.Value.TextOf("type"), "local")
	if s.app.Name == "" && s.dialect == clients.Shared && local {
		app = clients.ApplicationOf("", clients.Copilot)
	}
	filter, unread := app.Filter(server, s.content, names)
	filter.File = s.file
	e.filters = []clients.ToolFilter{filter}
	for _, f := range unread {
		e.Unread = append(e.Unread, Problem{File: s.file, Line: f.Line, Server: server.Key,
			Message: fmt.Sprintf("the key %q is not read; it must be a list of at most %d names of tools",
				f.Key, clients.MaxRules)})
	}
}

// serverReader reads the keys of one server.
type serverReader struct {
	fieldReader
	fileScope
	fields  syntax.Value
	prompts []Prompt       // inputs without an answer, each once
	uses    []use          // all texts that decide what the server does
	secrets []probe.Secret // those that are known by their names or looks
	values  []probe.Secret // taken from the environment and files, secret or not
}

// The keys of a server. Those of other programs are ignored, except in mcpctl.yaml.
var (
	urlKeys    = []string{"url", "serverUrl", "httpUrl"}
	stdioKeys  = []string{"args", "env", "cwd", "envFile"}
	serverKeys = slices.Concat([]string{"command", "type", "transport", "transportType", "oauth", "auth",
		"disabled", "enabled", "timeout", "sandbox", "protocol", "clientCapabilities"},
		stdioKeys, urlKeys, headerKeys)
)

// entry reads one server; its problems are in the entry.
func (s fileScope) entry(f syntax.Field) Entry {
	r := &serverReader{fileScope: s, fields: f.Value,
		fieldReader: fieldReader{file: s.file, server: f.Key, lax: !s.strict}}
	e := Declare(probe.Server{Name: f.Key, Source: fmt.Sprintf("%s:%d", s.file, f.Line)}, Allow{})
	e.File, e.Line, e.Found = s.file, f.Line, s.found
	r.checkName(f)
	if r.is(f.Value, syntax.Object, "a server") {
		r.read(&e)
		e.Server.Secrets, e.Server.Values = append(r.secrets, SecretsIn(e.Server)...), r.values
	}
	e.uses, e.scope, e.read = r.uses, r.fileScope, f
	e.Login.Sends = sends(e)
	e.Problems, e.Prompts, e.own = maskTokens(r.problems), r.prompts, len(r.problems)
	e.declared = declaration{path: r.abs, name: r.server + r.section, dialect: r.dialect}
	return e
}

// read reads all keys of a server.
func (r *serverReader) read(e *Entry) {
	known := serverKeys
	if !r.strict {
		known = nil
	}
	r.checkKeys(r.fields, "", known)
	e.Disabled = r.boolean("disabled", false) || !r.boolean("enabled", true)
	if f, ok := r.get("timeout"); ok {
		e.Server.Timeout = r.timeout(f, r.unit)
	}
	r.readTarget(e)
	if !r.strict && (e.Server.Stdio != nil || e.Server.HTTP != nil) { // else a problem has the hint
		e.Unread = r.unread()
	}
	if f, ok := r.get("clientCapabilities"); ok {
		e.Server.Capabilities = r.clientCapabilities(f)
	}
	if !r.strict { // in files of other programs the rest has other meanings
		return
	}
	if f, ok := r.get("sandbox"); ok {
		e.May = r.grants(f, r.folder)
	}
	if f, ok := r.get("protocol"); ok {
		e.Server.Protocol = r.protocol(f)
	}
}

// get returns a key that is set to something else than null and an empty text, which forms write for no
// value.
func (r *serverReader) get(key string) (syntax.Field, bool) {
	f, ok := r.fields.Get(key)
	blank := f.Value.Kind == syntax.Text && strings.TrimSpace(f.Value.Text) == ""
	return f, ok && f.Value.Kind != syntax.Null && !blank
}

func (r *serverReader) boolean(key string, fallback bool) bool {
	if f, ok := r.get(key); ok {
		return r.flag(f, fallback)
	}
	return fallback
}

// maxName bounds the length of the file name of a server's snapshot, in bytes.
const maxName = 200

// checkName adds a problem for a name that is blank, has control characters, or is too long for the file of
// its snapshot.
func (r *serverReader) checkName(f syntax.Field) {
	switch {
	case strings.TrimSpace(f.Key) == "":
		r.addProblem(f.Line, "give the server a name", "a server without a name")
	case strings.ContainsFunc(f.Key, func(r rune) bool { return unicode.IsControl(r) || r == '\ufffd' }):
		r.addProblem(f.Line, "use letters, digits, - and _", "the name %q has control characters", f.Key)
	case len(FileName(f.Key)) > maxName:
		r.addProblem(f.Line, "shorten it", "the name is too long for the name of a file")
	}
}

// readTarget reads what the server is: a command to start or a URL to contact.
func (r *serverReader) readTarget(e *Entry) {
	command, hasCommand := r.get("command")
	address, hasURL := r.address()
	key, transport := r.transport(hasCommand || hasURL)
	switch {
	case hasCommand && hasURL:
		r.addProblem(address.Line, "remove one of them", "both %q and %q", "command", address.Key)
	case !hasCommand && !hasURL:
		r.addProblem(r.fields.Line, r.misspelt(), `neither "command" nor "url"`)
	case hasURL && transport == "stdio":
		r.addProblem(address.Line, `remove it, or write "command"`, `%q is stdio, but there is a %q`, key,
			address.Key)
	case hasCommand && transport != "stdio" && transport != "":
		r.addProblem(command.Line, `remove it, or write "url"`, `%q is %s, but there is a "command"`, key,
			transport)
	case hasCommand:
		r.readStdio(command, e)
	default:
		remote := httpReader{r}
		e.Server.HTTP = remote.target(address, transport)
		e.Login = remote.login()
	}
}

// misspelt returns the hint for a server without a command and a URL.
func (r *serverReader) misspelt() string {
	for _, f := range r.fields.Fields {
		near := kit.Nearest(f.Key, []string{"command", "url"})
		if len(near) > 0 && !slices.Contains(serverKeys, f.Key) {
			return fmt.Sprintf("did you mean %q where it says %q?", near[0], f.Key)
		}
	}
	if f, ok := r.fields.Get("command"); ok && f.Value.Kind == syntax.Text {
		return `"command" is empty: name the program to start`
	}
	return `write "command" to start a server or "url" to contact one`
}

// address returns the key with the URL.
func (r *serverReader) address() (address syntax.Field, ok bool) {
	for _, key := range urlKeys {
		f, found := r.get(key)
		switch {
		case found && ok:
			r.addProblem(f.Line, "remove one of them", "both %q and %q", address.Key, f.Key)
			return address, true
		case found:
			address, ok = f, true
		}
	}
	return address, ok
}

// otherNames are the names that people and other programs have for keys, in lower case without separators.
var otherNames = map[string]string{
	"environment": "env", "environmentvariables": "env", "envvars": "env", "variables": "env",
	"arguments": "args", "params": "args", "parameters": "args", "cmd": "command", "executable": "command",
	"program": "command", "workingdirectory": "cwd", "workingdir": "cwd", "workdir": "cwd",
	"directory": "cwd", "uri": "url", "endpoint": "url", "address": "url",
	"httpheaders": "headers", "requestheaders": "headers",
	"dotenv": "envFile",
}

// nearKey returns the key of serverKeys that a key is another name or spelling of; "" for none, and for a key
// that is read.
func nearKey(key string) string {
	separators := strings.NewReplacer("-", "", "_", "")
	plain := func(s string) string { return separators.Replace(strings.ToLower(s)) }
	if slices.Contains(serverKeys, key) || len(key) > maxName {
		return ""
	}
	if known := otherNames[plain(key)]; known != "" {
		return known
	}
	for _, known := range serverKeys {
		if plain(known) == plain(key) || kit.OneEdit(plain(known), plain(key)) {
			return known
		}
	}
	return ""
}

// unread returns a problem for each key that is not read and is near to one that is.
func (r *serverReader) unread() (problems []Problem) {
	for _, f := range r.fields.Fields {
		if near := nearKey(f.Key); near != "" && len(problems) < maxUnresolved {
			problems = append(problems, Problem{File: r.fileScope.file, Line: f.Line, Server: r.server,
				Message: fmt.Sprintf("the key %q is not read; did you mean %q?", f.Key, near)})
		}
	}
	return problems
}

// transports are the spellings that clients accept, in lower case without separators.
var transports = map[string]string{
	"stdio": "stdio", "http": "http", "streamablehttp": "streamable-http", "sse": "sse",
}

// transport returns stdio, http, streamable-http or sse, and the key that says so; "" if none does, or after
// a problem. Other programs have further words, such as local and remote, which say no more than the command
// or the URL of a decided server does.
func (r *serverReader) transport(decided bool) (key, transport string) {
	f, ok := r.get("type")
	for _, other := range []string{"transport", "transportType"} {
		if !ok {
			f, ok = r.get(other)
		}
	}
	if !ok || !r.want(f, syntax.Text) {
		return f.Key, ""
	}
	transport, ok = transports[strings.NewReplacer("-", "", "_", "", " ", "").Replace(
		strings.ToLower(f.Value.Text))]
	if !ok && (r.strict || !decided) {
		r.addProblem(f.Value.Line,
			"use stdio, http (streamable HTTP, falling back to SSE), streamable-http or sse",
			"unknown transport %.40q", f.Value.Text)
	}
	return f.Key, transport
}

// rejectKeys adds a problem for each of some keys that is set although another one excludes it.
func (r *serverReader) rejectKeys(keys []string, because string) {
	for _, key := range keys {
		if f, ok := r.get(key); ok && !f.Value.Empty() {
			r.addProblem(f.Line, "remove it", "%q has no meaning beside %q", key, because)
		}
	}
}

// expand replaces the variables in a string. A variable without a value is a problem, and ok is false then.
func (r *serverReader) expand(f syntax.Field) (out expanded, ok bool) {
	out = r.fileScope.expand(f.Value.Text)
	r.uses = append(r.uses, use{key: f.Key, text: f.Value.Text, shown: out.shown, receives: out.sources,
		literal: true})
	r.values, r.secrets = append(r.values, out.values...), append(r.secrets, out.secrets...)
	for _, m := range out.missing {
		r.addLack(f.Value.Line, m.hint, m.lacks, "%s, needed in %q", m.message, f.Key)
		if m.prompt == nil {
			continue
		}
		r.problems[len(r.problems)-1].asked = true
		if !slices.ContainsFunc(r.prompts, func(p Prompt) bool { return p.Variable == m.prompt.Variable }) {
			r.prompts = append(r.prompts, *m.prompt)
		}
	}
	return out, len(out.missing) == 0
}

// maxLevels is how many directories a path may have: links are resolved in each of them.
const maxLevels = 64

// path returns a path relative to the project's directory, and the same with variables as they are written.
// After a problem the path is that directory.
func (r *serverReader) path(f syntax.Field) (path, shown string) {
	if !r.want(f, syntax.Text) {
		return r.folder, r.folder
	}
	out, ok := r.expand(f)
	switch {
	case !ok: // the directory as it is written is what the user decides about
		return r.folder, files.From(r.folder, out.shown)
	case out.value == "":
		return r.folder, r.folder
	case strings.ContainsFunc(out.value, unicode.IsControl):
		r.rejectControls(f, out.value)
		return r.folder, r.folder
	case strings.Count(filepath.ToSlash(out.value), "/") > maxLevels:
		r.addProblem(f.Value.Line, "use a shorter path", "%q is a path of more than %d directories", f.Key,
			maxLevels)
		return r.folder, r.folder
	case filepath.IsAbs(out.value):
		return filepath.Clean(out.value), filepath.Clean(out.shown)
	}
	return filepath.Join(r.folder, out.value), filepath.Join(r.folder, out.shown)
}

// rejectNUL adds a problem if a text has a NUL character, which no program can be given.
func (r *serverReader) rejectNUL(line int, texts ...string) {
	if strings.Contains(strings.Join(texts, ""), "\x00") {
		r.addProblem(line, "remove it", "a NUL character cannot be passed to a program")
	}
}

// rejectControls adds a problem if a path has a control character: "c:\temp" in JSON and TOML has a tab.
func (r *serverReader) rejectControls(f syntax.Field, path string) {
	if i := strings.IndexFunc(path, unicode.IsControl); i >= 0 && path[i] != 0 {
		r.addProblem(f.Value.Line,
			`write \\ or / for a backslash; \t, \n, \b, \f and \r are control characters`,
			"%q has the control character %U", f.Key, rune(path[i]))
	}
}

// protocol returns the version of the protocol to speak; "" after a problem.
func (r *serverReader) protocol(f syntax.Field) string {
	if !r.scalar(f) {
		return ""
	}
	if known := probe.Versions(); !slices.Contains(known, f.Value.Text) {
		r.addProblem(f.Value.Line, cmp.Or(kit.Suggest(f.Value.Text, known),
			"use one of "+kit.Quoted(known, ", ")), "unknown protocol version %.40q", f.Value.Text)
		return ""
	}
	return f.Value.Text
}

// clientCapabilities returns the capabilities to declare to the server; nil after a problem.
func (r *serverReader) clientCapabilities(f syntax.Field) []string {
	known := probe.ClientCapabilities()
	if f.Value.Kind == syntax.Text && f.Value.Text == "none" {
		return []string{}
	}
	if f.Value.Kind != syntax.List {
		r.addProblem(f.Value.Line, "write none, or a list such as ["+strings.Join(known, ", ")+"]",
			"%q must be none or a list", f.Key)
		return nil
	}
	declared := []string{}
	for _, item := range r.scalars(f) {
		if !slices.Contains(known, item.Value.Text) {
			r.addProblem(item.Value.Line, cmp.Or(kit.Suggest(item.Value.Text, known),
				"use one of "+kit.Quoted(known, ", ")), "unknown client capability %.40q", item.Value.Text)
			continue
		}
		declared = append(declared, item.Value.Text)
	}
	return declared
}
