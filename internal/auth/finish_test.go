package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/vault"
)

// interrupted ends a run while the authorization server works on a request to a path that ends in end, checks
// that the run ends at once, and waits for what it left behind.
func interrupted(t *testing.T, s *authtest.Server, end string, run func(context.Context) error) {
	t.Helper()
	over := errors.New("the run is over")
	arrived, release := make(chan struct{}, 8), make(chan struct{})
	s.Change(func(q *authtest.Quirks) {
		q.Hold = func(path string) {
			if strings.HasSuffix(path, end) {
				arrived <- struct{}{}
				<-release
			}
		}
	})
	ctx, cancel := context.WithCancelCause(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	<-arrived
	cancel(over)
	if err := <-ended; !errors.Is(err, over) {
		t.Errorf("the run ended with %v", err)
	}
	finished := make(chan struct{})
	go func() { host.Finish(nil, func() {}); close(finished) }()
	select {
	case <-finished:
		t.Error("the exchange was given up")
	case <-time.After(20 * time.Millisecond):
	}
	close(release)
	<-finished
}

// TestInterrupted finishes what cannot be repeated after the run has ended, and saves what was answered.
func TestInterrupted(t *testing.T) {
	t.Run("renewal", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{Life: 1})
		source, before := login(t, server, browser(t))
		interrupted(t, s, "/token", func(ctx context.Context) error {
			_, err := source.Authorize(ctx, nil)
			return err
		})
		after, err := source.Vault.Unlock(t.Context(), *before)
		if err != nil || after.Secrets.Refresh == before.Secrets.Refresh {
			t.Fatalf("the renewed login was not saved: %v", err)
		}
		next := &TokenSource{Server: server, Vault: source.Vault}
		if _, err := next.Authorize(t.Context(), nil); err != nil {
			t.Errorf("the next run: %v", err)
		}
	})
	for _, name := range []string{"code", "device code"} {
		t.Run(name, func(t *testing.T) {
			s, server := serve(t, authtest.Quirks{})
			saved := make(chan *vault.Grant, 1)
			flow := browser(t)
			flow.Device = name == "device code"
			flow.Save = func(ctx context.Context, l *vault.Grant) error {
				saved <- l
				return ctx.Err()
			}
			interrupted(t, s, "/token", func(ctx context.Context) error {
				_, err := Login(ctx, server, nil, flow, nil)
				return err
			})
			if (<-saved).Secrets.Access == "" {
				t.Error("the login was not saved")
			}
		})
	}
	t.Run("revocation", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, l := login(t, server, browser(t))
		interrupted(t, s, "/revoke", func(ctx context.Context) error { return Logout(ctx, server, *l, nil) })
		if status, _ := visit(t, &TokenSource{Server: server, Vault: source.Vault}, s.URL); status == http.StatusOK {
			t.Error("the tokens are still good")
		}
	})
}
