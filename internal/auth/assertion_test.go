package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"golang.org/x/oauth2"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

func pemOf(t *testing.T, kind string, der []byte, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}

// TestAssertion signs assertions that the public key confirms, for one audience and a minute, with keys in all usual forms.
func TestAssertion(t *testing.T) {
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	pkcs8 := func(key any) string {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		return pemOf(t, "PRIVATE KEY", der, err)
	}
	ecForm, err := x509.MarshalECPrivateKey(ecKey)
	for name, c := range map[string]struct {
		text, algorithm string
		public          crypto.PublicKey
		takes           []string
	}{
		"RSA": {pkcs8(rsaKey), "RS256", rsaKey.Public(), nil},
		"RSA in PKCS 1": {pemOf(t, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), nil), "RS256", rsaKey.Public(),
			[]string{"PS256", "RS256"}},
		"RSA with PSS":   {pkcs8(rsaKey), "PS256", rsaKey.Public(), []string{"ES256", "PS256"}},
		"ECDSA":          {pkcs8(ecKey), "ES384", ecKey.Public(), nil},
		"ECDSA in SEC 1": {pemOf(t, "EC PRIVATE KEY", ecForm, err), "ES384", ecKey.Public(), nil},
		"Ed25519":        {pkcs8(edKey), "EdDSA", edKey.Public(), nil},
		"in one line":    {strings.ReplaceAll(pkcs8(edKey), "\n", `\n`), "EdDSA", edKey.Public(), nil},
	} {
		me := oauthClient{Registration: vault.Registration{ID: "ci", Method: methodKey}}
		me.key = clientKey{c.text, "k1", c.takes, "https://auth.example"}
		proofs, err := me.proofs()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		token, err := jwt.ParseSigned(proofs.Get("client_assertion"), []jose.SignatureAlgorithm{jose.SignatureAlgorithm(c.algorithm)})
		var claims jwt.Claims
		if err == nil {
			err = token.Claims(c.public, &claims)
		}
		expected := jwt.Expected{Issuer: "ci", Subject: "ci", AnyAudience: jwt.Audience{"https://auth.example"}, Time: time.Now()}
		if err != nil || claims.Validate(expected) != nil || claims.ID == "" || token.Headers[0].KeyID != "k1" ||
			time.Until(claims.Expiry.Time()) > time.Minute || len(claims.Audience) != 1 {
			t.Errorf("%s: %v, %+v", name, err, claims)
		}
	}
	for _, bad := range []string{"hunter2-hunter2", "-----BEGIN PRIVATE KEY-----\naHVudGVyMg==\n-----END PRIVATE KEY-----\n"} {
		_, err := oauthClient{key: clientKey{pem: bad}}.assertion(time.Now())
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "aHVud") {
			t.Errorf("got %v", err)
		}
	}
}

// TestPrivateKey gets tokens without a secret: for the issuer, and at an authorization server that takes assertions for its
// endpoint alone.
func TestPrivateKey(t *testing.T) {
	_, edKey, _ := ed25519.GenerateKey(rand.Reader)
	der, err := x509.MarshalPKCS8PrivateKey(edKey)
	key := probe.Secret(pemOf(t, "PRIVATE KEY", der, err))
	s, server := serve(t, authtest.Quirks{Secret: "unused"})
	server.Client = config.Login{ID: "known", Key: key, Machine: true}
	if status, err := visit(t, &TokenSource{Server: server}, s.URL); status != http.StatusOK || err != nil {
		t.Errorf("%d, %v", status, err)
	}
	server.Client.Machine = false
	_, l := login(t, server, browser(t))
	if err := Logout(t.Context(), server, *l, nil); err != nil {
		t.Errorf("logout: %v", err)
	}
	server.Client.Key = ""
	if err := Logout(t.Context(), server, *l, nil); err == nil || strings.Contains(err.Error(), l.Secrets.Access) {
		t.Errorf("logout without the key: %v", err)
	}
	server.Client.Key = key
	source, _ := login(t, server, browser(t))
	s.Revoke("access")
	if status, err := visit(t, source, s.URL); status != http.StatusOK || err != nil {
		t.Errorf("a renewal: %d, %v", status, err)
	}
	tries := 0
	s.Change(func(q *authtest.Quirks) {
		q.Answers = map[string]http.HandlerFunc{"/tenant/token": func(w http.ResponseWriter, r *http.Request) {
			tries++
			answer(401, "application/json", `{"error":"invalid_client","error_description":"`+r.PostFormValue("client_assertion")+`"}`)(
				w, r)
		}}
	})
	server.Client.Machine = true
	_, err = (&TokenSource{Server: server}).Authorize(t.Context(), nil)
	if err == nil || tries != 2 || strings.Contains(err.Error(), "eyJ") {
		t.Errorf("%d tries, %v", tries, err)
	}
}

