package config

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// headerKeys are the keys that set headers: headersHelper is Claude Code's, bearerToken mcpctl's, those with
// underscores Codex's.
var headerKeys = []string{
	"headers", "http_headers", "env_http_headers", "bearer_token_env_var", "bearerToken", "headersHelper",
}

// httpReader reads the keys of a server at a URL.
type httpReader struct{ *serverReader }

// target reads the URL and the headers.
func (r httpReader) target(address syntax.Field, transport string) *probe.HTTP {
	r.rejectKeys(stdioKeys, address.Key)
	h := &probe.HTTP{Kind: httpKind(address.Key, transport)}
	h.Headers, h.Helper = r.headers()
	if !r.want(address, syntax.Text) {
		return h
	}
	out, ok := r.expand(address)
	if !ok {
		return h
	}
	clean, auth, err := splitURL(out.value)
	if err != nil {
		r.addProblem(address.Value.Line, "write an address such as https://example.com/mcp", "%q is %v",
			address.Key, err)
	}
	h.URL = clean
	if auth != "" && h.Headers[authorization] == "" {
		h.Headers[authorization] = auth
	}
	return h
}

// httpKind returns the transport for the key of a URL and a declared transport. Without one, httpUrl means
// streamable HTTP; "http" leaves the choice to the probe.
func httpKind(key, transport string) probe.HTTPKind {
	switch {
	case transport == "sse":
		return probe.SSE
	case transport == "streamable-http", transport == "" && key == "httpUrl":
		return probe.StreamableHTTP
	}
	return probe.AutoHTTP
}

// splitURL returns an http or https URL without its user info, and the header for that. The error does not
// quote the URL.
func splitURL(raw string) (clean string, auth probe.Secret, err error) {
	raw = strings.TrimSpace(raw)
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", "", errors.New("not a URL")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", "", errors.New("not an http:// or https:// address")
	case u.Hostname() == "":
		return "", "", errors.New("a URL without a host")
	}
	if u.User == nil {
		return raw, "", nil
	}
	password, _ := u.User.Password()
	auth = probe.Secret("Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password)))
	u.User = nil
	return u.String(), auth, nil
}

const authorization = "Authorization"

// headers returns the headers that are known without running anything, and the command that prints others;
// nil for none.
func (r httpReader) headers() (map[string]probe.Secret, *probe.Helper) {
	defer func(bare bool) { r.bare = bare }(r.bare)
	r.bare = r.bare || r.ofCopilot()
	headers := map[string]probe.Secret{}
	for _, key := range []string{"headers", "http_headers"} {
		f, ok := r.get(key)
		if !ok {
			continue
		}
		for _, m := range r.object(f, nil) {
			named := m
			named.Key = safeHeader(m.Key)
			if value := r.secret(named.In(key)); value != "" || m.Value.Kind == syntax.Text {
				r.addHeader(headers, m, value)
			}
		}
	}
	if f, ok := r.get("env_http_headers"); ok { // a variable without a value is not sent, as in Codex
		for _, m := range r.texts(f) {
			value, _ := r.lookup.Value(m.Value.Text)
			r.uses = append(r.uses, named(m.In(f.Key), m.Value.Text))
			if strings.TrimSpace(value) != "" || !headerName(m.Key) {
				r.addHeader(headers, m, value)
			}
		}
	}
	bearer, helper := r.bearer()
	if bearer != "" && headers[authorization] != "" {
		r.addProblem(r.fields.Line, "keep one of them", "a bearer token and the header %q", authorization)
	} else if bearer != "" {
		headers[authorization] = bearer
	}
	if f, ok := r.get("headersHelper"); ok {
		if helper != nil {
			r.addProblem(f.Line, "keep one of them", `both "headersHelper" and a command in "bearerToken"`)
		}
		helper = r.command(f, false)
	}
	return headers, helper
}

