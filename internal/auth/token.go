package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// token is what a token endpoint gave, checked.
type token struct {
	access, refresh probe.Secret
	expires         time.Time // zero = not told
	scopes          []string  // empty = those that were asked for (RFC 6749, 5.1)
}

// Bounds of what a token may be.
const (
	longestToken = 64 << 10
	longestLife  = 100 * 365 * 24 * time.Hour
)

// RefusedError is an authorization server that said no, in its own words.
type RefusedError struct {
	Code string // such as "invalid_grant" (RFC 6749, 5.2)
	Why  string // its description; hostile text
}

// Error quotes both.
func (e *RefusedError) Error() string {
	if e.Why == "" {
		return "the authorization server refused: " + quoted(e.Code)
	}
	return "the authorization server refused: " + quoted(e.Code) + " " + quoted(e.Why)
}

// endpoint is the token endpoint, with how the client proves who it is there.
func (p oauthClient) endpoint(address string) oauth2.Endpoint {
	style := oauth2.AuthStyleInParams
	if p.Method == methodBasic {
		style = oauth2.AuthStyleInHeader
	}
	return oauth2.Endpoint{TokenURL: address, AuthStyle: style}
}

// proofs are the parameters that prove who the client is, where a secret does not.
func (p oauthClient) proofs() (url.Values, error) {
	if p.Method != methodKey {
		return url.Values{}, nil
	}
	signed, err := p.assertion(time.Now())
	return url.Values{"client_assertion_type": {"urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, "client_assertion": {signed}}, err
}

// redeem gets a token for a grant, which further parameters belong to. A proof by key is meant for the issuer, as RFC 7523 is
// being amended to say; authorization servers from before that take one that is meant for the endpoint alone.
func (w *client) redeem(ctx context.Context, p oauthClient, address, grant string, more url.Values) (token, error) {
	t, err := w.redeemOnce(ctx, p, address, grant, more)
	if said, ok := errors.AsType[*RefusedError](err); ok && p.Method == methodKey && said.Code == "invalid_client" {
		p.audience = address
		return w.redeemOnce(ctx, p, address, grant, more)
	}
	return t, err
}

func (w *client) redeemOnce(ctx context.Context, p oauthClient, address, grant string, more url.Values) (token, error) {
	given, err := w.ask(ctx, p, address, grant, more)
	if err != nil {
		return token{}, err
	}
	return vet(given)
}

func (w *client) ask(ctx context.Context, p oauthClient, address, grant string, more url.Values) (*oauth2.Token, error) {
	params, err := p.proofs()
	if err != nil {
		return nil, err
	}
	params.Set("grant_type", grant)
	for name, values := range more {
		if len(values) > 0 && values[0] != "" {
			params[name] = values
		}
	}
	at := p.endpoint(address)
	config := clientcredentials.Config{ClientID: p.ID, ClientSecret: p.secret.Reveal(), TokenURL: at.TokenURL, AuthStyle: at.AuthStyle, EndpointParams: params}
	given, err := config.Token(w.context(ctx))
	if err != nil {
		return nil, p.refused(address, err, params)
	}
	return given, nil
}

// context makes the oauth2 library use our client.
func (w *client) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, w.client)
}

// refused is an error of the oauth2 library without the reply, which may quote what was sent.
func (p oauthClient) refused(address string, err error, sent url.Values) error {
	var said *oauth2.RetrieveError
	at := address
	if u, wrong := url.Parse(address); wrong == nil {
		at = transport.PlainURL(u)
	}
	if !errors.As(err, &said) {
		return fmt.Errorf("asking %s for a token: %w", at, shortened(withoutURL(err)))
	}
	if said.ErrorCode != "" {
		return fmt.Errorf("asking %s for a token: %w", at, &RefusedError{p.masked(said.ErrorCode, sent), p.masked(said.ErrorDescription, sent)})
	}
	return fmt.Errorf("asking %s for a token: %w", at, &statusError{said.Response.StatusCode})
}

// shortened takes the name of the library off an error, which it does not wrap.
func shortened(err error) error {
	if text, ours := strings.CutPrefix(err.Error(), "oauth2: "); ours {
		return errors.New("the answer is unusable: " + quoted(text))
	}
	return err
}

// masked hides in a text of the authorization server what was sent to it in confidence.
func (p oauthClient) masked(text string, sent url.Values) string {
	secrets := []string{p.secret.Reveal()}
	for _, name := range []string{"code", "code_verifier", "refresh_token", "client_assertion", "device_code", "client_secret", "assertion", "subject_token"} {
		secrets = append(secrets, sent.Get(name))
	}
	return redact.Of(secrets...).Text(text)
}

