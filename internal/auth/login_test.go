package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// open is the protected server of tests: it lets everybody in who comes this far.
var open = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "in") })

func serve(t *testing.T, quirks authtest.Quirks) (*authtest.Server, Resource) {
	t.Helper()
	s := authtest.New(open, quirks)
	t.Cleanup(s.Close)
	return s, Resource{Name: "tickets", URL: s.URL}
}

// browser is a person who follows every link.
func browser(t *testing.T) Flow {
	return Flow{
		Print:      func(string) {},
		Save:       func(context.Context, *vault.Grant) error { return nil },
		Unanswered: func(context.Context) {},
		Open: func(ctx context.Context, page string) error {
			go func() {
				reply, err := http.Get(page)
				if err == nil {
					_, _ = io.Copy(io.Discard, reply.Body)
					_ = reply.Body.Close()
				}
			}()
			return nil
		},
	}
}

// login logs in and keeps the login.
func login(t *testing.T, server Resource, way Flow) (*TokenSource, *vault.Grant) {
	t.Helper()
	l, err := Login(t.Context(), server, nil, way, nil)
	if err != nil {
		t.Fatal(err)
	}
	source := &TokenSource{Server: server, Vault: vault.Vault{Folder: t.TempDir() + "/logins"}}
	l.Place = vault.File
	if err := source.Vault.Save(t.Context(), *l); err != nil {
		t.Fatal(err)
	}
	return source, l
}

// visit asks the protected server with what the source gives, and once more when it is refused, as the transport does.
func visit(t *testing.T, source *TokenSource, url string) (status int, err error) {
	t.Helper()
	headers, err := source.Authorize(t.Context(), nil)
	for range 2 {
		if err != nil {
			return 0, err
		}
		req, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
		for name, value := range headers {
			req.Header.Set(name, value.Reveal())
		}
		reply, wrong := http.DefaultClient.Do(req)
		if wrong != nil {
			t.Fatal(wrong)
		}
		_ = reply.Body.Close()
		if status = reply.StatusCode; status == http.StatusOK {
			return status, nil
		}
		refused := &probe.Refused{Status: status, Challenge: strings.Join(reply.Header.Values("WWW-Authenticate"), ", "), Sent: headers}
		if headers, err = source.Authorize(t.Context(), refused); headers == nil {
			return status, err
		}
	}
	return status, err
}

// TestLogin logs in at servers that keep to one of the revisions, and is let in.
func TestLogin(t *testing.T) {
	tests := map[string]struct {
		quirks authtest.Quirks
		client config.Login
		device bool
		want   []string // requests that must have been made
	}{
		"the challenge names the metadata": {want: []string{"GET /.well-known/oauth-protected-resource/mcp",
			"GET /.well-known/oauth-authorization-server/tenant", "POST /tenant/register"}},
		"well-known at the path": {quirks: authtest.Quirks{Silent: true},
			want: []string{"GET /.well-known/oauth-protected-resource/mcp"}},
		"well-known at the root": {quirks: authtest.Quirks{Silent: true, AtRoot: true},
			want: []string{"GET /.well-known/oauth-protected-resource/mcp", "GET /.well-known/oauth-protected-resource"}},
		"OpenID Connect": {quirks: authtest.Quirks{OpenID: true},
			want: []string{"GET /.well-known/oauth-authorization-server/tenant", "GET /.well-known/openid-configuration/tenant",
				"GET /tenant/.well-known/openid-configuration"}},
		"2025-03-26 without metadata": {quirks: authtest.Quirks{Ancient: true, Silent: true},
			want: []string{"GET /.well-known/oauth-protected-resource", "GET /.well-known/oauth-authorization-server", "POST /register",
				"POST /token"}},
		"2025-03-26 with metadata": {quirks: authtest.Quirks{Ancient: true, Silent: true,
			Metadata: map[string]any{"scopes_supported": nil}}, want: []string{"POST /token"}},
		"no iss, and none promised": {quirks: authtest.Quirks{Iss: "-",
			Metadata: map[string]any{"authorization_response_iss_parameter_supported": nil}}},
		"configured client": {quirks: authtest.Quirks{Secret: "hush-hush"},
			client: config.Login{ID: "known", Secret: "hush-hush"}},
		"configured client, in the form": {quirks: authtest.Quirks{Secret: "hush-hush",
			Metadata: map[string]any{"token_endpoint_auth_methods_supported": []string{"client_secret_post"}}},
			client: config.Login{ID: "known", Secret: "hush-hush"}},
		"client ID metadata document": {quirks: authtest.Quirks{Metadata: map[string]any{"client_id_metadata_document_supported": true,
			"registration_endpoint": nil}}, client: config.Login{Document: "https://mcpctl.example/client.json"}},
		"document that is not offered": {client: config.Login{Document: "https://mcpctl.example/client.json"},
			want: []string{"POST /tenant/register"}},
		"resource is the host": {quirks: authtest.Quirks{}, client: config.Login{Scopes: []string{"mcp:write"}}},
		"a token in a form":    {quirks: authtest.Quirks{Form: true}},
		"on another device": {device: true, quirks: authtest.Quirks{Pending: 1},
			want: []string{"POST /tenant/device", "POST /tenant/token"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := serve(t, test.quirks)
			server.Client = test.client
			way := browser(t)
			way.Device = test.device
			source, l := login(t, server, way)
			if status, err := visit(t, source, s.URL); status != http.StatusOK || err != nil {
				t.Errorf("not let in: %d, %v", status, err)
			}
			if l.Issuer != s.Issuer || l.Resource != s.URL || l.Secrets.Refresh == "" || l.Expires.IsZero() || len(l.Scopes) == 0 {
				t.Errorf("kept %+v", l)
			}
			for _, request := range test.want {
				if !slices.Contains(s.Requests(), request) {
					t.Errorf("%s was not asked for: %q", request, s.Requests())
				}
			}
		})
	}
}