// TestIdentity exchanges identity tokens: of a text, of a file that is renewed, of a runner; and sends none that is for another
// audience than the issuer whose own metadata names the token endpoint.
func TestIdentity(t *testing.T) {
	other, _ := serve(t, authtest.Quirks{})
	file := filepath.Join(t.TempDir(), "token")
	text := func(s *authtest.Server) string { return authtest.Identity(s.Issuer) }
	type change = func(s *authtest.Server, c *config.Login)
	for name, c := range map[string]struct {
		change change
		fails  string
	}{
		"text": {func(s *authtest.Server, c *config.Login) { c.Identity.Text = probe.Secret(text(s)) }, ""},
		"file": {func(s *authtest.Server, c *config.Login) {
			c.Identity.File = file
			_ = os.WriteFile(file, []byte(text(s)+"\n"), 0o600)
		}, ""},
		"runner": {func(s *authtest.Server, c *config.Login) {
			c.Identity = config.Identity{Runner: s.Issuer + "/runner?api-version=2.0", Bearer: "job"}
		}, ""},
		"with a slash": {func(s *authtest.Server, c *config.Login) {
			c.Identity.Text = probe.Secret(authtest.Identity(strings.Replace(s.Issuer, "http:", "HTTP:", 1)))
		}, "not for me"},
		"runner of a stranger": {func(s *authtest.Server, c *config.Login) {
			c.Identity = config.Identity{Runner: s.Issuer + "/runner?api-version=2.0", Bearer: "other"}
		},
			"/runner: HTTP 401"},
		"for another": {func(s *authtest.Server, c *config.Login) { c.Identity.Text = probe.Secret(text(other)) }, "and was not sent"},
		"no file": {func(s *authtest.Server, c *config.Login) { c.Identity.File = file + "2" },
			"getting the identity token of the job"},
		"no JWT": {func(s *authtest.Server, c *config.Login) { c.Identity.Text = "hunter2" }, "is not a signed JWT"},
		"the token endpoint is configured": {func(s *authtest.Server, c *config.Login) {
			c.Identity.Text, c.TokenEndpoint = probe.Secret(text(s)), other.Issuer+"/token"
		}, "no issuer names this one"},
		"metadata elsewhere": {func(s *authtest.Server, c *config.Login) {
			other.Change(func(q *authtest.Quirks) {
				q.Metadata = map[string]any{"issuer": s.Issuer, "token_endpoint": other.Issuer + "/token"}
			})
			c.Identity.Text, c.Metadata = probe.Secret(text(s)), strings.Replace(other.Issuer, "/tenant", issuerPlace, 1)
		}, "no issuer names this one"},
		"the server names its own issuer": {func(s *authtest.Server, c *config.Login) {
			s.Change(func(q *authtest.Quirks) { q.Resource = map[string]any{"authorization_servers": []string{other.Issuer}} })
			other.Change(func(q *authtest.Quirks) { q.Metadata = nil })
			c.Identity.Text = probe.Secret(text(s))
		}, "and was not sent"},
	} {
		t.Run(name, func(t *testing.T) {
			s, server := serve(t, authtest.Quirks{})
			server.Client.Machine = true
			c.change(s, &server.Client)
			before := count(other, "POST /tenant/token")
			source := &TokenSource{Server: server}
			status, err := visit(t, source, s.URL)
			if c.fails != "" && (err == nil || !strings.Contains(err.Error(), c.fails) || strings.Contains(err.Error(), "eyJ")) {
				t.Errorf("got %v", err)
			}
			if c.fails == "" && (status != http.StatusOK || err != nil) {
				t.Errorf("%d, %v", status, err)
			}
			if sent := count(other, "POST /tenant/token") - before; sent != 0 ||
				c.fails == "and was not sent" && count(s, "POST /tenant/token") > 0 {
				t.Errorf("%d identity tokens were sent elsewhere", sent)
			}
			if name == "file" { // read again for each exchange
				s.Revoke("access")
				_ = os.WriteFile(file, []byte("old"), 0o600)
				if _, err := visit(t, source, s.URL); err == nil {
					t.Error("the file was not read again")
				}
			}
		})
	}
}

