package clients

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// Dialect is the form of a file if that depends on the application and is not visible in the file itself.
type Dialect string

// The dialects. Most applications share the empty one.
const (
	Shared   Dialect = ""
	VSCode   Dialect = "vscode"
	Zed      Dialect = "zed"
	Gemini   Dialect = "gemini"
	Seconds  Dialect = "seconds" // shared, but a timeout is in seconds
	Codex    Dialect = "codex"
	OpenCode Dialect = "opencode"
	Continue Dialect = "continue"
	Goose    Dialect = "goose"
	Warp     Dialect = "warp"
	Projects Dialect = "claude-projects" // servers by project directory
	Plugins  Dialect = "claude-plugins"  // a list of installed plugins, each with a directory
)

// Lookup reads the environment as os.LookupEnv does; nil = empty.
type Lookup func(string) (string, bool)

// Value returns the variable of that name.
func (l Lookup) Value(name string) (string, bool) {
	if l == nil {
		return "", false
	}
	return l(name)
}

// DialectOf returns the dialect of a file that the user named, by its path; the content may refine it.
func DialectOf(path string) Dialect {
	switch folder, name := filepath.Base(filepath.Dir(path)), filepath.Base(path); {
	case name == "cline_mcp_settings.json", name == "mcp_settings.json", folder == ".roo":
		return Seconds
	case folder == ".gemini" && name == "settings.json":
		return Gemini
	case folder == ".warp":
		return Warp
	}
	return Shared
}

// Unit returns the unit of a timeout that is a number; 0 = milliseconds, but seconds below 1000.
func (d Dialect) Unit() time.Duration {
	switch d {
	case Seconds, Codex, Goose:
		return time.Second
	case Gemini, OpenCode, Continue:
		return time.Millisecond
	}
	return 0
}

// renamed returns the application's names of keys that mcpctl calls otherwise.
func (d Dialect) renamed() map[string]string {
	return map[Dialect]map[string]string{
		Warp:     {"working_directory": "cwd"},
		Codex:    {"startup_timeout_sec": "timeout"},
		OpenCode: {"environment": "env"},
		Continue: {"connectionTimeout": "timeout"},
		Goose:    {"cmd": "command", "envs": "env", "uri": "url"},
	}[d]
}

// Translate returns a server with the keys and variables that mcpctl reads. The reason is not empty if only
// the application can run the server.
func (d Dialect) Translate(server syntax.Value, lookup Lookup) (out syntax.Value, reason string) {
	if server.Kind != syntax.Object {
		return server, ""
	}
	server.Fields = slices.Clone(server.Fields)
	for i, f := range server.Fields {
		if known, ok := d.renamed()[f.Key]; ok {
			server.Fields[i].Key = known
		}
	}
	switch d {
	case VSCode:
		return vscodeServer(server, lookup), ""
	case Zed:
		return zedServer(server)
	case Codex:
		return codexServer(server, lookup), ""
	case Goose:
		return gooseServer(server)
	case OpenCode:
		return openCodeVariables.rewrite(openCodeServer(server)), ""
	case Continue:
		if server.TextOf("uses") != "" {
			return server, "Continue fetches it from its hub"
		}
		for _, headers := range server.At("requestOptions", "headers") {
			server = server.With(headers)
		}
		return continueVariables.rewrite(server), ""
	}
	return server, ""
}

// notations are an application's spellings of variables, with those that mcpctl reads.
type notations []struct {
	pattern func() *regexp.Regexp
	means   string
}

var (
	openCodeVariables = notations{
		{kit.Pattern(`\$?\{env:([^{}]+)\}`), "$${env:$1}"},
		{kit.Pattern(`\$?\{file:([^{}]+)\}`), "$${file:$1}"},
	}
	continueVariables = notations{
		{kit.Pattern(`\$\{\{\s*secrets\.([A-Za-z0-9_.-]+)\s*\}\}`), "$${$1}"},
		{kit.Pattern(`\$\{\{\s*inputs\.([A-Za-z0-9_.-]+)\s*\}\}`), "$${input:$1}"},
	}
)

// rewrite returns v with the variables in all strings as mcpctl reads them.
func (ns notations) rewrite(v syntax.Value) syntax.Value {
	v.Items, v.Fields = slices.Clone(v.Items), slices.Clone(v.Fields)
	for i := range v.Items {
		v.Items[i] = ns.rewrite(v.Items[i])
	}
	for i := range v.Fields {
		v.Fields[i].Value = ns.rewrite(v.Fields[i].Value)
	}
	if v.Kind == syntax.Text {
		for _, n := range ns {
			v.Text = n.pattern().ReplaceAllString(v.Text, n.means)
		}
	}
	return v
}

