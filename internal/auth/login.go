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

	"golang.org/x/oauth2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Flow is how the user takes part in a login.
type Flow struct {
	Print func(text string)                           // shows text; what others wrote in it is quoted
	Open  func(ctx context.Context, url string) error // opens a browser; it need not wait
	// saves the login before the browser shows success
	Save func(context.Context, *vault.Grant) error
	// reads the address at which a browser ended; nil = the browser sends it
	Paste func(ctx context.Context) (string, error)
	// notes that a login with the client of the last one ended without an answer: the authorization server
	// may have forgotten the client, which it shows in the browser alone
	Unanswered func(context.Context)
	Device     bool     // log in on another device
	Scopes     []string // to request in addition
}

// Login lets the user log in to a server. old is the saved login, if any; its scopes are requested again.
func Login(
	ctx context.Context, s Resource, old *vault.Grant, flow Flow, caCert []byte,
) (*vault.Grant, error) {
	c, err := newClient(s, caCert)
	if err != nil {
		return nil, err
	}
	if _, err := c.check("the server's URL", s.URL); err != nil {
		return nil, err
	}
	asked, err := c.challenge(ctx, s)
	if err != nil {
		return nil, err
	}
	logIn := c.byCode
	if flow.Device {
		logIn = c.byDevice
	}
	return c.discover(ctx, s, asked, old, func(f discovered) (*vault.Grant, error) {
		if err := s.checkIssuer(f, old); err != nil {
			return nil, unusableError{err}
		}
		f.scopes = s.scopes(f, old, flow)
		save := func(ctx context.Context, me oauthClient, t token) (*vault.Grant, error) {
			l := loginOf(s, f, me, t)
			return l, flow.Save(ctx, l)
		}
		l, err := logIn(ctx, s, f, old, flow, save)
		_, again := remembered(old, f.issuer)
		switch again = again && s.Client.ID == ""; {
		case again && refusedWith(err, "invalid_client", "unauthorized_client"):
			flow.Print("the authorization server does not accept the client of the last login any more: " +
				"registering a new one")
			return logIn(ctx, s, f, nil, flow, save)
		case again && err != nil && ctx.Err() != nil:
			flow.Unanswered(context.WithoutCancel(ctx))
			return nil, exit.Advise("if the page showed an error, log in again: mcpctl then registers a new "+
				"client, as it does after mcpctl logout "+printable.ShellWord(s.Name), "%w", err)
		}
		return l, adviseResource(err)
	})
}

// saver returns the saved login for a token.
type saver func(context.Context, oauthClient, token) (*vault.Grant, error)

// checkIssuer refuses to send the secret of a configured client to another authorization server than the one
// of the last login (specification 2026-07-28, authorization server binding).
func (s Resource) checkIssuer(f discovered, old *vault.Grant) error {
	if old == nil || sameIssuer(old.Issuer, f.issuer.ID) || s.Client.ID == "" {
		return nil
	}
	return exit.Advise(fmt.Sprintf("if that is intended, run mcpctl logout %s, then log in again", s.Name),
		"the server now names the authorization server %s; the configured client belongs to %s",
		quoted(f.issuer.ID), quoted(old.Issuer))
}

// scopes returns the scopes to request: the configured ones, or else those that the server requires, and
// those that the user has already.
func (s Resource) scopes(f discovered, old *vault.Grant, flow Flow) []string {
	wanted := f.scopes
	if len(s.Client.Scopes) > 0 {
		wanted = s.Client.Scopes
	}
	if old != nil && sameIssuer(old.Issuer, f.issuer.ID) {
		return scopes(wanted, old.Scopes, old.Wanted, flow.Scopes)
	}
	return scopes(wanted, flow.Scopes)
}

// loginOf returns the login to save for a token. A token without scopes has those that were requested (RFC
// 6749, 5.1). The secret of a configured client stays in the configuration.
func loginOf(s Resource, f discovered, me oauthClient, t token) *vault.Grant {
	l := &vault.Grant{
		Server: Canonical(s.URL), Resource: f.resource, Issuer: f.issuer.ID, Token: f.issuer.Token,
		Revoke: f.issuer.Revoke,
		Since:  time.Now().UTC().Truncate(time.Second), Client: me.Registration, Scopes: t.scopes,
		Expires: storedTime(t.expires),
		Secrets: vault.Secrets{Access: t.access.Reveal(), Refresh: t.refresh.Reveal()},
	}
	if me.Registered {
		l.Secrets.ClientSecret = me.secret.Reveal()
	}
	if len(l.Scopes) == 0 {
		l.Scopes = f.scopes
	}
	return l
}

// storedTime returns a time as it is stored: in UTC, in whole seconds.
func storedTime(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }

