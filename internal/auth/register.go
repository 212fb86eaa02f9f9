package auth

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Ways to prove who the client is at the token endpoint (RFC 7591, 2; OpenID Connect Core, 9).
const (
	provesNothing = "none"
	provesBasic   = "client_secret_basic"
	provesPost    = "client_secret_post"
	provesByKey   = "private_key_jwt"
)

// Names of grants.
const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantMachine = "client_credentials"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"
)

// party is who mcpctl is to an authorization server.
type party struct {
	vault.Client
	secret probe.Secret
	key    probe.Secret
	keyID  string
}

// configured is the party that a configuration names; ok is false when it names none.
func (c Client) configured(i issuer) (p party, ok bool) {
	p = party{secret: c.Secret, key: c.Key, keyID: c.KeyID}
	p.ID, p.Redirect = c.ID, c.Redirect
	if p.ID == "" && c.Document != "" && i.Documents {
		p.ID = c.Document
	}
	p.Method = p.method(i)
	return p, p.ID != ""
}

// method is how the party proves who it is, as the issuer likes it. RFC 8414 makes client_secret_basic the default.
func (p party) method(i issuer) string {
	switch {
	case p.key != "":
		return provesByKey
	case p.secret == "":
		return provesNothing
	case len(i.Methods) == 0 || slices.Contains(i.Methods, provesBasic) || !slices.Contains(i.Methods, provesPost):
		return provesBasic
	}
	return provesPost
}

// metadata is what a client says of itself when it registers (RFC 7591, 2). Authorization servers that also speak OpenID
// Connect take a client for a web site unless it says that it is native.
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

// party is who logs in: the configured client, a Client ID Metadata Document where the issuer takes one, the client of an
// earlier login with the same redirect URI, or one that is registered now (specification 2026-07-28, client registration).
func (w *web) party(ctx context.Context, s Server, f found, old *vault.Login, redirect string, grant string) (party, error) {
	p, ok := s.Client.configured(f.issuer)
	if ok {
		p.Redirect = redirect
		return p, nil
	}
	if old != nil && old.Issuer == f.issuer.ID && !old.Revoked && old.Client.Registered && old.Client.Redirect == redirect {
		return party{Client: old.Client, secret: probe.Secret(old.Secrets.ClientSecret)}, nil
	}
	if f.issuer.Register == "" {
		return party{}, advise(`register a client there by hand, and configure it: "oauth": {"clientId": "…"}`,
			"the authorization server %s registers no clients by itself, and none is configured", quoted(f.issuer.ID))
	}
	return w.register(ctx, f, redirect, grant)
}

func (w *web) register(ctx context.Context, f found, redirect, grant string) (party, error) {
	about := metadata{Name: "mcpctl", Kind: "native", Redirects: []string{redirect}, Grants: []string{grant, grantRefresh},
		Responses: []string{"code"}, Method: provesNothing, Scope: strings.Join(f.scopes, " ")}
	var r registration
	err := w.post(ctx, f.issuer.Register, about, &r)
	switch {
	case err != nil && r.Error != "":
		err = fmt.Errorf("%w: %s %s", err, quoted(r.Error), quoted(r.Why))
	case err == nil && (r.ID == "" || strings.ContainsFunc(r.ID+r.Secret, control)):
		err = fmt.Errorf("%s: the answer names no usable client", f.issuer.Register)
	}
	if err != nil {
		return party{}, &Advice{fmt.Errorf("registering with the authorization server: %w", err),
			`register a client there by hand, and configure it: "oauth": {"clientId": "…"}`}
	}
	p := party{secret: probe.Secret(r.Secret), Client: vault.Client{ID: r.ID, Method: r.Method, Redirect: redirect, Registered: true}}
	if p.secret == "" || !slices.Contains([]string{provesBasic, provesPost}, p.Method) {
		p.Method = p.method(f.issuer)
	}
	return p, nil
}

func control(r rune) bool { return r < 0x20 || r == 0x7f }