// replies is a network that answers the requests for a token one after the other.
type replies func(n int) (*http.Response, error)

var requested int

func (r replies) RoundTrip(req *http.Request) (*http.Response, error) {
	requested++
	return r(requested - 1)
}

func tokenReply(status int, kind, body string) (*http.Response, error) {
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body))}, nil
}

const goodToken = `{"access_token":"a","token_type":"Bearer","expires_in":3600}`

// TestDevicePace polls every five seconds, more slowly if it is asked to or something fails, until something is final.
func TestDevicePace(t *testing.T) {
	pending := func() (*http.Response, error) {
		return tokenReply(400, "text/plain", `{"error":"authorization_pending"}`)
	}
	good := func() (*http.Response, error) { return tokenReply(200, "text/plain", goodToken) }
	network := func() (*http.Response, error) { return nil, &netError{} }
	status := func(code int) func() (*http.Response, error) {
		return func() (*http.Response, error) { return tokenReply(code, "text/html", "<html>") }
	}
	for name, c := range map[string]struct {
		interval int64
		life     time.Duration
		replies  []func() (*http.Response, error)
		want     time.Duration
		fails    string
	}{
		"no interval": {replies: []func() (*http.Response, error){pending, pending, good}, want: 15 * time.Second},
		"two seconds": {interval: 2, replies: []func() (*http.Response, error){pending, good}, want: 4 * time.Second},
		"a year":      {interval: 1 << 40, replies: []func() (*http.Response, error){good}, want: time.Minute},
		"one 502":     {replies: []func() (*http.Response, error){status(502), good}, want: 15 * time.Second},
		"too many":    {replies: []func() (*http.Response, error){status(429), good}, want: 15 * time.Second},
		"network": {replies: []func() (*http.Response, error){network, network, pending, network, good},
			want: (5 + 10 + 15 + 15 + 20) * time.Second},
		"slow_down": {replies: []func() (*http.Response, error){
			func() (*http.Response, error) { return tokenReply(400, "", `{"error":"slow_down"}`) }, good}, want: 15 * time.Second},
		"down for good": {replies: []func() (*http.Response, error){status(503)}, want: (5 + 10 + 15 + 20 + 25 + 30) * time.Second,
			fails: "HTTP 503"},
		"denied": {replies: []func() (*http.Response, error){pending,
			func() (*http.Response, error) { return tokenReply(400, "text/plain", `{"error":"access_denied"}`) }}, want: 10 * time.Second,
			fails: "denied"},
		"not a refusal": {replies: []func() (*http.Response, error){status(404)}, want: 5 * time.Second, fails: "HTTP 404"},
		"the code ends": {life: 12 * time.Second, replies: []func() (*http.Response, error){pending}, want: 12 * time.Second,
			fails: "the code expired"},
		"without a limit": {replies: []func() (*http.Response, error){pending}, want: 30 * time.Minute, fails: "the code expired"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requested = 0
				client, err := newClient(Resource{URL: "https://mcp.example/mcp"}, nil)
				if err != nil {
					t.Fatal(err)
				}
				client.client.Transport = replies(func(n int) (*http.Response, error) { return c.replies[min(n, len(c.replies)-1)]() })
				code := &oauth2.DeviceAuthResponse{DeviceCode: "d", Interval: c.interval}
				begun := time.Now()
				if c.life > 0 {
					code.Expiry = begun.Add(c.life)
				}
				f := discovered{issuer: issuer{Token: "https://auth.example/token"}}
				_, err = client.awaitDevice(t.Context(), t.Context(), oauthClient{Registration: vault.Registration{ID: "me"}}, f, code)
				if took := time.Since(begun).Round(time.Second); took != c.want || (err == nil) != (c.fails == "") ||
					err != nil && !strings.Contains(err.Error(), c.fails) {
					t.Errorf("after %v: %v; want %v, %q", took, err, c.want, c.fails)
				}
			})
		})
	}
}