// byCode logs in through a browser, with an authorization code and PKCE.
func (c *client) byCode(ctx context.Context, s Resource, f discovered, old *vault.Grant, flow Flow,
	save saver) (*vault.Grant, error) {
	if err := f.issuer.requirePKCE(); err != nil {
		if s.Client.Authorize == "" && s.Client.Metadata == "" {
			return nil, unusableError{err}
		}
		flow.Print(fmt.Sprintf("warning: %v; continuing, since its endpoints are configured", err))
	}
	if f.issuer.Authorize == "" {
		return nil, unusableError{errors.New("the authorization server has no login page " +
			"(authorization_endpoint)")}
	}
	callback, err := openCallback(s.Client, old, flow)
	if err != nil {
		return nil, err
	}
	defer callback.close()
	me, err := c.identify(ctx, f, old, callback.redirect, grantCode)
	if err != nil {
		return nil, err
	}
	r := request{state: callback.state, verifier: oauth2.GenerateVerifier(), discovered: f, oauthClient: me}
	answer, err := flow.authorize(ctx, callback, r.url())
	if err != nil {
		return nil, err
	}
	l, err := host.Outlive(ctx, host.ExchangeTime, func(ctx context.Context) (*vault.Grant, error) {
		code, err := r.code(answer)
		if err != nil {
			return nil, err
		}
		t, err := c.redeem(ctx, me, f.issuer.Token, grantCode, url.Values{"code": {code},
			"redirect_uri": {r.Redirect}, "code_verifier": {r.verifier}, "resource": {f.resource}})
		if err != nil {
			return nil, err
		}
		return save(ctx, me, t)
	})
	callback.outcome <- err
	return l, err
}

// authorize sends the browser to a page and returns the answer that comes back.
func (flow Flow) authorize(ctx context.Context, callback *callbackServer, page string) (url.Values, error) {
	if flow.Paste != nil {
		flow.Print("open this address, log in, and paste the address at which the browser ends (its page " +
			"need not load):\n" + page)
		text, err := flow.Paste(ctx)
		if err != nil {
			return nil, err
		}
		return callback.pasted(text)
	}
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	flow.Print(fmt.Sprintf("opening %s in a browser to log in; if none opens, visit this address:\n%s",
		u.Host, page))
	if err := flow.Open(ctx, page); err != nil {
		flow.Print(fmt.Sprintf("cannot open a browser (%v): visit the address yourself, or use "+
			"--no-browser", err))
	}
	return callback.wait(ctx)
}

// request is an authorization request.
type request struct {
	state, verifier string
	discovered
	oauthClient
}

// url returns the address of the login page, with the PKCE challenge and the resource (RFC 8707).
func (r request) url() string {
	config := oauth2.Config{ClientID: r.oauthClient.ID, RedirectURL: r.Redirect, Scopes: r.requested(),
		Endpoint: oauth2.Endpoint{AuthURL: r.issuer.Authorize}}
	return config.AuthCodeURL(r.state, append(r.parameter(), oauth2.S256ChallengeOption(r.verifier))...)
}

// parameter returns the resource as a parameter of a request (RFC 8707), if there is one.
func (f discovered) parameter() []oauth2.AuthCodeOption {
	if f.resource == "" {
		return nil
	}
	return []oauth2.AuthCodeOption{oauth2.SetAuthURLParam("resource", f.resource)}
}

// requested returns the scopes to request, with the one for a refresh token if the authorization server has
// it.
func (f discovered) requested() []string {
	if len(f.scopes) > 0 && slices.Contains(f.issuer.Scopes, "offline_access") {
		return scopes(f.scopes, []string{"offline_access"})
	}
	return f.scopes
}

// code returns the authorization code in an answer with the request's state and issuer (RFC 9207). Nothing
// else is read before those are checked.
func (r request) code(answer url.Values) (string, error) {
	iss, named := answer["iss"]
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) != 1:
		return "", errors.New("the answer belongs to another login (state differs); it was not used")
	case !named && r.issuer.ReturnsIssuer:
		return "", errors.New("the answer to the login lacks the issuer (iss) that the authorization " +
			"server promised")
	case named && !r.issuer.unnamed && (len(iss) != 1 || iss[0] != r.issuer.ID): // as strings (RFC 9207, 2.4)
		return "", fmt.Errorf("the answer to the login is from %s and not from %s (iss): another "+
			"authorization server may be attacking the login; it was not used",
			quoted(strings.Join(iss, " ")), quoted(r.issuer.ID))
	}
	switch failure, code := answer.Get("error"), answer.Get("code"); {
	case failure != "":
		return "", &refusedError{failure, answer.Get("error_description")}
	case code == "":
		return "", errors.New("the answer to the login has neither a code nor an error")
	default:
		return code, nil
	}
}

// Limits of a device login, and the pace without one of the authorization server (RFC 8628, 3.2 and 3.5).
const (
	deviceTime  = 30 * time.Minute
	pace        = 5  // seconds between two requests; also what slow_down adds
	maxInterval = 60 // seconds
	maxFailures = 5  // of the network or the authorization server, one after the other
)

