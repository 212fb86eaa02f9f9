package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/internal/vault"
)

// Way is how a person takes part in a login.
type Way struct {
	Tell   func(text string)                           // shows one line; text of strangers in it is fit for a terminal
	Open   func(ctx context.Context, url string) error // opens a browser; it need not wait
	Paste  func(ctx context.Context) (string, error)   // reads the address that a browser ended at; nil = the browser brings it
	Device bool                                        // log in on another device
	Scopes []string                                    // asked for in addition
}

// fetch sends the browser to a page, and is the answer that comes back from it.
func (way Way) fetch(ctx context.Context, d *door, page string) (url.Values, error) {
	if way.Paste != nil {
		way.Tell("open this address, log in, and paste the address that the browser ends at (its page need not load):\n" + page)
		text, err := way.Paste(ctx)
		if err != nil {
			return nil, err
		}
		return d.pasted(text)
	}
	u, err := url.Parse(page)
	if err != nil {
		return nil, err
	}
	way.Tell(fmt.Sprintf("opening %s in a browser to log in; if none opens, go there yourself:\n%s", u.Host, page))
	if err := way.Open(ctx, page); err != nil {
		way.Tell(fmt.Sprintf("no browser could be opened (%v): go to the address yourself, or end this and use --no-browser", err))
	}
	return d.wait(ctx)
}

// Login lets the user log in to a server. old is the login that was kept before, if any; its scopes are asked for again.
// Nothing is kept: that is the caller's.
func Login(ctx context.Context, s Server, old *vault.Login, way Way, caCert []byte) (*vault.Login, error) {
	w, err := newWeb(s, caCert)
	if err != nil {
		return nil, err
	}
	if _, err := w.check("the server's URL", s.URL); err != nil {
		return nil, err
	}
	c, err := w.ask(ctx, s)
	if err != nil {
		return nil, err
	}
	f, err := w.discover(ctx, s, c)
	if err != nil {
		return nil, err
	}
	if err := s.faithful(f, old); err != nil {
		return nil, err
	}
	f.scopes = s.scopes(f, old, way)
	p, t, err := w.through(ctx, s, f, old, way)
	if err != nil {
		return nil, err
	}
	return kept(s, f, p, t), nil
}

// through is the flow that was chosen.
func (w *web) through(ctx context.Context, s Server, f found, old *vault.Login, way Way) (party, token, error) {
	if way.Device {
		return w.byDevice(ctx, s, f, old, way)
	}
	return w.byCode(ctx, s, f, old, way)
}

// faithful refuses to hand the secret of a configured client to another authorization server than the one of the last
// login (specification 2026-07-28, authorization server binding).
func (s Server) faithful(f found, old *vault.Login) error {
	if old == nil || old.Issuer == f.issuer.ID || s.Client.ID == "" {
		return nil
	}
	return advise(fmt.Sprintf("if that is right, forget the old login with mcpctl logout %s, and log in again", s.Name),
		"the server now names the authorization server %s; the configured client belongs to %s", quoted(f.issuer.ID), quoted(old.Issuer))
}

// scopes are what a login asks for: what is configured, or else what the server wants, and what the user has already.
func (s Server) scopes(f found, old *vault.Login, way Way) []string {
	wanted := f.scopes
	if len(s.Client.Scopes) > 0 {
		wanted = s.Client.Scopes
	}
	if old != nil && old.Issuer == f.issuer.ID {
		return scopes(wanted, old.Scopes, old.Wanted, way.Scopes)
	}
	return scopes(wanted, way.Scopes)
}

// kept is a login as the vault keeps it.
func kept(s Server, f found, p party, t token) *vault.Login {
	l := &vault.Login{
		Server: Canonical(s.URL), Resource: f.resource, Issuer: f.issuer.ID, Token: f.issuer.Token, Revoke: f.issuer.Revoke,
		Since: time.Now().UTC().Truncate(time.Second), Client: p.Client, Scopes: t.scopes,
		Secrets: vault.Secrets{Access: t.access.Reveal(), Refresh: t.refresh.Reveal()},
	}
	if p.Registered {
		l.Secrets.ClientSecret = p.secret.Reveal()
	}
	if len(l.Scopes) == 0 {
		l.Scopes = f.scopes
	}
	l.Expires = shown(t.expires)
	return l
}

// shown is a time as it is kept: in UTC, whole seconds.
func shown(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Second)
}

// Logout revokes the tokens of a login at the authorization server, where that is possible (RFC 7009). The refresh token
// goes first: with it go, as a rule, all others.
func Logout(ctx context.Context, s Server, l vault.Login, caCert []byte) error {
	if l.Revoke == "" {
		return nil
	}
	w, err := newWeb(s, caCert)
	if err != nil {
		return err
	}
	p := s.partyOf(l)
	var all error
	for _, secret := range []string{l.Secrets.Refresh, l.Secrets.Access} {
		if secret != "" {
			all = errors.Join(all, w.revoke(ctx, p, l.Revoke, secret))
		}
	}
	return all
}
