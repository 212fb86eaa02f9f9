package config

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
)

// use is a text of the configuration that decides what a server does.
type use struct {
	key   string // as messages have it: "args[1]", "headers.X-Trace", "oauth.clientSecret"
	text  string // as it is written; or the name of a variable, the path of a file
	shown string // the same with the folders put in
	from  origins
	path  string // of the file that it names, absolute
}

// origins are the places that the value of a use comes from.
type origins string

const (
	fromText     origins = ""        // the text itself, with its variables
	fromVariable origins = "env"     // the variable that the text names
	fromFile     origins = "file"    // the file that the text names
	fromEnvFile  origins = "envFile" // a line of that file
)

// written is an entry as its file has it, before anything is resolved.
type written struct {
	path    string // absolute, of the file
	name    string // of the server in that file
	dialect clients.Dialect
	entry   syntax.Value   // every key, known or not
	inputs  []syntax.Value // what the file says about the inputs that the entry names
}

// inputsNamed returns the inputs of a file that a text of the entry refers to.
func inputsNamed(entry, inputs syntax.Value) []syntax.Value {
	text := entry.Canonical()
	return kit.Filter(inputs.Items, func(input syntax.Value) bool {
		return bytes.Contains(text, []byte("${input:"+input.TextOf("id")+"}"))
	})
}

// Declared returns the configuration file of the entry, links resolved, and its name there.
func (e Entry) Declared() (file, server string) {
	return files.RealPath(e.written.path), e.written.name
}

