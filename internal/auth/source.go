package auth

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Source provides the tokens for one server: those of the user's login, or those of a client that gets its
// own.
type Source struct {
	Server Server
	Vault  vault.Vault
	CACert []byte // further PEM certificates to trust

	mu      sync.Mutex
	machine *vault.Login // of a client without a user; never stored
}

// expiryMargin is how long before its end a token is renewed, so that it does not expire on the way.
const expiryMargin = 10 * time.Second

// Authorize implements [probe.Authorize]. It never waits for the user; if a login is needed, the error has
// the command.
func (s *Source) Authorize(ctx context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	login := s.userLogin
	if s.Server.Client.Machine {
		login = s.machineLogin
	}
	l, err := login(ctx, refused)
	if err != nil || l == nil {
		return nil, err
	}
	return map[string]probe.Secret{"Authorization": probe.Secret("Bearer " + l.Secrets.Access)}, nil
}

// userLogin returns the login in the vault, renewed if necessary; nil = there is none.
func (s *Source) userLogin(ctx context.Context, refused *probe.Refused) (*vault.Login, error) {
	public, err := s.Vault.Of(Canonical(s.Server.URL))
	switch {
	case public == nil && refused == nil:
		return nil, nil // an unreadable login may belong to another server
	case public == nil:
		return nil, err
	}
	l, err := s.Vault.Unlock(ctx, *public)
	switch {
	case err != nil:
		return nil, errUnreadable(s.Server, err)
	case l == nil:
		return nil, nil
	case refused == nil && (fresh(*l) || l.Secrets.Refresh == ""):
		return l, nil // the server decides about a token that only may have expired
	case refused != nil && refused.Status == 403:
		return nil, s.needScopes(ctx, *l, parseChallenge(refused.Challenge).scopes)
	}
	return s.renew(ctx, *l, refused != nil)
}

// fresh reports whether an access token can be used for a while.
func fresh(l vault.Login) bool {
	return l.Expires.IsZero() || time.Now().Add(expiryMargin).Before(l.Expires)
}

// needScopes returns the error for a token with too few scopes. The next login requests the missing ones.
func (s *Source) needScopes(ctx context.Context, seen vault.Login, missing []string) error {
	release, err := s.Vault.Lock(ctx, seen)
	if err != nil {
		return err
	}
	defer release()
	now, err := s.Vault.Unlock(ctx, seen) // another run may have renewed it
	if err != nil || now == nil {
		return err
	}
	now.Wanted = scopes(now.Wanted, missing)
	if err := s.Vault.Save(ctx, *now); err != nil {
		return err
	}
	if len(missing) > 0 && len(scopes(now.Scopes, missing)) == len(now.Scopes) {
		return errForbidden(s.Server, missing)
	}
	return errScopes(s.Server, missing, now.Scopes)
}

// named returns scopes for a message.
func named(scopes []string) string {
	if len(scopes) == 0 {
		return "not named"
	}
	return quoted(strings.Join(scopes, " "))
}

// renew exchanges the refresh token for new tokens, unless another run did so meanwhile. seen is the login
// whose token was refused or expires.
func (s *Source) renew(ctx context.Context, seen vault.Login, refused bool) (*vault.Login, error) {
	release, err := s.Vault.Lock(ctx, seen)
	if err != nil {
		return nil, err
	}
	return finish(ctx, func(ctx context.Context) (*vault.Login, error) {
		defer release()
		return s.renewLocked(ctx, seen, refused)
	})
}

// renewLocked is renew while the login is locked. It returns nil if the login is gone, what another run
// saved, and the old login, while its token is valid and not refused, after a failure that may pass.
func (s *Source) renewLocked(ctx context.Context, seen vault.Login, refused bool) (*vault.Login, error) {
	now, err := s.Vault.Unlock(ctx, seen)
	switch {
	case err != nil || now == nil:
		return nil, err
	case now.Secrets.Access != seen.Secrets.Access:
		return now, nil
	case now.Secrets.Refresh == "" || now.Revoked:
		return nil, errExpired(s.Server, now.Since, nil)
	}
	next, err := s.refreshed(ctx, *now)
	refusal, isRefusal := errors.AsType[*refusedError](err)
	ended := isRefusal && (refusal.code == "invalid_grant" || refusal.code == "invalid_client")
	switch {
	case err == nil:
		return next, s.Vault.Save(ctx, *next)
	case !refused && time.Now().Before(now.Expires) && !ended:
		return now, nil // valid for a moment
	case ended:
		now.Revoked = true
		return nil, errors.Join(errExpired(s.Server, now.Since, err), s.Vault.Save(ctx, *now))
	}
	return nil, errRenewal(err)
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

// refreshed returns a login with new tokens. A refresh token that was replaced is not used again.
func (s *Source) refreshed(ctx context.Context, l vault.Login) (*vault.Login, error) {
	c, err := newClient(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	t, err := c.redeem(ctx, s.Server.clientOf(l), l.Token, grantRefresh,
		url.Values{"refresh_token": {l.Secrets.Refresh}, "resource": {l.Resource}})
	if err != nil {
		return nil, err
	}
	l.Secrets.Access, l.Expires, l.Revoked = t.access.Reveal(), storedTime(t.expires), false
	if t.refresh != "" {
		l.Secrets.Refresh = t.refresh.Reveal()
	}
	if len(t.scopes) > 0 {
		l.Scopes = t.scopes
	}
	return &l, nil
}

// machineLogin returns the login of a client that gets its tokens by client_credentials. It lasts as long as
// the run.
func (s *Source) machineLogin(ctx context.Context, refused *probe.Refused) (*vault.Login, error) {
	if refused == nil && s.machine != nil && fresh(*s.machine) {
		return s.machine, nil
	}
	c, err := newClient(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	var asked challenge
	switch {
	case refused != nil:
		asked = parseChallenge(refused.Challenge)
	case s.machine == nil:
		asked, err = c.challenge(ctx, s.Server)
	}
	if err != nil {
		return nil, err
	}
	f, err := c.discover(ctx, s.Server, asked)
	if err != nil {
		return nil, err
	}
	if s.machine == nil {
		f.scopes = s.Server.scopes(f, nil, Flow{})
	} else if f.scopes = scopes(s.machine.Wanted, asked.scopes); refused != nil && refused.Status == 403 &&
		len(f.scopes) == len(s.machine.Wanted) {
		return nil, errClientScopes(asked.scopes)
	}
	me, ok := configured(s.Server.Client, f.issuer)
	if !ok || me.Method == methodNone {
		return nil, errNoSecret(f.issuer.ID)
	}
	t, err := c.redeem(ctx, me, f.issuer.Token, grantMachine,
		url.Values{"resource": {f.resource}, "scope": {strings.Join(f.scopes, " ")}})
	if err != nil {
		return nil, errClient(err)
	}
	s.machine = loginOf(s.Server, f, me, t)
	s.machine.Wanted = f.scopes
	return s.machine, nil
}