// addHeader adds a header, unless its name or value is invalid.
func (r httpReader) addHeader(headers map[string]probe.Secret, m syntax.Field, value string) {
	name, value := http.CanonicalHeaderKey(m.Key), strings.TrimSpace(value)
	_, twice := headers[name]
	switch {
	case !headerName(m.Key): // the name may be a value in the wrong place
		r.addProblem(m.Line, "write the name without colon or spaces, then the value",
			"invalid header name %q", safeHeader(m.Key))
		return
	case twice:
		r.addProblem(m.Line, "keep one of them", "the header %q twice", name)
	case !headerValue(value):
		r.addProblem(m.Line, "check the variable or file it comes from",
			"the value of the header %q has line breaks or control characters", name)
	}
	headers[name] = probe.Secret(value)
}

// headerName reports whether a name is a token of RFC 9110 §5.6.2.
func headerName(name string) bool { return name != "" && !strings.ContainsFunc(name, notInToken) }

// headerValue reports whether a value has no control characters but tabs (RFC 9110 §5.5).
func headerValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f })
}

func notInToken(r rune) bool {
	return r >= 0x80 || !plainByte(byte(r)) && !strings.ContainsRune("!#$%&'*+^`|~", r)
}

// safeHeader returns the valid beginning of a header's name; the rest may be a value in the wrong place.
func safeHeader(name string) string {
	if i := strings.IndexFunc(name, notInToken); i >= 0 {
		return name[:i] + "…"
	}
	return name
}

// bearer returns the Authorization header of a bearer token, or the command that prints it.
func (r httpReader) bearer() (probe.Secret, *probe.Helper) {
	f, own := r.get("bearerToken")
	codex, ofCodex := r.get("bearer_token_env_var")
	token := ""
	switch {
	case own && ofCodex:
		r.addProblem(f.Line, "remove one of them", "both %q and %q", codex.Key, f.Key)
	case ofCodex:
		f = codex
		if r.want(f, syntax.Text) {
			token = r.variable(f)
		}
	case own && f.Value.Kind == syntax.Text:
		token = r.credential(f)
	case own:
		from, ok := r.reference(f, "file", "command")
		switch {
		case !ok:
		case strings.HasSuffix(from.Key, ".command"):
			return "", r.command(from, true)
		default:
			token = r.fetch(from)
		}
	}
	if strings.TrimSpace(token) == "" {
		return "", nil
	}
	value, err := bearerHeader(token)
	if err != nil {
		r.addProblem(f.Value.Line, "write the token alone, in one line", "%q is %v", f.Key, err)
	}
	return value, nil
}

// secret returns a text with variables, or the content of the file that an object names; "" for null and
// after a problem.
func (r httpReader) secret(f syntax.Field) string {
	switch {
	case f.Value.Scalar():
		return r.credential(f)
	case f.Value.Kind != syntax.Null:
		if from, ok := r.reference(f, "file"); ok {
			return r.fetch(from)
		}
	}
	return ""
}

// credential returns a text with variables. An empty variable without a default is a problem where the text
// ends without what it stands for, as in "Bearer ${TOKEN}".
func (r httpReader) credential(f syntax.Field) string {
	out, _ := r.expand(f)
	value := strings.TrimRight(out.value, " \t")
	if len(out.empty) > 0 && (value == "" || value != out.value) {
		name := out.empty[len(out.empty)-1]
		r.addLack(f.Value.Line,
			fmt.Sprintf("set %s in the environment, or write ${%s:-} if it may be empty", name, name),
			name+", which is empty", "the variable %s is empty, needed in %q", name, f.Key)
	}
	return out.value
}