// Digest returns the SHA-256, in hexadecimal, of everything that is declared about the server: the file, its
// dialect, the name, the whole entry with every key, the inputs it names, the grants of mcpctl.yaml that
// apply to it, the folders that variables of the application stand for, and the working directory. Values of
// variables, and files that the command reads, are not part of it.
func (e Entry) Digest() string {
	h := sha256.New()
	add := func(parts ...string) {
		for _, part := range parts {
			h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
			h.Write([]byte(part))
		}
	}
	file, server := e.Declared()
	entry := e.written.entry.Canonical()
	add("mcpctl-trust-1", file, string(e.written.dialect), server, string(entry))
	for _, input := range e.written.inputs {
		add("input", string(input.Canonical()))
	}
	for _, name := range kit.SortedKeys(e.scope.known) {
		if bytes.Contains(entry, []byte("${"+name)) {
			add("folder", name, e.scope.known[name])
		}
	}
	if bytes.Contains(entry, []byte("${workspaceFolder")) {
		add("folder", "workspaceFolder", e.scope.folder)
	}
	for _, host := range e.May.Network {
		add("network", host)
	}
	for _, folder := range e.May.Write {
		add("write", folder)
	}
	if s := e.Server.Stdio; s != nil {
		add("directory", files.RealPath(s.Dir))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Effects are what a person weighs before trusting an entry. Literal secrets of the file are masked.
type Effects struct {
	Starts    []string // the command line, variables as written; nil for a URL
	Contacts  string   // the URL of the server; empty for a command
	Dir       string   // the working directory, where the file chooses one or it is not in the project
	Receives  []string // variables, inputs and files whose values it gets, by name
	Passes    []string // variables of the user's that a launcher such as npx gets, by name; not in a sandbox
	Addresses []string // KEY=ADDRESS, literal ones that are not on this machine
	Sets      []string // NAME=VALUE, the other literal environment variables
	Runs      []string // command lines that a shell runs to get credentials
	Sandbox   []string // what it may do in the sandbox beside what all may
	Packages  bool     // a launcher fetches a package by the project's own settings
	Shell     bool     // the command line goes through a shell
}

// packageLaunchers fetch what they start, as the .npmrc and the like of the working directory say.
var packageLaunchers = []string{
	"npx", "npm", "pnpm", "pnpx", "yarn", "bun", "bunx", "deno", "uvx", "uv", "pipx", "dnx",
}

// shells run a command line that they get as an argument.
var shells = []string{"sh", "bash", "zsh", "dash", "ksh", "fish", "cmd", "powershell", "pwsh", "busybox"}

// Effects returns what the entry would do, from the configuration alone.
func (e Entry) Effects() Effects {
	words := e.words()
	x := Effects{Contacts: e.contacts()}
	x.Packages = len(words) > 0 && slices.Contains(packageLaunchers, launcherName(words[0]))
	named := 0 // the package, or whatever a launcher takes for it, must be shown however it looks
	if x.Packages {
		named = 1 + slices.IndexFunc(words[1:],
			func(word string) bool { return !strings.HasPrefix(word, "-") })
	}
	x.Starts = redact.Literals(words, func(i int) bool { return i <= named || isCode(words, i) })
	x.Shell = slices.ContainsFunc(words,
		func(word string) bool { return slices.Contains(shells, launcherName(word)) })
	for _, u := range e.uses {
		x.Receives = append(x.Receives, e.received(u)...)
		if u.from != fromText {
			continue
		}
		addresses := addressesIn(u)
		x.Addresses = append(x.Addresses, addresses...)
		if name, ok := strings.CutPrefix(u.key, "env."); ok && len(addresses) == 0 && !isVariable(u.text) {
			x.Sets = append(x.Sets, name+"="+redact.LiteralValue(name, u.shown))
		}
	}
	if s := e.Server.Stdio; s != nil {
		outside := !e.scope.holds(s.Dir)
		if e.chosenDir || outside {
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

// isCode reports whether an argument is code for the program, which must be shown however it looks.
func isCode(words []string, i int) bool {
	program := launcherName(words[0])
	flags := codeFlags[program]
	if flags == nil && slices.Contains(shells, program) {
		flags = []string{"-c", "-lc", "-ic"}
	}
	return i > 0 && slices.Contains(flags, words[i-1])
}

// isVariable reports whether a text is one variable, with a default or without.
func isVariable(text string) bool {
	return strings.HasPrefix(text, "${") && clients.Closing(text) == len(text)
}

// Marked reports whether a person should decide about the entry alone: a value of the user's goes together
// with an address that the file chose, or a shell runs what the file says.
func (x Effects) Marked() bool { return x.Shell || len(x.Receives) > 0 && len(x.Addresses) > 0 }

// contacts returns the URL of the server as it may be shown.
func (e Entry) contacts() string {
	if e.Server.HTTP == nil {
		return ""
	}
	return redact.MaskTokens(redact.MaskURL(e.address()))
}

// launcherName returns the name of a program without its folder and without .exe or .cmd.
func launcherName(word string) string {
	name := strings.ToLower(word[strings.LastIndexAny(word, `/\`)+1:])
	for _, extension := range []string{".exe", ".cmd", ".bat"} {
		name = strings.TrimSuffix(name, extension)
	}
	return name
}

func unique(names []string) []string {
	slices.Sort(names)
	return slices.Compact(names)
}

// received returns the names of the user's values that a text of the configuration hands on.
func (e Entry) received(u use) []string {
	if u.key == "envFile" {
		return []string{"the variables of " + redact.MaskTokens(u.shown)}
	}
	switch u.from {
	case fromText:
		return kit.Map(e.scope.sources(u.text),
			func(source string) string { return redact.MaskTokens(strings.TrimPrefix(source, "env ")) })
	case fromVariable:
		return []string{redact.MaskTokens(u.text)}
	case fromFile:
		return []string{"the content of " + redact.MaskTokens(u.shown)}
	}
	return nil
}

// sources are the variables and inputs whose values a text holds: "env NAME" or "input ID".
func (x expander) sources(text string) []string {
	var all []string
	for text != "" && x.depth <= maxDefaults {
		_, token, rest := x.next(text)
		text = rest
		inner := strings.TrimSuffix(strings.TrimPrefix(token, "${"), "}")
		if _, folder := x.folders(inner); token == "" || folder {
			continue
		}
		if id, ok := strings.CutPrefix(inner, "input:"); ok {
			all = append(all, "input "+id)
			continue
		}
		name, fallback, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(inner, "$"), "env:"), ":-")
		inside := x
		inside.depth++
		all = append(append(all, "env "+name), inside.sources(fallback)...)
	}
	return unique(all)
}

var (
	withScheme = kit.Pattern(`[A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>,;]+`)
	withPort   = kit.Pattern(`(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}:\d+|\b\d{1,3}(?:\.\d{1,3}){3}\b`)
	hostAlone  = kit.Pattern(`^(?:[A-Za-z0-9-]+\.)+[A-Za-z]{2,}$`)
)

// addressesIn returns the literal addresses in a text that could take a secret away from this machine.
func addressesIn(u use) []string {
	group, name, _ := strings.Cut(u.key, ".")
	group, _, _ = strings.Cut(group, "[")
	found := withScheme().FindAllString(u.shown, -1)
	if len(found) == 0 {
		found = withPort().FindAllString(u.shown, -1)
	}
	if len(found) == 0 && group == "env" {
		found = hostAlone().FindAllString(strings.TrimSpace(u.shown), -1)
	}
	var all []string
	for _, text := range found {
		if host := hostIn(text); host == "" || strings.Contains(host, "$") || onThisMachine(host) {
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

// onThisMachine reports whether a host, with or without a port, is a loopback name or address.
func onThisMachine(host string) bool {
	u := url.URL{Host: host}
	name := strings.TrimSuffix(u.Hostname(), ".")
	ip, err := netip.ParseAddr(name)
	return name == "localhost" || strings.HasSuffix(name, ".localhost") ||
		err == nil && ip.Unmap().IsLoopback()
}

// linkOut returns the problem of a file or directory of the project that is a link out of it, in an entry
// that was only found: whoever can write to the repository would choose what of the user's is read, written
// or started in.
func (e Entry) linkOut() *Problem {
	if e.Found == Named || e.scope.root == "" {
		return nil
	}
	root := files.RealPath(e.scope.root)
	paths := slices.Clone(e.May.Write)
	if s := e.Server.Stdio; s != nil {
		paths = append(paths, s.Dir)
	}
	for _, u := range e.uses {
		if u.path != "" {
			paths = append(paths, u.path)
		}
	}
	for _, path := range paths {
		inside, err := filepath.Rel(e.scope.root, path)
		if real := files.RealPath(path); err == nil && filepath.IsLocal(inside) && !files.Below(real, root) {
			return &Problem{
				File: e.File, Line: e.Line, Server: e.Server.Name,
				Message: inside + " is a link out of the project, to " + real,
				Hint:    "write the path that it leads to, or name the file with --config",
			}
		}
	}
	return nil
}

// words are the command line, variables as they are written.
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

// address is the URL of the server, variables as they are written.
func (e Entry) address() string {
	for _, u := range e.uses {
		if slices.Contains(urlKeys, u.key) {
			return u.shown
		}
	}
	if h := e.Server.HTTP; h != nil {
		return h.URL
	}
	return ""
}

// Application reports whether the entry is one of an application of the user's that is trusted by its file: a
// file outside of every repository that only the user can write, and nothing below a repository is started.
func (e Entry) Application() bool {
	if e.Found != Discovered || e.written.path == "" || len(e.May.Network)+len(e.May.Write) > 0 {
		return false
	}
	real := files.RealPath(e.written.path)
	folder := filepath.Dir(real)
	if inRepository(folder) || files.CheckFolder(folder, files.NotWritable) != nil ||
		files.CheckPrivate(real, files.NotWritable) != nil {
		return false
	}
	return !e.startsInRepository()
}

// startsInRepository reports whether the working directory, or a path on the command line, lies below a
// repository.
func (e Entry) startsInRepository() bool {
	s := e.Server.Stdio
	if s == nil {
		return false
	}
	if inRepository(s.Dir) {
		return true
	}
	return slices.ContainsFunc(append([]string{s.Command}, s.Args...), func(word string) bool {
		if _, value, ok := strings.Cut(word, "="); ok {
			word = value
		}
		path := files.From(s.Dir, word)
		_, err := os.Lstat(path)
		return word != "" && err == nil && inRepository(filepath.Dir(path))
	})
}

// inRepository reports whether a folder is part of a git repository, links resolved.
func inRepository(folder string) bool {
	_, err := os.Lstat(filepath.Join(files.ProjectRoot(files.RealPath(folder)), ".git"))
	return err == nil
}
