package config

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/joho/godotenv"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

type scope struct {
	file   string // as shown in problems
	found  Found  // how it came to be read
	abs    string // absolute, of the file
	folder string // that relative paths refer to, absolute
	root   string // of the project that the run is in; empty = there is none
	prefix string // of the names of all its servers
	// follows the names of servers in what is agreed to, where a file has several of one name
	owner   string
	asked   syntax.Value      // what the file says of inputs
	gives   map[string]string // variables that the application gives to its servers and their headersHelper
	strict  bool              // an unknown key is a mistake
	unit    time.Duration     // of a timeout written as a number; see clients.Dialect.Unit
	dialect clients.Dialect
	expander
}

// holds tells whether a path lies in the project, links followed.
func (s scope) holds(path string) bool {
	return s.root != "" && files.Below(files.RealPath(path), files.RealPath(s.root))
}

func (s scope) in(dialect clients.Dialect) scope {
	s.dialect, s.unit, s.bare = dialect, dialect.Unit(), dialect == clients.Gemini
	return s
}

// serverReader reads one server: what is common to those that are started and those that are contacted.
type serverReader struct {
	fieldReader
	scope
	fields  syntax.Value
	prompts []Prompt       // without an answer, each once
	uses    []use          // all texts that decide what it does
	secrets []probe.Secret // those that are known by their names or looks
	values  []probe.Secret // taken from the environment and files, whatever their names
}

// Keys of a server that mcpctl reads. Other clients' keys are passed over, except in mcpctl.yaml.
var (
	urlKeys    = []string{"url", "serverUrl", "httpUrl"}
	stdioKeys  = []string{"args", "env", "cwd", "envFile"}
	serverKeys = slices.Concat([]string{"command", "type", "transport", "oauth", "auth", "disabled",
		"enabled", "timeout", "sandbox", "protocol", "clientCapabilities"},
		stdioKeys, urlKeys, credentialKeys)
)

// entries reads all servers of a file, whoever it belongs to. The problems are those of the file itself.
func (s scope) entries(root syntax.Value) ([]Entry, []Problem) {
	r := fieldReader{file: s.file}
	if !r.is(root, syntax.Object, "the file") {
		return nil, r.problems
	}
	s.hear(root)
	var entries []Entry
	sections := clients.Sections(root)
	for _, section := range sections {
		in := s
		if section.Dialect != clients.Shared {
			in = s.in(section.Dialect)
		}
		if r.want(section.Servers, syntax.Object) && r.fewEnough(section.Servers) {
			entries = append(entries, in.servers(section.Servers.Value)...)
		}
	}
	if len(sections) == 0 {
		r.complain(root.Line, `write the servers as {"mcpServers": {"NAME": {"command": "…"}}}`,
			`no servers: neither "mcpServers" nor "servers"`)
	}
	return entries, r.problems
}

// maxServers is how many servers one file may hold.
const maxServers = 10_000

// fewEnough reports whether a map of servers is within maxServers, and adds a problem otherwise.
func (r *fieldReader) fewEnough(servers syntax.Field) bool {
	if n := len(servers.Value.Fields); n > maxServers {
		r.complain(servers.Line, "use several files, each with --config",
			"%d servers in one file; at most %d are read", n, maxServers)
		return false
	}
	return true
}

// servers reads the members of a map of servers.
func (s scope) servers(of syntax.Value) []Entry {
	entries := make([]Entry, len(of.Fields))
	for i, f := range of.Fields {
		reason, entry := "", f.Value
		f.Key = s.prefix + f.Key
		if !s.strict {
			f.Value, reason = s.dialect.Translate(f.Value, s.lookup)
		}
		entries[i] = s.entry(f)
		entries[i].written.entry = entry
		entries[i].written.inputs = inputsNamed(entry, s.asked)
		if entries[i].unusable = reason != ""; entries[i].unusable {
			entries[i].Problems = []Problem{{File: s.file, Line: f.Line, Server: f.Key, Message: reason}}
		}
	}
	return entries
}

