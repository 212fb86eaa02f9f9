package config

import (
	"cmp"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// use is a text of the configuration that decides what a server does.
type use struct {
	key      string   // as in messages: "args[1]", "headers.X-Trace", "oauth.clientSecret"
	text     string   // as it is written; or the name of a variable, the path of a file
	shown    string   // the same with directories in place of their variables
	receives []string // names of the user's values that the server gets by it
	literal  bool     // the server gets the text itself, not what it names
	path     string   // absolute, of the file that it names
}

// Effects are what a server would do according to its entry as it is declared, before anything is resolved.
// What comes from the user stands by its name; what the file has is whole, but for literal secrets.
type Effects struct {
	Starts   []string `json:"starts,omitempty"`    // the command line
	Contacts string   `json:"contacts,omitempty"`  // the URL
	Dir      string   `json:"directory,omitempty"` // where the file chooses one or it is not in the project
	Receives []string `json:"receives,omitempty"`  // names of variables, inputs and files
	Passes   []string `json:"passes,omitempty"`    // names of variables that a launcher such as npx gets
	Sets     []string `json:"sets,omitempty"`      // NAME=VALUE of environment variables
	Sends    []string `json:"sends,omitempty"`     // headers, "Name: value"
	Login    []string `json:"login,omitempty"`     // KEY=VALUE of how to log in
	Reads    string   `json:"reads,omitempty"`     // the file of variables
	Runs     []string `json:"runs,omitempty"`      // command lines that a shell runs to get credentials
	Asks     []string `json:"asks,omitempty"`      // inputs, with their defaults and options
	Sandbox  []string `json:"sandbox,omitempty"`   // what it may do in the sandbox besides the usual
	// names in Sets, and "url", that runtimes obey or that are addresses of this machine
	Notable []string `json:"notable,omitempty"`
	// addresses on other machines, with those that variables have as defaults
	Addresses []string `json:"addresses,omitempty"`
	Secrets   []string `json:"secrets,omitempty"`  // those of Receives that it may send to Addresses
	Tokens    string   `json:"tokens,omitempty"`   // "a token of ISSUER for RESOURCE to HOST"
	Settings  []string `json:"settings,omitempty"` // files of the project that decide what a launcher runs
	Code      string   `json:"code,omitempty"`     // the kind of code in it, such as "a shell line"
	Lacks     []string `json:"lacks,omitempty"`    // what keeps it from starting: "KEY, which is not set"
}

// Marked reports whether the user decides about the entry alone: it may send a secret to another machine, or
// runs code that the file itself holds.
func (x Effects) Marked() bool { return x.Code != "" || x.Tokens != "" || len(x.Secrets) > 0 }

// Effects returns what the entry would do, from the declaration alone: what a person weighs before trusting
// it. No file that it names is looked at.
func (e Entry) Effects() Effects {
	x := Effects{Contacts: redact.Declared("", e.address()), Login: e.loginLines(), Asks: e.inputLines()}
	for _, u := range e.uses {
		x.Receives = append(x.Receives, u.receives...)
		group, name, _ := strings.Cut(u.key, ".")
		switch {
		case group == "env":
			if u.text != "${"+name+"}" && u.text != "${"+name+":-}" { // it is in Receives
				x.Sets = append(x.Sets, name+"="+redact.Declared(name, u.shown))
			}
		case slices.Contains(headerGroups, group) && !strings.HasSuffix(u.key, ".command"):
			x.Sends = append(x.Sends, sent(group, name, u))
		case u.key == "envFile":
			x.Reads = u.shown
		}
	}
	x.Receives = unique(append(x.Receives, e.passed...))
	if s := e.Server.Stdio; s != nil {
		x.Starts = e.words()
		program := defaultWords(e)
		x.Code = cmp.Or(codeIn(e, program), inlineCode(x.Starts))
		outside := e.scope.root == "" || !files.Below(s.Dir, e.scope.root)
		if e.ownDir || outside {
			x.Dir = cmp.Or(e.dir, s.Dir)
		}
		if outside {
			x.Dir += ", outside of the project"
		}
		x.Passes, x.Settings = e.passes(), settings(e, launched(program))
	}
	if h := e.Server.HTTP; h != nil && h.Helper != nil {
		x.Runs, x.Code = append(x.Runs, h.Helper.Command), shellLine
	}
	if len(e.May.Network) > 0 {
		x.Sandbox = append(x.Sandbox, "network: all of it, for "+strings.Join(e.May.Network, ", "))
	}
	for _, folder := range e.May.Write {
		x.Sandbox = append(x.Sandbox, "write: "+folder)
	}
	for _, p := range e.Problems {
		if p.lacks != "" && !p.asked && !slices.Contains(x.Lacks, p.lacks) {
			x.Lacks = append(x.Lacks, p.lacks)
		}
	}
	x.Tokens = e.Login.Sends
	e.addRisks(&x)
	return x
}

// Mistake returns the first problem that is not only something that the environment lacks; nil for none. What
// such an entry would do is not known.
func (e Entry) Mistake() *Problem {
	i := slices.IndexFunc(e.Problems, func(p Problem) bool { return p.lacks == "" })
	if i < 0 {
		return nil
	}
	return &e.Problems[i]
}

// LacksProgram reports whether the program of the entry, a bare name, is in no directory of the user's PATH.
// It is false where that is not known: for names with variables or directories, where the entry sets its own
// PATH, and where PATH has relative directories or ones of the project, which are not looked at.
func LacksProgram(e Entry) bool {
	s := e.Server.Stdio
	if s == nil || strings.Trim(s.Command, ".") == "" || strings.ContainsAny(s.Command, `/\:`) ||
		slices.ContainsFunc(slices.Collect(maps.Keys(s.Env)), isPath) ||
		slices.ContainsFunc(e.uses, func(u use) bool { return u.key == "command" && u.text != s.Command }) {
		return false
	}
	search, _ := e.scope.lookup.Value("PATH")
	project := e.scope.root
	if project == "" && e.Found == Searched {
		project = e.scope.folder
	}
	foreign := func(folder string) bool {
		return folder != "" && (!filepath.IsAbs(folder) ||
			project != "" && files.Below(files.RealPath(folder), files.RealPath(project)))
	}
	if slices.ContainsFunc(filepath.SplitList(search), foreign) {
		return false
	}
	_, err := process.LookPath(s.Command, "", []string{"PATH=" + search})
	start, ok := errors.AsType[*process.StartError](err)
	return ok && start.NotFound
}

// Shown returns the effects for reports. A file that the user named is the user's own and needs no trust: its
// literals are masked as in logs, and values stand by their names.
func (e Entry) Shown() Effects {
	x := e.Effects()
	if e.Found != Named {
		return x.Reported()
	}
	name := func(separator string) func(string) string {
		return func(pair string) string {
			name, _, _ := strings.Cut(pair, separator)
			return name
		}
	}
	x.Starts = kit.Map(redact.MaskArgs(x.Starts), redact.MaskTokens)
	x.Runs = kit.Map(x.Runs, func(line string) string { return redact.MaskTokens(redact.MaskLine(line)) })
	if e.Server.HTTP != nil {
		x.Contacts = redact.MaskTokens(redact.MaskURL(e.address()))
	}
	x.Sets, x.Login = kit.Map(x.Sets, name("=")), kit.Map(x.Login, name("="))
	x.Sends, x.Asks = kit.Map(x.Sends, name(":")), kit.Map(x.Asks, name(" "))
	x.Dir, x.Reads = redact.MaskTokens(x.Dir), redact.MaskTokens(x.Reads)
	x.Receives = kit.Map(x.Receives, redact.MaskTokens)
	x.Addresses, x.Secrets, x.Notable, x.Tokens = nil, nil, nil, "" // for those who are asked
	return x
}

// Reported returns the effects for messages and reports: a token alone among the arguments is not shown. The
// program, the package of a launcher and code stay whole.
func (x Effects) Reported() Effects {
	shown := 0
	if len(x.Starts) > 0 && process.FetchesPackages(x.Starts[0]) {
		isPackage := func(word string) bool { return !strings.HasPrefix(word, "-") }
		shown = 1 + max(0, slices.IndexFunc(x.Starts[1:], isPackage))
	}
	starts := slices.Clone(x.Starts)
	for i := shown + 1; i < len(starts) && x.Code == ""; i++ {
		starts[i] = redact.DeclaredWord(x.Starts[i-1], starts[i])
	}
	x.Starts = starts
	x.Receives = kit.Map(x.Receives, func(name string) string { return redact.DeclaredWord("", name) })
	return x
}

// headerGroups are the keys whose texts are headers.
var headerGroups = []string{
	"headers", "http_headers", "env_http_headers", "bearerToken", "bearer_token_env_var",
}

// sent returns a header as it is declared: its value, or by name what it comes from.
func sent(group, name string, u use) string {
	name = strings.TrimSuffix(name, ".file")
	value := redact.Declared(name, u.shown)
	if !u.literal {
		value = strings.Join(u.receives, "")
		if !strings.Contains(value, " ") {
			value = "${" + value + "}"
		}
	}
	if group == "bearerToken" || group == "bearer_token_env_var" {
		if u.literal {
			value = redact.Declared("token", u.shown)
		}
		return "Authorization: Bearer " + value
	}
	return name + ": " + value
}

// loginLines returns every key of the login that is set, as it is written.
func (e Entry) loginLines() (lines []string) {
	if e.Server.HTTP == nil {
		return nil
	}
	var add func(name string, v syntax.Value)
	add = func(name string, v syntax.Value) {
		switch v.Kind {
		case syntax.Object:
			for _, f := range v.Fields {
				add(strings.TrimPrefix(name+"."+f.Key, "."), f.Value)
			}
		case syntax.List:
			text := func(item syntax.Value) string { return redact.Declared(name, item.Text) }
			lines = append(lines, name+"="+strings.Join(kit.Map(v.Items, text), " "))
		case syntax.Null:
		default:
			lines = append(lines, name+"="+redact.Declared(name, v.Text))
		}
	}
	for _, key := range []string{"oauth", "auth"} {
		if f, ok := e.read.Value.Get(key); ok && f.Value.Kind == syntax.Object {
			add("", f.Value)
		}
	}
	return lines
}

// inputLines returns the inputs that the entry takes, with what an answer means where that is not the answer.
func (e Entry) inputLines() (lines []string) {
	for _, item := range e.scope.asked.Items {
		id := item.TextOf("id")
		if !e.refersTo("input:"+id+"}") || slices.ContainsFunc(lines, func(line string) bool {
			return line == id || strings.HasPrefix(line, id+" ")
		}) {
			continue
		}
		in, line := e.scope.inputs[id], id
		if in.Default != "" {
			line += " (Enter means " + redact.Declared(id, in.Default) + ")"
		}
		for i, o := range in.Options {
			line += " " + map[bool]string{true: "", false: "or "}[i == 0] + redact.Declared(id, o.Value)
			if o.Label != o.Value {
				line += " as " + o.Label
			}
		}
		lines = append(lines, line)
	}
	return lines
}

// passes returns the names of the variables that the command gets as a launcher and that the entry does not
// set itself.
func (e Entry) passes() []string {
	var names []string
	for _, upper := range process.LauncherNames(e.Server.Stdio.Command) {
		for _, name := range []string{upper, strings.ToLower(upper)} {
			_, set := e.scope.lookup.Value(name)
			if _, own := e.Server.Stdio.Env[name]; set && !own {
				names = append(names, name)
			}
		}
	}
	return unique(names)
}

// settingFiles are files of a project that decide what a launcher runs.
var settingFiles = map[string][]string{
	"npm": {".npmrc", "node_modules", "package.json"}, "npx": {".npmrc", "node_modules"},
	"pnpm": {".npmrc", "pnpm-workspace.yaml", "node_modules", "package.json"},
	"pnpx": {".npmrc", "node_modules"},
	"yarn": {".yarnrc.yml", ".yarnrc", "node_modules", "package.json"},
	"bun":  {"bunfig.toml", ".npmrc", "node_modules", "package.json"},
	"bunx": {"bunfig.toml", "node_modules"},
	"deno": {"deno.json", "deno.jsonc", ".npmrc", "node_modules"},
	"uv":   {"uv.toml", "pyproject.toml", ".venv"}, "uvx": {"uv.toml", "pyproject.toml"},
	"dnx": {"nuget.config", "global.json"},
}

// starters start the program among their arguments.
var starters = strings.Fields("env cmd sudo nice nohup timeout time exec xvfb-run cross-env")

// launched returns the command line from its launcher on, if a wrapper starts that; else the whole.
func launched(words []string) []string {
	for i, word := range words {
		name := process.ProgramName(word)
		isOption := strings.HasPrefix(word, "-") || strings.HasPrefix(word, "/") && len(word) <= 3
		switch {
		case settingFiles[name] != nil:
			return words[i:]
		case i > 0 && (isOption || strings.Contains(word, "=")), slices.Contains(starters, name):
		case i > 0 && strings.Trim(word, "0123456789smhd.") == "": // of timeout and nice
		default:
			return words
		}
	}
	return words
}

// settings returns those of settingFiles that exist. A directory that the entry names is not looked at.
func settings(e Entry, words []string) []string {
	if len(words) == 0 {
		return nil
	}
	names := settingFiles[process.ProgramName(words[0])]
	if e.ownDir || e.scope.folder == "" {
		if len(names) > 0 {
			return []string{"settings in that directory"}
		}
		return nil
	}
	exists := func(name string) bool { return files.Exists(filepath.Join(e.scope.folder, name)) }
	return kit.Filter(names, exists)
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// words returns the command line, variables as they are written.
func (e Entry) words() []string {
	var words []string
	for _, u := range e.uses {
		if u.key == "command" || strings.HasPrefix(u.key, "args[") {
			words = append(words, u.shown)
		}
	}
	if s := e.Server.Stdio; words == nil && s != nil {
		words = append([]string{s.Command}, s.Args...)
	}
	return words
}

// defaultWords returns the command line with its defaults put in.
func defaultWords(e Entry) (words []string) {
	for _, u := range e.uses {
		if u.key == "command" || strings.HasPrefix(u.key, "args[") {
			words = append(words, e.scope.defaults(u.text))
		}
	}
	if words == nil {
		return e.words()
	}
	return words
}

// codeIn returns the kind of code in the command line with its defaults, or with one word as an option of an
// input has it.
func codeIn(e Entry, program []string) string {
	kind, i := inlineCode(program), -1
	for _, u := range e.uses {
		if u.key != "command" && !strings.HasPrefix(u.key, "args[") {
			continue
		}
		i++
		if kind != "" || !strings.Contains(u.text, "${input:") {
			continue
		}
		texts, _ := e.scope.readings(u.text)
		for _, text := range texts {
			line := slices.Clone(program)
			line[i] = text
			kind = cmp.Or(kind, inlineCode(line))
		}
	}
	return kind
}

// address returns the URL of the server, variables as they are written.
func (e Entry) address() string {
	address := ""
	if h := e.Server.HTTP; h != nil {
		address = h.URL
	}
	for _, u := range e.uses {
		if slices.Contains(urlKeys, u.key) {
			address = u.shown
		}
	}
	return address
}
