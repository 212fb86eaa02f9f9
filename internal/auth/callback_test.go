package auth

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
)

// TestCallback takes one visit, to its own address, and tells the visitor how the login went.
func TestCallback(t *testing.T) {
	for name, outcome := range map[string]error{"You are logged in": nil, "The login did not work": errDenied} {
		d, err := openCallback(Client{}, nil, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, stray := range []string{"/", "/callback/x", "/favicon.ico"} {
			if status, _ := knock(t, http.MethodGet, strings.TrimSuffix(d.redirect, "/callback")+stray, ""); status != http.StatusNotFound {
				t.Errorf("%s: %d", stray, status)
			}
		}
		if status, _ := knock(t, http.MethodPost, d.redirect, ""); status != http.StatusNotFound {
			t.Errorf("POST: %d", status)
		}
		if status, _ := knock(t, http.MethodGet, d.redirect+"?code=rebound", "evil.example"); status != http.StatusNotFound {
			t.Errorf("another host name: %d", status)
		}
		go func() {
			answer, err := d.wait(t.Context())
			if err != nil || answer.Get("code") != "c" {
				t.Errorf("%v, %v", answer, err)
			}
			if status, page := knock(t, http.MethodGet, d.redirect+"?code=again", ""); status != http.StatusConflict || !strings.Contains(page, "Already answered") {
				t.Errorf("a second visit: %d", status)
			}
			d.tell(outcome)
		}()
		if _, page := knock(t, http.MethodGet, d.redirect+"?code=c&state=s", ""); !strings.Contains(page, name) || strings.Contains(page, "http") {
			t.Errorf("the visitor sees %s", page)
		}
		d.close()
		if reply, err := http.Get(d.redirect); err == nil {
			_ = reply.Body.Close()
			t.Error("the port is still open")
		}
	}
}

func knock(t *testing.T, method, address, host string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host, req.Close = host, true
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer reply.Body.Close()
	page, _ := io.ReadAll(reply.Body)
	return reply.StatusCode, string(page)
}

// TestCallbackIsHere opens no port for a redirect URI of another machine.
func TestCallbackIsHere(t *testing.T) {
	for _, redirect := range []string{"https://me.example/callback", "http://me.example:1/callback", "http://127.0.0.1/callback", "http://127.0.0.1:1/callback?x=1", "myapp://callback"} {
		if d, err := openCallback(Client{ID: "known", Redirect: redirect}, nil, false); err == nil || !strings.Contains(hint(err), "http://localhost:PORT/callback") {
			t.Errorf("%s: %v, %v", redirect, d, err)
		}
	}
}

// TestRegistrationIsUsedAgain registers once for logins that follow each other, and anew when the login is over.
func TestRegistrationIsUsedAgain(t *testing.T) {
	s, server := serve(t, authtest.Quirks{})
	_, old := login(t, server, browser(t))
	again, err := Login(t.Context(), server, old, browser(t), nil)
	if err != nil || again.Client.ID != old.Client.ID || again.Client.Redirect != old.Client.Redirect {
		t.Errorf("%+v, %v", again, err)
	}
	again.Revoked = true
	anew, err := Login(t.Context(), server, again, browser(t), nil)
	if err != nil || anew.Client.ID == old.Client.ID {
		t.Errorf("%+v, %v", anew, err)
	}
	registered := strings.Count(strings.Join(s.Requests(), "\n"), "POST /tenant/register")
	if registered != 2 {
		t.Errorf("registered %d times", registered)
	}
}

// TestNoLoginNeeded says so of a server that lets everybody in.
func TestNoLoginNeeded(t *testing.T) {
	everybody := map[string]http.HandlerFunc{"/mcp": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }}
	_, server := serve(t, authtest.Quirks{Ancient: true, Answers: everybody})
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil || !strings.Contains(err.Error(), "no login is needed") {
		t.Errorf("got %v", err)
	}
}
