package auth

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth/authtest"
	"github.com/mcpctl/mcpctl/internal/vault"
)

const (
	resourcePath = "/.well-known/oauth-protected-resource/mcp"
	issuerPath   = "/.well-known/oauth-authorization-server/tenant"
)

// TestHostileAnswers ends at every endpoint with a clear error, whatever is answered there.
func TestHostileAnswers(t *testing.T) {
	huge := func(w http.ResponseWriter, _ *http.Request) {
		for w.Header().Set("Content-Type", "application/json"); ; {
			if _, err := w.Write([]byte(strings.Repeat(" ", 1<<16))); err != nil {
				return
			}
		}
	}
	slow := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the end of the connection is noticed
		_, _ = w.Write([]byte("{"))
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}
	elsewhere := http.RedirectHandler("http://127.0.0.1:1/", http.StatusFound).ServeHTTP
	around := func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }
	garbage := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>\x1b[31m")) }
	tests := map[string]struct {
		path   string
		answer http.HandlerFunc
		want   string
	}{
		"huge resource metadata":         {resourcePath, huge, "larger than 256 KiB"},
		"slow resource metadata":         {resourcePath, slow, "no complete answer"},
		"resource metadata moved":        {resourcePath, elsewhere, "redirects to another origin"},
		"resource metadata in a circle":  {resourcePath, around, "redirects too often"},
		"huge issuer metadata":           {issuerPath, huge, "larger than 256 KiB"},
		"slow issuer metadata":           {issuerPath, slow, "no complete answer"},
		"issuer metadata moved":          {issuerPath, elsewhere, "redirects to another origin"},
		"issuer metadata is a page":      {issuerPath, garbage, "no metadata found of the authorization server"},
		"registration moved":             {"/tenant/register", elsewhere, "redirects, which is not followed"},
		"huge registration":              {"/tenant/register", huge, "larger than 256 KiB"},
		"registration is a page":         {"/tenant/register", garbage, "HTTP 200 OK with an HTML page instead of JSON"},
		"token endpoint moved":           {"/tenant/token", elsewhere, "redirects, which is not followed"},
		"slow token":                     {"/tenant/token", slow, "no complete answer"},
		"huge token":                     {"/tenant/token", huge, "larger than 256 KiB"},
		"token is a page":                {"/tenant/token", garbage, "unusable answer"},
		"the server itself is moved":     {"/mcp", elsewhere, "not following it: it is another origin"},
		"authorization server is silent": {issuerPath, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "EOF"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, server := serve(t, authtest.Quirks{Answers: map[string]http.HandlerFunc{test.path: test.answer}})
			w, err := newClient(server, nil)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(name, "slow") {
				w.client.Timeout = 500 * time.Millisecond
			}
			err = w.whole(t.Context(), server, browser(t))
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.ContainsAny(err.Error(), "\x1b\r\n") {
				t.Errorf("got %v, want %q; requests %q", err, test.want, s.Requests())
			}
		})
	}
}

// whole is Login with a web of the test's.
func (c *client) whole(ctx context.Context, s Resource, way Flow) error {
	asked, err := c.challenge(ctx, s)
	if err != nil {
		return err
	}
	_, err = c.discover(ctx, s, asked, nil, func(f discovered) (*vault.Grant, error) {
		return c.byCode(ctx, s, f, nil, way, func(context.Context, oauthClient, token) (*vault.Grant, error) {
			return nil, nil
		})
	})
	return err
}

// TestHostileServer is about a public server that points at this machine and its network: nothing there is contacted.
func TestHostileServer(t *testing.T) {
	var visits atomic.Int32
	inside := authtest.New(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { visits.Add(1) }), authtest.Quirks{})
	defer inside.Close()
	server := Resource{Name: "evil", URL: "https://mcp.example/mcp"}
	w, err := newClient(server, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{inside.URL, inside.Issuer, "http://localhost:1/", "https://127.0.0.1/", "https://[::1]/",
		"https://10.1.2.3/", "https://[fd00::1]/", "https://0.0.0.0/", "https://100.64.0.1/", "http://mcp.example/", "ftp://mcp.example/",
		"//mcp.example/"} {
		if _, err := w.check("the URL", target); err == nil {
			t.Errorf("%s may be contacted", target)
		}
		if err := w.get(t.Context(), target, &struct{}{}); err == nil {
			t.Errorf("%s was contacted", target)
		}
	}
	if n := visits.Load() + int32(len(inside.Requests())); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
	_, err = w.resourceAtChallenge(t.Context(), "https://other.example/.well-known/oauth-protected-resource")
	if err == nil || !strings.Contains(err.Error(), "at another origin") {
		t.Errorf("got %v", err)
	}
}

