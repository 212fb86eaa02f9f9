// Package auth gets and renews the tokens of protected MCP servers with OAuth 2.1, as the MCP specifications
// of 2025-11-25 and 2026-07-28 say (basic/authorization), and as 2025-03-26 said for servers that name no
// authorization server.
//
// Whatever a server or an authorization server says is taken for hostile: requests go to public HTTPS
// addresses alone, or to where the user's own configuration points; replies are bounded; every claim is
// checked before it is used.
package auth

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Server is a protected MCP server, as configured.
type Server struct {
	Name   string // for advice: what follows "mcpctl login"
	URL    string // absolute, without user info
	Client config.Client
}

// loginCommand is what logs in to the server, as one types it, further words at its end.
func (s Server) loginCommand(words ...string) string {
	return strings.Join(append([]string{"mcpctl", "login", printable.ShellWord(s.Name)}, words...), " ")
}

// Canonical is the URL of a server as the key of its logins, and as the resource that tokens are for (RFC
// 8707): without query and fragment, scheme and host in lower case, no slash behind a host.
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

// quoted is a short text of a stranger, quoted for people.
func quoted(text string) string {
	const most = 200
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// unprintable tells runes that have no place in a URL or a token.
func unprintable(r rune) bool { return r <= 0x20 || r >= 0x7f }

// Bounds of what is asked for, whatever servers name.
const (
	mostScopes   = 100
	longestScope = 256
)

// scopes are the scopes of some lists, each once, in order. What is not a scope-token (RFC 6749, 3.3) is left
// out, and what is more than anybody could agree to.
func scopes(lists ...[]string) []string {
	var all []string
	for _, scope := range strings.Fields(strings.Join(slices.Concat(lists...), " ")) {
		odd := strings.ContainsFunc(scope,
			func(r rune) bool { return unprintable(r) || r == '"' || r == '\\' })
		if len(all) < mostScopes && len(scope) <= longestScope && !odd && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}

// Ways to prove who the client is at the token endpoint (RFC 7591, 2; OpenID Connect Core, 9).
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
)

// Names of grants.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantMachine = "client_credentials"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// oauthClient is who mcpctl is to an authorization server.
type oauthClient struct {
	vault.Client
	secret probe.Secret
}

// configured returns the client that a configuration names; ok is false when it names none.
func configured(c config.Client, i issuer) (p oauthClient, ok bool) {
	p = oauthClient{secret: c.Secret}
	p.ID, p.Redirect = c.ID, c.Redirect
	if p.ID == "" && c.Document != "" && i.Documents {
		p.ID = c.Document
	}
	p.Method = p.method(i)
	return p, p.ID != ""
}

// method is how the client proves who it is, as the issuer likes it. RFC 8414 makes client_secret_basic the
// default.
func (p oauthClient) method(i issuer) string {
	switch {
	case p.secret == "":
		return methodNone
	case len(i.Methods) == 0 || slices.Contains(i.Methods, methodBasic) ||
		!slices.Contains(i.Methods, methodPost):
		return methodBasic
	}
	return methodPost
}

// metadata is what a client registers with (RFC 7591, 2): a native one, lest OpenID Connect takes it for a
// web site.
type metadata struct {
	Name      string   `json:"client_name"`
	Kind      string   `json:"application_type"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
	Scope     string   `json:"scope,omitempty"`
}

// registration is the answer to it, good or bad.
type registration struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
	Method string `json:"token_endpoint_auth_method"`
	Error  string `json:"error"`
	Why    string `json:"error_description"`
}

// identify is who logs in: the configured client, a Client ID Metadata Document where the issuer takes one,
// the client of an earlier login with the same redirect URI, or one that is registered now (specification
// 2026-07-28, client registration).
func (w *client) identify(ctx context.Context, s Server, f discovered, old *vault.Login, redirect string,
	grant string) (oauthClient, error) {
	p, ok := configured(s.Client, f.issuer)
	if ok {
		p.Redirect = redirect
		return p, nil
	}
	if old != nil && old.Issuer == f.issuer.ID && !old.Revoked && old.Client.Registered &&
		old.Client.Redirect == redirect {
		return oauthClient{Client: old.Client, secret: probe.Secret(old.Secrets.ClientSecret)}, nil
	}
	if f.issuer.Register == "" {
		return oauthClient{}, exit.Advise(
			`register a client there by hand, and configure it: "oauth": {"clientId": "…"}`,
			"the authorization server %s registers no clients by itself, and none is configured",
			quoted(f.issuer.ID))
	}
	return finish(ctx, func(ctx context.Context) (oauthClient,
		error) {
		return w.register(ctx, f, redirect, grant)
	})
}

func (w *client) register(ctx context.Context, f discovered, redirect, grant string) (oauthClient, error) {
	about := metadata{Name: "mcpctl", Kind: "native", Redirects: []string{redirect},
		Grants:    []string{grant, grantRefresh},
		Responses: []string{"code"}, Method: methodNone, Scope: strings.Join(f.scopes, " ")}
	var r registration
	err := w.post(ctx, f.issuer.Register, about, &r)
	switch {
	case err != nil && r.Error != "":
		err = fmt.Errorf("%w: %s %s", err, quoted(r.Error), quoted(r.Why))
	case err == nil && (r.ID == "" || strings.ContainsFunc(r.ID+r.Secret, unicode.IsControl)):
		err = fmt.Errorf("%s: the answer names no usable client", f.issuer.Register)
	}
	if err != nil {
		return oauthClient{}, exit.Advise(
			`register a client there by hand, and configure it: "oauth": {"clientId": "…"}`,
			"registering with the authorization server: %w", err)
	}
	p := oauthClient{secret: probe.Secret(r.Secret),
		Client: vault.Client{ID: r.ID, Method: r.Method, Redirect: redirect, Registered: true}}
	if p.secret == "" || !slices.Contains([]string{methodBasic, methodPost}, p.Method) {
		p.Method = p.method(f.issuer)
	}
	return p, nil
}