// entry reads one server; everything that is wrong with it is in the entry.
func (s scope) entry(f syntax.Field) Entry {
	r := &serverReader{fieldReader: fieldReader{file: s.file, server: f.Key}, scope: s, fields: f.Value}
	e := Entry{
		Server: probe.Server{Name: f.Key, Source: fmt.Sprintf("%s:%d", s.file, f.Line)},
		File:   s.file, Line: f.Line, Found: s.found,
	}
	r.name(f)
	if r.is(f.Value, syntax.Object, "a server") {
		r.check(serverKeys)
		e.Disabled = r.disabled()
		_, e.chosenDir = r.get("cwd")
		r.fill(&e)
		if f, ok := r.get("sandbox"); ok && r.strict { // in files of other programs it would be theirs
			e.May = r.grants(f, r.folder)
		}
		if r.strict {
			e.Server.Protocol = r.readProtocol()
		}
		e.Server.Capabilities = r.clientCapabilities()
		e.Server.Secrets, e.Server.Values = append(r.secrets, misplaced(e.Server)...), r.values
	}
	e.Problems, e.Warnings, e.Prompts = r.problems, r.warnings, r.prompts
	e.uses, e.scope = r.uses, r.scope
	e.written = written{
		path: r.abs, name: r.server + r.owner, dialect: r.dialect, entry: f.Value,
		inputs: inputsNamed(f.Value, r.asked),
	}
	return e
}

func (r *serverReader) get(key string) (syntax.Field, bool) {
	f, ok := r.fields.Get(key)
	return f, ok && f.Value.Kind != syntax.Null
}

// maxName bounds the length of the file name that a server's snapshot has, in bytes.
const maxName = 200

func (r *serverReader) name(f syntax.Field) {
	switch {
	case strings.TrimSpace(f.Key) == "":
		r.complain(f.Line, "give the server a name", "a server without a name")
	case strings.ContainsFunc(f.Key, func(r rune) bool { return unicode.IsControl(r) || r == '\ufffd' }):
		r.complain(f.Line, "use letters, digits, - and _", "the name %q has control characters", f.Key)
	case len(FileName(f.Key)) > maxName:
		r.complain(f.Line, "shorten it", "the name is too long for the name of a file")
	}
}

// check keeps what is wrong with the keys themselves.
func (r *serverReader) check(known []string) {
	if !r.strict {
		known = nil
	}
	r.keys(r.fields, "", known)
}

func (r *serverReader) disabled() bool {
	off, on := false, true
	if f, ok := r.get("disabled"); ok {
		off = r.flag(f, off)
	}
	if f, ok := r.get("enabled"); ok {
		on = r.flag(f, on)
	}
	return off || !on
}

// fill decides between the two kinds of servers and reads what belongs to the one.
func (r *serverReader) fill(e *Entry) {
	if f, ok := r.get("timeout"); ok {
		e.Server.Timeout = r.timeout(f, r.unit)
	}
	command, hasCommand := r.get("command")
	address, hasURL := r.address()
	key, kind := r.transport()
	switch {
	case hasCommand && hasURL:
		r.complain(address.Line, "remove one of them", "both %q and %q", "command", address.Key)
	case !hasCommand && !hasURL:
		r.complain(r.fields.Line, r.misspelt(), `neither "command" nor "url"`)
	case hasURL && kind == "stdio":
		r.complain(address.Line, `remove it, or write "command"`, `%q is stdio, but there is a %q`, key,
			address.Key)
	case hasCommand && kind != "stdio" && kind != "":
		r.complain(command.Line, `remove it, or write "url"`, `%q is %s, but there is a "command"`, key, kind)
	case hasCommand:
		e.Server.Stdio, e.dir = stdioReader{r}.read(command)
	default:
		h := httpReader{r, credentialReader{r}}
		e.Server.HTTP = h.read(address, kind)
		e.Login = h.login()
	}
}

