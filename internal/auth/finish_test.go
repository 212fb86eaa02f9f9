package auth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/vault"
)

// TestInterrupted ends runs while the authorization server answers what cannot be asked again: the run ends at once, and
// what was answered is kept, so that the next run works.
func TestInterrupted(t *testing.T) {
	over := errors.New("the run is over")
	hold := func(s *authtest.Server, end string) (arrived, release chan struct{}) {
		arrived, release = make(chan struct{}, 8), make(chan struct{})
		s.Change(func(q *authtest.Quirks) {
			q.Hold = func(path string) {
				if strings.HasSuffix(path, end) {
					arrived <- struct{}{}
					<-release
				}
			}
		})
		return arrived, release
	}
	t.Run("renewal", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{Life: 1})
		source, before := login(t, server, browser(t))
		arrived, release := hold(s, "/token")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := source.Authorize(ctx, nil)
			ended <- err
		}()
		<-arrived
		cancel(over)
		if err := <-ended; !errors.Is(err, over) {
			t.Errorf("the run ended with %v", err)
		}
		close(release)
		Finish()
		after, err := source.Vault.Unlock(t.Context(), *before)
		if err != nil || after.Secrets.Refresh == before.Secrets.Refresh {
			t.Fatalf("the renewed login was not kept: %v", err)
		}
		next := &Source{Server: server, Vault: source.Vault}
		if _, err := next.Authorize(t.Context(), nil); err != nil {
			t.Errorf("the next run: %v", err)
		}
	})
	for name, device := range map[string]bool{"code": false, "device code": true} {
		t.Run(name, func(t *testing.T) {
			s, server := serve(t, authtest.Quirks{})
			arrived, release := hold(s, "/token")
			ctx, cancel := context.WithCancelCause(t.Context())
			kept, ended := make(chan *vault.Login, 1), make(chan error, 1)
			flow := browser(t)
			flow.Device = device
			flow.Save = func(ctx context.Context, l *vault.Login) error {
				kept <- l
				return ctx.Err()
			}
			go func() {
				_, err := Login(ctx, server, nil, flow, nil)
				ended <- err
			}()
			<-arrived
			cancel(over)
			if err := <-ended; !errors.Is(err, over) {
				t.Errorf("the run ended with %v", err)
			}
			close(release)
			Finish()
			if l := <-kept; l.Secrets.Access == "" {
				t.Error("the login was not kept")
			}
		})
	}
	t.Run("registration", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		arrived, release := hold(s, "/register")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended, finished := make(chan error, 1), make(chan struct{})
		go func() {
			_, err := Login(ctx, server, nil, browser(t), nil)
			ended <- err
		}()
		<-arrived
		cancel(over)
		if err := <-ended; !errors.Is(err, over) {
			t.Errorf("the run ended with %v", err)
		}
		go func() { Finish(); close(finished) }()
		select {
		case <-finished:
			t.Error("the registration was given up")
		case <-time.After(50 * time.Millisecond):
		}
		close(release)
		<-finished
	})
	t.Run("revocation", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, l := login(t, server, browser(t))
		arrived, release := hold(s, "/revoke")
		ctx, cancel := context.WithCancelCause(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- Logout(ctx, server, *l, nil) }()
		<-arrived
		cancel(over)
		if err := <-ended; !errors.Is(err, over) {
			t.Errorf("the run ended with %v", err)
		}
		close(release)
		Finish()
		if status, _ := visit(t, &Source{Server: server, Vault: source.Vault}, s.URL); status == http.StatusOK {
			t.Error("the tokens are still good")
		}
	})
}
