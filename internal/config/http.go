package config

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/syntax"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// httpReader reads what belongs to a server that is contacted.
type httpReader struct {
	*serverReader
	from credentialReader
}

func (r httpReader) read(address syntax.Field, kind string) *probe.HTTP {
	r.foreign(stdioKeys, address.Key)
	headers, helper := r.credentials()
	h := &probe.HTTP{Headers: headers, Helper: helper, Kind: httpKind(address.Key, kind)}
	if !r.want(address, syntax.Text) {
		return h
	}
	out, ok := r.expand(address)
	if !ok {
		return h
	}
	clean, auth, err := splitURL(out.value)
	if err != nil {
		r.complain(address.Value.Line, "write an address such as https://example.com/mcp", "%q is %v",
			address.Key, err)
	}
	h.URL = clean
	r.secrets = append(append(r.secrets, secretsOf(redact.OfURL(out.value))...), Confidential(headers)...)
	if auth != "" && h.Headers[authorization] == "" {
		h.Headers[authorization] = auth
	}
	return h
}

func httpKind(key, kind string) probe.HTTPKind {
	switch {
	case kind == "sse":
		return probe.SSE
	case kind == "streamable-http", kind == "" && key == "httpUrl":
		return probe.StreamableHTTP
	}
	return probe.AutoHTTP
}

// splitURL is an http or https URL without its user info, and the header for that. The error never quotes the
// URL.
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

// credentials are the headers that are known without running anything, and the command that gives the others,
// nil for none.
func (r httpReader) credentials() (map[string]probe.Secret, *probe.Helper) {
	headers := map[string]probe.Secret{}
	r.readHeaders("headers", headers)
	r.readHeaders("http_headers", headers)
	r.envHeaders(headers)
	bearer, helper := r.from.bearer()
	if bearer != "" && headers[authorization] != "" {
		r.complain(r.fields.Line, "keep one of them", "a bearer token and the header %q", authorization)
	} else if bearer != "" {
		headers[authorization] = bearer
	}
	f, ok := r.get("headersHelper") // Claude Code's command whose output is a JSON object of headers
	if !ok {
		return headers, helper
	}
	own := r.from.command(f, false)
	switch {
	case own != nil && helper != nil:
		r.complain(f.Line, "keep one of them", `both "headersHelper" and a command in "bearerToken"`)
	case own != nil:
		helper = own
	}
	return headers, helper
}

// readHeaders adds the headers that a key holds: text with variables, or an object that names a variable or a
// file.
func (r *serverReader) readHeaders(key string, headers map[string]probe.Secret) {
	f, ok := r.get(key)
	if !ok {
		return
	}
	for _, m := range r.object(f, nil) {
		if m.Value.Kind == syntax.Null {
			continue
		}
		named := m
		named.Key = safeHeader(m.Key)
		if value, ok := (credentialReader{r}).header(named.In(key)); ok {
			r.header(m, value, headers)
		}
	}
}

// envHeaders reads Codex's headers from names of variables; one without a value is not sent, as in Codex.
func (r httpReader) envHeaders(headers map[string]probe.Secret) {
	f, ok := r.get("env_http_headers")
	if !ok {
		return
	}
	for _, m := range r.texts(f) {
		value, _ := r.lookup.Value(m.Value.Text)
		r.uses = append(r.uses, use{key: m.In(f.Key).Key, text: m.Value.Text, shown: m.Value.Text,
			from: fromVariable})
		if strings.TrimSpace(value) != "" || !headerName(m.Key) {
			r.header(m, value, headers)
		}
	}
}

// header adds one header with its value, unless something is wrong with it.
func (r *serverReader) header(m syntax.Field, value string, headers map[string]probe.Secret) {
	name, value := http.CanonicalHeaderKey(m.Key), strings.TrimSpace(value)
	_, twice := headers[name]
	switch {
	case !headerName(m.Key): // the name may be a value in the wrong place
		r.complain(m.Line, "write the name without colon or spaces, the value behind it",
			"%q is no name for a header", safeHeader(m.Key))
		return
	case twice:
		r.complain(m.Line, "keep one of them", "the header %q twice", name)
	case !headerValue(value):
		r.complain(m.Line, "check the variable or file it comes from",
			"the value of the header %q has line breaks or control characters", name)
	}
	headers[name] = probe.Secret(value)
}

// headerName is whether name is a token of RFC 9110 §5.6.2.
func headerName(name string) bool { return name != "" && !strings.ContainsFunc(name, noTokenRune) }

// headerValue is whether value has no control characters but tabs (RFC 9110 §5.5).
func headerValue(value string) bool {
	return !strings.ContainsFunc(value, func(r rune) bool { return r < 0x20 && r != '\t' || r == 0x7f })
}

func noTokenRune(r rune) bool {
	return r >= 0x80 || !plainByte(byte(r)) && !strings.ContainsRune("!#$%&'*+^`|~", r)
}

// safeHeader is the part of a header's name that is one; the rest may be a value in the wrong place.
func safeHeader(name string) string {
	if i := strings.IndexFunc(name, noTokenRune); i >= 0 {
		return name[:i] + "…"
	}
	return name
}

