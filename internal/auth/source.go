package auth

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Source gives the tokens of one server to those who contact it: from the vault, or for a client that acts
// for itself.
type Source struct {
	Server Server
	Vault  vault.Vault
	CACert []byte // further PEM certificates to trust

	mu   sync.Mutex
	held *vault.Login // of a client that acts for itself, or that carries its refresh token; never kept
}

// early is how long before its end a token is renewed, so that it does not end on the way.
const early = 10 * time.Second

// Authorize is a probe.Authorize. It never waits for a person: where one is needed, the error says what to
// run.
func (s *Source) Authorize(ctx context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var l *vault.Login
	var err error
	if s.Server.Client.Machine || s.Server.Client.Refresh != "" {
		l, err = s.clientCredentials(ctx, refused)
	} else {
		l, err = s.stored(ctx, refused)
	}
	if err != nil || l == nil {
		return nil, err
	}
	return map[string]probe.Secret{"Authorization": probe.Secret("Bearer " + l.Secrets.Access)}, nil
}

// stored is the login in the vault, renewed when it must be; nil = there is none.
func (s *Source) stored(ctx context.Context, refused *probe.Refused) (*vault.Login, error) {
	public, err := s.Vault.Of(Canonical(s.Server.URL))
	switch {
	case public == nil && refused == nil:
		return nil, nil // a login that cannot be read may be that to another server
	case public == nil:
		return nil, err
	}
	l, err := s.Vault.Unlock(ctx, *public)
	switch {
	case err != nil:
		return nil, exit.Advise("log in again with "+s.Server.loginCommand(), "%w", err)
	case l == nil:
		return nil, nil
	case refused == nil && (fresh(*l) || l.Secrets.Refresh == ""):
		return l, nil // one that only may have expired is for the server to judge
	case refused != nil && refused.Status == 403:
		return nil, s.needsScopes(ctx, *l, parseChallenge(refused.Challenge).scopes)
	}
	return s.renew(ctx, *l, refused != nil)
}

// fresh tells whether an access token can be used for a while.
func fresh(l vault.Login) bool { return l.Expires.IsZero() || time.Now().Add(early).Before(l.Expires) }

// needsScopes is the error for a token whose scopes do not suffice. The next login asks for those that are
// missing.
func (s *Source) needsScopes(ctx context.Context, seen vault.Login, missing []string) error {
	release, err := s.Vault.Hold(ctx, seen)
	if err != nil {
		return err
	}
	defer release()
	now, err := s.Vault.Unlock(ctx, seen) // another run may have renewed it
	if err != nil || now == nil {
		return err
	}
	now.Wanted = scopes(now.Wanted, missing)
	if err := s.save(ctx, *now); err != nil {
		return err
	}
	if len(missing) > 0 && len(scopes(now.Scopes, missing)) == len(now.Scopes) {
		return exit.Advise("ask whoever runs the server what your account may do there; another account "+
			"logs in after mcpctl logout "+s.Server.Name,
			"the server refuses this although the login has every scope that it names (%s)", named(missing))
	}
	return exit.Advise("log in again, with more rights: "+s.Server.loginCommand(),
		"the server wants further scopes (%s); the login has %s", named(missing), named(now.Scopes))
}

// saveTime is for keeping a login when the run ends: its old tokens may be worth nothing any more.
const saveTime = 10 * time.Second

// save keeps a login, also when ctx ends meanwhile.
func (s *Source) save(ctx context.Context, l vault.Login) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	return s.Vault.Save(ctx, l)
}

func named(scopes []string) string {
	if len(scopes) == 0 {
		return "which it does not name"
	}
	return quoted(strings.Join(scopes, " "))
}

// renew trades the refresh token for new tokens, unless another run did so in the meantime. seen is the login
// whose token is no longer good: because it was refused, or because it expires.
func (s *Source) renew(ctx context.Context, seen vault.Login, refused bool) (*vault.Login, error) {
	release, err := s.Vault.Hold(ctx, seen)
	if err != nil {
		return nil, err
	}
	return finish(ctx, func(ctx context.Context) (*vault.Login, error) {
		defer release()
		return s.renewHeld(ctx, seen, refused)
	})
}

