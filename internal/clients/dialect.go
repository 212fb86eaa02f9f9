package clients

import (
	"cmp"
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
	Copilot  Dialect = "copilot" // of the command line and the coding agent
	Seconds  Dialect = "seconds" // shared, but a timeout is in seconds
	Codex    Dialect = "codex"
	OpenCode Dialect = "opencode"
	Continue Dialect = "continue"
	Goose    Dialect = "goose"
	Warp     Dialect = "warp"
	Amp      Dialect = "amp"
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
	case folder == ".gemini" && name == "settings.json",
		folder == ".qwen" && strings.HasPrefix(name, "settings."):
		return Gemini
	case folder == ".warp":
		return Warp
	case name == "mcp-config.json":
		return Copilot
	}
	return Shared
}

// dialect is how an application writes servers, where that differs from mcpctl.
type dialect struct {
	unit      time.Duration     // of a timeout that is a number
	keys      map[string]string // the application's names of keys, with mcpctl's
	variables []notation
	passed    string // key of the names of variables that the server gets from the environment
	// the rest; the reason is as in Translate
	translate func(server syntax.Value, lookup Lookup) (out syntax.Value, reason string)
}

// notation is an application's spelling of a variable, with mcpctl's.
type notation struct {
	pattern func() *regexp.Regexp
	means   string
}

func (d Dialect) form() dialect {
	switch d {
	case VSCode:
		return dialect{translate: vscodeServer}
	case Zed:
		return dialect{translate: zedServer}
	case Gemini:
		return dialect{unit: time.Millisecond}
	case Seconds:
		return dialect{unit: time.Second}
	case Codex:
		return dialect{unit: time.Second, keys: map[string]string{"startup_timeout_sec": "timeout"},
			passed: "env_vars"}
	case OpenCode:
		return dialect{unit: time.Millisecond, keys: map[string]string{"environment": "env"},
			variables: []notation{{openCodeEnv, "$${env:$1}"}, {openCodeFile, "$${file:$1}"}},
			translate: openCodeServer}
	case Continue:
		return dialect{unit: time.Millisecond, keys: map[string]string{"connectionTimeout": "timeout"},
			variables: []notation{{continueSecret, "$${$1}"}, {continueInput, "$${input:$1}"}},
			translate: continueServer}
	case Goose:
		return dialect{unit: time.Second,
			keys:   map[string]string{"cmd": "command", "envs": "env", "uri": "url"},
			passed: "env_keys", translate: gooseServer}
	case Warp:
		return dialect{keys: map[string]string{"working_directory": "cwd"}}
	}
	return dialect{}
}

var (
	openCodeEnv    = kit.Pattern(`\$?\{env:([^{}]+)\}`)
	openCodeFile   = kit.Pattern(`\$?\{file:([^{}]+)\}`)
	continueSecret = kit.Pattern(`\$\{\{\s*secrets\.([A-Za-z0-9_.-]+)\s*\}\}`)
	continueInput  = kit.Pattern(`\$\{\{\s*inputs\.([A-Za-z0-9_.-]+)\s*\}\}`)
)

// Unit returns the unit of a timeout that is a number; 0 = milliseconds, but seconds below 1000.
func (d Dialect) Unit() time.Duration { return d.form().unit }

// Translate returns a server with the keys and variables that mcpctl reads. The reason is not empty if only
// the application can run the server.
func (d Dialect) Translate(server syntax.Value, lookup Lookup) (out syntax.Value, reason string) {
	form := d.form()
	if server.Kind != syntax.Object {
		return server, ""
	}
	server.Fields = slices.Clone(server.Fields)
	for i, f := range server.Fields {
		server.Fields[i].Key = cmp.Or(form.keys[f.Key], f.Key)
	}
	server = withTransport(server)
	if form.translate != nil {
		server, reason = form.translate(server, lookup)
	}
	if form.passed != "" {
		server = withPassed(server, form.passed, lookup)
	}
	return rewrite(server, form.variables), reason
}

// withTransport returns a server with the keys that Cline writes in an object "transport".
func withTransport(server syntax.Value) syntax.Value {
	transport, _ := server.Get("transport")
	if transport.Value.Kind != syntax.Object {
		return server
	}
	for _, f := range transport.Value.Fields {
		server = server.Without(f.Key)
	}
	server = server.Without("transport")
	server.Fields = append(server.Fields, transport.Value.Fields...)
	return server
}

