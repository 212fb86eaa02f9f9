package auth

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/vault"
)

// answer is a reply that is the same each time.
func answer(status int, kind, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// count returns how often a request was made.
func count(s *authtest.Server, request string) int {
	n := 0
	for _, made := range s.Requests() {
		if made == request {
			n++
		}
	}
	return n
}

// TestResource names no resource, or another one, in the browser, on another device, at the token endpoint, at renewals and for
// machines, as configured; and without that the refusal names the key.
func TestResource(t *testing.T) {
	for name, c := range map[string]struct {
		target string
		client config.Login
	}{
		"none":    {"-", config.Login{NoResource: true}},
		"another": {"api://tickets/mcp", config.Login{Resource: "api://tickets/mcp"}},
	} {
		t.Run(name, func(t *testing.T) {
			for _, device := range []bool{false, true} {
				s, server := serve(t, authtest.Quirks{Target: c.target, Resource: map[string]any{"resource": "api://tickets"}})
				server.Client = c.client
				flow := browser(t)
				flow.Device = device
				source, l := login(t, server, flow)
				s.Revoke("access")
				if status, err := visit(t, source, s.URL); status != http.StatusOK || err != nil {
					t.Errorf("device %v: after a renewal: %d, %v", device, status, err)
				}
				l.Resource = s.URL // of a login before the configuration
				_ = source.Vault.Save(t.Context(), *l)
				s.Revoke("access")
				if source.Server.Client.NoResource = c.target == "-"; s.Form("/tenant/token").Get("resource") != strings.Trim(c.target,
					"-") {
					t.Errorf("renewed for %q", s.Form("/tenant/token").Get("resource"))
				}
			}
			s, server := serve(t, authtest.Quirks{Target: c.target, Secret: "hush-hush"})
			server.Client = c.client
			server.Client.ID, server.Client.Secret, server.Client.Machine = "known", "hush-hush", true
			if status, err := visit(t, &TokenSource{Server: server}, s.URL); status != http.StatusOK || err != nil {
				t.Errorf("machine: %d, %v", status, err)
			}
			server.Client.NoResource, server.Client.Resource = false, ""
			_, err := visit(t, &TokenSource{Server: server}, s.URL)
			if !strings.Contains(exit.HintOf(err), `"oauth": {"resource": false}`) {
				t.Errorf("machine without the key: %v, hint %s", err, exit.HintOf(err))
			}
		})
	}
	_, server := serve(t, authtest.Quirks{Target: "-"})
	flow := browser(t)
	flow.Device = true
	if _, err := Login(t.Context(), server, nil, flow, nil); err == nil {
		t.Error("logged in with a resource")
	}
	for _, code := range []string{"invalid_target", "invalid_resource", "invalid_request"} {
		_, server := serve(t, authtest.Quirks{Answers: map[string]http.HandlerFunc{
			"/tenant/token": answer(400, "application/json",
				`{"error":"`+code+`","error_description":"AADSTS901002: resource is not supported"}`)}})
		_, err := Login(t.Context(), server, nil, browser(t), nil)
		if err == nil || !strings.Contains(err.Error(), "AADSTS901002") ||
			!strings.Contains(exit.HintOf(err), `"oauth": {"resource": false}`) {
			t.Errorf("%s: %v, hint %q", code, err, exit.HintOf(err))
		}
	}
}

// TestNamedResource names the key for a server whose resource is no URL, and does so for no other one.
func TestNamedResource(t *testing.T) {
	for resource, want := range map[string]string{"api://tickets": `"oauth": {"resource": "api://tickets"}`,
		"https://bank.example/mcp": ""} {
		_, server := serve(t, authtest.Quirks{Resource: map[string]any{"resource": resource}})
		server.Client.ID = "known"
		_, err := Login(t.Context(), server, nil, browser(t), nil)
		if err == nil || !strings.HasSuffix(exit.HintOf(err), want) || want == "" && exit.HintOf(err) != "" {
			t.Errorf("%s: %v, hint %q", resource, err, exit.HintOf(err))
		}
	}
}

const (
	resourcePlace = "/.well-known/oauth-protected-resource/mcp"
	issuerPlace   = "/.well-known/oauth-authorization-server/tenant"
)

// TestConfiguredWins logs in with a configured issuer or endpoints, also where discovery would fail.
func TestConfiguredWins(t *testing.T) {
	faults := map[string]func(q *authtest.Quirks){
		"no resource document": func(q *authtest.Quirks) { q.Answers[resourcePlace] = http.NotFound; q.AtRoot = true },
		"a broken one":         func(q *authtest.Quirks) { q.Answers[resourcePlace] = answer(500, "text/html", "<html>") },
		"one that is no JSON":  func(q *authtest.Quirks) { q.Answers[resourcePlace] = answer(200, "application/json", "{") },
		"of another server":    func(q *authtest.Quirks) { q.Resource = map[string]any{"resource": "https://bank.example/mcp"} },
		"a name":               func(q *authtest.Quirks) { q.Resource = map[string]any{"resource": "api://tickets"} },
		"without an issuer":    func(q *authtest.Quirks) { q.Resource = map[string]any{"authorization_servers": nil} },
		"with an issuer that died": func(q *authtest.Quirks) {
			q.Resource = map[string]any{"authorization_servers": []string{"http://127.0.0.1:1"}}
		},
		"at an inner host": func(q *authtest.Quirks) {
			q.Answers["/mcp"] = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("WWW-Authenticate",
					`Bearer resource_metadata="http://inner.example:8080/.well-known/oauth-protected-resource"`)
				w.WriteHeader(http.StatusUnauthorized)
			}
		},
	}
	for name, fault := range faults {
		for _, way := range []string{"issuer", "endpoints", "machine"} {
			t.Run(name+", "+way, func(t *testing.T) {
				t.Parallel()
				q := authtest.Quirks{Answers: map[string]http.HandlerFunc{}, Silent: true}
				if fault(&q); way != "issuer" {
					q.Answers[issuerPlace] = answer(500, "text/plain", "gone")
				}
				s, server := serve(t, q)
				server.Client = config.Login{ID: "known", Metadata: strings.Replace(s.Issuer, "/tenant", issuerPlace, 1)}
				if way != "issuer" {
					server.Client = config.Login{ID: "known", Authorize: s.Issuer + "/authorize", TokenEndpoint: s.Issuer + "/token"}
				}
				if way == "machine" {
					server.Client.Machine, server.Client.Secret, server.Client.Authorize = true, "hush-hush", ""
					headers, err := (&TokenSource{Server: server}).Authorize(t.Context(), nil)
					if err != nil || headers == nil {
						t.Errorf("%v", err)
					}
					return
				}
				if l, err := Login(t.Context(), server, nil, browser(t), nil); err != nil || l.Token != s.Issuer+"/token" {
					t.Errorf("%v; %q", err, s.Requests())
				}
			})
		}
	}
}