// cursorKeys are what Cursor calls some of them, in "auth".
var cursorKeys = map[string]string{"CLIENT_ID": "clientId", "CLIENT_SECRET": "clientSecret",
	"scopes": "scopes"}

// login is what the server's keys say of logging in with OAuth.
func (r httpReader) login() Client {
	var c Client
	switch f, ok := r.get("oauth"); {
	case !ok:
	case f.Value.Kind == syntax.Boolean: // OpenCode's way to say never
		c.Never = !r.flag(f, true)
	default:
		r.oauth(f, &c)
	}
	if f, ok := r.get("auth"); ok && f.Value.Kind == syntax.Object {
		f.Value.Fields = slices.Clone(f.Value.Fields)
		for i, m := range f.Value.Fields {
			f.Value.Fields[i].Key = cursorKeys[m.Key]
		}
		r.oauth(f, &c)
	}
	c.Refresh = r.from.carried("MCPCTL_REFRESH_TOKEN_")
	if secret := r.from.carried("MCPCTL_CLIENT_SECRET_"); secret != "" {
		c.Secret = secret
	}
	c.Doubted = r.doubted()
	for _, secret := range []probe.Secret{c.Secret, c.Refresh} {
		if secret != "" {
			r.secrets = append(r.secrets, secret)
		}
	}
	return c
}

// oauthHosts are the keys of "oauth" whose hosts are contacted or opened.
var oauthHosts = []string{"authServerMetadataUrl", "authorizationUrl", "tokenUrl", "idpTokenUrl"}

// doubted are the hosts that a file which nobody named takes from the environment, so that no manifest names
// them.
func (r httpReader) doubted() []string {
	var hosts []string
	for _, u := range r.uses {
		isHost := slices.Contains(oauthHosts, strings.TrimPrefix(u.key, "oauth."))
		if isHost = isHost || slices.Contains(urlKeys, u.key); r.found == Named || !isHost ||
			!strings.Contains(u.text, "$") {
			continue
		}
		written := r.expander // what the file says without the environment is named
		written.lookup = nil
		out, _ := r.scope.expand(u.text)
		if plain, _ := written.expand(u.text); hostIn(plain.value) != hostIn(out.value) {
			hosts = append(hosts, hostIn(out.value))
		}
	}
	return hosts
}

// oauth reads "oauth": clientId is everybody's; callbackPort, authServerMetadataUrl and scopes as one string
// Claude Code's; clientSecret, authorizationUrl, tokenUrl, redirectUri and a list of scopes Gemini CLI's;
// scope OpenCode's; others ours.
func (r httpReader) oauth(of syntax.Field, c *Client) {
	text := func(to *string) func(syntax.Field) {
		return func(f syntax.Field) {
			if f.Value.Kind != syntax.Null && r.want(f, syntax.Text) {
				out, _ := r.expand(f)
				*to = strings.TrimSpace(out.value)
			}
		}
	}
	scopes := func(f syntax.Field) { c.Scopes = append(c.Scopes, r.scopes(f)...) }
	r.members(of, r.strict, map[string]func(syntax.Field){
		"clientId": text(&c.ID), "redirectUri": text(&c.Redirect), "authServerMetadataUrl": text(&c.Metadata),
		"authorizationUrl": text(&c.Authorize),
		"tokenUrl":         text(&c.TokenEndpoint), "clientMetadataUrl": text(&c.Document),
		"clientSecret": func(f syntax.Field) { c.Secret = r.from.hidden(f) },
		"callbackPort": func(f syntax.Field) { c.Redirect = r.callback(f) },
		"grantType":    func(f syntax.Field) { r.grant(f, c) },
		"scopes":       scopes,
		"scope":        scopes,
		"enabled":      func(syntax.Field) {},
	})
}

// scopes are a list of strings, or one string with spaces between them.
func (r httpReader) scopes(f syntax.Field) []string {
	if f.Value.Kind == syntax.Text {
		return strings.Fields(f.Value.Text)
	}
	return kit.Flat(r.scalars(f), func(m syntax.Field) []string { return strings.Fields(m.Value.Text) })
}

// callback is the redirect URI that Claude Code registers for a port.
func (r httpReader) callback(f syntax.Field) string {
	if !r.want(f, syntax.Number) {
		return ""
	}
	port, err := strconv.ParseUint(f.Value.Text, 10, 16)
	if err != nil || port == 0 {
		r.complain(f.Value.Line, "write a port such as 8080", "%q is no port", f.Key)
		return ""
	}
	return "http://localhost:" + strconv.FormatUint(port, 10) + "/callback"
}

// grant reads how the client gets a token.
func (r httpReader) grant(f syntax.Field, c *Client) {
	switch r.text(f) {
	case "client_credentials":
		c.Machine = true
	case "authorization_code":
	default:
		r.complain(f.Value.Line, "write authorization_code or client_credentials",
			"%q is no grant that mcpctl has", f.Key)
	}
}
