package config

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
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

// shells run a command line that is one of their arguments.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "busybox"}

// Effects are what a server would do according to its entry. Secrets are masked.
type Effects struct {
	Starts    []string `json:"starts,omitempty"`    // the command line, variables as written
	Contacts  string   `json:"contacts,omitempty"`  // the URL
	Dir       string   `json:"directory,omitempty"` // where the file chooses one or it is not in the project
	Receives  []string `json:"receives,omitempty"`  // names of variables, inputs and files
	Passes    []string `json:"passes,omitempty"`    // names of variables that a launcher such as npx gets
	Addresses []string `json:"addresses,omitempty"` // KEY=ADDRESS, literal ones on other machines
	Sets      []string `json:"sets,omitempty"`      // NAME=VALUE, other environment variables
	Runs      []string `json:"runs,omitempty"`      // command lines that a shell runs to get credentials
	Sandbox   []string `json:"sandbox,omitempty"`   // what it may do in the sandbox besides the usual
	// a launcher fetches a package by the project's own settings
	Packages bool `json:"packages,omitempty"`
	Shell    bool `json:"shell,omitempty"` // the command line goes through a shell
}

// Marked reports whether the user should decide about the entry alone: it gets a value of the user's together
// with an address that the file chose, or runs a shell.
func (x Effects) Marked() bool { return x.Shell || len(x.Receives) > 0 && len(x.Addresses) > 0 }

// Effects returns what the entry would do, from the configuration alone: what a person weighs before trusting
// it. Literal secrets of the file are masked.
func (e Entry) Effects() Effects {
	words := e.words()
	x := Effects{Contacts: e.contacts()}
	x.Packages = len(words) > 0 && process.FetchesPackages(words[0])
	shown := 0 // arguments that are never masked: the program, and the package of a launcher
	if x.Packages {
		shown = 1 + slices.IndexFunc(words[1:],
			func(word string) bool { return !strings.HasPrefix(word, "-") })
	}
	x.Starts = redact.Literals(words, func(i int) bool { return i <= shown || isCode(words, i) })
	x.Shell = slices.ContainsFunc(words,
		func(word string) bool { return slices.Contains(shells, process.ProgramName(word)) })
	for i, u := range e.uses {
		x.Receives = append(x.Receives, kit.Map(u.receives, redact.MaskTokens)...)
		if !u.literal {
			continue
		}
		option := ""
		if i > 0 {
			option = e.uses[i-1].shown
		}
		addresses := addressesIn(u, option)
		x.Addresses = append(x.Addresses, addresses...)
		isVariable := strings.HasPrefix(u.text, "${") && clients.Closing(u.text) == len(u.text)
		if name, ok := strings.CutPrefix(u.key, "env."); ok && len(addresses) == 0 && !isVariable {
			x.Sets = append(x.Sets, name+"="+redact.LiteralValue(name, u.shown))
		}
	}
	if s := e.Server.Stdio; s != nil {
		outside := !e.scope.holds(s.Dir)
		if e.ownDir || outside {
			x.Dir = redact.MaskTokens(cmp.Or(e.dir, s.Dir))
		}
		if outside {
			x.Dir += ", outside of the project"
		}
		x.Passes = e.passes()
	}
	if h := e.Server.HTTP; h != nil && h.Helper != nil {
		x.Runs = append(x.Runs, redact.MaskLine(h.Helper.Command))
		x.Shell = true
	}
	if len(e.May.Network) > 0 {
		x.Sandbox = append(x.Sandbox, "network: all of it, for "+strings.Join(e.May.Network, ", "))
	}
	for _, folder := range e.May.Write {
		x.Sandbox = append(x.Sandbox, "write: "+folder)
	}
	x.Receives = unique(x.Receives)
	return x
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

// codeFlags are options of interpreters whose value is code.
var codeFlags = map[string][]string{
	"node": {"-e", "--eval", "-p", "--print"}, "bun": {"-e", "--eval"}, "deno": {"eval"}, "python": {"-c"},
	"python3": {"-c"}, "ruby": {"-e"}, "perl": {"-e", "-E"}, "php": {"-r"},
	"cmd": {"/c", "/C"}, "powershell": {"-Command", "-c"}, "pwsh": {"-Command", "-c"},
}

// isCode reports whether an argument is code for the program, which is never masked.
func isCode(words []string, i int) bool {
	program := process.ProgramName(words[0])
	flags := codeFlags[program]
	if flags == nil && slices.Contains(shells, program) {
		flags = []string{"-c", "-lc", "-ic"}
	}
	return i > 0 && slices.Contains(flags, words[i-1])
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

// contacts returns the URL of the server as it may be shown, variables as they are written.
func (e Entry) contacts() string {
	address := ""
	if h := e.Server.HTTP; h != nil {
		address = h.URL
	}
	for _, u := range e.uses {
		if slices.Contains(urlKeys, u.key) {
			address = u.shown
		}
	}
	return redact.MaskTokens(redact.MaskURL(address))
}

// The forms of an address: a URL, a host with a port or an IPv4 address, and a text that is a host name.
var (
	withScheme = kit.Pattern(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>,;]+`)
	withPort   = kit.Pattern(`(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}:\d+|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	hostAlone  = kit.Pattern(`^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}$`)
	// an option whose value is a host; that of others could be the name of a file or module
	addressOption = kit.Pattern(`(?i)^-.*(?:host|url|uri|endpoint|server|domain|address|proxy|base|api)`)
)

// addressesIn returns the literal addresses in a text to which a secret could be sent; option is the argument
// before it.
func addressesIn(u use, option string) []string {
	group, name, _ := strings.Cut(u.key, ".")
	group, _, _ = strings.Cut(group, "[")
	found := withScheme().FindAllString(u.shown, -1)
	if len(found) == 0 {
		found = withPort().FindAllString(u.shown, -1)
	}
	value := strings.TrimSpace(u.shown)
	if name, assigned, ok := strings.Cut(value, "="); ok && group == "args" {
		option, value = name, assigned
	}
	if len(found) == 0 && (group == "env" || group == "args" && addressOption().MatchString(option)) {
		found = hostAlone().FindAllString(value, -1)
	}
	var all []string
	for _, text := range found {
		if host := hostIn(text); host == "" || strings.Contains(host, "$") || kit.ThisMachine(host) {
			continue
		}
		all = append(all, cmp.Or(name, group)+"="+redact.MaskTokens(redact.MaskURL(text)))
	}
	return all
}

// hostIn returns the host and port in an address, with or without a scheme, that may hold variables.
func hostIn(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	if _, rest, ok := strings.Cut(address, "://"); ok {
		address = rest
	}
	address, _, _ = strings.Cut(address, "/")
	return strings.ToLower(address[strings.LastIndexByte(address, '@')+1:])
}
