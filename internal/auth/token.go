package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"
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

// redeem gets a token for a grant, which further parameters belong to.
func (w *client) redeem(ctx context.Context, p oauthClient, address, grant string, more url.Values) (token,
	error) {
	given, err := w.ask(ctx, p, address, grant, more)
	if err != nil {
		return token{}, err
	}
	return vet(given)
}

func (w *client) ask(ctx context.Context, p oauthClient, address, grant string,
	more url.Values) (*oauth2.Token, error) {
	params := url.Values{"grant_type": {grant}}
	for name, values := range more {
		if len(values) > 0 && values[0] != "" {
			params[name] = values
		}
	}
	at := p.endpoint(address)
	config := clientcredentials.Config{ClientID: p.ID, ClientSecret: p.secret.Reveal(), TokenURL: at.TokenURL,
		AuthStyle: at.AuthStyle, EndpointParams: params}
	given, err := config.Token(w.context(ctx))
	if err != nil {
		return nil, p.refused(address, err, params)
	}
	return given, nil
}

// context makes the oauth2 library use our client.
func (w *client) context(ctx context.Context) context.Context {
	lenient := *w.client
	lenient.Transport = wholeSeconds{w.client.Transport}
	return context.WithValue(ctx, oauth2.HTTPClient, &lenient)
}

// wholeSeconds makes expires_in of a token an integer: the oauth2 library fails for 3600.0, which some
// servers send.
type wholeSeconds struct{ next http.RoundTripper }

// RoundTrip replaces the body of a reply that needs it.
func (r wholeSeconds) RoundTrip(req *http.Request) (*http.Response, error) {
	reply, err := r.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := files.ReadLimited(reply.Body, bodyLimit)
	if err != nil {
		return nil, err
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) == nil {
		text := strings.Trim(string(members["expires_in"]), `"`)
		seconds, err := strconv.ParseFloat(text, 64)
		switch {
		case text == "":
			delete(members, "expires_in")
		case err == nil && math.Abs(seconds) <= longestLife.Seconds():
			members["expires_in"] = strconv.AppendInt(nil, int64(seconds), 10)
		}
		body, _ = json.Marshal(members) // what was read can be written
	}
	reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return reply, nil
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
		return fmt.Errorf("asking %s for a token: %w", at,
			&RefusedError{p.masked(said.ErrorCode, sent), p.masked(said.ErrorDescription, sent)})
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
	for _, name := range []string{"code", "code_verifier", "refresh_token", "device_code", "client_secret"} {
		secrets = append(secrets, sent.Get(name))
	}
	return redact.Of(secrets...).Text(text)
}

// vet checks a token before it is sent or kept.
func vet(given *oauth2.Token) (token, error) {
	t := token{access: probe.Secret(given.AccessToken), refresh: probe.Secret(given.RefreshToken),
		expires: given.Expiry}
	for what, text := range map[string]string{"the access token": given.AccessToken,
		"the refresh token": given.RefreshToken} {
		switch {
		case strings.ContainsFunc(text, unprintable):
			return token{}, fmt.Errorf("%s of the authorization server has spaces, control characters or "+
				"worse in it", what)
		case len(text) > longestToken:
			return token{}, fmt.Errorf("%s of the authorization server is larger than %d KiB", what,
				longestToken>>10)
		}
	}
	if !strings.EqualFold(given.Type(), "Bearer") || given.TokenType == "" {
		return token{}, fmt.Errorf("the authorization server gave a token of type %s; MCP has bearer tokens",
			quoted(given.TokenType))
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