// misspelt is the hint for a server that has no command and no url.
func (r *serverReader) misspelt() string {
	for _, key := range r.fields.Keys() {
		for _, right := range kit.Nearest(key, []string{"command", "url"}) {
			if !slices.Contains(serverKeys, key) {
				return fmt.Sprintf("did you mean %q where it says %q?", right, key)
			}
		}
	}
	return `write "command" to start a server or "url" to contact one`
}

func (r *serverReader) address() (address syntax.Field, ok bool) {
	for _, key := range urlKeys {
		f, there := r.get(key)
		switch {
		case there && ok:
			r.complain(f.Line, "remove one of them", "both %q and %q", address.Key, f.Key)
			return address, true
		case there:
			address, ok = f, true
		}
	}
	return address, ok
}

// transports are the spellings that clients accept, in lower case without separators.
var transports = map[string]string{
	"stdio": "stdio", "http": "http", "streamablehttp": "streamable-http", "sse": "sse",
}

// transport is stdio, http, streamable-http or sse, and the key that says so; empty when none does, or after
// a problem.
func (r *serverReader) transport() (key, kind string) {
	f, ok := r.get("type")
	if !ok {
		f, ok = r.get("transport")
	}
	if !ok || !r.want(f, syntax.Text) {
		return f.Key, ""
	}
	kind, ok = transports[strings.NewReplacer("-", "", "_", "", " ",
		"").Replace(strings.ToLower(f.Value.Text))]
	if !ok {
		r.complain(f.Value.Line, "stdio, http (streamable HTTP, falling back to SSE), streamable-http and "+
			"sse exist",
			"unknown transport %.40q", f.Value.Text)
	}
	return f.Key, kind
}

// foreign keeps a problem for each key that has no meaning beside the one that is there.
func (r *serverReader) foreign(keys []string, beside string) {
	for _, key := range keys {
		if f, ok := r.get(key); ok && !f.Value.Empty() {
			r.complain(f.Line, "remove it", "%q has no meaning beside %q", key, beside)
		}
	}
}

// expand replaces the variables of f's string and keeps those without a value as problems; ok is false if
// there are any.
func (r *serverReader) expand(f syntax.Field) (out expanded, ok bool) {
	out, missing := r.scope.expand(f.Value.Text)
	r.uses = append(r.uses, use{key: f.Key, text: f.Value.Text, shown: out.shown, from: fromText})
	values, secrets := r.given(f.Value.Text)
	r.values, r.secrets = append(r.values, values...), append(r.secrets, secrets...)
	for _, m := range missing {
		r.complain(f.Value.Line, m.hint, "%s, needed in %q", m.message, f.Key)
		r.wish(m.prompt)
	}
	return out, len(missing) == 0
}

// wish remembers what a person could be asked for to mend the last problem.
func (r *serverReader) wish(p *Prompt) {
	if p == nil {
		return
	}
	r.problems[len(r.problems)-1].asked = true
	if !slices.ContainsFunc(r.prompts, func(known Prompt) bool { return known.Variable == p.Variable }) {
		r.prompts = append(r.prompts, *p)
	}
}

// maxLevels is how many folders a path may have: links are looked for in each, seen from the first.
const maxLevels = 64

// path is a path relative to the project's folder, and how it may be shown: with variables as they are
// written.
func (r *serverReader) path(f syntax.Field) (path, shown string) {
	if !r.want(f, syntax.Text) {
		return r.folder, r.folder
	}
	out, ok := r.expand(f)
	switch {
	case !ok || out.value == "":
		return r.folder, r.folder
	case strings.Count(filepath.ToSlash(out.value), "/") > maxLevels:
		r.complain(f.Value.Line, "name one that is nearer", "%q is a path of more than %d folders", f.Key,
			maxLevels)
		return r.folder, r.folder
	case filepath.IsAbs(out.value):
		return filepath.Clean(out.value), filepath.Clean(out.shown)
	}
	return filepath.Join(r.folder, out.value), filepath.Join(r.folder, out.shown)
}