// Passed returns the names of the variables that an entry has its application hand on.
func (d Dialect) Passed(server syntax.Value) (names []string) {
	list, _ := server.Get(d.form().passed)
	for _, item := range list.Value.Items {
		if name := cmp.Or(item.Text, item.TextOf("name")); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// rewrite returns v with the variables in all strings as mcpctl reads them.
func rewrite(v syntax.Value, variables []notation) syntax.Value {
	if len(variables) == 0 {
		return v
	}
	inside := func(item syntax.Value) syntax.Value { return rewrite(item, variables) }
	v.Items, v.Fields = kit.Map(v.Items, inside), slices.Clone(v.Fields)
	for i, f := range v.Fields {
		v.Fields[i].Value = inside(f.Value)
	}
	if v.Kind == syntax.Text {
		for _, n := range variables {
			v.Text = n.pattern().ReplaceAllString(v.Text, n.means)
		}
	}
	return v
}

// openCodeServer returns a server with the program and its arguments, which are one list, apart. The type is
// redundant.
func openCodeServer(server syntax.Value, _ Lookup) (syntax.Value, string) {
	server = server.Without("type")
	command, ok := server.Get("command")
	if !ok || command.Value.Kind != syntax.List || len(command.Value.Items) == 0 {
		return server, ""
	}
	args := command
	args.Key, args.Value.Items = "args", command.Value.Items[1:]
	command.Value = command.Value.Items[0]
	return server.Without("command", "args").With(command).With(args), ""
}

// continueServer returns a server with its headers. One of Continue's hub is not in the file.
func continueServer(server syntax.Value, _ Lookup) (syntax.Value, string) {
	if server.TextOf("uses") != "" {
		return server, "Continue fetches it from its hub"
	}
	for _, headers := range server.At("requestOptions", "headers") {
		server = server.With(headers)
	}
	return server, ""
}

// vscodeServer returns a server with the home directory for a "~" at the beginning of command, cwd and args,
// and with env.PATH appended to the existing PATH, as VS Code starts it.
func vscodeServer(server syntax.Value, lookup Lookup) (syntax.Value, string) {
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
	return server, ""
}

// zedServer returns a server of one of Zed's two forms. A server of an extension has no command.
func zedServer(server syntax.Value, _ Lookup) (syntax.Value, string) {
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

// gooseServer refuses the servers that run inside of goose.
func gooseServer(server syntax.Value, _ Lookup) (syntax.Value, string) {
	if slices.Contains([]string{"builtin", "platform", "frontend", "inline_python"}, server.TextOf("type")) {
		return server, "goose runs it itself"
	}
	return server, ""
}

// withPassed returns a server with the variables that a list names, if they are set; those that it has
// already win.
func withPassed(server syntax.Value, key string, lookup Lookup) syntax.Value {
	names, _ := server.Get(key)
	env, ok := server.Get("env")
	if names.Value.Kind != syntax.List || len(names.Value.Items) == 0 ||
		ok && env.Value.Kind != syntax.Object {
		return server
	}
	env.Key, env.Value.Kind = "env", syntax.Object
	if !ok {
		env.Line, env.Value.Line = names.Line, names.Line
	}
	for _, item := range names.Value.Items {
		name := cmp.Or(item.Text, item.TextOf("name"))
		if _, set := lookup.Value(name); set && name != "" && !strings.ContainsAny(name, "=\x00") {
			value := syntax.Value{Kind: syntax.Text, Line: item.Line, Text: "${" + name + "}"}
			env.Value = env.Value.With(syntax.Field{Key: name, Line: item.Line, Value: value})
		}
	}
	return server.Without("env", key).With(env)
}

// Section is a map of servers in a file.
type Section struct {
	Servers syntax.Field
	Dialect Dialect // Shared = that of the file
}

// layout is a place of servers in a file.
type layout struct {
	path    []string // of keys
	dialect Dialect
	fits    func(syntax.Value) bool // nil = always
}

// layouts are those of the files of any application.
var layouts = []layout{
	// Claude, Cursor, Windsurf, Gemini, Cline …
	{path: []string{"mcpServers"}, fits: func(v syntax.Value) bool { return !isNamedList(v) }},
	{path: []string{"mcpServers"}, dialect: Continue, fits: isNamedList},
	// mcp.json
	{path: []string{"servers"}, dialect: VSCode},
	// settings.json
	{path: []string{"mcp", "servers"}, dialect: VSCode,
		fits: func(v syntax.Value) bool { return !isOpenCode(v) }},
	// OpenCode 2
	{path: []string{"mcp", "servers"}, dialect: OpenCode, fits: isOpenCode},
	{path: []string{"mcp"}, dialect: OpenCode, fits: isOpenCode},
	{path: []string{"customizations", "vscode", "mcp", "servers"}, dialect: VSCode}, // devcontainer.json
	// NAME.code-workspace
	{path: []string{"settings", "mcp", "servers"}, dialect: VSCode},
	{path: []string{"settings", "amp", "mcpServers"}, dialect: Amp},
	{path: []string{"amp", "mcpServers"}, dialect: Amp},
	{path: []string{"context_servers"}, dialect: Zed},
	{path: []string{"mcp_servers"}, dialect: Codex},
	{path: []string{"extensions"}, dialect: Goose, fits: isGoose},
}

// Sections returns all maps of servers in a file of any application.
func Sections(root syntax.Value) []Section { return sections(root, layouts) }

// Sections returns the maps of servers in a file of this row.
func (r Row) Sections(root syntax.Value) []Section {
	if r.Dialect == OpenCode { // its second version has them elsewhere
		return sections(root, kit.Filter(layouts, func(l layout) bool { return l.dialect == OpenCode }))
	}
	return sections(root, []layout{{path: strings.Split(r.Key, "."), dialect: r.Dialect}})
}

func sections(root syntax.Value, layouts []layout) []Section {
	var found []Section
	for _, l := range layouts {
		for _, servers := range dotted(root, l.path) {
			if l.fits == nil || l.fits(servers.Value) {
				found = append(found, Section{l.dialect.named(servers), l.dialect})
			}
		}
	}
	if len(found) == 0 && isFlat(root) {
		found = []Section{{Servers: syntax.Field{Line: root.Line, Value: root}}}
	}
	return found
}

// dotted returns the members at a path of keys. As in VS Code's settings, a key with dots stands for several.
func dotted(v syntax.Value, path []string) (found []syntax.Field) {
	if len(path) == 0 {
		return nil
	}
	for n := 1; n <= len(path); n++ {
		for _, f := range v.At(strings.Join(path[:n], ".")) {
			if n == len(path) {
				found = append(found, f)
			}
			found = append(found, dotted(f.Value, path[n:])...)
		}
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

// isOpenCode reports whether v is a map of servers of OpenCode.
func isOpenCode(v syntax.Value) bool {
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
