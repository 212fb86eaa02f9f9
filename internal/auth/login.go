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
	"sync"
	"time"

	"golang.org/x/oauth2"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Flow is how the user takes part in a login.
type Flow struct {
	Print func(text string)                           // shows text; what others wrote in it is quoted
	Open  func(ctx context.Context, url string) error // opens a browser; it need not wait
	// saves the login before the browser shows success; nil = it is not saved
	Save func(context.Context, *vault.Login) error
	// reads the address at which a browser ended; nil = the browser sends it
	Paste  func(ctx context.Context) (string, error)
	Device bool     // log in on another device
	Scopes []string // to request in addition
}

// Login lets the user log in to a server. old is the saved login, if any; its scopes are requested again.
func Login(ctx context.Context, s Server, old *vault.Login, flow Flow, caCert []byte) (*vault.Login, error) {
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
	f, err := c.discover(ctx, s, asked)
	if err != nil {
		return nil, err
	}
	if err := s.checkIssuer(f, old); err != nil {
		return nil, err
	}
	f.scopes = s.scopes(f, old, flow)
	logIn := c.byCode
	if flow.Device {
		logIn = c.byDevice
	}
	save := func(ctx context.Context, me oauthClient, t token) (*vault.Login, error) {
		l := loginOf(s, f, me, t)
		if flow.Save == nil {
			return l, nil
		}
		return l, flow.Save(ctx, l)
	}
	return logIn(ctx, s, f, old, flow, save)
}

// saver returns the saved login for a token.
type saver func(context.Context, oauthClient, token) (*vault.Login, error)

// checkIssuer refuses to send the secret of a configured client to another authorization server than the one
// of the last login (specification 2026-07-28, authorization server binding).
func (s Server) checkIssuer(f discovered, old *vault.Login) error {
	if old == nil || sameIssuer(old.Issuer, f.issuer.ID) || s.Client.ID == "" {
		return nil
	}
	return errMoved(s, f.issuer.ID, old.Issuer)
}

