package clients

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// ToolKeys are the keys by which an application switches tools off. The zero value has none.
type ToolKeys struct {
	Only string // of a server: a list of the only tools that are on
	Off  string // of a server: a list of tools that are off, also where Only names them
	All  string // an item of Only that stands for every tool; empty = there is none

	Patterns string // of the file: a map of patterns of tools of all servers (OpenCode)
	Agent    string // of the file: a list of the only tools that are on, of all servers (Amazon Q)

	EmptyIsAll bool   // an empty Only is as none
	Globs      bool   // items are patterns
	Calls      bool   // an item may have arguments in parentheses behind the name
	Source     string // URL that documents the keys
}

// ToolFilter is which tools of one server an application gives to its model. The zero value gives all.
type ToolFilter struct {
	Application string // as people call it; the name of the file where that is unknown
	File        string // that has the keys, as shown to people
	Only        string // key of the list that names the only tools that are on; empty = there is none
	Line        int    // of Only, 1-based
	Rules       []ToolRule

	prefix string // before the names of the server's tools in patterns
}

// ToolRule switches the tools on or off that it matches; the last that matches a tool decides.
type ToolRule struct {
	Key   string // of the configuration, such as "enabled_tools"
	Text  string // as it is written there
	Line  int    // 1-based
	On    bool
	Glob  bool // Text may match several tools
	Names bool // Text is about this server alone, so it is a mistake if it matches no tool

	pattern string
}

// Limits reports whether the filter can switch a tool off.
func (f ToolFilter) Limits() bool {
	return f.Only != "" || slices.ContainsFunc(f.Rules, func(r ToolRule) bool { return !r.On })
}

// On reports whether a tool is on, and the key that decides.
func (f ToolFilter) On(tool string) (on bool, key string) {
	on, key = f.Only == "", f.Only
	for _, r := range f.Rules {
		if f.Matches(r, tool) {
			on, key = r.On, r.Key
		}
	}
	return on, key
}

// Matches reports whether a rule of the filter is about a tool.
func (f ToolFilter) Matches(r ToolRule, tool string) bool {
	name := tool
	if f.prefix != "" {
		name = f.prefix + safeName(tool)
	}
	if r.Glob {
		return kit.Glob(r.pattern, name)
	}
	return r.pattern == name
}

// Name returns the name of the tool that a rule is about, without what its application puts before it.
func (f ToolFilter) Name(r ToolRule) string { return strings.TrimPrefix(r.pattern, f.prefix) }

var notInToolName = kit.Pattern(`[^A-Za-z0-9_-]`)

// safeName returns a name as OpenCode writes it in the names of tools.
func safeName(name string) string { return notInToolName().ReplaceAllString(name, "_") }

// MaxRules is how many tools and patterns one key may name: each is compared with each tool.
const MaxRules = 1000

// Filter returns the tools of a server that the application gives to its model. root is the whole file, and
// servers are the names of all its servers. problems are the keys that cannot be read.
func (a App) Filter(server syntax.Field, root syntax.Value, servers []string) (f ToolFilter,
	problems []syntax.Field) {
	f.Application = a.Name
	list := func(of syntax.Value, key string) []syntax.Value {
		field, ok := of.Get(key)
		if !ok || key == "" || field.Value.Kind == syntax.Null {
			return nil
		}
		other := func(v syntax.Value) bool { return v.Kind != syntax.Text }
		items := field.Value.Items
		if field.Value.Kind != syntax.List || len(items) > MaxRules || slices.ContainsFunc(items, other) {
			problems = append(problems, field)
			return nil
		}
		return append([]syntax.Value{}, items...)
	}
	keys := a.Tools
	if only := list(server.Value, keys.Only); only != nil && (len(only) > 0 || !keys.EmptyIsAll) {
		at, _ := server.Value.Get(keys.Only)
		f.only(keys, at, only)
	}
	for _, item := range list(server.Value, keys.Off) {
		f.Rules = append(f.Rules, keys.rule(keys.Off, item, false))
	}
	switch field, ok := root.Get(keys.Patterns); {
	case !ok || keys.Patterns == "":
	case len(field.Value.Fields) > MaxRules:
		problems = append(problems, field)
	default:
		f.patterns(server.Key, field, servers)
	}
	if items := list(root, keys.Agent); items != nil {
		field, _ := root.Get(keys.Agent)
		f.agent(server.Key, field, items)
	}
	return f, problems
}

// only adds the rules of a list of the only tools that are on.
func (f *ToolFilter) only(keys ToolKeys, at syntax.Field, items []syntax.Value) {
	f.Only, f.Line = at.Key, at.Line
	for _, item := range items {
		if item.Text == keys.All && keys.All != "" {
			f.Only, f.Rules = "", nil
			return
		}
		f.Rules = append(f.Rules, keys.rule(at.Key, item, true))
	}
}