// noNUL keeps a problem if the operating system cannot take one of the texts.
func (r *serverReader) noNUL(texts []string, line int) {
	if strings.Contains(strings.Join(texts, ""), "\x00") {
		r.complain(line, "remove it", "a NUL character cannot be handed to a program")
	}
}

type stdioReader struct{ *serverReader }

// read is the server, and the folder that it starts in as it may be shown.
func (r stdioReader) read(command syntax.Field) (stdio *probe.Stdio, shown string) {
	r.foreign(credentialKeys, "command")
	dir, shown := r.folder, r.folder
	if f, ok := r.get("cwd"); ok {
		dir, shown = r.path(f)
	}
	path, ok := expanded{}, r.want(command, syntax.Text)
	if ok {
		path, ok = r.expand(command)
	}
	if ok && strings.TrimSpace(path.value) == "" {
		r.complain(command.Value.Line, "name the program to start", `"command" is empty`)
	}
	args := values(r.args())
	env, search := r.environ()
	stdio = &probe.Stdio{Command: absolute(path.value, dir), Args: args, Env: env, Dir: dir, Search: search}
	argv := append([]string{stdio.Command}, stdio.Args...)
	r.secrets = append(append(r.secrets, SecretsIn(argv)...), Confidential(stdio.Env)...)
	r.noNUL(argv, command.Line)
	return stdio, shown
}

// absolute is a command that is a relative path, seen from dir; names that are looked up in PATH stay as they
// are.
func absolute(command, dir string) string {
	if filepath.IsAbs(command) || !strings.ContainsAny(command, `/`+string(filepath.Separator)) {
		return command
	}
	return filepath.Join(dir, command)
}

func (r stdioReader) args() []expanded {
	f, ok := r.get("args")
	if !ok {
		return nil
	}
	return kit.Map(r.scalars(f), func(item syntax.Field) expanded {
		out, _ := r.expand(item)
		return out
	})
}

// environ returns what envFile and env set, env over envFile, and the PATH that the command is looked up in:
// mcpctl's own where envFile sets one, since a file of variables is for the program and does not choose it.
// Empty = the PATH that the program gets.
func (r stdioReader) environ() (env map[string]probe.Secret, search string) {
	env = map[string]probe.Secret{}
	for name, value := range r.gives {
		env[name] = probe.Secret(value)
	}
	if f, ok := r.get("envFile"); ok {
		maps.Copy(env, r.envFile(f))
	}
	if slices.ContainsFunc(slices.Collect(maps.Keys(env)), isPath) {
		search, _ = r.lookup.Value("PATH")
	}
	f, ok := r.get("env")
	if !ok {
		return env, search
	}
	for _, m := range r.texts(f) {
		if !envName(m.Key) {
			r.complain(m.Line, "write NAME: value", `a name in "env" is empty, or holds "=" or NUL`)
			continue
		}
		if isPath(m.Key) {
			search = ""
		}
		out, _ := r.expand(m.In("env"))
		r.noNUL([]string{out.value}, m.Line)
		env[m.Key] = probe.Secret(out.value)
		r.secrets = append(r.secrets, secretsOf(
			redact.Hidden([]string{out.value}, []string{redact.MaskText(out.value)}))...)
	}
	return env, search
}

// isPath reports whether an environment variable is PATH, which Windows also writes Path.
func isPath(name string) bool { return strings.EqualFold(name, "PATH") }

func envName(name string) bool { return name != "" && !strings.ContainsAny(name, "=\x00") }