// renewHeld is renew while no other run can renew the login.
func (s *Source) renewHeld(ctx context.Context, seen vault.Login, refused bool) (*vault.Login, error) {
	now, err := s.Vault.Unlock(ctx, seen)
	switch {
	case err != nil || now == nil:
		return nil, err
	case now.Secrets.Access != seen.Secrets.Access:
		return now, nil
	case now.Secrets.Refresh == "" || now.Revoked:
		return nil, exit.Advise("log in again: "+s.Server.loginCommand(),
			"the login of %s is no longer accepted: it expired or was revoked", day(now.Since))
	}
	next, err := s.refreshed(ctx, *now)
	switch {
	case err == nil:
		return next, s.save(ctx, *next)
	case !refused && time.Now().Before(now.Expires) && !isEnded(err):
		return now, nil // it is still good for a moment
	case isEnded(err):
		now.Revoked = true
		ended := exit.Advise("log in again: "+s.Server.loginCommand(),
			"the login of %s is over: it expired or was revoked: %w", day(now.Since), err)
		return nil, errors.Join(ended, s.save(ctx, *now))
	}
	return nil, exit.Advise("try again; the login itself may still be good", "renewing the login: %w", err)
}

// isEnded tells that an authorization server no longer knows a refresh token.
func isEnded(err error) bool {
	said, ok := errors.AsType[*RefusedError](err)
	return ok && (said.Code == "invalid_grant" || said.Code == "invalid_client")
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// refreshed is a login with new tokens. A refresh token that is replaced is not used again.
func (s *Source) refreshed(ctx context.Context, l vault.Login) (*vault.Login, error) {
	w, err := newClient(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	t, err := w.redeem(ctx, s.Server.clientOf(l), l.Token, grantRefresh,
		url.Values{"refresh_token": {l.Secrets.Refresh}, "resource": {l.Resource}})
	if err != nil {
		return nil, err
	}
	l.Secrets.Access, l.Expires, l.Revoked = t.access.Reveal(), shown(t.expires), false
	if t.refresh != "" {
		l.Secrets.Refresh = t.refresh.Reveal()
	}
	if len(t.scopes) > 0 {
		l.Scopes = t.scopes
	}
	return &l, nil
}

// clientCredentials is a login without a person, as long as the run: a client for itself, or with a refresh
// token of its own.
func (s *Source) clientCredentials(ctx context.Context, refused *probe.Refused) (*vault.Login, error) {
	var c challenge
	if refused != nil {
		c = parseChallenge(refused.Challenge)
	}
	if s.held != nil && refused == nil && fresh(*s.held) {
		return s.held, nil
	}
	if refused != nil && refused.Status == 403 && (!s.Server.Client.Machine || !s.namesNewScopes(c)) {
		return nil, exit.Advise("give the client these scopes at the authorization server, and name them "+
			"under oauth.scopes in the configuration",
			"the server wants further scopes: %s", named(c.scopes))
	}
	w, err := newClient(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	if refused == nil && s.held == nil {
		if c, err = w.challenge(ctx, s.Server); err != nil {
			return nil, err
		}
	}
	return s.obtain(ctx, w, c)
}

// namesNewScopes tells whether the server named scopes that were not asked for yet.
func (s *Source) namesNewScopes(c challenge) bool {
	return s.held != nil && len(scopes(s.held.Wanted, c.scopes)) > len(s.held.Wanted)
}

// obtain asks the authorization server for a token in the client's own name.
func (s *Source) obtain(ctx context.Context, w *client, c challenge) (*vault.Login, error) {
	f, err := w.discover(ctx, s.Server, c)
	if err != nil {
		return nil, err
	}
	if f.scopes = s.Server.scopes(f, nil, Flow{}); s.held != nil {
		f.scopes = scopes(s.held.Wanted, c.scopes)
	}
	p, ok := configured(s.Server.Client, f.issuer)
	if !ok || s.Server.Client.Machine && p.Method == methodNone {
		return nil,
			exit.Advise(`name it in the configuration: "oauth": {"clientId": "…", "clientSecret": "${…}"}`,
				"logging in without a person needs a client of the authorization server %s",
				quoted(f.issuer.ID))
	}
	grant, more := s.grant(f)
	t, err := w.redeem(ctx, p, f.issuer.Token, grant, more)
	if err != nil {
		return nil, exit.Advise("check the client's id and secret, what it may do at the authorization "+
			"server, and a refresh token that it carries", "%w", err)
	}
	s.held = loginOf(s.Server, f, p, t)
	s.held.Wanted = slices.Clone(f.scopes)
	if t.refresh != "" && !s.Server.Client.Machine {
		s.Server.Client.Refresh = t.refresh // it may have been rotated
	}
	return s.held, nil
}

// grant returns what the client has to offer for a token.
func (s *Source) grant(f discovered) (string, url.Values) {
	more := url.Values{"resource": {f.resource}}
	if !s.Server.Client.Machine {
		more.Set("refresh_token", s.Server.Client.Refresh.Reveal())
		return grantRefresh, more
	}
	more.Set("scope", strings.Join(f.scopes, " "))
	return grantMachine, more
}