// reference returns the one member of an object that says where a value comes from, named for messages.
func (r httpReader) reference(f syntax.Field, forms ...string) (syntax.Field, bool) {
	hint := "write a string, or an object such as {file: PATH}"
	if f.Value.Kind != syntax.Object {
		r.addProblem(f.Value.Line, hint, "%q must be a string or an object, but is %s", f.Key, f.Value.Kind)
		return syntax.Field{}, false
	}
	before := len(r.problems)
	members := r.object(f, forms)
	if len(members) != 1 && len(r.problems) == before {
		r.addProblem(f.Value.Line, hint, "%q must have exactly one of %s", f.Key, strings.Join(forms, ", "))
	}
	if len(r.problems) > before {
		return syntax.Field{}, false
	}
	from := members[0].In(f.Key)
	return from, r.want(from, syntax.Text)
}

// fetch returns the content of the file that a reference names; "" after a problem.
func (r httpReader) fetch(from syntax.Field) string {
	problems := len(r.problems)
	path := r.secretPath(from)
	if len(r.problems) > problems || !r.opens {
		return ""
	}
	value, err := readSecretFile(path)
	if err != nil {
		r.addProblem(from.Value.Line, "create the file, or name another one", "reading %q: %v", from.Key, err)
		return ""
	}
	r.values = append(r.values, probe.Secret(value))
	return value
}

// secretPath returns the path of the file that a reference names.
func (r httpReader) secretPath(from syntax.Field) string {
	uses := len(r.uses)
	path := fromHome(r.home, from.Value.Text)
	if path == from.Value.Text {
		path, _ = r.path(from)
	}
	file := named(from, "the content of "+from.Value.Text)
	file.path = path
	r.uses = append(r.uses[:uses], file)
	return path
}

// named returns the use of a text that names where a value of the user's comes from.
func named(f syntax.Field, value string) use {
	return use{key: f.Key, text: f.Value.Text, shown: f.Value.Text, receives: []string{value}}
}

// variable returns the value of an environment variable; "" after a problem.
func (r httpReader) variable(f syntax.Field) string {
	name := f.Value.Text
	r.uses = append(r.uses, named(f, name))
	value, ok := r.lookup.Value(name)
	r.values = append(r.values, probe.Secret(value))
	switch hint := fmt.Sprintf("set %s in the environment", name); {
	case !ok && !isVariableName(name): // it may be the token itself
		r.addProblem(f.Value.Line, "write the name of the variable, not its value",
			"%q is not the name of an environment variable", f.Key)
	case !ok:
		r.addLack(f.Value.Line, hint, name+", which is not set", "the variable %s is not set, needed in %q",
			name, f.Key)
	case strings.TrimSpace(value) == "":
		r.addLack(f.Value.Line, hint, name+", which is empty", "the variable %s is empty, needed in %q", name,
			f.Key)
	}
	return value
}

// command returns the helper for a command line of the shell; nil after a problem.
func (r httpReader) command(f syntax.Field, bearer bool) *probe.Helper {
	line := strings.TrimSpace(r.text(f))
	if f.Value.Kind == syntax.Text && line == "" {
		r.addProblem(f.Value.Line, "write a command line of the shell", "%q is empty", f.Key)
	}
	r.rejectNUL(f.Value.Line, line)
	if line == "" {
		return nil
	}
	return &probe.Helper{Command: line, Dir: r.folder, Env: r.gives, Bearer: bearer}
}

// cursorKeys are Cursor's names, in "auth", of keys in "oauth".
var cursorKeys = map[string]string{"CLIENT_ID": "clientId", "CLIENT_SECRET": "clientSecret",
	"scopes": "scopes"}

// login returns how to log in to the server.
func (r httpReader) login() Login {
	var c Login
	if f, ok := r.get("oauth"); ok && f.Value.Kind == syntax.Boolean { // OpenCode writes false for never
		c.Never = !r.flag(f, true)
	} else if ok {
		r.oauth(f, &c)
	}
	if f, ok := r.get("auth"); ok && f.Value.Kind == syntax.Object {
		var fields []syntax.Field
		for _, m := range f.Value.Fields {
			if key, ok := cursorKeys[m.Key]; ok {
				m.Key = key
				fields = append(fields, m)
			}
		}
		f.Value.Fields = fields
		r.oauth(f, &c)
	}
	c.UnverifiedHosts = r.unverifiedHosts()
	for _, secret := range []probe.Secret{c.Secret, c.Key, c.Identity.Text, c.Identity.Bearer} {
		if secret != "" {
			r.secrets = append(r.secrets, secret)
		}
	}
	return c
}

