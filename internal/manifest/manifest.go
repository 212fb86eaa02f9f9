// Package manifest is what a configured server can do, as data, made from the configuration alone: what a person agrees to.
// Only literal secrets are masked, and what is unusual is said.
package manifest

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
)

// Text is a text of a configuration: as it is shown, with literal secrets masked, and as it is compared.
type Text struct{ shown, exact string }

// Masked is a text whose literal secrets are masked in shown.
func Masked(shown, exact string) Text { return Text{shown, exact} }

// Plain is a text without secrets.
func Plain(text string) Text { return Text{text, text} }

// String is the text as it is shown.
func (t Text) String() string { return t.shown }

func exactly(t Text) string { return t.exact }

// MarshalText is the text as it is shown.
func (t Text) MarshalText() ([]byte, error) { return []byte(t.shown), nil }

// Manifest is all that an entry of a configuration can do. Paths are as the user knows them.
type Manifest struct {
	Starts   []Text   `json:"starts,omitempty"`   // the program and every argument, variables as they are written
	In       Text     `json:"in,omitzero"`        // the working folder
	Outside  bool     `json:"outside,omitempty"`  // it is not in the project that the configuration was found in
	Contacts []Host   `json:"contacts,omitempty"` // the server, and what is named for OAuth
	Runs     []Text   `json:"runs,omitempty"`     // command lines of the shell: what gives credentials, install scripts
	Reads    []File   `json:"reads,omitempty"`    // files whose content it gets
	Sets     []Member `json:"sets,omitempty"`     // environment variables of the program
	Sends    []Member `json:"sends,omitempty"`    // request headers
	Login    []Member `json:"login,omitempty"`    // what the configuration says of OAuth besides hosts
	Gives    []Flow   `json:"gives,omitempty"`    // values of the user's, from where to where
	Sandbox  []Member `json:"sandbox,omitempty"`  // what is granted to it in a sandbox: "network", "write"
	Scripts  []File   `json:"scripts,omitempty"`  // files of the project that a command names
	Asks     []Text   `json:"asks,omitempty"`     // inputs that a person is asked for
}

// Host is one address that is contacted.
type Host struct {
	URL   Text   `json:"url"`             // variables as they are written, secrets masked
	Host  Text   `json:"host"`            // name or address, and port if there is one
	For   string `json:"for,omitempty"`   // what besides the server itself: "OAuth metadata", "login", "tokens"
	Where string `json:"where,omitempty"` // "this machine" or "private network", where the host says so by itself
}

// File is a file on this machine.
type File struct {
	Path    Text   `json:"path"`
	As      string `json:"as,omitempty"`     // what its content becomes: "environment", "header Authorization", …
	Digest  string `json:"sha256,omitempty"` // of its content, in hexadecimal digits; empty = the content does not matter, or cannot be read
	Unusual string `json:"unusual,omitempty"`
}

// Member is a name with its value.
type Member struct {
	Name    string `json:"name"`
	Value   Text   `json:"value"`
	Unusual string `json:"unusual,omitempty"`
}

// Flow is one value of the user's that is handed on.
type Flow struct {
	From    Text   `json:"from"`        // "env NAME", "input ID", "file PATH", "literal" (the configuration itself)
	To      string `json:"to"`          // "env NAME", "header NAME", "argument 2", "client secret", …
	At      Text   `json:"at,omitzero"` // the host that gets it; empty = the program
	Unusual string `json:"unusual,omitempty"`
}

// Line is one capability.
type Line struct {
	What    string // "starts", "contacts", "gives", …
	Text    string // literal secrets masked
	Unusual string // why a person should look at it; empty = it is like others of its kind
	exact   string
}

// String is the line as it is kept to be compared with a later one.
func (l Line) String() string { return l.What + " " + l.Text }

// Lines are all capabilities, those that say what the server is first.
func (m Manifest) Lines() []Line {
	var lines []Line
	add := func(what, shown, exact, unusual string) {
		lines = append(lines, Line{what, shown, cmp.Or(unusual, unseen(exact)), exact})
	}
	if len(m.Starts) > 0 {
		odd := oddCommand(m.Starts)
		if odd == runsCode && m.masked() {
			odd += ", which may run what is masked"
		}
		add("starts", m.command(Text.String), m.command(exactly), odd)
	}
	for _, h := range m.Contacts {
		add("contacts", h.String(), h.URL.exact+" "+h.For, h.unusual())
	}
	if m.In != (Text{}) {
		odd := ""
		if m.Outside {
			odd = "outside of the project"
		}
		add("in", m.In.shown, m.In.exact, odd)
	}
	for _, line := range m.Runs {
		add("runs", line.shown, line.exact, "a command of the shell")
	}
	for _, f := range m.Reads {
		add("reads", f.Path.shown+" as "+f.As, f.Path.exact+" "+f.As, f.Unusual)
	}
	for _, v := range m.Sets {
		add("sets", v.Name+"="+v.Value.shown, v.Name+"="+v.Value.exact, v.Unusual)
	}
	for _, h := range m.Sends {
		add("sends", h.Name+": "+h.Value.shown, h.Name+": "+h.Value.exact, h.Unusual)
	}
	for _, v := range m.Login {
		add("login", v.Name+" "+v.Value.shown, v.Name+" "+v.Value.exact, v.Unusual)
	}
	for _, f := range m.Gives {
		add("gives", f.as(Text.String), f.as(exactly), f.Unusual)
	}
	for _, g := range m.Sandbox {
		add("sandbox", g.Name+" "+g.Value.shown, g.Name+" "+g.Value.exact, g.Unusual)
	}
	for _, t := range m.Asks {
		add("asks", t.shown, t.exact, "")
	}
	for _, f := range m.Scripts {
		add("script", f.Path.shown+" "+f.digest(), f.Path.exact+" "+f.Digest, f.Unusual)
	}
	return lines
}

