package auth

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"golang.org/x/oauth2"
)

// Flow is how a person takes part in a login.
type Flow struct {
	// shows one line; text of strangers in it is fit for a terminal
	Tell func(text string)
	Open func(ctx context.Context, url string) error // opens a browser; it need not wait
	// keeps the login, before the browser is told that it worked; nil = nothing is kept
	Keep func(context.Context, *vault.Login) error
	// reads the address that a browser ended at; nil = the browser brings it
	Paste  func(ctx context.Context) (string, error)
	Device bool     // log in on another device
	Scopes []string // asked for in addition
}

// fetch sends the browser to a page, and is the answer that comes back from it.
func (flow Flow) fetch(ctx context.Context, d *callbackServer, page string) (url.Values, error) {
	if flow.Paste != nil {
		flow.Tell("open this address, log in, and paste the address that the browser ends at (its page " +
			"need not load):\n" + page)
		text, err := flow.Paste(ctx)
		if err != nil {
			return nil, err
		}
		return d.pasted(text)
	}
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	flow.Tell(fmt.Sprintf("opening %s in a browser to log in; if none opens, go there yourself:\n%s",
		u.Host, page))
	if err := flow.Open(ctx, page); err != nil {
		flow.Tell(fmt.Sprintf("no browser could be opened (%v): go to the address yourself, or end this "+
			"and use --no-browser", err))
	}
	return d.wait(ctx, flow.Tell)
}

// Login lets the user log in to a server. old is the login that was kept before, if any; its scopes are asked
// for again.
func Login(ctx context.Context, s Server, old *vault.Login, flow Flow, caCert []byte) (*vault.Login, error) {
	w, err := newClient(s, caCert)
	if err != nil {
		return nil, err
	}
	if _, err := w.check("the server's URL", s.URL); err != nil {
		return nil, err
	}
	c, err := w.challenge(ctx, s)
	if err != nil {
		return nil, err
	}
	f, err := w.discover(ctx, s, c)
	if err != nil {
		return nil, err
	}
	if err := s.sameIssuer(f, old); err != nil {
		return nil, err
	}
	f.scopes = s.scopes(f, old, flow)
	way := w.byCode
	if flow.Device {
		way = w.byDevice
	}
	var l *vault.Login
	err = way(ctx, s, f, old, flow, func(ctx context.Context, p oauthClient, t token) error {
		l = loginOf(s, f, p, t)
		if flow.Keep == nil {
			return nil
		}
		return flow.Keep(ctx, l)
	})
	if err != nil {
		return nil, err
	}
	return l, nil
}

// keeper takes what a way of logging in brought.
type keeper func(context.Context, oauthClient, token) error

// sameIssuer refuses to hand the secret of a configured client to another authorization server than the one
// of the last login (specification 2026-07-28, authorization server binding).
func (s Server) sameIssuer(f discovered, old *vault.Login) error {
	if old == nil || old.Issuer == f.issuer.ID || s.Client.ID == "" {
		return nil
	}
	return exit.Advise(fmt.Sprintf("if that is right, forget the old login with mcpctl logout %s, and log "+
		"in again", s.Name),
		"the server now names the authorization server %s; the configured client belongs to %s",
		quoted(f.issuer.ID), quoted(old.Issuer))
}

// scopes are what a login asks for: what is configured, or else what the server wants, and what the user has
// already.
func (s Server) scopes(f discovered, old *vault.Login, flow Flow) []string {
	wanted := f.scopes
	if len(s.Client.Scopes) > 0 {
		wanted = s.Client.Scopes
	}
	if old != nil && old.Issuer == f.issuer.ID {
		return scopes(wanted, old.Scopes, old.Wanted, flow.Scopes)
	}
	return scopes(wanted, flow.Scopes)
}

func loginOf(s Server, f discovered, p oauthClient, t token) *vault.Login {
	l := &vault.Login{
		Server: Canonical(s.URL), Resource: f.resource, Issuer: f.issuer.ID, Token: f.issuer.Token,
		Revoke: f.issuer.Revoke,
		Since:  time.Now().UTC().Truncate(time.Second), Client: p.Client, Scopes: t.scopes,
		Secrets: vault.Secrets{Access: t.access.Reveal(), Refresh: t.refresh.Reveal()},
	}
	if p.Registered {
		l.Secrets.ClientSecret = p.secret.Reveal()
	}
	if len(l.Scopes) == 0 {
		l.Scopes = f.scopes
	}
	l.Expires = storedTime(t.expires)
	return l
}