// oauth reads the keys of "oauth". clientId is common; callbackPort, authServerMetadataUrl and scopes as one
// string are Claude Code's; clientSecret, authorizationUrl, tokenUrl, redirectUri and a list of scopes Gemini
// CLI's; scope is OpenCode's; the others are mcpctl's.
func (r httpReader) oauth(of syntax.Field, c *Login) {
	text := func(to *string) func(syntax.Field) {
		return func(f syntax.Field) {
			if r.want(f, syntax.Text) {
				out, _ := r.expand(f)
				*to = strings.TrimSpace(out.value)
			}
		}
	}
	scopes := func(f syntax.Field) {
		items := []syntax.Field{f}
		if f.Value.Kind != syntax.Text {
			items = r.scalars(f)
		}
		for _, item := range items {
			c.Scopes = append(c.Scopes, strings.Fields(item.Value.Text)...)
		}
	}
	var grant syntax.Field
	r.decode(of, keys{
		"clientId": text(&c.ID), "redirectUri": text(&c.Redirect), "authServerMetadataUrl": text(&c.Metadata),
		"authorizationUrl": text(&c.Authorize), "tokenUrl": text(&c.TokenEndpoint),
		"clientMetadataUrl": text(&c.Document), "scopes": scopes, "scope": scopes, "keyId": text(&c.KeyID),
		"clientSecret":  func(f syntax.Field) { c.Secret = probe.Secret(r.secret(f)) },
		"privateKey":    func(f syntax.Field) { c.Key = probe.Secret(r.secret(f)) },
		"identityToken": func(f syntax.Field) { c.Identity = r.identity(f) },
		"resource":      func(f syntax.Field) { c.Resource, c.NoResource = r.resource(f) },
		"callbackPort":  func(f syntax.Field) { c.Redirect = r.callback(f) },
		"grantType":     &grant,
		"enabled":       func(syntax.Field) {},
	})
	c.Machine = r.grant(of, grant, *c) || c.Machine
}

// callback returns the redirect URI that Claude Code registers for a port.
func (r httpReader) callback(f syntax.Field) string {
	if !r.want(f, syntax.Number) {
		return ""
	}
	port, err := strconv.ParseUint(f.Value.Text, 10, 16)
	if err != nil || port == 0 {
		r.addProblem(f.Value.Line, "write a port such as 8080", "%q is not a port", f.Key)
		return ""
	}
	return "http://localhost:" + strconv.FormatUint(port, 10) + "/callback"
}

// contacted returns the host and port of a URL as it is contacted, in lower case.
func contacted(address string) string {
	if u, err := url.Parse(address); err == nil && u.Host != "" {
		return strings.ToLower(u.Host)
	}
	return hostIn(address)
}

// unverifiedHosts returns the hosts of URLs that take them from a variable, in a file that was only found:
// the question of trust does not show them.
func (r httpReader) unverifiedHosts() []string {
	if r.found == Named {
		return nil
	}
	keys := append([]string{"oauth.authServerMetadataUrl", "oauth.authorizationUrl", "oauth.tokenUrl"},
		urlKeys...)
	literal := r.expander
	literal.lookup = nil
	var hosts []string
	for _, u := range r.uses {
		if !slices.Contains(keys, u.key) || !strings.Contains(u.text, "$") {
			continue
		}
		host := contacted(r.fileScope.expand(u.text).value)
		if contacted(literal.expand(u.text).value) != host {
			hosts = append(hosts, host)
		}
	}
	return kit.Distinct(hosts)
}