// command is the command line as one would type it.
func (m Manifest) command(as func(Text) string) string {
	return strings.Join(lists.Map(m.Starts, func(word Text) string { return quoted(as(word)) }), " ")
}

// masked tells whether anything is masked that the program gets.
func (m Manifest) masked() bool {
	hidden := func(t Text) bool { return t.shown != t.exact }
	return slices.ContainsFunc(m.Starts, hidden) || slices.ContainsFunc(m.Sets, func(v Member) bool { return hidden(v.Value) })
}

func quoted(word string) string {
	plain := func(r rune) bool {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_@%+=:,./-${}", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// String is the host with what it is for.
func (h Host) String() string {
	text := h.URL.shown
	if h.For != "" {
		text += " for " + h.For
	}
	if h.Where != "" {
		text += " (" + h.Where + ")"
	}
	return text
}

func (h Host) unusual() string {
	switch {
	case strings.ContainsFunc(h.Host.exact, func(r rune) bool { return r > unicode.MaxASCII }):
		return "a host with letters or digits that can look like others"
	case h.For == "":
		return ""
	case h.Where != "":
		return "a host that is not on the Internet gets credentials"
	}
	return "a host besides the server gets credentials"
}

func (f File) digest() string {
	if f.Digest == "" {
		return "(" + cmp.Or(f.As, "cannot be read") + ")"
	}
	return "sha256:" + f.Digest[:12]
}

// as is where the value comes from, where it goes to, and who gets it.
func (f Flow) as(write func(Text) string) string {
	text := write(f.From) + " → " + f.To
	if at := write(f.At); at != "" {
		text += " → " + at
	}
	return text
}

// Brief is the manifest on one line: what is started or contacted, and whose secrets it gets. Unusual lines follow.
func (m Manifest) Brief() (text string, unusual []Line) {
	lines := m.Lines()
	if len(lines) > 0 {
		text = lines[0].Text
	}
	var from []string
	for _, f := range m.Gives {
		if _, source, _ := strings.Cut(f.From.shown, " "); source != "" && !slices.Contains(from, source) {
			from = append(from, source)
		}
	}
	if len(from) > 0 {
		text += "  gets " + strings.Join(from, ", ")
	}
	return text, slices.DeleteFunc(lines, func(l Line) bool { return l.Unusual == "" })
}

// Parts are all that an agreement covers, for digests alone: secrets are not masked in them.
func (m Manifest) Parts() []string {
	var parts []string
	for _, l := range m.Lines() {
		parts = append(parts, l.What, l.exact)
	}
	return parts
}

// Strings are the lines as they are kept, to be compared with later ones.
func (m Manifest) Strings() []string {
	return lists.Map(m.Lines(), Line.String)
}

// Compare is what a manifest newly can do, and what it no longer can; both are empty when only a secret differs.
func Compare(earlier, now []string) (added, gone []string) {
	missing := func(in, from []string) []string {
		return slices.DeleteFunc(slices.Clone(from), func(line string) bool { return slices.Contains(in, line) })
	}
	return missing(earlier, now), missing(now, earlier)
}

// unseen says so of a text with characters that a reader cannot see, or that change the order of others.
func unseen(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsPrint(r) && r != '\n' && r != '\t' || r == '\u00ad' || r == '\u2800' || r == '\u3164'
	}) {
		return "characters that cannot be seen"
	}
	return ""
}