// storedTime returns a time as it is stored: in UTC, in whole seconds.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// Logout revokes a login's tokens where possible (RFC 7009), the refresh token first: with it go, as a rule,
// all others.
func Logout(ctx context.Context, s Server, l vault.Login, caCert []byte) error {
	if l.Revoke == "" {
		return nil
	}
	w, err := newClient(s, caCert)
	if err != nil {
		return err
	}
	p := s.clientOf(l)
	var all error
	for _, secret := range []string{l.Secrets.Refresh, l.Secrets.Access} {
		if secret != "" {
			_, err := finish(ctx, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, w.revoke(ctx, p, l.Revoke, secret)
			})
			all = errors.Join(all, err)
		}
	}
	return all
}

// errDenied is a person, or the authorization server, who did not let the client in.
var errDenied = errors.New("the login was denied")

// denied returns errDenied, with the reason that the authorization server gives.
func denied(why string) error {
	if why == "" {
		return errDenied
	}
	return fmt.Errorf("%w: %s", errDenied, quoted(why))
}

// byCode logs in through a browser (authorization code with PKCE).
func (w *client) byCode(ctx context.Context, s Server, f discovered, old *vault.Login, flow Flow,
	keep keeper) error {
	if err := f.issuer.proves(); err != nil {
		if s.Client.Authorize == "" && s.Client.Metadata == "" {
			return err
		}
		flow.Tell(fmt.Sprintf("warning: %v; going on, since its endpoints are configured", err))
	}
	if f.issuer.Authorize == "" {
		return errors.New("the authorization server has no page to log in at (authorization_endpoint)")
	}
	callback, err := openCallback(s.Client, old, flow.Paste != nil)
	if err != nil {
		return err
	}
	defer callback.close()
	p, err := w.identify(ctx, s, f, old, callback.redirect, grantCode)
	if err != nil {
		return err
	}
	r := request{state: callback.state, verifier: oauth2.GenerateVerifier(), discovered: f, oauthClient: p}
	answer, err := flow.fetch(ctx, callback, r.url())
	if err != nil {
		return err
	}
	_, err = finish(ctx, func(ctx context.Context) (token, error) {
		t, err := w.exchange(ctx, r, answer)
		if err == nil {
			err = keep(ctx, p, t)
		}
		return t, err
	})
	callback.outcome <- err
	return err
}

type request struct {
	state, verifier string
	discovered
	oauthClient
}

func (r request) url() string {
	config := oauth2.Config{ClientID: r.oauthClient.ID, RedirectURL: r.Redirect, Scopes: r.wanted(),
		Endpoint: oauth2.Endpoint{AuthURL: r.issuer.Authorize}}
	return config.AuthCodeURL(r.state, oauth2.S256ChallengeOption(r.verifier),
		oauth2.SetAuthURLParam("resource", r.resource))
}

// wanted are the scopes to ask for, and with them a refresh token, where the authorization server has a scope
// for that.
func (f discovered) wanted() []string {
	if len(f.scopes) > 0 && slices.Contains(f.issuer.Scopes, "offline_access") {
		return scopes(f.scopes, []string{"offline_access"})
	}
	return f.scopes
}

// exchange checks the answer to a request and trades its code for a token.
func (w *client) exchange(ctx context.Context, r request, answer url.Values) (token, error) {
	code, err := r.code(answer)
	if err != nil {
		return token{}, err
	}
	return w.redeem(ctx, r.oauthClient, r.issuer.Token, grantCode, url.Values{
		"code": {code}, "redirect_uri": {r.Redirect}, "code_verifier": {r.verifier}, "resource": {r.resource},
	})
}

// code is the authorization code in an answer with the request's state and issuer (RFC 9207); nothing else is
// read before.
func (r request) code(answer url.Values) (string, error) {
	iss, told := answer["iss"]
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) != 1:
		return "", errors.New("the answer to the login is not to this login: its state differs; nothing of " +
			"it was used")
	case !told && r.issuer.TellsIss:
		return "", errors.New("the answer to the login does not say which authorization server it is from, " +
			"though that one promised to (iss)")
	case told && (len(iss) != 1 || iss[0] != r.issuer.ID): // compared as strings (RFC 9207, 2.4)
		return "", fmt.Errorf("the answer to the login is from %s and not from %s (iss): another "+
			"authorization server may be trying to get at the login; nothing of it was used",
			quoted(strings.Join(iss, " ")), quoted(r.issuer.ID))
	}
	switch failure := answer.Get("error"); {
	case failure == "access_denied":
		return "", denied(answer.Get("error_description"))
	case failure != "":
		return "", &RefusedError{failure, answer.Get("error_description")}
	case answer.Get("code") == "":
		return "", errors.New("the answer to the login holds neither a code nor an error")
	}
	return answer.Get("code"), nil
}

