package auth

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
)

// TestSameIssuer: issuers are compared as URLs, and what is not the same URL is another issuer.
func TestSameIssuer(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"https://as.example", "https://as.example/", true},
		{"https://as.example/", "https://as.example:443", true},
		{"https://AS.example/tenant", "https://as.example:443/tenant", true},
		{"http://as.example:80", "http://as.example", true},
		{"https://as.example/tenant", "https://as.example/tenant/", false},
		{"https://as.example/a", "https://as.example/b", false},
		{"https://as.example", "http://as.example", false},
		{"https://as.example", "https://as.example:8443", false},
		{"https://as.example/?a", "https://as.example/", false},
		{"https://me@as.example/", "https://as.example/", false},
		{"x", "x", true},
		{"x", "", false},
	}
	for _, test := range tests {
		if got := sameIssuer(test.a, test.b); got != test.want || got != sameIssuer(test.b, test.a) {
			t.Errorf("%q and %q: %v, want %v", test.a, test.b, got, test.want)
		}
	}
}

// serves starts a server of documents, some of which hold ISSUER, and returns a client for it.
func serves(t *testing.T, documents map[string]string) (*client, string) {
	t.Helper()
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, ok := documents[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if !ok {
			w.WriteHeader(http.StatusNotFound)
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "ISSUER", srv.URL))
	}))
	t.Cleanup(srv.Close)
	w, err := newClient(Resource{Name: "s", URL: srv.URL + "/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return w, srv.URL
}

// TestLifetimes takes expires_in as servers write it.
func TestLifetimes(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`3600`: time.Hour, `3600.0`: time.Hour, `"3600"`: time.Hour, `"3599.9"`: time.Hour - time.Second, `3.6e3`: time.Hour, `null`: 0,
		`""`: 0,
	} {
		w, at := serves(t, map[string]string{"/token": `{"access_token":"a","token_type":"Bearer","expires_in":` + text + `}`})
		got, err := w.redeem(t.Context(), oauthClient{}, at+"/token", "client_credentials", url.Values{})
		life := time.Until(got.expires).Round(time.Second)
		if got.expires.IsZero() {
			life = 0
		}
		if err != nil || life != want {
			t.Errorf("expires_in %s: %v, %v, want %v", text, life, err, want)
		}
	}
}

// TestIssuerDocuments goes on to the next place for a page and for S256, and stays with the first document otherwise.
func TestIssuerDocuments(t *testing.T) {
	const (
		oauth, openID = "/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"
		without       = `{"issuer":"ISSUER/","token_endpoint":"ISSUER/t1"}`
		plain         = `{"issuer":"ISSUER","token_endpoint":"ISSUER/t1","code_challenge_methods_supported":["plain"]}`
		with          = `{"issuer":"ISSUER","token_endpoint":"ISSUER/t2","code_challenge_methods_supported":["plain","S256"]}`
		page          = "\n<!doctype html><title>app</title>"
	)
	tests := map[string]struct {
		documents   map[string]string
		token, fail string
		proves      bool
	}{
		"S256 in the second":    {map[string]string{oauth: without, openID: with}, "/t1", "", true},
		"S256 in none":          {map[string]string{oauth: without, openID: without}, "/t1", "", false},
		"the second is broken":  {map[string]string{oauth: without, openID: "{"}, "/t1", "", false},
		"a page, then metadata": {map[string]string{oauth: page, openID: with}, "/t2", "", true},
		"pages alone":           {map[string]string{oauth: page, openID: page}, "", "no metadata found", false},
		"a page with a mark":    {map[string]string{oauth: "\ufeff<html>", openID: with}, "/t2", "", true},
		"XML, then metadata":    {map[string]string{oauth: "<?xml version='1.0'?><Error/>", openID: with}, "/t2", "", true},
		"nothing with 200":      {map[string]string{oauth: "", openID: with}, "/t2", "", true},
		"plain in the first":    {map[string]string{oauth: plain, openID: with}, "/t1", "", true},
		"S256 in the first":     {map[string]string{oauth: with, openID: without}, "/t2", "", true},
		"another issuer":        {map[string]string{oauth: `{"issuer":"ISSUER/x"}`, openID: with}, "", "is of issuer", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w, at := serves(t, test.documents)
			got, err := w.issuer(t.Context(), at)
			switch {
			case test.fail != "":
				if err == nil || !strings.Contains(err.Error(), test.fail) {
					t.Errorf("error %v, want %q", err, test.fail)
				}
			case err != nil || got.Token != at+test.token || (got.requirePKCE() == nil) != test.proves:
				t.Errorf("token endpoint %q, S256 %v, error %v", got.Token, got.requirePKCE(), err)
			}
		})
	}
}

