package auth

import (
	"context"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// alone is a login that no person takes part in: of a client that acts for itself, or of one that carries a refresh
// token. It lives as long as the run.
func (s *Source) alone(ctx context.Context, refused *probe.Refused) (*vault.Login, error) {
	var c challenge
	if refused != nil {
		c = parseChallenge(refused.Challenge)
	}
	if s.held != nil && refused == nil && fresh(*s.held) {
		return s.held, nil
	}
	if refused != nil && refused.Status == 403 && (!s.Server.Client.Machine || !s.widens(c)) {
		return nil, advise("give the client these scopes at the authorization server, and name them under oauth.scopes in the configuration",
			"the server wants further scopes: %s", named(c.scopes))
	}
	w, err := newWeb(s.Server, s.CACert)
	if err != nil {
		return nil, err
	}
	if refused == nil && s.held == nil {
		if c, err = w.ask(ctx, s.Server); err != nil {
			return nil, err
		}
	}
	return s.obtain(ctx, w, c)
}

// widens tells whether the server named scopes that were not asked for yet.
func (s *Source) widens(c challenge) bool {
	return s.held != nil && len(scopes(s.held.Wanted, c.scopes)) > len(s.held.Wanted)
}

// obtain asks the authorization server for a token in the client's own name.
func (s *Source) obtain(ctx context.Context, w *web, c challenge) (*vault.Login, error) {
	f, err := w.discover(ctx, s.Server, c)
	if err != nil {
		return nil, err
	}
	if f.scopes = s.Server.scopes(f, nil, Way{}); s.held != nil {
		f.scopes = scopes(s.held.Wanted, c.scopes)
	}
	p, ok := s.Server.Client.configured(f.issuer)
	if !ok || s.Server.Client.Machine && p.Method == provesNothing {
		return nil, advise(`name it in the configuration: "oauth": {"clientId": "…", "clientSecret": "${…}"}`, "logging in without a person needs a client of the authorization server %s", quoted(f.issuer.ID))
	}
	grant, more := s.grant(f)
	t, err := w.redeem(ctx, p, f.issuer.Token, grant, more)
	if err != nil {
		return nil, &Advice{err, "check the client's id and secret, what it may do at the authorization server, and a refresh token that it carries"}
	}
	s.held = kept(s.Server, f, p, t)
	s.held.Wanted = slices.Clone(f.scopes)
	if t.refresh != "" && !s.Server.Client.Machine {
		s.Server.Client.Refresh = t.refresh // it may have been rotated
	}
	return s.held, nil
}

// grant is what the client has to offer for a token.
func (s *Source) grant(f found) (string, url.Values) {
	more := url.Values{"resource": {f.resource}}
	if s.Server.Client.Machine {
		more.Set("scope", strings.Join(f.scopes, " "))
		return grantMachine, more
	}
	more.Set("refresh_token", s.Server.Client.Refresh.Reveal())
	return grantRefresh, more
}
