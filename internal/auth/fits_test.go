package auth

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
)

// TestFits takes metadata about the server, or about a resource that it is part of, and about nothing beside it.
func TestFits(t *testing.T) {
	tests := []struct {
		server, resource string
		want             bool
	}{
		{"https://h/mcp", "https://h/mcp", true},
		{"https://h/mcp", "https://H:443/mcp", true},
		{"https://h/mcp", "https://h/mcp/", true},
		{"https://h/mcp/", "https://h/mcp", true},
		{"https://h/a/mcp", "https://h/a", true},
		{"https://h/a/mcp", "https://h", true},
		{"https://h/a/mcp", "https://h/", true},
		{"https://h", "https://h/", true},
		{"https://h/mcp", "https://h/mc", false},
		{"https://h/mcp", "https://h/mcp2", false},
		{"https://h/mcp", "https://h/mcp/admin", false},
		{"https://h/mcp", "https://h:8443/mcp", false},
		{"https://h/mcp", "http://h/mcp", false},
		{"https://h/mcp", "https://evil/mcp", false},
		{"https://h/mcp", "https://h/mcp#x", false},
		{"https://h/mcp", "https://me@h/mcp", false},
		{"https://h/mcp", "/mcp", false},
		{"https://h/mcp", "https://h/mcp\n", false},
	}
	for _, test := range tests {
		home, err := url.Parse(test.server)
		if err != nil {
			t.Fatal(err)
		}
		if err := (resourceMetadata{ID: test.resource, Issuers: []string{"https://as"}}).fits(home,
			config.Login{}); (err == nil) != test.want {
			t.Errorf("%q for %s: %v", test.resource, test.server, err)
		}
	}
}

// TestHostileDevice ends a device login in which the authorization server makes no sense.
func TestHostileDevice(t *testing.T) {
	tests := map[string]struct {
		answer map[string]any
		want   string // empty = the login works
	}{
		"asks to ask without a pause": {map[string]any{"interval": -5}, ""},
		"a page that is a script": {map[string]any{"verification_uri": "javascript:alert(1)"},
			`the page for the code is a "javascript:" URL`},
		"a page elsewhere in clear":   {map[string]any{"verification_uri": "http://evil.example/"}, "is not HTTPS"},
		"a code that draws":           {map[string]any{"user_code": "\x1b[31mred"}, "an unusable user code"},
		"no code":                     {map[string]any{"user_code": ""}, "an unusable user code"},
		"an interval with a fraction": {map[string]any{"interval": "1.0"}, ""},
		"a negative lifetime":         {map[string]any{"expires_in": -1}, "invalid expires_in"},
		"a code that ends":            {map[string]any{"expires_in": 1, "interval": 5}, "the code expired"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := serve(t, authtest.Quirks{})
			s.Change(func(q *authtest.Quirks) { q.Device = test.answer })
			way := browser(t)
			way.Device = true
			_, err := Login(t.Context(), server, nil, way, nil)
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
	garbage := func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode("no object") }
	_, server := serve(t, authtest.Quirks{Answers: map[string]http.HandlerFunc{"/tenant/device": garbage}})
	way := browser(t)
	way.Device = true
	if _, err := Login(t.Context(), server, nil, way, nil); err == nil || strings.ContainsAny(err.Error(), "\x1b\n") {
		t.Errorf("got %v", err)
	}
}