func (c *client) resourceAtChallenge(ctx context.Context, at string) (resourceMetadata, error) {
	r, _, err := c.resource(ctx, challenge{metadata: at})
	return r, err
}

// TestDialling judges an address when it is dialled: what a name meant before does not count (DNS rebinding).
func TestDialling(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	address := listener.Addr().String()
	public, err := newClient(Resource{URL: "https://mcp.example/mcp"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := public.dial(t.Context(), "tcp", address); err == nil || !strings.Contains(err.Error(), "not a public address") {
		t.Errorf("dialled %v: %v", c, err)
	}
	local, err := newClient(Resource{URL: "http://" + address}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := local.dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Close()
}

// TestAllow has a case for every kind of address.
func TestAllow(t *testing.T) {
	far := addressPolicy{trusted: map[string]bool{"mcp.corp": true}}
	near := addressPolicy{local: true, trusted: map[string]bool{"localhost": true}}
	tests := []struct {
		policy   addressPolicy
		host, ip string
		want     bool
	}{
		{far, "auth.example", "93.184.216.34", true},
		{far, "auth.example", "2606:4700::1", true},
		{far, "auth.example", "10.0.0.1", false},
		{far, "auth.example", "172.16.0.1", false},
		{far, "auth.example", "192.168.0.1", false},
		{far, "auth.example", "169.254.169.254", false},
		{far, "auth.example", "127.0.0.1", false},
		{far, "auth.example", "::1", false},
		{far, "auth.example", "::ffff:127.0.0.1", false},
		{far, "auth.example", "64:ff9b::a00:1", false},
		{far, "auth.example", "64:ff9b::5db8:d822", true},
		{far, "auth.example", "2002:a00:1::1", false},
		{far, "auth.example", "fe80::1", false},
		{far, "auth.example", "fd00::1", false},
		{far, "auth.example", "0.0.0.0", false},
		{far, "auth.example", "100.64.0.1", false},
		{far, "auth.example", "198.18.0.1", false},
		{far, "auth.example", "255.255.255.255", false},
		{far, "auth.example", "224.0.0.1", false},
		{far, "mcp.corp", "10.0.0.1", true},
		{far, "localhost", "127.0.0.1", false},
		{near, "localhost", "127.0.0.1", true},
		{near, "localhost", "10.0.0.1", false},
		{near, "auth.example", "127.0.0.1", false},
	}
	for _, test := range tests {
		if got := test.policy.allow(test.host, netip.MustParseAddr(test.ip)) == nil; got != test.want {
			t.Errorf("%s at %s: %v, want %v", test.host, test.ip, got, test.want)
		}
	}
}

// TestScopes keeps what can be asked for, each once, and no flood of it.
func TestScopes(t *testing.T) {
	flood := make([]string, 500)
	for i := range flood {
		flood[i] = strconv.Itoa(i)
	}
	tests := map[string]struct {
		lists [][]string
		want  int
	}{
		"none":      {nil, 0},
		"repeated":  {[][]string{{"a b"}, {"b", "a c"}}, 3},
		"not one":   {[][]string{{"a", "b\"", "c\\", "d\x00", "\u00e9", ""}}, 1},
		"too long":  {[][]string{{strings.Repeat("x", 257), "a"}}, 1},
		"too many":  {[][]string{flood}, 100},
		"too often": {[][]string{{strings.Repeat("a ", 1000)}}, 1},
	}
	for name, test := range tests {
		if got := scopes(test.lists...); len(got) != test.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// FuzzChallenge reads any header without trouble, and never gives a scope that is not one.
func FuzzChallenge(f *testing.F) {
	f.Add(`Bearer resource_metadata="https://a/b", scope="x y"`)
	f.Add(`Basic realm="scope=\"no\"", Bearer scope=x, error="insufficient_scope"`)
	f.Fuzz(func(t *testing.T, header string) {
		for _, scope := range parseChallenge(header).scopes {
			if scope == "" || strings.ContainsFunc(scope, unprintable) || strings.ContainsAny(scope, `"\`) {
				t.Errorf("%q is no scope", scope)
			}
		}
	})
}