// TestResourceDocuments goes on to the next place for a page, and ends with a document that is broken.
func TestResourceDocuments(t *testing.T) {
	const (
		path, root = "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"
		good       = `{"resource":"ISSUER/mcp","authorization_servers":["ISSUER"]}`
		page       = "<!DOCTYPE html><html><body>app</body></html>"
	)
	for name, test := range map[string]struct {
		documents map[string]string
		found     bool
		fail      string
	}{
		"at the path":          {map[string]string{path: good, root: page}, true, ""},
		"a page, then at root": {map[string]string{path: page, root: good}, true, ""},
		"nothing, then a page": {map[string]string{root: page}, false, ""},
		"pages alone":          {map[string]string{path: page, root: "\n" + page}, false, ""},
		"broken":               {map[string]string{path: `{"resource":`, root: good}, false, "not the expected JSON document"},
	} {
		w, _ := serves(t, test.documents)
		_, found, err := w.resource(t.Context(), challenge{})
		if found != test.found || (err == nil) != (test.fail == "") || err != nil && !strings.Contains(err.Error(), test.fail) {
			t.Errorf("%s: found %v, %v", name, found, err)
		}
	}
}

// TestConfiguredEndpoints logs in without PKCE metadata, with a warning, where endpoints are configured.
func TestConfiguredEndpoints(t *testing.T) {
	for name, configure := range map[string]func(c *config.Login, issuer string){
		"nothing":        func(*config.Login, string) {},
		"token endpoint": func(c *config.Login, issuer string) { c.TokenEndpoint = issuer + "/token" },
		"login page":     func(c *config.Login, issuer string) { c.Authorize = issuer + "/authorize" },
		"both endpoints": func(c *config.Login, issuer string) {
			c.Authorize, c.TokenEndpoint = issuer+"/authorize", issuer+"/token"
		},
		"metadata": func(c *config.Login, issuer string) {
			c.Metadata = strings.Replace(issuer, "/tenant", issuerPath, 1)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := serve(t, authtest.Quirks{Metadata: map[string]any{"code_challenge_methods_supported": nil}})
			configure(&server.Client, s.Issuer)
			flow, warned := browser(t), false
			flow.Print = func(text string) { warned = warned || strings.HasPrefix(text, "warning: ") }
			_, err := Login(t.Context(), server, nil, flow, nil)
			works := name != "nothing" && name != "token endpoint"
			if (err == nil) != works || warned != works {
				t.Errorf("error %v, warned %v", err, warned)
			}
		})
	}
}

// TestRefused shows the code and the description of a refusal, escaped.
func TestRefused(t *testing.T) {
	for want, refused := range map[string]refusedError{
		`the authorization server refused: "server_error"`:                 {"server_error", ""},
		`the authorization server refused: "temporarily_unavailable": "b"`: {"temporarily_unavailable", "b"},
		`the authorization server refused: "x\ny": "<b>\u009b31m"`:         {"x\ny", "<b>\u009b31m"},
		"the login was denied":                  {"access_denied", ""},
		`the login was denied: "\x1b[31mred\n"`: {"access_denied", "\x1b[31mred\n"},
		`the authorization server refused: "e": "` + strings.Repeat("a", 200) + `"…`: {"e", strings.Repeat("a", 300)},
	} {
		if got := refused.Error(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestBelow: metadata is about a server at its path, with or without a slash at the end, and at paths below it, not beside it.
func TestBelow(t *testing.T) {
	for folder, paths := range map[string]map[string]bool{
		"/mcp":  {"/mcp": true, "/mcp/": true, "/mcp/a": true, "/mcpx": false, "/mc": false, "/": false, "": false, "/a/mcp": false},
		"/mcp/": {"/mcp": true, "/mcp/": true, "/mcp/a": true, "/mcpx": false},
		"":      {"": true, "/": true, "/a": true},
	} {
		for path, want := range paths {
			if got := below(path, folder); got != want {
				t.Errorf("%q below %q: %v", path, folder, got)
			}
		}
	}
}