// envFile reads lines of NAME=value. The parser's own error is not shown, as it quotes the file.
func (r stdioReader) envFile(f syntax.Field) map[string]probe.Secret {
	path, shown := r.path(f)
	if path == r.folder {
		return nil
	}
	for i := range r.uses {
		if r.uses[i].key == f.Key {
			r.uses[i].path = path
		}
	}
	if rel, err := filepath.Rel(r.folder, shown); err == nil && !strings.HasPrefix(rel, "..") {
		shown = rel
	}
	data, err := readRegular(path)
	if err != nil {
		r.complain(f.Value.Line, "create the file or remove envFile", `reading "envFile" %q: %v`, shown, err)
		return nil
	}
	read, err := godotenv.UnmarshalBytes(data)
	if err != nil {
		r.complain(f.Value.Line, "write one NAME=value per line",
			`reading "envFile" %q: not lines of NAME=value`, shown)
	}
	env := make(map[string]probe.Secret, len(read))
	for _, name := range kit.SortedKeys(read) {
		v := read[name]
		if envName(name) {
			env[name] = probe.Secret(v)
			if !isPath(name) {
				r.values = append(r.values, env[name])
			}
			r.uses = append(r.uses, use{key: "envFile." + name, text: v, shown: v, from: fromEnvFile})
		}
	}
	return env
}

func secretsOf(values []string) []probe.Secret {
	return kit.Map(values, func(value string) probe.Secret { return probe.Secret(value) })
}

// SecretsIn returns the parts of a command line that are not shown.
func SecretsIn(argv []string) []probe.Secret {
	return secretsOf(redact.Hidden(argv, redact.MaskArgs(argv)))
}

// values returns texts as they are handed to a server.
func values(of []expanded) []string {
	return kit.Map(of, func(x expanded) string { return x.value })
}

// readProtocol returns the version of the protocol to speak; empty when there is none, or after a problem.
func (r *serverReader) readProtocol() string {
	f, ok := r.fields.Get("protocol")
	if !ok || !r.scalar(f) {
		return ""
	}
	if !slices.Contains(probe.Versions(), f.Value.Text) {
		r.complain(f.Value.Line, cmp.Or(kit.Suggest(f.Value.Text, probe.Versions()),
			"there is "+kit.Quoted(probe.Versions(), ", ")),
			"unknown protocol version %.40q", f.Value.Text)
		return ""
	}
	return f.Value.Text
}

// clientCapabilities returns the capabilities to declare to the server: a list of them, or "none"; nil when
// the entry does not set them, or after a problem.
func (r *serverReader) clientCapabilities() []string {
	f, ok := r.get("clientCapabilities")
	if !ok {
		return nil
	}
	known := probe.ClientCapabilities()
	if f.Value.Kind == syntax.Text && f.Value.Text == "none" {
		return []string{}
	}
	if f.Value.Kind != syntax.List {
		r.complain(f.Value.Line, fmt.Sprintf("write none, or a list such as [%s]", strings.Join(known, ", ")),
			"%q must be none or a list", f.Key)
		return nil
	}
	declared := []string{}
	for _, item := range r.scalars(f) {
		if !slices.Contains(known, item.Value.Text) {
			r.complain(item.Value.Line, cmp.Or(kit.Suggest(item.Value.Text, known),
				"there is "+kit.Quoted(known, ", ")), "unknown client capability %.40q", item.Value.Text)
			continue
		}
		declared = append(declared, item.Value.Text)
	}
	return declared
}

// Merged returns base with the entries of more, which win; neither is changed.
func Merged(base, more map[string]probe.Secret) map[string]probe.Secret {
	both := make(map[string]probe.Secret, len(base)+len(more))
	maps.Copy(both, base)
	maps.Copy(both, more)
	return both
}

// misplaced are tokens where none belongs: in the address or the working folder.
func misplaced(s probe.Server) []probe.Secret {
	var texts []string
	if s.Stdio != nil {
		texts = append(texts, s.Stdio.Dir, s.Stdio.Command)
	}
	if s.HTTP != nil {
		texts = append(texts, s.HTTP.URL)
	}
	return secretsOf(redact.Hidden(texts, kit.Map(texts, redact.MaskTokens)))
}

// Confidential are the values of environment variables or headers whose name or look says that they are
// secret.
func Confidential(values map[string]probe.Secret) []probe.Secret {
	sensitive := kit.Filter(kit.SortedKeys(values),
		func(name string) bool { return redact.Sensitive(name, values[name].Reveal()) })
	return kit.Map(sensitive, func(name string) probe.Secret { return values[name] })
}