// TestLoginFails names what is wrong, and gets no token.
func TestLoginFails(t *testing.T) {
	tests := map[string]struct {
		quirks authtest.Quirks
		client config.Login
		want   string
	}{
		"denied": {quirks: authtest.Quirks{Deny: true}, want: "the login was denied"},
		"other issuer": {quirks: authtest.Quirks{Iss: "https://evil.example"},
			want: `is from "https://evil.example" and not from`},
		"other issuer, denied":    {quirks: authtest.Quirks{Iss: "https://evil.example", Deny: true}, want: "it was not used"},
		"issuer with a slash":     {quirks: authtest.Quirks{Iss: "http://127.0.0.1/"}, want: "is from"},
		"no iss, though promised": {quirks: authtest.Quirks{Iss: "-"}, want: "lacks the issuer (iss)"},
		"no PKCE": {quirks: authtest.Quirks{Metadata: map[string]any{"code_challenge_methods_supported": nil}},
			want: "PKCE with S256"},
		"plain PKCE": {quirks: authtest.Quirks{
			Metadata: map[string]any{"code_challenge_methods_supported": []string{"plain"}}}, want: "PKCE with S256"},
		"metadata of another issuer": {quirks: authtest.Quirks{Metadata: map[string]any{"issuer": "https://evil.example"}},
			want: `is of issuer "https://evil.example", not of`},
		"no registration": {quirks: authtest.Quirks{Metadata: map[string]any{"registration_endpoint": nil}},
			want: "does not register clients"},
		"wrong secret": {quirks: authtest.Quirks{Secret: "hush-hush"},
			client: config.Login{ID: "known", Secret: "wrong-secret"}, want: `"invalid_client": "wrong secret `},
		"a token of another kind": {quirks: authtest.Quirks{Kind: "DPoP"}, want: `a token of type "DPoP"`},
		"line break in the token": {quirks: authtest.Quirks{Prefix: "a\r\nX-Evil: 1"}, want: "control characters"},
		"a huge token":            {quirks: authtest.Quirks{Prefix: strings.Repeat("a", 70<<10)}, want: "larger than 64 KiB"},
		"a token for ever":        {quirks: authtest.Quirks{Life: 1e12}, want: "invalid expires_in"},
		"a token that ended":      {quirks: authtest.Quirks{Life: -5}, want: "invalid expires_in"},
		"a lifetime in words":     {quirks: authtest.Quirks{Life: "soon"}, want: "invalid expires_in: \"soon\""},
		"scripts as pages": {quirks: authtest.Quirks{Metadata: map[string]any{"authorization_endpoint": "javascript:alert(1)"}},
			want: `the authorization endpoint is a "javascript:" URL`},
		"files as pages": {quirks: authtest.Quirks{Metadata: map[string]any{"authorization_endpoint": "file:///etc/passwd"}},
			want: `the authorization endpoint is a "file:" URL`},
		"options as pages": {quirks: authtest.Quirks{Metadata: map[string]any{"authorization_endpoint": "--proxy=evil"}},
			want: "the authorization endpoint is"},
		"plain HTTP elsewhere": {quirks: authtest.Quirks{Metadata: map[string]any{"token_endpoint": "http://auth.example/token"}},
			want: "is not HTTPS"},
		"user info": {quirks: authtest.Quirks{Metadata: map[string]any{"token_endpoint": "https://a@auth.example/token"}},
			want: "user info"},
		"private address": {quirks: authtest.Quirks{Metadata: map[string]any{"token_endpoint": "https://10.0.0.1/token"}},
			want: "not a public address"},
		"link-local address": {quirks: authtest.Quirks{
			Resource: map[string]any{"authorization_servers": []string{"https://169.254.169.254"}}}, want: "not a public address"},
		"mapped address": {quirks: authtest.Quirks{
			Resource: map[string]any{"authorization_servers": []string{"https://[::ffff:10.0.0.1]"}}}, want: "not a public address"},
		"resource of somebody else": {quirks: authtest.Quirks{Resource: map[string]any{"resource": "https://bank.example/mcp"}},
			want: `it is about "https://bank.example/mcp", not about this server`},
		"resource beside the server": {quirks: authtest.Quirks{Resource: map[string]any{"resource": "http://127.0.0.1:1/mc"}},
			want: "not about this server"},
		"no authorization server": {quirks: authtest.Quirks{Resource: map[string]any{"authorization_servers": nil}},
			want: "it names no authorization server"},
		"no resource": {quirks: authtest.Quirks{Resource: map[string]any{"resource": nil}}, want: "it names no resource"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, server := serve(t, test.quirks)
			server.Client = test.client
			l, err := Login(t.Context(), server, nil, browser(t), nil)
			if err == nil || l != nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && (strings.Contains(err.Error(), "wrong-secret") || strings.ContainsAny(err.Error(), "\r\x1b")) {
				t.Errorf("the error shows what it must not: %q", err)
			}
		})
	}
}

