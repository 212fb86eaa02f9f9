package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// partyOf is who a login was issued to, with the secret that is configured or was registered.
func (s Server) partyOf(l vault.Login) party {
	p := party{Client: l.Client, secret: s.Client.Secret, key: s.Client.Key, keyID: s.Client.KeyID}
	if l.Client.Registered {
		p.secret = probe.Secret(l.Secrets.ClientSecret)
	}
	return p
}

// revoke makes one token worthless. An authorization server that does not know it answers like one that did it.
func (w *web) revoke(ctx context.Context, p party, address, secret string) error {
	form, err := p.proofs(address, time.Now())
	if err != nil {
		return err
	}
	form.Set("token", secret)
	if p.Method != provesBasic {
		form.Set("client_id", p.ID)
	}
	if p.Method == provesPost {
		form.Set("client_secret", p.secret.Reveal())
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.Method == provesBasic {
		req.SetBasicAuth(url.QueryEscape(p.ID), url.QueryEscape(p.secret.Reveal()))
	}
	reply, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("revoking the login at %s: %w", plain(req.URL), bare(err))
	}
	defer reply.Body.Close()
	if reply.StatusCode != http.StatusOK {
		return fmt.Errorf("revoking the login at %s: %w", plain(req.URL), &statusError{reply.StatusCode})
	}
	return nil
}