// byDevice logs in on another device, where the user enters a code (RFC 8628).
func (c *client) byDevice(ctx context.Context, s Resource, f discovered, old *vault.Grant, flow Flow,
	save saver) (*vault.Grant, error) {
	if f.issuer.Device == "" && c.lacksPage(ctx, f.issuer) {
		return nil, unusableError{errNoOAuth}
	}
	if f.issuer.Device == "" {
		return nil, unusableError{exit.Advise("log in with "+s.loginCommand("--no-browser"),
			"the authorization server %s has no device login", quoted(f.issuer.ID))}
	}
	me, err := c.identify(ctx, f, old, "http://127.0.0.1/callback", grantDevice)
	if err != nil {
		return nil, err
	}
	config := &oauth2.Config{ClientID: me.ID, Scopes: f.requested(),
		Endpoint: oauth2.Endpoint{DeviceAuthURL: f.issuer.Device}}
	code, err := config.DeviceAuth(c.context(ctx), f.parameter()...)
	if err != nil {
		return nil, me.withoutSecrets(ctx, f.issuer.Device, err, nil)
	}
	page, err := c.check("the page for the code", code.VerificationURI)
	if err != nil {
		return nil, err
	}
	if code.UserCode == "" || len(code.UserCode) > 64 ||
		strings.ContainsFunc(code.UserCode, func(r rune) bool { return r != ' ' && unprintable(r) }) {
		return nil, errors.New("the authorization server returned an unusable user code")
	}
	flow.Print(fmt.Sprintf("open %s on any device and type the code %s", page, code.UserCode))
	return host.Outlive(ctx, host.ExchangeTime, func(own context.Context) (*vault.Grant, error) {
		t, err := c.awaitDevice(ctx, own, me, f, code)
		if err != nil {
			return nil, err
		}
		return save(own, me, t)
	})
}

// awaitDevice requests the token at the pace of the authorization server, until its code expires or ctx ends.
// A request that is under way then is finished on own: its answer may hold the token. Some failures of the
// network or the server in between do not end the login.
func (c *client) awaitDevice(ctx, own context.Context, me oauthClient, f discovered,
	code *oauth2.DeviceAuthResponse) (token, error) {
	expires := time.Now().Add(deviceTime)
	if !code.Expiry.IsZero() && code.Expiry.Before(expires) {
		expires = code.Expiry
	}
	interval := int64(pace)
	if code.Interval > 0 {
		interval = min(code.Interval, maxInterval)
	}
	for failures := 0; ; {
		select {
		case <-time.After(min(time.Duration(interval)*time.Second, time.Until(expires))):
		case <-ctx.Done():
			return token{}, context.Cause(ctx)
		}
		if !time.Now().Before(expires) {
			return token{}, &refusedError{code: "expired_token"}
		}
		t, err := c.redeem(own, me, f.issuer.Token, grantDevice,
			url.Values{"device_code": {code.DeviceCode}, "resource": {f.resource}})
		switch {
		case err == nil:
			return t, nil
		case refusedWith(err, "authorization_pending"):
			failures = 0
		case refusedWith(err, "slow_down"):
			failures, interval = 0, min(interval+pace, maxInterval)
		case (isOfNetwork(err) || isPassing(err)) && failures < maxFailures:
			failures, interval = failures+1, min(interval+pace, maxInterval)
		default:
			return token{}, err
		}
	}
}

// clientOf returns the client that a login was issued to, with its configured or registered secret.
func (s Resource) clientOf(l vault.Grant) oauthClient {
	me := oauthClient{Registration: l.Client, secret: s.Client.Secret,
		key: keyOf(s.Client, issuer{Token: l.Token, audience: l.Issuer})}
	if l.Client.Registered {
		me.secret = probe.Secret(l.Secrets.ClientSecret)
	}
	return me
}

// Logout revokes a login's tokens if possible (RFC 7009), the refresh token first: that usually revokes the
// others.
func Logout(ctx context.Context, s Resource, l vault.Grant, caCert []byte) error {
	if l.Revoke == "" {
		return nil
	}
	c, err := newClient(s, caCert)
	if err != nil {
		return err
	}
	var all error
	for _, secret := range []string{l.Secrets.Refresh, l.Secrets.Access} {
		if secret != "" {
			_, err := host.Outlive(ctx, host.ExchangeTime, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, c.revoke(ctx, s.clientOf(l), l.Revoke, secret)
			})
			all = errors.Join(all, err)
		}
	}
	return all
}

// revoke revokes one token. An authorization server that does not know it answers in the same way.
func (c *client) revoke(ctx context.Context, me oauthClient, address, secret string) error {
	form, err := me.proofs()
	if err != nil {
		return err
	}
	form.Set("token", secret)
	if me.Method != methodBasic {
		form.Set("client_id", me.ID)
	}
	if me.Method == methodPost {
		form.Set("client_secret", me.secret.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if me.Method == methodBasic {
		req.SetBasicAuth(url.QueryEscape(me.ID), url.QueryEscape(me.secret.Reveal()))
	}
	return masked(c.object(req, nil), secret, me.secret.Reveal(), form.Get("client_assertion"))
}