// rule returns the rule of an item of a list.
func (k ToolKeys) rule(key string, item syntax.Value, on bool) ToolRule {
	r := ToolRule{Key: key, Text: item.Text, Line: item.Line, On: on, Names: true, pattern: item.Text,
		Glob: k.Globs && kit.IsGlob(item.Text)}
	if name, _, called := strings.Cut(item.Text, "("); called && k.Calls && on {
		r.pattern = name
	}
	return r
}

// patterns adds the rules of OpenCode: patterns of names of tools, which begin with the name of the server.
func (f *ToolFilter) patterns(server string, field syntax.Field, servers []string) {
	f.prefix = safeName(server) + "_"
	for _, p := range field.Value.Fields {
		r := ToolRule{Key: field.Key, Text: p.Key, Line: p.Line, On: strings.EqualFold(p.Value.Text, "true"),
			Glob: kit.IsGlob(p.Key), pattern: p.Key}
		fixed, _, _ := strings.Cut(strings.ReplaceAll(p.Key, "?", "*"), "*")
		longer := func(other string) bool {
			prefix := safeName(other) + "_"
			return len(prefix) > len(f.prefix) && strings.HasPrefix(fixed, prefix)
		}
		switch {
		case p.Value.Kind != syntax.Boolean || slices.ContainsFunc(servers, longer):
			continue
		case p.Key == safeName(server): // all of its tools
			r.pattern, r.Glob = f.prefix+"*", true
		case strings.HasPrefix(fixed, f.prefix):
			r.Names = true
		case !r.Glob || !strings.HasPrefix(f.prefix, fixed): // about other tools
			continue
		}
		f.Rules = append(f.Rules, r)
	}
}

// agent adds the rules of an agent of Amazon Q: a list of the only tools that are on, of all servers.
func (f *ToolFilter) agent(server string, field syntax.Field, items []syntax.Value) {
	f.Only, f.Line = field.Key, field.Line
	for _, item := range items {
		of, tool, one := strings.Cut(strings.TrimPrefix(item.Text, "@"), "/")
		switch isServer := strings.HasPrefix(item.Text, "@") && of == server; {
		case item.Text == "*", isServer && !one:
			f.Only, f.Rules = "", nil
			return
		case isServer:
			f.Rules = append(f.Rules, ToolRule{Key: field.Key, Text: item.Text, Line: item.Line, On: true,
				Names: true, pattern: tool})
		}
	}
}

// shared are the keys that count in a file of the common form that belongs to no application of the table.
var shared = ToolKeys{Only: "includeTools", Off: "excludeTools", Calls: true}

// ApplicationOf returns the application whose file a path is, or whose dialect it has. Of another file it has
// the name of the file.
func ApplicationOf(file string, dialect Dialect) App {
	slashed, longest, found := filepath.ToSlash(file), 0, App{}
	for _, app := range known() {
		for _, tail := range app.tails {
			last := tailOf(slashed, strings.Count(tail, "/")+1)
			if ok, _ := path.Match(tail, last); ok && len(tail) > longest {
				found, longest = app.App, len(tail)
			}
		}
	}
	if longest > 0 {
		return found
	}
	for _, app := range known() {
		if dialect != Shared && dialect != Seconds && app.Dialect == dialect {
			return app.App
		}
	}
	return App{Name: path.Base(slashed), Tools: shared}
}

// tailOf returns the last n elements of a path.
func tailOf(slashed string, n int) string {
	parts := strings.Split(slashed, "/")
	return strings.Join(parts[max(0, len(parts)-n):], "/")
}

// knownApp is an application with how its files end.
type knownApp struct {
	App
	tails []string
}

// known returns the applications of the table, and how their files end on any system.
var known = sync.OnceValue(func() []knownApp {
	return kit.Map(Table(), func(app App) knownApp {
		k := knownApp{App: app, tails: slices.Clone(app.Named)}
		for _, row := range app.Rows {
			k.Dialect = cmp.Or(k.Dialect, row.Dialect)
			for _, os := range []string{"linux", "darwin", "windows"} {
				const home = "/HOME/"
				template := strings.TrimPrefix(row.Paths.On(os), "{project}/")
				full, _, ok := Host{OS: os, Home: strings.TrimSuffix(home, "/")}.expand(template)
				if tail := strings.TrimLeft(strings.TrimPrefix(full, home), "/"); ok && tail != "" {
					k.tails = append(k.tails, tail)
				}
			}
		}
		return k
	})
})

// Place is where an application has a server that was discovered.
type Place struct {
	Application string `json:"application"`    // as people call it
	ID          string `json:"-"`              // of the application, as names of servers have it
	Scope       string `json:"scope"`          // "user", "project", "managed", …
	File        string `json:"file"`           // as shown to people
	Line        int    `json:"line"`           // 1-based
	Name        string `json:"name,omitempty"` // of the server there, if not as in the report
	// "disabled", or "overridden": the application uses another definition; empty = in use
	State string `json:"state,omitempty"`

	Filter ToolFilter `json:"-"` // which of its tools the application gives to the model
}
