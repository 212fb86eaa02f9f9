package auth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

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