// openCodeServer returns a server with the program and its arguments, which are one list, apart. The type is
// redundant.
func openCodeServer(server syntax.Value) syntax.Value {
	server = server.Without("type")
	command, ok := server.Get("command")
	if !ok || command.Value.Kind != syntax.List || len(command.Value.Items) == 0 {
		return server
	}
	args := command
	args.Key, args.Value.Items = "args", command.Value.Items[1:]
	command.Value = command.Value.Items[0]
	return server.Without("command", "args").With(command).With(args)
}

// vscodeServer returns a server with the home directory for a "~" at the beginning of command, cwd and args,
// and with env.PATH appended to the existing PATH, as VS Code starts it.
func vscodeServer(server syntax.Value, lookup Lookup) syntax.Value {
	home := func(v syntax.Value) syntax.Value {
		if v.Kind == syntax.Text && (v.Text == "~" || strings.HasPrefix(v.Text, "~/") ||
			strings.HasPrefix(v.Text, `~\`)) {
			v.Text = "${userHome}" + v.Text[1:]
		}
		return v
	}
	for i, f := range server.Fields {
		switch f.Key {
		case "command", "cwd":
			server.Fields[i].Value = home(f.Value)
		case "args":
			server.Fields[i].Value.Items = kit.Map(f.Value.Items, home)
		case "env":
			server.Fields[i].Value.Fields = slices.Clone(f.Value.Fields)
			for j, m := range f.Value.Fields {
				if path, _ := lookup.Value("PATH"); path != "" && strings.EqualFold(m.Key, "PATH") &&
					m.Value.Kind == syntax.Text {
					server.Fields[i].Value.Fields[j].Value.Text = "${env:PATH}" +
						string(filepath.ListSeparator) + m.Value.Text
				}
			}
		}
	}
	return server
}

// zedServer returns a server of one of Zed's two forms. A server of an extension has no command.
func zedServer(server syntax.Value) (syntax.Value, string) {
	command, hasCommand := server.Get("command")
	_, hasURL := server.Get("url")
	_, bySettings := server.Get("settings")
	switch {
	case hasCommand && command.Value.Kind == syntax.Object:
		server = server.Without("command")
		for _, f := range command.Value.Fields {
			if f.Key == "path" {
				f.Key = "command"
			}
			server = server.With(f)
		}
	case !hasCommand && !hasURL && (bySettings || server.TextOf("source") == "extension"):
		return server, "an extension of Zed starts it"
	}
	return server, ""
}

// gooseServer returns a server with the variables that it names. Some run inside of goose.
func gooseServer(server syntax.Value) (syntax.Value, string) {
	kind := server.TextOf("type")
	if slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, kind) {
		return server, "goose runs it itself"
	}
	names, _ := server.Get("env_keys")
	if len(names.Value.Items) == 0 || kind != "stdio" {
		return server, ""
	}
	passed := kit.Map(names.Value.Items, func(item syntax.Value) syntax.Field {
		return syntax.String(
			item.Text, "${"+item.Text+"}", item.Line)
	})
	if env, ok := server.Get("env"); ok && env.Value.Kind != syntax.Object {
		server = server.Without("env")
	}
	return withEnv(server, names.Line, passed), ""
}

// codexServer returns a server with the variables that it names, if they are set.
func codexServer(server syntax.Value, lookup Lookup) syntax.Value {
	names, ok := server.Get("env_vars")
	if !ok || names.Value.Kind != syntax.List {
		return server
	}
	var passed []syntax.Field
	for _, item := range names.Value.Items {
		name := item.Text
		if item.Kind == syntax.Object {
			name = item.TextOf("name")
		}
		if _, set := lookup.Value(name); set && name != "" && !strings.ContainsAny(name, "=\x00") {
			passed = append(passed, syntax.String(name, "${"+name+"}", item.Line))
		}
	}
	return withEnv(server.Without("env_vars"), names.Line, passed)
}

// withEnv returns a server with further variables; those that it has already win.
func withEnv(server syntax.Value, line int, passed []syntax.Field) syntax.Value {
	env, ok := server.Get("env")
	if !ok {
		env = syntax.Field{Key: "env", Line: line, Value: syntax.Value{Kind: syntax.Object, Line: line}}
	}
	for _, f := range passed {
		env.Value = env.Value.With(f)
	}
	return server.Without("env").With(env)
}

// Section is a map of servers in a file.
type Section struct {
	Servers syntax.Field
	Dialect Dialect // Shared = that of the file
}

// layouts are the places of servers in files of any application.
var layouts = []struct {
	path    []string // of keys
	dialect Dialect
	fits    func(syntax.Value) bool // nil = always
}{
	// Claude, Cursor, Windsurf, Gemini, Cline …
	{path: []string{"mcpServers"}, fits: func(v syntax.Value) bool { return !isNamedList(v) }},
	{path: []string{"mcpServers"}, dialect: Continue, fits: isNamedList},
	// mcp.json
	{path: []string{"servers"}, dialect: VSCode},
	// settings.json
	{path: []string{"mcp", "servers"}, dialect: VSCode,
		fits: func(v syntax.Value) bool { return !IsOpenCode(v) }},
	// OpenCode 2
	{path: []string{"mcp", "servers"}, dialect: OpenCode, fits: IsOpenCode},
	{path: []string{"mcp"}, dialect: OpenCode, fits: IsOpenCode},
	{path: []string{"customizations", "vscode", "mcp", "servers"}, dialect: VSCode}, // devcontainer.json
	{path: []string{"context_servers"}, dialect: Zed},
	{path: []string{"mcp_servers"}, dialect: Codex},
	{path: []string{"extensions"}, dialect: Goose, fits: isGoose},
}

// Sections returns all maps of servers in a file of any application.
func Sections(root syntax.Value) []Section {
	var sections []Section
	for _, l := range layouts {
		for _, servers := range root.At(l.path...) {
			if l.fits == nil || l.fits(servers.Value) {
				sections = append(sections, Section{l.dialect.named(servers), l.dialect})
			}
		}
	}
	if len(sections) == 0 && isFlat(root) {
		return []Section{{Servers: syntax.Field{Line: root.Line, Value: root}}}
	}
	return sections
}

// RowSections returns the maps of servers in a file of this row.
func (r Row) RowSections(root syntax.Value) []syntax.Field {
	found := root.At(strings.Split(r.Key, ".")...)
	if deeper := root.At("mcp", "servers"); r.Dialect == OpenCode && len(deeper) > 0 &&
		IsOpenCode(deeper[0].Value) {
		found = deeper
	}
	if len(found) == 0 && r.Dialect != OpenCode && isFlat(root) {
		found = []syntax.Field{{Line: root.Line, Value: root}}
	}
	for i, servers := range found {
		found[i] = r.Dialect.named(servers)
	}
	return found
}

// named returns a list of servers with names, as in Continue's files, as a map by name.
func (d Dialect) named(servers syntax.Field) syntax.Field {
	if d != Continue || servers.Value.Kind != syntax.List {
		return servers
	}
	out := syntax.Value{Kind: syntax.Object, Line: servers.Value.Line}
	for _, item := range servers.Value.Items {
		name := item.TextOf("name")
		if name == "" {
			name = strings.TrimPrefix(item.TextOf("uses"), "/")
		}
		out.Fields = append(out.Fields, syntax.Field{Key: name, Line: item.Line, Value: item})
	}
	servers.Value = out
	return servers
}

// isNamedList reports whether v is a list of servers, as in Continue's files.
func isNamedList(v syntax.Value) bool {
	return len(v.Items) > 0 && v.Items[0].Kind == syntax.Object
}

// IsOpenCode reports whether v is a map of servers of OpenCode.
func IsOpenCode(v syntax.Value) bool {
	return slices.ContainsFunc(v.Fields, func(f syntax.Field) bool {
		kind := f.Value.TextOf("type")
		command, _ := f.Value.Get("command")
		return f.Value.Kind == syntax.Object && (kind == "local" || kind == "remote" ||
			command.Value.Kind == syntax.List)
	})
}

// isGoose reports whether v is goose's extensions: other applications use the key for something else.
func isGoose(v syntax.Value) bool {
	kinds := []string{"stdio", "sse", "streamable_http", "builtin", "platform", "frontend", "inline_python"}
	return slices.ContainsFunc(v.Fields, func(f syntax.Field) bool {
		return slices.Contains(kinds,
			f.Value.TextOf("type"))
	})
}

// isFlat reports whether a file is only a map of servers, as in some plugins of Claude Code.
func isFlat(root syntax.Value) bool {
	return len(root.Fields) > 0 && !slices.ContainsFunc(root.Fields, func(f syntax.Field) bool {
		return f.Value.Kind != syntax.Object || !slices.ContainsFunc([]string{"command", "url", "serverUrl",
			"httpUrl"}, func(key string) bool {
			_, ok := f.Value.Get(key)
			return ok
		})
	})
}
