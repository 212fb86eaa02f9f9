package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// TokenSource provides the tokens for one server: those of the user's login, or those of a client that
// gets its own.
type TokenSource struct {
	Server Resource
	Vault  vault.Vault
	CACert []byte // further PEM certificates to trust

	mu      sync.Mutex
	machine *vault.Grant // of a client without a user; never stored
}

// expiryMargin is how long before its end a token is renewed, so that it does not expire on the way.
const expiryMargin = 10 * time.Second

// Authorize implements [probe.Authorize]. It never waits for the user; if a login is needed, the error has
// the command.
func (s *TokenSource) Authorize(
	ctx context.Context, refused *probe.Refused,
) (map[string]probe.Secret, error) {
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
func (s *TokenSource) userLogin(ctx context.Context, refused *probe.Refused) (*vault.Grant, error) {
	public, err := s.Vault.Of(Canonical(s.Server.URL))
	switch {
	case public == nil && refused == nil:
		return nil, nil // an unreadable login may belong to another server
	case public == nil && err == nil && refused.Status == 401 && !s.announcesLogin(ctx, refused):
		return nil, probe.ErrNoLogin
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
		return l, nil // the server decides about a token that only may have expired
	case refused != nil && refused.Status == 403:
		return nil, s.needScopes(ctx, *l, parseChallenge(refused.Challenge).scopes)
	}
	return s.renew(ctx, *l, refused != nil)
}

// lookTime is how long a login is looked for at a server that refused a request.
const lookTime = 5 * time.Second

// announcesLogin reports whether a login may begin at a server that refused a request: true unless it is
// known that none does.
func (s *TokenSource) announcesLogin(ctx context.Context, refused *probe.Refused) bool {
	asked := parseChallenge(refused.Challenge)
	c, err := newClient(s.Server, s.CACert)
	if err != nil || asked.metadata != "" || c.knowsEndpoints() || c.config.Metadata != "" {
		return true
	}
	if _, err := c.check("the server's URL", s.Server.URL); err != nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	if _, found, err := c.resource(ctx, asked); found || err != nil {
		return true
	}
	i, err := c.oldIssuer(ctx)
	return err != nil || !c.lacksPage(ctx, i)
}

// fresh reports whether an access token can be used for a while.
func fresh(l vault.Grant) bool {
	return l.Expires.IsZero() || time.Now().Add(expiryMargin).Before(l.Expires)
}

// needScopes returns the error for a token with too few scopes. The next login requests the missing ones.
func (s *TokenSource) needScopes(ctx context.Context, seen vault.Grant, missing []string) error {
	now, err := s.Vault.Change(ctx, seen, func(l *vault.Grant) { l.Wanted = scopes(l.Wanted, missing) })
	if err != nil || now == nil {
		return err
	}
	if len(missing) > 0 && len(scopes(now.Scopes, missing)) == len(now.Scopes) {
		return exit.Advise("ask the operator of the server what your account may do, or change the account "+
			"with mcpctl logout "+s.Server.Name,
			"the server refuses this although the login has every scope that it names (%s)", named(missing))
	}
	return exit.Advise("log in again, with more scopes: "+s.Server.loginCommand(),
		"the server requires further scopes (%s); the login has %s", named(missing), named(now.Scopes))
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
func (s *TokenSource) renew(ctx context.Context, seen vault.Grant, refused bool) (*vault.Grant, error) {
	release, err := s.Vault.Lock(ctx, seen)
	if err != nil {
		return nil, err
	}
	return host.Outlive(ctx, host.RenewalTime, func(ctx context.Context) (*vault.Grant, error) {
		defer release()
		return s.renewLocked(ctx, seen, refused)
	})
}

// renewLocked is renew while the login is locked. It returns nil if the login is gone, what another run
// saved, and the old login, while its token is valid and not refused, after a failure that may pass.
func (s *TokenSource) renewLocked(ctx context.Context, seen vault.Grant, refused bool) (*vault.Grant, error) {
	now, err := s.Vault.Unlock(ctx, seen)
	switch {
	case err != nil || now == nil:
		return nil, err
	case now.Secrets.Access != seen.Secrets.Access:
		return now, nil
	case now.Secrets.Refresh == "" || now.Revoked:
		if refused && fresh(*now) { // forgotten before its time, and its client perhaps as well
			now.Revoked = true
			err = s.Vault.Save(ctx, *now)
		}
		return nil, errors.Join(errExpired(s.Server, now.Since, nil), err)
	}
	next, err := s.refreshed(ctx, *now)
	ended := refusedWith(err, "invalid_grant", "invalid_client", "unauthorized_client")
	switch {
	case err == nil:
		return next, s.Vault.Save(ctx, *next)
	case !refused && time.Now().Before(now.Expires) && !ended:
		return now, nil // valid for a moment
	case ended:
		now.Revoked = true
		return nil, errors.Join(errExpired(s.Server, now.Since, err), s.Vault.Save(ctx, *now))
	}
	err = fmt.Errorf("renewing the login: %w", err)
	if advised := adviseResource(err); exit.HintOf(advised) != "" {
		return nil, advised
	}
	return nil, exit.Advise("try again; the login may still be valid", "%w", err)
}

// errExpired returns the error for a login without a token that is still accepted. cause is nil if there was
// nothing to renew it with.
func errExpired(s Resource, since time.Time, cause error) error {
	hint, day := "log in again: "+s.loginCommand(), since.Format(time.DateOnly)
	if cause == nil {
		return exit.Advise(hint, "the login of %s is not accepted any more: it expired or was revoked", day)
	}
	return exit.Advise(hint, "the login of %s has ended: it expired or was revoked: %w", day, cause)
}

// refreshed returns a login with new tokens. A refresh token that was replaced is not used again.
func (s *TokenSource) refreshed(ctx context.Context, l vault.Grant) (*vault.Grant, error) {
	c, err := newClient(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	if s.Server.Client.NoResource || s.Server.Client.Resource != "" { // the configuration may be newer
		l.Resource = s.Server.Client.Resource
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

// machineLogin returns the login of a client that gets its tokens without a user. It lasts as long as the
// run.
func (s *TokenSource) machineLogin(ctx context.Context, refused *probe.Refused) (*vault.Grant, error) {
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
	l, err := c.discover(ctx, s.Server, asked, nil, func(f discovered) (*vault.Grant, error) {
		if s.machine == nil {
			f.scopes = s.Server.scopes(f, nil, Flow{})
		} else if f.scopes = scopes(s.machine.Wanted, asked.scopes); refused != nil &&
			refused.Status == 403 && len(f.scopes) == len(s.machine.Wanted) {
			return nil, exit.Advise("grant the client these scopes at the authorization server, and name "+
				"them in oauth.scopes of the configuration",
				"the server requires further scopes: %s", named(asked.scopes))
		}
		return s.exchange(ctx, c, f)
	})
	if err != nil {
		return nil, adviseResource(err)
	}
	s.machine = l
	return l, nil
}

// exchange gets a token for the credentials of a client, or for the identity token of the job.
func (s *TokenSource) exchange(ctx context.Context, c *client, f discovered) (*vault.Grant, error) {
	me, ok := configured(s.Server.Client, f.issuer)
	params := url.Values{"resource": {f.resource}, "scope": {strings.Join(f.scopes, " ")}}
	grant, hint := grantMachine, "check the id and secret of the client, and its rights at the "+
		"authorization server"
	if from := s.Server.Client.Identity; from != (config.Identity{}) {
		assertion, err := identity(ctx, from, f.issuer, s.CACert)
		if err != nil {
			return nil, err
		}
		params.Set("assertion", assertion)
		grant, hint = grantJWT, "check that the authorization server trusts the issuer and the subject of "+
			"the identity token"
	} else if !ok || me.Method == methodNone {
		return nil, unusableError{exit.Advise(`name it in the configuration: "oauth": {"clientId": "…", `+
			`"clientSecret": "${…}"}`, "client_credentials need a client of the authorization server %s "+
			"with a secret or a private key", quoted(f.issuer.ID))}
	}
	t, err := c.redeem(ctx, me, f.issuer.Token, grant, params)
	if err != nil {
		return nil, exit.Advise(hint, "%w", err)
	}
	l := loginOf(s.Server, f, me, t)
	l.Wanted = f.scopes
	return l, nil
}