type netError struct{}

func (*netError) Error() string   { return "connection reset" }
func (*netError) Timeout() bool   { return false }
func (*netError) Temporary() bool { return true }

// TestTokenAnswers reads tokens and refusals in what content types they come, and shows the reason of a refusal, without secrets.
func TestTokenAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		kind, body string
		fails      string
	}{
		"JSON":           {200, "application/json", goodToken, ""},
		"as text":        {200, "text/plain; charset=utf-8", goodToken, ""},
		"as a page":      {200, "text/html", goodToken, ""},
		"without a type": {200, "", goodToken, ""},
		"with a mark":    {200, "application/json", "\ufeff" + goodToken, ""},
		"created":        {201, "application/json", goodToken, ""},
		"form":           {200, "application/x-www-form-urlencoded", "access_token=a&token_type=bearer", ""},
		"refusal as text": {400, "text/plain", `{"error":"invalid_grant","error_description":"too late"}`,
			`refused: "invalid_grant": "too late"`},
		"refusal with a mark": {400, "application/json", "\ufeff" + `{"error":"invalid_grant"}`, `refused: "invalid_grant"`},
		"refusal in an object": {403, "application/json", `{"error":{"code":"x","message":"not allowed"}}`,
			`HTTP 403 Forbidden: "x": "not allowed"`},
		"refusal in a message": {422, "application/json", `{"message":"unknown client"}`,
			`HTTP 422 Unprocessable Entity: "unknown client"`},
		"refusal in words":   {401, "text/plain", "no such client\nmore", `HTTP 401 Unauthorized: "no such client"`},
		"refusal in a page":  {500, "text/html", "<html>no</html>", "HTTP 500 Internal Server Error with an HTML page instead of JSON"},
		"refusal of nothing": {400, "", "", "HTTP 400 Bad Request with an empty body"},
		"echo":               {500, "text/plain", "bad code-secret\x1b[31m", `"bad ***\x1b[31m"`},
	} {
		client, err := newClient(Resource{URL: "https://mcp.example/mcp"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		client.client.Transport = replies(func(int) (*http.Response, error) { return tokenReply(c.status, c.kind, c.body) })
		_, err = client.redeem(t.Context(), oauthClient{Registration: vault.Registration{ID: "me"}}, "https://auth.example/token",
			grantCode, map[string][]string{"code": {"code-secret"}})
		if (err == nil) != (c.fails == "") || err != nil && !strings.HasSuffix(err.Error(), c.fails) {
			t.Errorf("%s: %v, want %q", name, err, c.fails)
		}
	}
	if !errors.Is(exit.Advise("x", "%w", io.EOF), io.EOF) {
		t.Error("advice hides its cause")
	}
}
