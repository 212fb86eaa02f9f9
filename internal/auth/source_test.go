package auth

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// hint is what an error advises.
func hint(err error) string {
	var wise interface {
		error
		Hint() string
	}
	if errors.As(err, &wise) {
		return wise.Hint()
	}
	return ""
}

// TestRenew renews a token that expired or was revoked, and keeps the new ones.
func TestRenew(t *testing.T) {
	t.Run("expired", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{Life: 1})
		source, before := login(t, server, browser(t))
		if status, err := visit(t, source, s.URL); status != http.StatusOK {
			t.Fatalf("%d, %v", status, err)
		}
		after, err := source.Vault.Unlock(t.Context(), *before)
		if err != nil || after.Secrets.Access == before.Secrets.Access || after.Secrets.Refresh == before.Secrets.Refresh {
			t.Errorf("kept %+v after %+v: %v", after, before, err)
		}
	})
	t.Run("revoked", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, _ := login(t, server, browser(t))
		s.Revoke("access")
		if status, err := visit(t, source, s.URL); status != http.StatusOK {
			t.Errorf("%d, %v", status, err)
		}
	})
	t.Run("not rotated", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{Life: 1, Keep: true})
		source, _ := login(t, server, browser(t))
		for range 3 {
			if status, err := visit(t, source, s.URL); status != http.StatusOK {
				t.Errorf("%d, %v", status, err)
			}
		}
	})
}

// TestRenewFails says what to run.
func TestRenewFails(t *testing.T) {
	t.Run("refresh token revoked", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, before := login(t, server, browser(t))
		s.Revoke("all")
		_, err := visit(t, source, s.URL)
		if err == nil || !strings.Contains(err.Error(), "has ended: it expired or was revoked") ||
			hint(err) != "log in again: mcpctl login tickets" {
			t.Errorf("got %v, hint %q", err, hint(err))
		}
		if strings.Contains(err.Error(), before.Secrets.Refresh) {
			t.Errorf("the error shows the refresh token: %v", err)
		}
		if l, _ := source.Vault.Of(server.URL); !l.Revoked {
			t.Error("the login is not marked as over")
		}
		asked := len(s.Requests())
		if _, err := visit(t, source, s.URL); err == nil || len(s.Requests()) != asked+1 {
			t.Errorf("a login that is over: %v, %q", err, s.Requests()[asked:])
		}
	})
	t.Run("no refresh token", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, l := login(t, server, browser(t))
		l.Place, l.Secrets.Refresh = vault.File, ""
		if err := source.Vault.Save(t.Context(), *l); err != nil {
			t.Fatal(err)
		}
		s.Revoke("all")
		if _, err := visit(t, source, s.URL); err == nil || hint(err) != "log in again: mcpctl login tickets" {
			t.Errorf("got %v, hint %q", err, hint(err))
		}
	})
	t.Run("authorization server is down", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source, _ := login(t, server, browser(t))
		s.Revoke("access")
		s.Change(func(q *authtest.Quirks) {
			q.Answers = map[string]http.HandlerFunc{"/tenant/token": func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, "oops", http.StatusBadGateway)
			}}
		})
		if _, err := visit(t, source, s.URL); err == nil || !strings.Contains(err.Error(), "HTTP 502") ||
			!strings.Contains(hint(err), "try again") {
			t.Errorf("got %v, hint %q", err, hint(err))
		}
	})
	t.Run("nobody logged in", func(t *testing.T) {
		s, server := serve(t, authtest.Quirks{})
		source := &TokenSource{Server: server, Vault: vault.Vault{Folder: filepath.Join(t.TempDir(), "logins")}}
		if status, err := visit(t, source, s.URL); status != http.StatusUnauthorized || err != nil {
			t.Errorf("%d, %v", status, err)
		}
	})
}

// TestRenewOnce lets many runs at once share one refresh token that is good once.
func TestRenewOnce(t *testing.T) {
	s, server := serve(t, authtest.Quirks{Life: 1})
	first, _ := login(t, server, browser(t))
	s.Change(func(q *authtest.Quirks) { q.Life = 3600 })
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			source := &TokenSource{Server: server, Vault: first.Vault} // a run of its own
			if _, err := source.Authorize(t.Context(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	asked := 0
	for _, r := range s.Requests() {
		if r == "POST /tenant/token" {
			asked++
		}
	}
	if asked != 2 {
		t.Errorf("the token endpoint was asked %d times, want one login and one renewal", asked)
	}
}

// TestStepUp says which scopes are missing, and the next login asks for them with those that are there.
func TestStepUp(t *testing.T) {
	s, server := serve(t, authtest.Quirks{})
	source, _ := login(t, server, browser(t))
	s.Change(func(q *authtest.Quirks) { q.Need = "mcp:write" })
	_, err := visit(t, source, s.URL)
	if err == nil || !strings.Contains(err.Error(), `further scopes ("mcp:write"); the login has "mcp:read"`) ||
		!strings.Contains(hint(err), "mcpctl login tickets") {
		t.Fatalf("got %v, hint %q", err, hint(err))
	}
	old, _ := source.Vault.Of(server.URL)
	l, err := Login(t.Context(), server, old, browser(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(l.Scopes, " "); got != "mcp:read mcp:write" {
		t.Errorf("granted %q", got)
	}
}

// TestMachine gets tokens without a person, and more scopes when they are wanted.
func TestMachine(t *testing.T) {
	s, server := serve(t, authtest.Quirks{Secret: "hush-hush"})
	server.Client = config.Login{ID: "known", Secret: "hush-hush", Machine: true}
	source := &TokenSource{Server: server}
	if status, err := visit(t, source, s.URL); status != http.StatusOK || err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	s.Change(func(q *authtest.Quirks) { q.Need = "mcp:write" })
	if status, err := visit(t, source, s.URL); status != http.StatusOK || err != nil {
		t.Errorf("%d, %v", status, err)
	}
	if got := s.Form("/tenant/token").Get("scope"); got != "mcp:read mcp:write" {
		t.Errorf("asked for %q", got)
	}
}

// TestBrokenLogin keeps a login that cannot be read from mattering to servers that want none.
func TestBrokenLogin(t *testing.T) {
	s, server := serve(t, authtest.Quirks{})
	source, _ := login(t, server, browser(t))
	if err := os.WriteFile(filepath.Join(source.Vault.Folder, "x.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if status, err := visit(t, source, s.URL); status != http.StatusOK {
		t.Errorf("the server of another login: %d, %v", status, err)
	}
	other := &TokenSource{Server: Resource{Name: "it's other", URL: s.URL + "/other"}, Vault: source.Vault}
	if headers, err := other.Authorize(t.Context(), nil); headers != nil || err != nil {
		t.Errorf("a server without a login: %v, %v", headers, err)
	}
	if headers, err := other.Authorize(t.Context(), &probe.Refused{Status: 401}); headers != nil || err != nil {
		t.Errorf("a server that wants one and has none: %v, %v", headers, err)
	}
	files, err := filepath.Glob(filepath.Join(source.Vault.Folder, "[0-9a-f]*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := os.WriteFile(files[0], []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := source.Authorize(t.Context(), &probe.Refused{Status: 401}); err == nil ||
		!strings.Contains(err.Error(), filepath.Base(files[0])) {
		t.Errorf("its own login is broken: %v", err)
	}
	if got, want := other.Server.loginCommand(), `mcpctl login 'it'\''s other'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