// scopes returns the scopes to request: the configured ones, or else those that the server requires, and
// those that the user has already.
func (s Server) scopes(f discovered, old *vault.Login, flow Flow) []string {
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
func loginOf(s Server, f discovered, me oauthClient, t token) *vault.Login {
	l := &vault.Login{
		Server: Canonical(s.URL), Resource: f.resource, Issuer: f.issuer.ID, Token: f.issuer.Token,
		Revoke: f.issuer.Revoke,
		Since:  time.Now().UTC().Truncate(time.Second), Client: me.Client, Scopes: t.scopes,
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
func (c *client) byCode(ctx context.Context, s Server, f discovered, old *vault.Login, flow Flow,
	save saver) (*vault.Login, error) {
	if err := f.issuer.requirePKCE(); err != nil {
		if s.Client.Authorize == "" && s.Client.Metadata == "" {
			return nil, err
		}
		flow.Print(fmt.Sprintf("warning: %v; continuing, since its endpoints are configured", err))
	}
	if f.issuer.Authorize == "" {
		return nil, errors.New("the authorization server has no login page (authorization_endpoint)")
	}
	callback, err := openCallback(s.Client, old, flow)
	if err != nil {
		return nil, err
	}
	defer callback.close()
	me, err := c.identify(ctx, s, f, old, callback.redirect, grantCode)
	if err != nil {
		return nil, err
	}
	r := request{state: callback.state, verifier: oauth2.GenerateVerifier(), discovered: f, oauthClient: me}
	answer, err := flow.authorize(ctx, callback, r.url())
	if err != nil {
		return nil, err
	}
	l, err := finish(ctx, func(ctx context.Context) (*vault.Login, error) {
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
	return config.AuthCodeURL(r.state, oauth2.S256ChallengeOption(r.verifier),
		oauth2.SetAuthURLParam("resource", r.resource))
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
	case named && (len(iss) != 1 || iss[0] != r.issuer.ID): // compared as strings (RFC 9207, 2.4)
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

// Limits on what an authorization server may ask of a device login.
const (
	deviceTime  = 30 * time.Minute
	minInterval = 1  // seconds between two requests
	maxInterval = 60 // seconds
)

// byDevice logs in on another device, where the user enters a code (RFC 8628).
func (c *client) byDevice(ctx context.Context, s Server, f discovered, old *vault.Login, flow Flow,
	save saver) (*vault.Login, error) {
	if f.issuer.Device == "" {
		return nil, errNoDevice(s, f.issuer.ID)
	}
	me, err := c.identify(ctx, s, f, old, "http://127.0.0.1/callback", grantDevice)
	if err != nil {
		return nil, err
	}
	endpoint := me.endpoint(f.issuer.Token)
	endpoint.DeviceAuthURL = f.issuer.Device
	config := &oauth2.Config{ClientID: me.ID, ClientSecret: me.secret.Reveal(), Scopes: f.requested(),
		Endpoint: endpoint}
	code, err := config.DeviceAuth(c.context(ctx), oauth2.SetAuthURLParam("resource", f.resource))
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
	return finish(ctx, func(own context.Context) (*vault.Login, error) {
		t, err := c.awaitDevice(ctx, config, me, code, f.resource)
		if err != nil {
			return nil, err
		}
		return save(own, me, t)
	})
}

// awaitDevice requests the token at the pace of the authorization server, until its code expires or ctx ends.
// A request that is under way then is finished: its answer may hold the token.
func (c *client) awaitDevice(ctx context.Context, config *oauth2.Config, me oauthClient,
	code *oauth2.DeviceAuthResponse, resource string) (token, error) {
	code.Interval = min(max(code.Interval, minInterval), maxInterval)
	latest := time.Now().Add(deviceTime)
	if code.Expiry.IsZero() || code.Expiry.After(latest) {
		code.Expiry = latest
	}
	patient := &http.Client{CheckRedirect: sameOriginOnly,
		Transport: outlivingTransport{integerTransport{c.client.Transport, c.client.Timeout}}}
	given, err := config.DeviceAccessToken(context.WithValue(ctx, oauth2.HTTPClient, patient), code,
		oauth2.SetAuthURLParam("resource", resource))
	switch {
	case err == nil:
		return vet(given)
	case ctx.Err() == nil && time.Now().After(code.Expiry):
		return token{}, &refusedError{code: "expired_token"}
	}
	return token{}, me.withoutSecrets(ctx, config.Endpoint.TokenURL, err,
		url.Values{"device_code": {code.DeviceCode}})
}

// clientOf returns the client that a login was issued to, with its configured or registered secret.
func (s Server) clientOf(l vault.Login) oauthClient {
	me := oauthClient{Client: l.Client, secret: s.Client.Secret}
	if l.Client.Registered {
		me.secret = probe.Secret(l.Secrets.ClientSecret)
	}
	return me
}

// Logout revokes a login's tokens if possible (RFC 7009), the refresh token first: that usually revokes the
// others.
func Logout(ctx context.Context, s Server, l vault.Login, caCert []byte) error {
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
			_, err := finish(ctx, func(ctx context.Context) (struct{}, error) {
				return struct{}{}, c.revoke(ctx, s.clientOf(l), l.Revoke, secret)
			})
			all = errors.Join(all, err)
		}
	}
	return all
}

// revoke revokes one token. An authorization server that does not know it answers in the same way.
func (c *client) revoke(ctx context.Context, me oauthClient, address, secret string) error {
	form := url.Values{"token": {secret}}
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
	if err := c.object(req, http.StatusOK, nil); err != nil {
		return fmt.Errorf("revoking the login at %w", err)
	}
	return nil
}

// unrepeatable counts the running exchanges with authorization servers that cannot be repeated: a refresh
// token or code that was redeemed is lost if the answer is.
var unrepeatable sync.WaitGroup

// finishTime is how long such an exchange may continue after its run has ended.
const finishTime = 30 * time.Second

// Finish waits for the exchanges that outlive their run, at most finishTime. The program calls it before it
// exits.
func Finish() { unrepeatable.Wait() }

// finish runs an exchange that cannot be repeated, from its request to the saved file, on a context that
// outlives ctx by finishTime. It returns when the exchange is over, or earlier with the cause of ctx, while
// the exchange goes on.
func finish[T any](ctx context.Context, exchange func(context.Context) (T, error)) (T, error) {
	own, cancel := outlive(ctx)
	unrepeatable.Add(1)
	return host.AwaitFor(ctx, 0, func() (T, error) {
		defer unrepeatable.Done()
		defer cancel()
		return exchange(own)
	})
}

// outlive returns a context that ends finishTime after ctx.
func outlive(ctx context.Context) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(finishTime, cancel) })
	return own, func() { stop(); cancel() }
}

// outlivingTransport sends requests that end finishTime after the context of their caller.
type outlivingTransport struct{ http.RoundTripper }

// RoundTrip implements [http.RoundTripper].
func (t outlivingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	own, cancel := outlive(r.Context())
	defer cancel() // integerTransport has read the body
	return t.RoundTripper.RoundTrip(r.WithContext(own))
}