// TestLoginPasted reads the address that a browser ended at.
func TestLoginPasted(t *testing.T) {
	s, server := serve(t, authtest.Quirks{})
	way := pasting(func(at string) string { return " " + at + "\n" })
	source, _ := login(t, server, way)
	if status, err := visit(t, source, s.URL); status != http.StatusOK {
		t.Errorf("not let in: %d, %v", status, err)
	}
	_, err := Login(t.Context(), server, nil, pasting(func(at string) string {
		return strings.Replace(at, "127.0.0.1", "evil.example", 1)
	}), nil)
	if err == nil || !strings.Contains(err.Error(), "not the address of the answer") {
		t.Errorf("took another address: %v", err)
	}
}

// pasting is a person who copies the address that a browser ends at, changed by change.
func pasting(change func(string) string) Flow {
	var page string
	return Flow{
		Save:  func(context.Context, *vault.Grant) error { return nil },
		Print: func(text string) { _, page, _ = strings.Cut(text, "\n") },
		Paste: func(context.Context) (string, error) {
			client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
			reply, err := client.Get(page)
			if err != nil {
				return "", err
			}
			return change(reply.Header.Get("Location")), reply.Body.Close()
		},
	}
}

// TestLoginEnds ends the wait for someone who never comes.
func TestLoginEnds(t *testing.T) {
	_, server := serve(t, authtest.Quirks{})
	ctx, cancel := context.WithCancelCause(t.Context())
	way := Flow{Print: func(string) {}, Open: func(context.Context, string) error {
		cancel(errors.New("enough"))
		return fmt.Errorf("none")
	}}
	if _, err := Login(ctx, server, nil, way, nil); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v", err)
	}
}

// TestLoginIsPinned does not hand the secret of a client to an authorization server that the server newly names.
func TestLoginIsPinned(t *testing.T) {
	_, server := serve(t, authtest.Quirks{})
	server.Client = config.Login{ID: "known", Secret: "hush-hush"}
	old := &vault.Grant{Issuer: "https://auth.example"}
	if _, err := Login(t.Context(), server, old, browser(t), nil); err == nil ||
		!strings.Contains(err.Error(), `belongs to "https://auth.example"`) {
		t.Errorf("got %v", err)
	}
}

// decode reads the JSON of a request; what is not JSON stays zero.
func decode(r *http.Request, into any) { _ = json.NewDecoder(r.Body).Decode(into) }

// reply writes a result of JSON-RPC.
func reply(w http.ResponseWriter, id any, result string) {
	w.Header().Set("Content-Type", "application/json")
	text, _ := json.Marshal(id)
	_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, text, result)
}
