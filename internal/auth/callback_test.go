package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
)

// TestCallback takes one visit, to its own address, and shows the visitor how the login went.
func TestCallback(t *testing.T) {
	for name, outcome := range map[string]error{"You are logged in": nil, "The login did not work": errors.New("denied")} {
		ignored := 0
		d, err := openCallback(config.Login{}, nil, Flow{Print: func(string) { ignored++ }})
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
		for _, state := range []string{"", "&state=", "&state=other"} { // anybody can send a browser here
			if status, page := knock(t, http.MethodGet, d.redirect+"?code=evil"+state, ""); status != http.StatusForbidden ||
				!strings.Contains(page, "Not this login") {
				t.Errorf("a visit with %q: %d", state, status)
			}
		}
		go func() {
			answer, err := d.wait(t.Context())
			if err != nil || answer.Get("code") != "c" {
				t.Errorf("%v, %v", answer, err)
			}
			if status, page := knock(t, http.MethodGet, d.redirect+"?code=again&state="+d.state, ""); status != http.StatusConflict ||
				!strings.Contains(page, "Already answered") {
				t.Errorf("a second visit: %d", status)
			}
			d.outcome <- outcome
		}()
		if _, page := knock(t, http.MethodGet, d.redirect+"?code=c&state="+d.state, ""); !strings.Contains(page, name) ||
			strings.Contains(page, "http") {
			t.Errorf("the visitor sees %s", page)
		}
		d.close()
		if reply, err := http.Get(d.redirect); err == nil {
			_ = reply.Body.Close()
			t.Error("the port is still open")
		}
		if ignored != 1 {
			t.Errorf("ignored answers were reported %d times", ignored)
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
	for _, redirect := range []string{"https://me.example/callback", "http://me.example:1/callback", "http://127.0.0.1/callback",
		"http://127.0.0.1:1/callback?x=1", "myapp://callback"} {
		if d, err := openCallback(config.Login{ID: "known", Redirect: redirect}, nil, Flow{}); err == nil ||
			!strings.Contains(hint(err), "http://localhost:PORT/callback") {
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

// TestNoLoginNeeded logs in to a server that accepts requests without a login.
func TestNoLoginNeeded(t *testing.T) {
	everybody := map[string]http.HandlerFunc{"/mcp": func(w http.ResponseWriter, r *http.Request) {
		var request struct{ ID json.RawMessage }
		_ = json.NewDecoder(r.Body).Decode(&request)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"supportedVersions":["2026-07-28"]}}`, request.ID)
	}}
	_, server := serve(t, authtest.Quirks{Ancient: true, Answers: everybody})
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil ||
		!strings.Contains(err.Error(), "accepts requests without a login") {
		t.Errorf("got %v", err)
	}
}

// TestLoginSurvivesStrays logs in though another visit comes first.
func TestLoginSurvivesStrays(t *testing.T) {
	_, server := serve(t, authtest.Quirks{})
	flow := browser(t)
	follow := flow.Open
	flow.Open = func(ctx context.Context, page string) error {
		u, err := url.Parse(page)
		if err != nil {
			return err
		}
		if status, _ := knock(t, http.MethodGet, u.Query().Get("redirect_uri")+"?code=evil&state=guess",
			""); status != http.StatusForbidden {
			t.Errorf("a stray visit: %d", status)
		}
		return follow(ctx, page)
	}
	if _, err := Login(t.Context(), server, nil, flow, nil); err != nil {
		t.Error(err)
	}
}

// TestChallengeOfTheEra goes by what a server says to a request of its own era.
func TestChallengeOfTheEra(t *testing.T) {
	s, server := serve(t, authtest.Quirks{Modern: true})
	w, err := newClient(server, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := w.challenge(t.Context(), server)
	if err != nil || c.open || c.metadata == "" || len(c.scopes) == 0 {
		t.Errorf("%+v, %v", c, err)
	}
	s.Change(func(q *authtest.Quirks) { q.Modern = false })
	if c, err = w.challenge(t.Context(), server); err != nil || c.metadata == "" {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestUnverifiedHosts contacts no private address of a host that is not verified.
func TestUnverifiedHosts(t *testing.T) {
	s := Resource{Name: "x", URL: "https://mcp.example/mcp", Client: config.Login{Metadata: "https://10.0.0.1/meta"}}
	for doubted, want := range map[string]bool{"": true, "10.0.0.1": false} {
		s.Client.UnverifiedHosts = []string{doubted}
		policy, err := policyOf(s)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := policy.check("the metadata", s.Client.Metadata); (err == nil) != want {
			t.Errorf("doubting %q: %v", doubted, err)
		}
		home := s // the server's own host is named by the same rule
		home.URL, home.Client = "https://10.0.0.1/mcp", config.Login{UnverifiedHosts: s.Client.UnverifiedHosts}
		if policy, err = policyOf(home); err != nil {
			t.Fatal(err)
		}
		if _, err := policy.check("the metadata", home.URL); (err == nil) != want {
			t.Errorf("at the server, doubting %q: %v", doubted, err)
		}
	}
}