// TestBehindTLS takes endpoints over HTTPS where metadata that came that way writes http for their host, and configured ones in
// place of those of the metadata.
func TestBehindTLS(t *testing.T) {
	for _, c := range [][3]string{
		{"http://as.example/token", "https://as.example/meta", "https://as.example/token"},
		{"http://as.example:8443/token", "https://as.example:8443/meta", "https://as.example:8443/token"},
		{"http://other.example/token", "https://as.example/meta", "http://other.example/token"},
		{"http://as.example/token", "http://as.example/meta", "http://as.example/token"},
		{"", "https://as.example/meta", ""},
	} {
		if got := sameSecurity(c[0], c[1]); got != c[2] {
			t.Errorf("%s by %s: %s", c[0], c[1], got)
		}
	}
	s, server := serve(t, authtest.Quirks{Metadata: map[string]any{"token_endpoint": "http://inner.example/token"}})
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil || !strings.Contains(err.Error(), "is not HTTPS") {
		t.Errorf("got %v", err)
	}
	server.Client = config.Login{TokenEndpoint: s.Issuer + "/token"}
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err != nil {
		t.Error(err)
	}
}

// TestNextPlace goes on to the well-known places for metadata that is not there, and to the next of them.
func TestNextPlace(t *testing.T) {
	gone := "/gone"
	named := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="http://`+r.Host+gone+`"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
	for name, reply := range map[string]http.HandlerFunc{
		"404": http.NotFound, "401": answer(401, "text/plain", "no"), "500": answer(500, "text/html", "<html>"), "503": answer(503, "", ""),
		"a page": answer(200, "text/html", "<html>app</html>"),
	} {
		for _, place := range []string{gone, resourcePlace, issuerPlace} {
			t.Run(name+" at "+place, func(t *testing.T) {
				t.Parallel()
				q := authtest.Quirks{Answers: map[string]http.HandlerFunc{place: reply}, Silent: true}
				switch place {
				case gone:
					q.Answers["/mcp"] = named
				case issuerPlace:
					q.OpenID = true
				}
				_, server := serve(t, q)
				if _, err := Login(t.Context(), server, nil, browser(t), nil); err != nil {
					t.Error(err)
				}
			})
		}
	}
	_, server := serve(t, authtest.Quirks{Answers: map[string]http.HandlerFunc{"/mcp": named}, Ancient: true})
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil || !strings.Contains(err.Error(), "/gone: HTTP 404") {
		t.Errorf("the metadata that was promised is nowhere: %v", err)
	}
}