// steering are environment variables that change which code runs, where it comes from or whom it trusts.
var steering = match.Pattern(`(?i)^(PATH|PATHEXT|HOME|USERPROFILE|SHELL|COMSPEC|PSMODULEPATH|ENV|BASH_ENV|BASH_FUNC_.*|BASHOPTS|SHELLOPTS|PS4|ZDOTDIR|FPATH|PROMPT_COMMAND|IFS|` +
	`TS_NODE_.*|TSX_.*|ELECTRON_RUN_AS_NODE|(PUPPETEER|PLAYWRIGHT)_.*(PATH|HOST)|BROWSERSLIST_CONFIG|COREPACK_.*|(VOLTA|NVM|FNM|ASDF|MISE|PYENV|RBENV|RUSTUP)_.*|MAKEFILES|MAKEFLAGS|CC|CXX|JAVA_HOME|NUGET_.*|` +
	`COMPOSE_.*|CONTAINER_(HOST|CONNECTION|SSHKEY)|CONTAINERS_.*|REGISTRY_AUTH_FILE|CLOUDSDK_(CONFIG|PYTHON.*)|GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES|HOSTALIASES|RES_OPTIONS|LESS(OPEN|CLOSE)|[A-Z]+_RSH|SVN_SSH|HGRCPATH|` +
	`NIX_.*|JAVA_OPTS|JBANG_.*|ESBUILD_BINARY_PATH|NAPI_RS_.*PATH|ELECTRON_OVERRIDE_.*|PRISMA_.*(LIBRARY|BINARY)|ASPNETCORE_HOSTINGSTARTUP.*|DIRECTORYBUILD.*|MSBUILD.*|(PIPENV|POETRY|PDM|HATCH|JUST)_.*|` +
	`IPYTHONDIR|AZURE_(CONFIG|EXTENSION)_DIR|KRB5_CONFIG|GST_PLUGIN.*|VK_.*(FILENAMES|FILES|PATH)|CUDA_INJECTION.*|CURL_HOME|WGETRC|GTK_(MODULES|PATH)|GIO_.*|QT_.*PATH|R_(HOME|LIBS.*|ENVIRON.*)|JULIA_.*|ERL_.*|GUILE_.*PATH|PGSYSCONFDIR|PGSERVICEFILE|SUDO_ASKPASS|VIMINIT|` +
	`LD_.*|DYLD_.*|GLIBC_TUNABLES|GCONV_PATH|LOCPATH|NLSPATH|XDG_.*|(LOCAL)?APPDATA|NODE_OPTIONS|NODE_PATH|NODE_COMPILE_CACHE|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED|NODE_REPL_.*|` +
	`PYTHON(PATH|HOME|STARTUP|USERBASE|INSPECT|BREAKPOINT|WARNINGS|HTTPSVERIFY|EXECUTABLE|PYCACHEPREFIX|PLATLIBDIR)|VIRTUAL_ENV|CONDA_.*|PERL5?(LIB|OPT|DB).*|RUBY(LIB|OPT)|GEM_.*|BUNDLE_.*|` +
	`(_?JAVA|JDK_JAVA)(_TOOL)?_OPTIONS|CLASSPATH|DOTNET_(STARTUP_HOOKS|ROOT.*|ADDITIONAL_DEPS|SHARED_STORE|CLI_HOME)|CORECLR_.*|COR_PROFILER.*|GO(FLAGS|PROXY|ROOT|PATH|TOOLCHAIN|ENV|SUMDB|NOSUMDB|INSECURE|PRIVATE|VCS|BIN|AUTH|CACHEPROG|WORK)|RUST(C|DOC|FLAGS|(C_)?(WORKSPACE_)?WRAPPER)|` +
	`NPM_CONFIG_.*|YARN_.*|PNPM_.*|BUN_.*|DENO_.*|UV_.*|PIP_.*|PIPX_.*|CARGO_.*|DOCKER_(HOST|CONFIG|CONTEXT|TLS_VERIFY|CERT_PATH|CONTENT_TRUST.*)|GIT_.*|SSH_.*|` +
	`(HTTPS?|ALL|NO|FTP)_PROXY|SSL_CERT_(FILE|DIR)|SSLKEYLOGFILE|OPENSSL_.*|KUBECONFIG|AWS_(CONFIG_FILE|SHARED_CREDENTIALS_FILE|CA_BUNDLE|ENDPOINT_URL.*)|MAVEN_.*|GRADLE_.*|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|EDITOR|VISUAL|(MAN|GH_)?PAGER|BROWSER|LUA_(INIT|C?PATH).*|PHPRC|PHP_INI_SCAN_DIR|R_PROFILE.*)$`)

// Steers tells whether an environment variable of that name changes what runs.
func Steers(name string) bool { return steering().MatchString(name) }

// WhereIs says of a host that it is not on the Internet, when its name or address says so: "this machine", "private network".
func WhereIs(host string) string {
	name := strings.Trim(host, "[]")
	if h, port, ok := strings.Cut(host, ":"); ok && !strings.Contains(port, ":") {
		name = h
	} else if at := strings.LastIndex(host, "]:"); at >= 0 {
		name = strings.Trim(host[:at+1], "[]")
	}
	name = strings.ToLower(strings.TrimSuffix(name, "."))
	ip, err := netip.ParseAddr(name)
	switch {
	case name == "localhost" || strings.HasSuffix(name, ".localhost") || err == nil && (ip.Unmap().IsLoopback() || ip.IsUnspecified()):
		return "this machine"
	case err == nil && !(ip.Unmap().IsGlobalUnicast() && !ip.Unmap().IsPrivate()):
		return "private network"
	case err == nil:
		return ""
	}
	if !strings.Contains(name, ".") && !strings.Contains(name, "$") && name != "" {
		return "private network"
	}
	for _, suffix := range []string{".local", ".internal", ".lan", ".home", ".home.arpa", ".intranet", ".corp", ".private"} {
		if strings.HasSuffix(name, suffix) {
			return "private network"
		}
	}
	return ""
}
