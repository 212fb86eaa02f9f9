package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Source gives the tokens of one server to those who contact it: from the vault, or for a client that acts for itself.
type Source struct {
	Server Server
	Vault  vault.Vault
	CACert []byte // further PEM certificates to trust

	mu   sync.Mutex
	held *vault.Login // of a client that acts for itself, or that carries its refresh token; never kept
}

// early is how long before its end a token is renewed, so that it does not end on the way.
const early = 10 * time.Second

// Authorize is a probe.Authorize. It never waits for a person: where one is needed, the error says what to run.
func (s *Source) Authorize(ctx context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var l *vault.Login
	var err error
	if s.Server.Client.Machine || s.Server.Client.Refresh != "" {
		l, err = s.alone(ctx, refused)
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
		return nil, &Advice{err, "log in again with " + s.Server.loginCommand()}
	case l == nil:
		return nil, nil
	case refused == nil && (fresh(*l) || l.Secrets.Refresh == ""):
		return l, nil // one that only may have expired is for the server to judge
	case refused != nil && refused.Status == 403:
		return nil, s.widen(ctx, *l, parseChallenge(refused.Challenge).scopes)
	}
	return s.renew(ctx, *l, refused != nil)
}

// fresh tells whether an access token can be used for a while.
func fresh(l vault.Login) bool { return l.Expires.IsZero() || time.Now().Add(early).Before(l.Expires) }

// widen is the error for a token whose scopes do not suffice. The next login asks for those that are missing.
func (s *Source) widen(ctx context.Context, seen vault.Login, missing []string) error {
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
	return advise("log in again, with more rights: "+s.Server.loginCommand(),
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

// renew trades the refresh token for new tokens, unless another run did so in the meantime. seen is the login whose token
// is no longer good: because it was refused, or because it expires.
func (s *Source) renew(ctx context.Context, seen vault.Login, refused bool) (*vault.Login, error) {
	release, err := s.Vault.Hold(ctx, seen)
	if err != nil {
		return nil, err
	}
	defer release()
	now, err := s.Vault.Unlock(ctx, seen)
	switch {
	case err != nil || now == nil:
		return nil, err
	case now.Secrets.Access != seen.Secrets.Access:
		return now, nil
	case now.Secrets.Refresh == "" || now.Revoked:
		return nil, advise("log in again: "+s.Server.loginCommand(), "the login of %s is no longer accepted: it expired or was revoked", day(now.Since))
	}
	next, err := s.refreshed(ctx, *now)
	switch {
	case err == nil:
		return next, s.save(ctx, *next)
	case !refused && time.Now().Before(now.Expires) && !ended(err):
		return now, nil // it is still good for a moment
	case ended(err):
		now.Revoked = true
		return nil, errors.Join(s.over(*now, err), s.save(ctx, *now))
	}
	return nil, &Advice{fmt.Errorf("renewing the login: %w", err), "try again; the login itself may still be good"}
}

// ended tells that an authorization server no longer knows a refresh token.
func ended(err error) bool {
	var said *RefusedError
	return errors.As(err, &said) && (said.Code == "invalid_grant" || said.Code == "invalid_client")
}

func (s *Source) over(l vault.Login, err error) error {
	return &Advice{fmt.Errorf("the login of %s is over: it expired or was revoked: %w", day(l.Since), err), "log in again: " + s.Server.loginCommand()}
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// refreshed is a login with new tokens. A refresh token that is replaced is not used again.
func (s *Source) refreshed(ctx context.Context, l vault.Login) (*vault.Login, error) {
	w, err := newWeb(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	t, err := w.redeem(ctx, s.Server.partyOf(l), l.Token, grantRefresh, url.Values{"refresh_token": {l.Secrets.Refresh}, "resource": {l.Resource}})
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
