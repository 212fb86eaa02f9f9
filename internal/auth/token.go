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
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"github.com/mcpctl/mcpctl/internal/exit"
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

// refusedError reports a refusal of an authorization server.
type refusedError struct {
	code string // such as "invalid_grant" (RFC 6749, 5.2)
	why  string // its description; hostile text
}

// Error quotes both.
func (e *refusedError) Error() string {
	text := "the authorization server refused: " + quoted(e.code)
	switch e.code {
	case "access_denied":
		text = "the login was denied"
	case "expired_token":
		return "the code expired before it was typed: log in again"
	}
	if e.why != "" {
		text += ": " + quoted(e.why)
	}
	return text
}

// redeem gets a token for a grant and its parameters. An assertion of the client is for the issuer, as RFC
// 7523 is being amended to say; authorization servers from before that take one for the endpoint alone.
func (c *client) redeem(ctx context.Context, me oauthClient, address, grant string,
	more url.Values) (token, error) {
	params, err := me.proofs()
	if err != nil {
		return token{}, err
	}
	params.Set("grant_type", grant)
	for name, values := range more {
		if len(values) > 0 && values[0] != "" {
			params[name] = values
		}
	}
	config := clientcredentials.Config{ClientID: me.ID, ClientSecret: me.secret.Reveal(), TokenURL: address,
		AuthStyle: oauth2.AuthStyleInParams, EndpointParams: params}
	if me.Method == methodBasic {
		config.AuthStyle = oauth2.AuthStyleInHeader
	}
	given, err := config.Token(c.context(ctx))
	if err == nil {
		return vet(given)
	}
	err = me.withoutSecrets(ctx, address, err, params)
	if refusedWith(err, "invalid_client") && me.Method == methodKey && me.key.audience != address {
		me.key.audience = address
		return c.redeem(ctx, me, address, grant, more)
	}
	return token{}, err
}

// refusedWith reports whether an authorization server refused with one of some codes.
func refusedWith(err error, codes ...string) bool {
	refused, ok := errors.AsType[*refusedError](err)
	return ok && slices.Contains(codes, refused.code)
}

// adviseResource adds a hint to the refusal of a resource (RFC 8707, 2), which some authorization servers
// call an invalid request.
func adviseResource(err error) error {
	if !refusedWith(err, "invalid_target", "invalid_resource", "invalid_request") {
		return err
	}
	return exit.Advise(`if it does not take the parameter resource, configure "oauth": {"resource": false}, `+
		`or {"resource": "URI"} for another one`, "%w", err)
}

// context returns a context in which the oauth2 library uses the client.
func (c *client) context(ctx context.Context) context.Context {
	return context.WithValue(ctx, oauth2.HTTPClient, &http.Client{
		Transport:     integerTransport{c.client.Transport, ctx, c.client.Timeout},
		CheckRedirect: sameOriginOnly})
}

// integerTransport makes the seconds in a reply integers: the oauth2 library fails for 3600.0, which some
// servers send; and it declares JSON as such, since the library reads text/plain as a form. It bounds the
// time itself, since the library does not close every body and asks for a device code without the context.
type integerTransport struct {
	http.RoundTripper
	run     context.Context //nolint:containedctx // of all requests of one call of the library
	timeout time.Duration
}

// RoundTrip implements [http.RoundTripper].
func (t integerTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx, cancel := context.WithTimeout(t.run, t.timeout)
	defer cancel()
	reply, err := t.RoundTripper.RoundTrip(req.WithContext(ctx))
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	body, err := files.ReadLimited(reply.Body, bodyLimit)
	if err != nil {
		return nil, err
	}
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) == nil {
		reply.Header.Set("Content-Type", "application/json")
		for _, name := range []string{"expires_in", "interval"} {
			text := strings.Trim(string(members[name]), `"`)
			seconds, err := strconv.ParseFloat(text, 64)
			switch {
			case text == "" || text == "null":
				delete(members, name)
				continue
			case err != nil || math.Abs(seconds) > maxLifetime.Seconds(),
				name == "expires_in" && seconds < 0:
				return nil, fmt.Errorf("invalid %s: %s", name, quoted(text))
			}
			members[name] = strconv.AppendInt(nil, int64(seconds), 10)
		}
		body, _ = json.Marshal(members)
	}
	reply.Body, reply.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return reply, nil
}

// withoutSecrets returns an error of the oauth2 library without the reply, which may quote what was sent.
func (me oauthClient) withoutSecrets(ctx context.Context, address string, err error, sent url.Values) error {
	if u, wrong := url.Parse(address); wrong == nil {
		address = transport.PlainURL(u)
	}
	secrets := []string{me.secret.Reveal()}
	for _, name := range []string{"code", "code_verifier", "refresh_token", "device_code", "client_secret",
		"client_assertion", "assertion"} {
		secrets = append(secrets, sent.Get(name))
	}
	mask := redact.Of(secrets...)
	var refused *oauth2.RetrieveError
	switch {
	case !errors.As(err, &refused):
		err = causeOf(ctx, err)
		if text, ofLibrary := strings.CutPrefix(err.Error(), "oauth2: "); ofLibrary {
			err = errors.New("unusable answer: " + quoted(text))
		}
	case refused.ErrorCode != "":
		err = &refusedError{mask.Text(refused.ErrorCode), mask.Text(refused.ErrorDescription)}
	default:
		err = &transport.HTTPError{Status: refused.Response.StatusCode, Body: mask.Text(string(refused.Body)),
			Type: refused.Response.Header.Get("Content-Type")}
	}
	return fmt.Errorf("requesting a token from %s: %w", address, err)
}

// masked returns an error without some secrets, which the reply in it may quote.
func masked(err error, secrets ...string) error {
	if err == nil {
		return nil
	}
	return errors.New(redact.Of(secrets...).Text(err.Error()))
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
	if granted, ok := given.Extra("scope").(string); ok {
		t.scopes = scopes([]string{granted})
	}
	return t, nil
}
