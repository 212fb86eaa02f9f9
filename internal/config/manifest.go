package config

import (
	"cmp"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/manifest"
	"github.com/mcpctl/mcpctl/internal/redact"
)

// use is a text of the configuration that decides what a server does, and where it stands.
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

// Manifest is all that the entry can do. Of one that needs trust, Load has read the files that it starts.
func (e Entry) Manifest() manifest.Manifest {
	if e.made != nil {
		return *e.made
	}
	return e.manifest(newContents())
}

func (e Entry) manifest(read contents) manifest.Manifest {
	b := builder{Entry: e, host: hostIn(e.address())}
	for _, u := range e.uses {
		b.add(u)
	}
	if h := e.Server.HTTP; h != nil && len(b.Contacts) == 0 { // of a variable or the command line
		b.contact(h.URL, "")
	}
	words := e.words()
	code, handed := manifest.CodeIn(words)
	named := manifest.Named(words)
	for i, masked := range redact.Literals(words, func(i int) bool { return code[i] || handed[i] }) {
		if named[i] && !code[i] {
			masked = redact.Named(words[i], i == 0)
		}
		b.Starts = append(b.Starts, manifest.Masked(masked, words[i]))
	}
	if s := e.Server.Stdio; s != nil {
		b.In = e.located(cmp.Or(e.dir, s.Dir), s.Dir)
		b.Outside = e.Found == Searched && !e.scope.holds(s.Dir)
	}
	if h := e.Server.HTTP; h != nil && h.Helper != nil {
		b.Runs = append(b.Runs, manifest.Masked(redact.Literal(h.Helper.Command), h.Helper.Command))
	}
	b.Sandbox, b.Scripts = e.granted(), e.scripts(read)
	slices.SortFunc(b.Sets, func(x, y manifest.Member) int { return cmp.Compare(x.Name, y.Name) })
	return b.Manifest
}

type builder struct {
	manifest.Manifest
	Entry
	host  string // that a server at a URL is at, as it is written
	asked []string
}

// discreetly is a text that holds no secrets, such as a variable's name, without tokens that stand there by mistake.
func discreetly(text string) manifest.Text { return manifest.Masked(redact.MaskTokens(text), text) }

// oauthHosts are the keys of "oauth" whose hosts are contacted or opened, and what for.
var oauthHosts = map[string]string{"authServerMetadataUrl": "OAuth metadata", "authorizationUrl": "login", "tokenUrl": "tokens"}

func (b *builder) add(u use) {
	group, name, _ := strings.Cut(u.key, ".")
	group, _, _ = strings.Cut(group, "[")
	switch group {
	case "command", "args":
		b.give(u, "argument of the program", false)
	case "env":
		b.set(name, u)
	case "envFile":
		if u.from == fromEnvFile {
			b.set(name, u)
		} else {
			b.read(u, "environment")
		}
	case "url", "serverUrl", "httpUrl":
		b.contact(u.shown, "")
		b.give(u, "address", false)
	case "headers", "http_headers", "env_http_headers":
		if u.from != fromText {
			name = strings.TrimSuffix(name, "."+string(u.from))
		}
		b.send(http.CanonicalHeaderKey(name), "", u)
	case "bearerToken", "bearer_token_env_var":
		b.send(authorization, "Bearer ", u)
	case "oauth", "auth":
		b.login(strings.TrimSuffix(name, "."+string(u.from)), u)
	}
}

func (b *builder) set(name string, u use) {
	b.Sets = slices.DeleteFunc(b.Sets, func(v manifest.Member) bool { return v.Name == name })
	v := manifest.Member{Name: name, Value: manifest.Masked(redact.LiteralValue(name, u.shown), u.shown)}
	switch {
	case manifest.Steers(name):
		v.Unusual = "changes which code runs or whom it trusts"
		if !redact.SecretName(name) { // such as PATH; others are NPM_TOKEN and its like
			v.Value = manifest.Masked(redact.Named(u.shown, false), u.shown)
		}
	case u.from == fromEnvFile: // most of such files are made for secrets
		v.Value = manifest.Masked(redact.Mask, u.shown)
	}
	b.Sets = append(b.Sets, v)
	b.give(u, "env "+name, true)
}

func (b *builder) send(name, scheme string, u use) {
	exact := scheme + u.shown
	value := manifest.Masked(redact.LiteralValue(name, exact), exact)
	switch u.from {
	case fromVariable:
		value = discreetly(scheme + "${" + u.text + "}")
	case fromFile:
		value = discreetly(scheme + "content of " + u.shown)
		b.read(u, "header "+name)
	}
	b.Sends = append(b.Sends, manifest.Member{Name: name, Value: value})
	b.give(u, "header "+name, redact.SecretName(name))
}

