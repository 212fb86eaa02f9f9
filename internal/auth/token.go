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

// token is the checked answer of a token endpoint.
type token struct {
	access, refresh probe.Secret
	expires         time.Time // zero = unknown
	scopes          []string  // empty = the requested ones (RFC 6749, 5.1)
}

// Limits of tokens.
const (
	maxToken    = 64 << 10
	maxLifetime = 100 * 365 * 24 * time.Hour
)

// RefusedError is a refusal of an authorization server.
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

// endpoint returns the token endpoint with the client's way to authenticate.
func (me oauthClient) endpoint(address string) oauth2.Endpoint {
	style := oauth2.AuthStyleInParams
	if me.Method == methodBasic {
		style = oauth2.AuthStyleInHeader
	}
	return oauth2.Endpoint{TokenURL: address, AuthStyle: style}
}

// redeem gets a token for a grant and its parameters.
func (c *client) redeem(ctx context.Context, me oauthClient, address, grant string,
	more url.Values) (token, error) {
	params := url.Values{"grant_type": {grant}}
	for name, values := range more {
		if len(values) > 0 && values[0] != "" {
			params[name] = values
		}
	}
	config := clientcredentials.Config{ClientID: me.ID, ClientSecret: me.secret.Reveal(), TokenURL: address,
		AuthStyle: me.endpoint(address).AuthStyle, EndpointParams: params}
	given, err := config.Token(c.context(ctx))
	if err != nil {
		return token{}, me.withoutSecrets(address, err, params)
	}
	return vet(given)
}

// context returns a context in which the oauth2 library uses the client.
func (c *client) context(ctx context.Context) context.Context {
	lenient := *c.client
	lenient.Transport = wholeSeconds{c.client.Transport}
	return context.WithValue(ctx, oauth2.HTTPClient, &lenient)
}

// wholeSeconds makes expires_in of a token an integer: the oauth2 library fails for 3600.0, which some
// servers send.
type wholeSeconds struct{ next http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
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
		case err == nil && math.Abs(seconds) <= maxLifetime.Seconds():
			members["expires_in"] = strconv.AppendInt(nil, int64(seconds), 10)
		}
		body, _ = json.Marshal(members)
	}
	reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return reply, nil
}

// withoutSecrets returns an error of the oauth2 library without the reply, which may quote what was sent.
func (me oauthClient) withoutSecrets(address string, err error, sent url.Values) error {
	if u, wrong := url.Parse(address); wrong == nil {
		address = transport.PlainURL(u)
	}
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		err = withoutURL(err)
		if text, ofLibrary := strings.CutPrefix(err.Error(), "oauth2: "); ofLibrary {
			err = errors.New("unusable answer: " + quoted(text))
		}
	case refused.ErrorCode != "":
		secrets := []string{me.secret.Reveal()}
		for _, name := range []string{"code", "code_verifier", "refresh_token", "device_code",
			"client_secret"} {
			secrets = append(secrets, sent.Get(name))
		}
		mask := redact.Of(secrets...)
		err = &RefusedError{mask.Text(refused.ErrorCode), mask.Text(refused.ErrorDescription)}
	default:
		err = &statusError{refused.Response.StatusCode}
	}
	return fmt.Errorf("requesting a token from %s: %w", address, err)
}

// vet checks a token before it is sent or saved.
func vet(given *oauth2.Token) (token, error) {
	t := token{access: probe.Secret(given.AccessToken), refresh: probe.Secret(given.RefreshToken),
		expires: given.Expiry}
	for name, text := range map[string]string{"access token": given.AccessToken,
		"refresh token": given.RefreshToken} {
		switch {
		case strings.ContainsFunc(text, unprintable):
			return token{}, fmt.Errorf("the %s has spaces, control characters or non-ASCII characters", name)
		case len(text) > maxToken:
			return token{}, fmt.Errorf("the %s is larger than %d KiB", name, maxToken>>10)
		}
	}
	if !strings.EqualFold(given.Type(), "Bearer") || given.TokenType == "" {
		return token{}, fmt.Errorf("the authorization server returned a token of type %s, not a bearer token",
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

// lifetime returns expires_in; 0 = unknown. A form has an int64, JSON a float64 or a string.
func lifetime(raw any) (time.Duration, error) {
	text := fmt.Sprint(raw)
	if raw == nil || text == "" {
		return 0, nil
	}
	seconds, err := strconv.ParseFloat(text, 64)
	if err != nil || !(seconds >= 0 && seconds <= maxLifetime.Seconds()) {
		return 0, fmt.Errorf("invalid expires_in: %s", quoted(text))
	}
	return time.Duration(seconds * float64(time.Second)), nil
}
