// Package auth gets and renews the tokens of protected MCP servers with OAuth 2.1, as the MCP specifications
// of 2025-11-25 and 2026-07-28 say (basic/authorization), and as 2025-03-26 said for servers that name no
// authorization server.
//
// Servers and authorization servers are treated as hostile: requests go to public HTTPS addresses only, or to
// hosts of the user's own configuration; replies are bounded; every claim is checked before it is used.
package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Resource is a protected MCP server, as configured.
type Resource struct {
	Name   string // the argument of mcpctl login, for hints
	URL    string // absolute, without user info
	Client config.Login
	Hint   func(*probe.Error) string // what to do about a failure; nil = nothing is known
}

func (s Resource) hint(failure *probe.Error) string {
	if s.Hint == nil {
		return failure.Hint
	}
	return s.Hint(failure)
}

// loginCommand returns the command that logs in to the server.
func (s Resource) loginCommand(flags ...string) string {
	return strings.Join(append([]string{"mcpctl", "login", printable.ShellWord(s.Name)}, flags...), " ")
}

// Canonical returns the URL of a server as the key of its logins, and as the resource that tokens are for
// (RFC 8707): without query and fragment, scheme and host in lower case, no slash as the only path.
func Canonical(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	plain := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), Path: u.Path,
		RawPath: u.RawPath}
	if plain.Path == "/" {
		plain.Path = ""
	}
	return plain.String()
}

// quoted returns the beginning of a hostile text, quoted.
func quoted(text string) string {
	const most = 200
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// unprintable reports whether a character must not be in a URL or a token.
func unprintable(r rune) bool { return r <= 0x20 || r >= 0x7f }

// scopes returns the scopes of some lists, each once, in order, without invalid ones (RFC 6749, 3.3).
func scopes(lists ...[]string) []string {
	const most, longest = 100, 256 // in bytes
	var all []string
	for _, scope := range strings.Fields(strings.Join(slices.Concat(lists...), " ")) {
		odd := strings.ContainsFunc(scope,
			func(r rune) bool { return unprintable(r) || r == '"' || r == '\\' })
		if len(all) < most && len(scope) <= longest && !odd && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// Ways in which the client authenticates at the token endpoint (RFC 7591, 2; OpenID Connect Core, 9).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// Names of grants.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantMachine = "client_credentials"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
	grantJWT     = "urn:ietf:params:oauth:grant-type:jwt-bearer"
)

// oauthClient is mcpctl as a client of an authorization server.
type oauthClient struct {
	vault.Registration
	secret probe.Secret
	key    clientKey // of a client that signs in place of sending a secret
}

// configured returns the client that a configuration names; ok is false if it names none.
func configured(c config.Login, i issuer) (me oauthClient, ok bool) {
	me = oauthClient{secret: c.Secret, key: keyOf(c, i)}
	me.ID, me.Redirect = c.ID, c.Redirect
	if me.ID == "" && c.Document != "" && i.Documents {
		me.ID = c.Document
	}
	me.Method = me.method(i)
	return me, me.ID != ""
}

// method returns how the client authenticates to an issuer. RFC 8414 makes client_secret_basic the default.
func (me oauthClient) method(i issuer) string {
	switch {
	case me.key.pem != "":
		return methodKey
	case me.secret == "":
		return methodNone
	case len(i.Methods) == 0 || slices.Contains(i.Methods, methodBasic) ||
		!slices.Contains(i.Methods, methodPost):
		return methodBasic
	}
	return methodPost
}

// remembered returns the client that an earlier login registered, if it can be used again: it was not
// refused, its secret has not expired, and the last login with it was answered.
func remembered(old *vault.Grant, i issuer) (me oauthClient, ok bool) {
	if old == nil || !old.Client.Registered || old.Revoked || old.Unanswered ||
		!sameIssuer(old.Issuer, i.ID) ||
		!old.Client.SecretExpires.IsZero() && !time.Now().Before(old.Client.SecretExpires) {
		return oauthClient{}, false
	}
	return oauthClient{Registration: old.Client, secret: probe.Secret(old.Secrets.ClientSecret)}, true
}

// identify returns the client that logs in: the configured one, a Client ID Metadata Document if the issuer
// supports that, the client of an earlier login with the same redirect URI, or one that is registered now
// (specification 2026-07-28, client registration).
func (c *client) identify(ctx context.Context, f discovered, old *vault.Grant, redirect string,
	grant string) (oauthClient, error) {
	if me, ok := configured(c.config, f.issuer); ok {
		me.Redirect = redirect
		return me, nil
	}
	if me, ok := remembered(old, f.issuer); ok && me.Redirect == redirect {
		return me, nil
	}
	if f.issuer.Register == "" {
		return oauthClient{}, unusableError{exit.Advise(registerHint, "the authorization server %s does not "+
			"register clients, and none is configured", quoted(f.issuer.ID))}
	}
	return c.register(ctx, f, redirect, grant)
}

// registerHint advises on an authorization server that registers no clients.
const registerHint = `register a client there by hand, and configure it: "oauth": {"clientId": "…"}`

// register registers a client (RFC 7591), as a native one: the default of OpenID Connect is a web site.
func (c *client) register(ctx context.Context, f discovered, redirect, grant string) (oauthClient, error) {
	about := map[string]any{"client_name": "mcpctl", "application_type": "native",
		"redirect_uris": []string{redirect}, "grant_types": []string{grant, grantRefresh},
		"response_types": []string{"code"}, "token_endpoint_auth_method": methodNone}
	if len(f.scopes) > 0 {
		about["scope"] = strings.Join(f.scopes, " ")
	}
	var r struct {
		ID      string `json:"client_id"`
		Secret  string `json:"client_secret"`
		Method  string `json:"token_endpoint_auth_method"`
		Expires any    `json:"client_secret_expires_at"` // a number of Unix seconds; 0 = never
	}
	body, _ := json.Marshal(about) // texts alone
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.issuer.Register, bytes.NewReader(body))
	if err == nil {
		req.Header.Set("Content-Type", "application/json")
		err = c.object(req, &r)
	}
	if err == nil && (r.ID == "" || strings.ContainsFunc(r.ID+r.Secret, unicode.IsControl)) {
		err = fmt.Errorf("%s: the answer has no usable client", f.issuer.Register)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return oauthClient{}, context.Cause(ctx)
	case f.issuer.guessed && hasNothing(err):
		return oauthClient{}, unusableError{errNoOAuth}
	case err != nil:
		hint := registerHint
		if strings.HasPrefix(redirect, "http://127.0.0.1:") { // this machine may be known by name alone
			hint = `if it takes localhost alone, configure "oauth": {"callbackPort": PORT}, which ` +
				"registers http://localhost:PORT/callback; or " + registerHint
		}
		return oauthClient{}, unusableError{exit.Advise(hint, "registering with the authorization server: %w",
			err)}
	}
	me := oauthClient{secret: probe.Secret(r.Secret),
		Registration: vault.Registration{ID: r.ID, Method: r.Method, Redirect: redirect, Registered: true}}
	if seconds, ok := r.Expires.(float64); ok && seconds > 0 && seconds < 1e11 {
		me.SecretExpires = time.Unix(int64(seconds), 0).UTC()
	}
	switch {
	case me.Method == methodNone:
		me.secret = "" // a public client, also where a secret was sent along
	case me.secret == "" || me.Method != methodBasic && me.Method != methodPost:
		me.Method = me.method(f.issuer)
	}
	return me, nil
}