// TestNextIssuer logs in at the first authorization server that a login can begin at.
func TestNextIssuer(t *testing.T) {
	for name, c := range map[string]struct {
		first  authtest.Quirks
		device bool
	}{
		"gone":                   {first: authtest.Quirks{Answers: map[string]http.HandlerFunc{issuerPlace: http.NotFound}}},
		"broken":                 {first: authtest.Quirks{Answers: map[string]http.HandlerFunc{issuerPlace: answer(500, "", "")}}},
		"no JSON":                {first: authtest.Quirks{Answers: map[string]http.HandlerFunc{issuerPlace: answer(200, "", "{")}}},
		"of another issuer":      {first: authtest.Quirks{Metadata: map[string]any{"issuer": "https://evil.example"}}},
		"registers no clients":   {first: authtest.Quirks{Metadata: map[string]any{"registration_endpoint": nil}}},
		"refuses to register":    {first: authtest.Quirks{Answers: map[string]http.HandlerFunc{"/tenant/register": answer(403, "", "")}}},
		"no PKCE":                {first: authtest.Quirks{Metadata: map[string]any{"code_challenge_methods_supported": nil}}},
		"no login page":          {first: authtest.Quirks{Metadata: map[string]any{"authorization_endpoint": nil}}},
		"no login with a device": {first: authtest.Quirks{Metadata: map[string]any{"device_authorization_endpoint": nil}}, device: true},
		"login page is a script": {first: authtest.Quirks{Metadata: map[string]any{"authorization_endpoint": "javascript:1"}}},
		"at a private address":   {first: authtest.Quirks{Metadata: map[string]any{"token_endpoint": "https://10.0.0.1/"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, _ := serve(t, c.first)
			s, server := serve(t, authtest.Quirks{})
			s.Change(func(q *authtest.Quirks) {
				q.Resource = map[string]any{"authorization_servers": []string{"http://127.0.0.1:1", first.Issuer, s.Issuer}}
			})
			flow := browser(t)
			flow.Device = c.device
			l, err := Login(t.Context(), server, nil, flow, nil)
			if err != nil || l.Issuer != s.Issuer {
				t.Fatalf("%+v, %v", l, err)
			}
			s.Change(func(q *authtest.Quirks) {
				q.Resource = map[string]any{"authorization_servers": []string{"http://127.0.0.1:1", s.Issuer}}
			})
			if again, err := Login(t.Context(), server, l, flow, nil); err != nil || again.Client.ID != l.Client.ID {
				t.Errorf("the next login: %+v, %v", again, err)
			}
		})
	}
	s, server := serve(t, authtest.Quirks{Resource: map[string]any{"authorization_servers": slices.Repeat([]string{"http://127.0.0.1:1"},
		500)}})
	if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil || len(s.Requests()) > 10 {
		t.Errorf("%v after %d requests", err, len(s.Requests()))
	}
}

// TestListsAlone asks for the lists that mcpctl list asks for: some servers protect nothing else, each with its own scopes.
func TestListsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		protected map[string]string // methods, with their scopes
		want      string
	}{
		"tools":              {map[string]string{"tools/list": "tools:read"}, "tools:read"},
		"prompts":            {map[string]string{"prompts/list": "prompts:read"}, "prompts:read"},
		"templates":          {map[string]string{"resources/templates/list": "t"}, "t"},
		"each its own":       {map[string]string{"tools/list": "a", "prompts/list": "b", "resources/list": "a c"}, "a b c"},
		"initialize as well": {map[string]string{"initialize": "first", "tools/list": "second"}, "first"},
		"nothing":            {map[string]string{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				var request struct {
					ID     any
					Method string
				}
				decode(r, &request)
				scope, protected := c.protected[request.Method]
				switch {
				case protected:
					w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Bearer scope=%q`, scope))
					w.WriteHeader(http.StatusUnauthorized)
				case request.ID == nil:
					w.WriteHeader(http.StatusAccepted)
				case request.Method == "initialize":
					reply(w, request.ID,
						`{"protocolVersion":"2025-11-25","capabilities":{"tools":{},"prompts":{},"resources":{}},`+
							`"serverInfo":{"name":"s","version":"1"}}`)
				case strings.HasSuffix(request.Method, "/list"):
					reply(w, request.ID, `{"tools":[],"prompts":[],"resources":[],"resourceTemplates":[]}`)
				default:
					w.WriteHeader(http.StatusNotFound)
				}
			}))
			defer site.Close()
			server := Resource{Name: "lists", URL: site.URL + "/mcp"}
			client, err := newClient(server, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, err := client.challenge(t.Context(), server)
			if err != nil || strings.Join(got.scopes, " ") != c.want || got.open != (c.want == "") {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}

// TestForgottenClient registers anew where the client of the last login cannot be used, and only there.
func TestForgottenClient(t *testing.T) {
	redirected := func(code string) http.HandlerFunc {
		first := true
		return func(w http.ResponseWriter, r *http.Request) {
			q := r.URL.Query()
			at := q.Get("redirect_uri") + "?state=" + q.Get("state") + "&error=" + code
			if !first {
				at = q.Get("redirect_uri") + "?state=" + q.Get("state") + "&error=access_denied"
			}
			first = false
			http.Redirect(w, r, at, http.StatusFound)
		}
	}
	for name, c := range map[string]struct {
		change  func(l *vault.Grant)
		answers map[string]http.HandlerFunc
		device  bool
		again   int // registrations of the second login
		fails   string
	}{
		"well":                   {},
		"left without an answer": {change: func(l *vault.Grant) { l.Unanswered = true }, again: 1},
		"refused at a renewal":   {change: func(l *vault.Grant) { l.Revoked = true }, again: 1},
		"an expired secret":      {change: func(l *vault.Grant) { l.Client.SecretExpires = time.Now().Add(-time.Minute) }, again: 1},
		"a secret that lasts":    {change: func(l *vault.Grant) { l.Client.SecretExpires = time.Now().Add(time.Minute) }},
		"another redirect URI":   {change: func(l *vault.Grant) { l.Client.Redirect = "http://elsewhere.example/callback" }, again: 1},
		"another issuer":         {change: func(l *vault.Grant) { l.Issuer = "https://other.example" }, again: 1},
		"unknown at the token":   {change: func(l *vault.Grant) { l.Client.ID = "gone" }, again: 1},
		"unauthorized in a redirect": {answers: map[string]http.HandlerFunc{"/tenant/authorize": redirected("unauthorized_client")},
			again: 1, fails: "denied"},
		"denied in a redirect": {answers: map[string]http.HandlerFunc{"/tenant/authorize": redirected("access_denied")}, fails: "denied"},
		"on another device": {device: true, answers: map[string]http.HandlerFunc{"/tenant/device": answer(401, "",
			`{"error":"invalid_client"}`)}, again: 1, fails: "invalid_client"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := serve(t, authtest.Quirks{})
			flow := browser(t)
			flow.Device = c.device
			_, l := login(t, server, flow)
			if c.change != nil {
				c.change(l)
			}
			if l.Client.ID == "gone" { // a page at the authorization endpoint lets it through, the token endpoint does not
				c.answers = map[string]http.HandlerFunc{"/tenant/authorize": func(w http.ResponseWriter, r *http.Request) {
					q := r.URL.Query()
					code := "&error=access_denied"
					if q.Get("client_id") == "gone" {
						code = "&code=x"
					}
					http.Redirect(w, r, q.Get("redirect_uri")+"?state="+q.Get("state")+"&iss="+s.Issuer+code, http.StatusFound)
				}, "/tenant/token": answer(401, "application/json", `{"error":"invalid_client"}`)}
				c.fails = "denied"
			}
			s.Change(func(q *authtest.Quirks) {
				q.Answers, q.Metadata = c.answers, map[string]any{"authorization_response_iss_parameter_supported": nil}
			})
			before := count(s, "POST /tenant/register")
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			_, err := Login(ctx, server, l, flow, nil)
			if (err == nil) != (c.fails == "") || err != nil && !strings.Contains(err.Error(), c.fails) {
				t.Errorf("%v", err)
			}
			if again := count(s, "POST /tenant/register") - before; again != c.again {
				t.Errorf("registered %d times, want %d", again, c.again)
			}
		})
	}
}

// TestUnanswered notes a login with a remembered client that ends without an answer, and names the way out.
func TestUnanswered(t *testing.T) {
	_, server := serve(t, authtest.Quirks{})
	_, l := login(t, server, browser(t))
	for _, old := range []*vault.Grant{nil, l} {
		ctx, cancel := context.WithCancel(t.Context())
		noted := 0
		flow := Flow{Print: func(string) {}, Open: func(context.Context, string) error { cancel(); return nil },
			Unanswered: func(context.Context) { noted++ }}
		_, err := Login(ctx, server, old, flow, nil)
		if hint := exit.HintOf(err); (noted == 1) != (old != nil) || strings.Contains(hint, "mcpctl logout tickets") != (old != nil) {
			t.Errorf("noted %d times, %v, hint %q", noted, err, hint)
		}
	}
}

// TestRefusedBeforeItsTime takes a token that is refused while it should live, and cannot be renewed, for forgotten.
func TestRefusedBeforeItsTime(t *testing.T) {
	for _, life := range []time.Duration{time.Hour, -time.Hour} {
		s, server := serve(t, authtest.Quirks{})
		source, l := login(t, server, browser(t))
		l.Secrets.Refresh, l.Expires = "", time.Now().Add(life)
		if err := source.Vault.Save(t.Context(), *l); err != nil {
			t.Fatal(err)
		}
		s.Revoke("all")
		if _, err := visit(t, source, s.URL); err == nil || !strings.Contains(exit.HintOf(err), "mcpctl login") {
			t.Errorf("%v", err)
		}
		if now, _ := source.Vault.Of(l.Server); now.Revoked != (life > 0) {
			t.Errorf("a token that lives %v more: %+v", life, now)
		}
	}
}

// TestPublicClient sends no secret of a client that the authorization server registered as a public one.
func TestPublicClient(t *testing.T) {
	for method, want := range map[string]string{"none": "none", "client_secret_basic": "basic", "client_secret_post": "post", "": "basic",
		"odd": "basic"} {
		var got string
		s, server := serve(t, authtest.Quirks{})
		s.Change(func(q *authtest.Quirks) {
			q.Answers = map[string]http.HandlerFunc{
				"/tenant/register": answer(201, "application/json", fmt.Sprintf(
					`{"client_id":"known","client_secret":"hush-hush","client_secret_expires_at":"0","token_endpoint_auth_method":%q}`,
					method)),
				"/tenant/token": func(w http.ResponseWriter, r *http.Request) {
					_, _, basic := r.BasicAuth()
					switch {
					case basic:
						got = "basic"
					case r.PostFormValue("client_secret") != "":
						got = "post"
					default:
						got = "none"
					}
					answer(400, "application/json", `{"error":"invalid_grant"}`)(w, r)
				},
			}
		})
		if _, err := Login(t.Context(), server, nil, browser(t), nil); err == nil || got != want {
			t.Errorf("%q: sent %s, %v", method, got, err)
		}
	}
}

// TestLoopbackByName names the key that works where a registration takes this machine by its name alone.
func TestLoopbackByName(t *testing.T) {
	refusal := answer(400, "text/plain", `{"error":"invalid_redirect_uri","error_description":"use localhost"}`)
	_, server := serve(t, authtest.Quirks{Answers: map[string]http.HandlerFunc{"/tenant/register": refusal}})
	_, err := Login(t.Context(), server, nil, browser(t), nil)
	if err == nil || !strings.Contains(err.Error(), `HTTP 400 Bad Request: "invalid_redirect_uri": "use localhost"`) ||
		!strings.Contains(exit.HintOf(err), `"oauth": {"callbackPort": PORT}`) {
		t.Errorf("%v, hint %q", err, exit.HintOf(err))
	}
	free := httptest.NewServer(nil)
	free.Close()
	server.Client.Redirect = strings.Replace(free.URL, "127.0.0.1", "localhost", 1) + "/callback"
	if _, err = Login(t.Context(), server, nil, browser(t), nil); err == nil || strings.Contains(exit.HintOf(err), "callbackPort") {
		t.Errorf("localhost: %v, hint %q", err, exit.HintOf(err))
	}
}