func (b *builder) login(name string, u use) {
	if what, ok := oauthHosts[name]; ok {
		b.contact(u.shown, what)
		return
	}
	secret := slices.Contains([]string{"clientSecret"}, name)
	shown := redact.MaskTokens(u.shown)
	if secret && u.from == fromText {
		shown = redact.LiteralValue("secret", u.shown)
	}
	if u.from == fromFile {
		b.read(u, name)
	}
	b.Manifest.Login = append(b.Manifest.Login, manifest.Member{Name: name, Value: manifest.Masked(shown, u.shown)})
	at := b.host
	b.host = ""
	for _, m := range b.uses { // who gets the secret is whoever the configuration names, else whom the server names
		if _, ok := oauthHosts[strings.TrimPrefix(m.key, "oauth.")]; ok {
			b.host = strings.TrimPrefix(b.host+", "+hostIn(m.shown), ", ")
		}
	}
	b.host = cmp.Or(b.host, "the authorization server that "+at+" names")
	b.give(u, name, secret)
	b.host = at
}

func (b *builder) contact(address, what string) {
	host := hostIn(address)
	b.Contacts = append(b.Contacts, manifest.Host{
		URL: manifest.Masked(redact.Address(address), address), Host: manifest.Masked(redact.Host(host), host), For: what, Where: manifest.WhereIs(host),
	})
}

func (b *builder) read(u use, as string) {
	path := cmp.Or(u.path, b.absolute(u.shown))
	f := manifest.File{Path: b.located(u.shown, path), As: as}
	if !b.scope.holds(path) {
		f.Unusual = "outside of the project"
	}
	b.Reads = append(b.Reads, f)
}

// located is a path with where links of the project lead it: who can write there could make another file or folder of it later.
func (e Entry) located(shown, path string) manifest.Text {
	inside, err := filepath.Rel(e.scope.root, path)
	if e.scope.root == "" || err != nil || !filepath.IsLocal(inside) {
		return discreetly(shown)
	}
	if real := files.RealPath(path); real != filepath.Join(files.RealPath(e.scope.root), inside) {
		shown += " → " + real
	}
	return discreetly(shown)
}

func (e Entry) absolute(path string) string {
	return files.From(e.scope.folder, fromHome(e.scope.home, path))
}

// give is every value of the user's in a text. own = the place that it goes to is made for secrets.
func (b *builder) give(u use, to string, own bool) {
	from := []string{string(u.from) + " " + u.text}
	switch u.from {
	case fromText:
		from = b.scope.sources(u.text)
		b.ask(from)
	case fromEnvFile:
		if !redact.Sensitive(strings.TrimPrefix(u.key, "envFile."), u.text) {
			return
		}
		from = []string{"envFile"}
	}
	for _, source := range from {
		f := manifest.Flow{From: discreetly(source), To: to, At: discreetly(b.host)}
		if f.Unusual = b.oddFlow(source, to, own); !slices.Contains(b.Gives, f) {
			b.Gives = append(b.Gives, f)
		}
	}
}

// oddFlow says what is unusual about a secret going somewhere.
func (b *builder) oddFlow(from, to string, own bool) string {
	kind, name, _ := strings.Cut(from, " ")
	secret := kind != "env" || redact.SecretName(name)
	address := ""
	if h := b.Server.HTTP; h != nil {
		address = h.URL
	}
	switch {
	case !secret:
		return ""
	case strings.HasPrefix(address, "http:") && manifest.WhereIs(b.host) != "this machine":
		return "a secret that is sent without encryption"
	case kind == "file":
		return "the content of a file is handed on"
	case !own && b.Server.HTTP != nil:
		return "a secret in a place that is not made for secrets"
	case strings.HasPrefix(to, "env ") && kind == "env" && to != "env "+name:
		return "a secret under another name"
	}
	return ""
}

// ask is what the file says of the inputs among some sources.
func (b *builder) ask(sources []string) {
	for _, source := range sources {
		id, ok := strings.CutPrefix(source, "input ")
		if !ok || slices.Contains(b.asked, id) {
			continue
		}
		b.asked = append(b.asked, id)
		text := id
		if in := b.scope.inputs[id]; in.Description != "" || in.Default != "" || in.Options != nil {
			text += ": " + in.Description
			if in.Default != "" {
				text += ", else " + in.Default
			}
			for _, o := range in.Options {
				text += ", " + o.Label + " = " + o.Value
			}
		}
		b.Manifest.Asks = append(b.Manifest.Asks, discreetly(text))
	}
}

// sources are the variables and inputs whose values a text holds.
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
	slices.Sort(all)
	return slices.Compact(all)
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

// hostIn is the host and port in an address that may hold variables.
func hostIn(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	_, rest, _ := strings.Cut(address, "://")
	rest, _, _ = strings.Cut(rest, "/")
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// Own tells whether the entry is one of the user's own applications: in a file of the user's that nobody else can write,
// outside of every repository, and starting nothing of this project.
func (e Entry) Own() bool {
	if e.Found != Discovered || e.subject.path == "" || len(e.May.Network)+len(e.May.Write) > 0 {
		return false
	}
	real := files.RealPath(e.subject.path)
	folder := filepath.Dir(real)
	if _, err := os.Lstat(filepath.Join(files.ProjectRoot(folder), ".git")); err == nil {
		return false
	}
	if files.CheckFolder(folder, files.NotWritable) != nil || files.CheckPrivate(real, files.NotWritable) != nil {
		return false
	}
	if e.scope.holds(real) || e.Server.Stdio != nil && e.scope.holds(e.Server.Stdio.Dir) {
		return false
	}
	return len(e.Manifest().Scripts) == 0
}