// Bounds of what an authorization server may ask of someone who waits for a device login.
const (
	deviceTime  = 30 * time.Minute
	shortestAsk = 1
	longestAsk  = 60 // seconds between two requests
)

// byDevice logs in on another device, which a code is typed into (RFC 8628).
func (w *client) byDevice(ctx context.Context, s Server, f discovered, old *vault.Login, flow Flow,
	keep keeper) error {
	if f.issuer.Device == "" {
		return exit.Advise("log in with "+s.loginCommand("--no-browser"),
			"the authorization server %s has no device login", quoted(f.issuer.ID))
	}
	p, err := w.identify(ctx, s, f, old, "http://127.0.0.1/callback", grantDevice)
	if err != nil {
		return err
	}
	at := p.endpoint(f.issuer.Token)
	at.DeviceAuthURL = f.issuer.Device
	config := &oauth2.Config{ClientID: p.ID, ClientSecret: p.secret.Reveal(), Scopes: f.wanted(),
		Endpoint: at}
	code, err := config.DeviceAuth(w.context(ctx), oauth2.SetAuthURLParam("resource", f.resource))
	if err != nil {
		return p.refused(f.issuer.Device, err, nil)
	}
	if err := w.invite(code, flow); err != nil {
		return err
	}
	_, err = finish(ctx, func(own context.Context) (token, error) {
		t, err := w.await(ctx, config, p, code, f.resource)
		if err == nil {
			err = keep(own, p, t)
		}
		return t, err
	})
	return err
}

// invite tells the person where to go, and what to type there.
func (w *client) invite(code *oauth2.DeviceAuthResponse, flow Flow) error {
	page, err := w.check("the page for the code", code.VerificationURI)
	if err != nil {
		return err
	}
	if code.UserCode == "" || len(code.UserCode) > 64 ||
		strings.ContainsFunc(code.UserCode, func(r rune) bool { return r != ' ' && unprintable(r) }) {
		return errors.New("the authorization server gave a code that nobody can type")
	}
	flow.Tell(fmt.Sprintf("open %s on any device and type the code %s", page, code.UserCode))
	return nil
}

// await asks for the token at the pace that the authorization server wants, until its code expires or ctx
// ends. A request that is under way then is finished: its answer may hold the token.
func (w *client) await(ctx context.Context, config *oauth2.Config, p oauthClient,
	code *oauth2.DeviceAuthResponse, resource string) (token, error) {
	code.Interval = min(max(code.Interval, shortestAsk), longestAsk)
	latest := time.Now().Add(deviceTime)
	if code.Expiry.IsZero() || code.Expiry.After(latest) {
		code.Expiry = latest
	}
	patient := *w.client
	patient.Transport = outliving{patient.Transport}
	asking := context.WithValue(ctx, oauth2.HTTPClient, &patient)
	given, err := config.DeviceAccessToken(asking, code, oauth2.SetAuthURLParam("resource", resource))
	var said *oauth2.RetrieveError
	switch {
	case err == nil:
		return vet(given)
	case ctx.Err() != nil:
		return token{}, fmt.Errorf("waiting for the device login: %w", context.Cause(ctx))
	case errors.As(err, &said) && said.ErrorCode == "access_denied":
		return token{}, denied(said.ErrorDescription)
	case errors.As(err, &said) && said.ErrorCode == "expired_token", errors.Is(err, context.DeadlineExceeded):
		return token{}, errors.New("the code expired before it was typed: log in again")
	}
	return token{}, p.refused(config.Endpoint.TokenURL, err, url.Values{"device_code": {code.DeviceCode}})
}

// clientOf is who a login was issued to, with the secret that is configured or was registered.
func (s Server) clientOf(l vault.Login) oauthClient {
	p := oauthClient{Client: l.Client, secret: s.Client.Secret}
	if l.Client.Registered {
		p.secret = probe.Secret(l.Secrets.ClientSecret)
	}
	return p
}

// revoke makes one token worthless. An authorization server that does not know it answers like one that did
// it.
func (w *client) revoke(ctx context.Context, p oauthClient, address, secret string) error {
	form := url.Values{"token": {secret}}
	if p.Method != methodBasic {
		form.Set("client_id", p.ID)
	}
	if p.Method == methodPost {
		form.Set("client_secret", p.secret.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.Method == methodBasic {
		req.SetBasicAuth(url.QueryEscape(p.ID), url.QueryEscape(p.secret.Reveal()))
	}
	reply, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("revoking the login at %s: %w", transport.PlainURL(req.URL), withoutURL(err))
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("revoking the login at %s: %w", transport.PlainURL(req.URL),
			&statusError{reply.StatusCode})
	}
	return nil
}
