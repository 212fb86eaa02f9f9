package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpctl/mcpctl/internal/vault"
)

// Bounds of what an authorization server may ask of someone who waits for a device login.
const (
	deviceTime  = 30 * time.Minute
	shortestAsk = 1
	longestAsk  = 60 // seconds between two requests
)

// byDevice logs in on another device, which a code is typed into (RFC 8628).
func (w *web) byDevice(ctx context.Context, s Server, f found, old *vault.Login, way Way) (party, token, error) {
	if f.issuer.Device == "" {
		return party{}, token{}, advise("log in with "+s.loginCommand("--no-browser"), "the authorization server %s has no device login", quoted(f.issuer.ID))
	}
	p, err := w.party(ctx, s, f, old, "http://127.0.0.1/callback", grantDevice)
	if err != nil {
		return party{}, token{}, err
	}
	at := p.endpoint(f.issuer.Token)
	at.DeviceAuthURL = f.issuer.Device
	config := &oauth2.Config{ClientID: p.ID, ClientSecret: p.secret.Reveal(), Scopes: f.wanted(), Endpoint: at}
	code, err := config.DeviceAuth(w.context(ctx), oauth2.SetAuthURLParam("resource", f.resource))
	if err != nil {
		return p, token{}, p.refusal(f.issuer.Device, err, nil)
	}
	if err := w.invite(code, way); err != nil {
		return p, token{}, err
	}
	t, err := w.await(ctx, config, p, code, f.resource)
	return p, t, err
}

// invite tells the person where to go, and what to type there.
func (w *web) invite(code *oauth2.DeviceAuthResponse, way Way) error {
	page, err := w.check("the page for the code", code.VerificationURI)
	if err != nil {
		return err
	}
	if code.UserCode == "" || len(code.UserCode) > 64 || strings.ContainsFunc(code.UserCode, func(r rune) bool { return r != ' ' && unprintable(r) }) {
		return errors.New("the authorization server gave a code that nobody can type")
	}
	way.Tell(fmt.Sprintf("open %s on any device and type the code %s", page, code.UserCode))
	return nil
}

// await asks for the token at the pace that the authorization server wants, until its code expires.
func (w *web) await(ctx context.Context, config *oauth2.Config, p party, code *oauth2.DeviceAuthResponse, resource string) (token, error) {
	code.Interval = min(max(code.Interval, shortestAsk), longestAsk)
	latest := time.Now().Add(deviceTime)
	if code.Expiry.IsZero() || code.Expiry.After(latest) {
		code.Expiry = latest
	}
	options := []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", resource)}
	proofs, err := p.proofs(config.Endpoint.TokenURL, time.Now())
	if err != nil {
		return token{}, err
	}
	for name := range proofs {
		options = append(options, oauth2.SetAuthURLParam(name, proofs.Get(name)))
	}
	given, err := config.DeviceAccessToken(w.context(ctx), code, options...)
	var said *oauth2.RetrieveError
	switch {
	case err == nil:
		return vet(given)
	case ctx.Err() != nil:
		return token{}, fmt.Errorf("waiting for the device login: %w", context.Cause(ctx))
	case errors.As(err, &said) && said.ErrorCode == "access_denied":
		return token{}, errDenied
	case errors.As(err, &said) && said.ErrorCode == "expired_token", errors.Is(err, context.DeadlineExceeded):
		return token{}, errors.New("the code expired before it was typed: log in again")
	}
	return token{}, p.refusal(config.Endpoint.TokenURL, err, url.Values{"device_code": {code.DeviceCode}})
}