// vet checks a token before it is sent or kept.
func vet(given *oauth2.Token) (token, error) {
	t := token{access: probe.Secret(given.AccessToken), refresh: probe.Secret(given.RefreshToken), expires: given.Expiry}
	for what, text := range map[string]string{"the access token": given.AccessToken, "the refresh token": given.RefreshToken} {
		switch {
		case strings.ContainsFunc(text, unprintable):
			return token{}, fmt.Errorf("%s of the authorization server has spaces, control characters or worse in it", what)
		case len(text) > longestToken:
			return token{}, fmt.Errorf("%s of the authorization server is larger than %d KiB", what, longestToken>>10)
		}
	}
	if !strings.EqualFold(given.Type(), "Bearer") || given.TokenType == "" {
		return token{}, fmt.Errorf("the authorization server gave a token of type %s; MCP has bearer tokens", quoted(given.TokenType))
	}
	life, err := lifetime(given.Extra("expires_in"))
	if err != nil {
		return token{}, err
	}
	if life > 0 {
		t.expires = time.Now().Add(life)
	}
	if granted, ok := given.Extra("scope").(string); ok {
		t.scopes = scopes([]string{granted})
	}
	return t, nil
}

// lifetime is expires_in; 0 = it was not told.
func lifetime(raw any) (time.Duration, error) {
	var seconds float64
	switch v := raw.(type) {
	case nil:
		return 0, nil
	case float64:
		seconds = v
	case int64: // of a form, which some authorization servers answer with
		seconds = float64(v)
	case string:
		if json.Unmarshal([]byte(v), &seconds) != nil && v != "" {
			return 0, fmt.Errorf("the lifetime of the token is no number: %s", quoted(v))
		}
	default:
		return 0, errors.New("the lifetime of the token is no number")
	}
	if seconds < 0 || seconds > longestLife.Seconds() {
		return 0, fmt.Errorf("the token is said to live for %.0f seconds, which cannot be", seconds)
	}
	return time.Duration(seconds * float64(time.Second)), nil
}

// Assertion is a signed statement of somebody else about who the client is, which is traded for a token (RFC 7523, 2.1): of a
// platform about the workload that runs on it (SEP-1933), or of a company about its employee (SEP-990, ID-JAG).
type Assertion struct {
	Text     probe.Secret // the statement; empty = from File or Runner
	File     string       // is read for each token: whoever writes it renews it
	Runner   string       // URL at which GitHub Actions makes statements for a job
	Bearer   probe.Secret // what the job shows there
	Exchange string       // token endpoint of an identity provider that trades an ID token for a statement to the authorization server
	ID       string       // who the client is there; may be empty
	Secret   probe.Secret // its secret there; may be empty
}

// Types of tokens in an exchange (RFC 8693; draft-ietf-oauth-identity-assertion-authz-grant).
const (
	typeIDToken = "urn:ietf:params:oauth:token-type:id_token"
	typeIDJAG   = "urn:ietf:params:oauth:token-type:id-jag"
)

// statement is the assertion to the authorization server of f.
func (a Assertion) statement(ctx context.Context, w *client, f discovered) (string, error) {
	text, err := a.told(ctx, w, f.issuer.ID)
	switch {
	case err != nil:
		return "", fmt.Errorf("getting the assertion of the client: %w", err)
	case text == "" || strings.ContainsFunc(text, unprintable) || len(text) > longestToken:
		return "", errors.New("getting the assertion of the client: it is no token")
	case a.Exchange == "":
		return text, nil
	}
	at := oauthClient{secret: a.Secret}
	at.ID, at.Method = a.ID, methodNone
	if a.Secret != "" {
		at.Method = methodBasic
	}
	given, err := w.ask(ctx, at, a.Exchange, grantExchange, url.Values{
		"requested_token_type": {typeIDJAG}, "audience": {f.issuer.ID}, "resource": {f.resource}, "scope": {strings.Join(f.scopes, " ")},
		"subject_token": {text}, "subject_token_type": {typeIDToken},
	})
	switch {
	case err != nil:
		return "", err
	case given.Extra("issued_token_type") != typeIDJAG:
		return "", fmt.Errorf("the identity provider gave a token of type %s, not %s", quoted(fmt.Sprint(given.Extra("issued_token_type"))), typeIDJAG)
	}
	return given.AccessToken, nil
}

// told is the statement as its maker gives it. Only GitHub Actions can be told whom it is meant for.
func (a Assertion) told(ctx context.Context, w *client, audience string) (string, error) {
	switch {
	case a.Text != "":
		return a.Text.Reveal(), nil
	case a.File != "":
		text, err := files.Read(a.File, longestToken)
		return strings.TrimSpace(string(text)), err
	}
	address, err := w.check("the address at which GitHub Actions makes statements", a.Runner)
	if err != nil {
		return "", err
	}
	query := address.Query()
	query.Set("audience", audience)
	address.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "bearer "+a.Bearer.Reveal())
	var given struct{ Value string }
	err = w.object(req, http.StatusOK, &given)
	return given.Value, err
}
