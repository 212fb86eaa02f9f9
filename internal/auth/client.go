package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// Bounds of one request to a server that a stranger named.
const (
	requestTime = 15 * time.Second // from the dial to the end of the body
	dialTime    = 10 * time.Second
	bodyLimit   = 256 << 10
	headerLimit = 64 << 10
	mostHops    = 3 // redirects, all within one origin
)

// client makes the requests of one server's OAuth.
type client struct {
	addressPolicy
	client *http.Client
}

// newClient makes the client for a server. caCert are further PEM certificates to trust.
func newClient(s Server, caCert []byte) (*client, error) {
	r, err := policyOf(s)
	if err != nil {
		return nil, err
	}
	config, err := transport.TLSConfig(caCert)
	if err != nil {
		return nil, err
	}
	w := &client{addressPolicy: r}
	direct := &http.Transport{DialContext: w.dial, TLSClientConfig: config, TLSHandshakeTimeout: dialTime,
		MaxResponseHeaderBytes: headerLimit, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	proxied := direct.Clone()
	proxied.DialContext, proxied.Proxy = nil, host.Proxy
	w.client = &http.Client{Transport: &boundedTransport{w.addressPolicy, direct, proxied, requestTime},
		CheckRedirect: sameOriginOnly}
	return w, nil
}

// dial connects to a host at an address that it may have.
func (w *client) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return transport.Dial(ctx, network, address, dialTime,
		func(ip netip.Addr) error { return w.allow(host, ip) })
}

// sameOriginOnly follows a redirect of a GET within its origin.
func sameOriginOnly(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return errors.New("it redirects, which is not followed since a secret would go along")
	case transport.Origin(first.URL) != transport.Origin(next.URL):
		return fmt.Errorf("it redirects to another origin, %s", quoted(next.URL.Scheme+"://"+next.URL.Host))
	case len(via) > mostHops:
		return errors.New("it redirects too often")
	}
	return nil
}

type statusError struct{ status int }

// Error names the status.
func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
}

// errPage is a web page in the place of a document, as single-page applications answer any path.
var errPage = errors.New("a web page is there, not a JSON document")

// notThere reports whether a document does not exist, which is no failure where another one may.
func notThere(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.status >= 400 && status.status < 500 || errors.Is(err, errPage)
}

// get reads a JSON object. The error begins with the URL.
func (w *client) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("MCP-Protocol-Version", "2025-11-25") // as 2025-03-26 asks for discovery
	return w.object(req, http.StatusOK, into)
}

func (w *client) post(ctx context.Context, address string, what, into any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("Content-Type", "application/json")
	return w.object(req, http.StatusCreated, into)
}

// object sends a request and reads the JSON object in its reply, which is also read when the status is not a
// good one.
func (w *client) object(req *http.Request, good int, into any) error {
	req.Header.Set("Accept", "application/json")
	reply, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), withoutURL(err))
	}
	defer reply.Body.Close()
	body, err := files.ReadLimited(reply.Body, bodyLimit)
	if err != nil {
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), withoutURL(err))
	}
	wrong := json.Unmarshal(body, into)
	switch {
	case reply.StatusCode != good && reply.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), &statusError{reply.StatusCode})
	case wrong != nil && bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")):
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), errPage)
	case wrong != nil:
		return fmt.Errorf("%s: the document is not the JSON it should be", transport.PlainURL(req.URL))
	}
	return nil
}

// withoutURL is an error of net/http without the URL in it, which may hold a code or a token.
func withoutURL(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// boundedTransport sends a request directly, with addresses judged when dialled, or through the user's proxy,
// which dials.
type boundedTransport struct {
	addressPolicy
	direct, proxied http.RoundTripper
	timeout         time.Duration // for one request, to the end of the body
}

// RoundTrip checks the URL, whoever made it, and bounds the wait.
func (l *boundedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := l.check("the URL", req.URL.String()); err != nil {
		return nil, err
	}
	next := l.direct
	if proxy, err := host.Proxy(req); err != nil || proxy != nil {
		next = l.proxied
	}
	ctx, cancel := context.WithTimeoutCause(req.Context(), l.timeout,
		fmt.Errorf("no whole answer within %s", l.timeout))
	reply, err := next.RoundTrip(req.WithContext(ctx))
	if err != nil {
		defer cancel()
		return nil, timedOut(ctx, err)
	}
	reply.Body = &boundedBody{reply.Body, ctx, cancel}
	return reply, nil
}

// timedOut is why ctx ended, if it did, or else err.
func timedOut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// boundedBody ends with its context, and lets go of it when it was read to its end.
type boundedBody struct {
	io.ReadCloser
	ctx    context.Context
	cancel context.CancelFunc
}

// Read says when the time was up.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		b.cancel()
	case err != nil:
		err = timedOut(b.ctx, err)
	}
	return n, err
}

// Close lets go of the context.
func (b *boundedBody) Close() error {
	b.cancel()
	return b.ReadCloser.Close()
}

// addressPolicy says which addresses may be contacted: public ones over HTTPS; the host of the MCP server and
// the hosts that the user configured at whatever address they have; and this machine, if the MCP server is on
// it.
type addressPolicy struct {
	home    *url.URL        // of the MCP server
	local   bool            // the MCP server is on this machine
	trusted map[string]bool // hosts whose address does not matter
}

// policyOf is the policy of a server; configured endpoints are the user's word for their hosts.
func policyOf(s Server) (addressPolicy, error) {
	home, err := url.Parse(s.URL)
	if err != nil || home.Host == "" {
		return addressPolicy{}, fmt.Errorf("the URL of %q is not absolute", s.Name)
	}
	named := !slices.Contains(s.Client.UnverifiedHosts, strings.ToLower(home.Host))
	r := addressPolicy{home: home, local: named && kit.ThisMachine(home.Hostname()),
		trusted: map[string]bool{hostOf(home): named}}
	endpoints := []string{s.Client.Metadata, s.Client.Authorize, s.Client.TokenEndpoint}
	for _, configured := range endpoints {
		if u, err := url.Parse(configured); err == nil && u.Host != "" &&
			!slices.Contains(s.Client.UnverifiedHosts, strings.ToLower(u.Host)) {
			r.trusted[hostOf(u)] = true
			r.local = r.local || kit.ThisMachine(u.Hostname())
		}
	}
	return r, nil
}

func hostOf(u *url.URL) string { return strings.ToLower(u.Hostname()) }

// check refuses a URL that must not be contacted, or opened in a browser, before anything is looked up.
func (r addressPolicy) check(what, raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsFunc(raw, unprintable):
		return nil, fmt.Errorf("%s is not a URL", what)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s is a %s URL, not an https one", what, quoted(u.Scheme+":"))
	case u.Host == "" || u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("%s %s names no host", what, quoted(raw))
	case u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%s %s has user info or a fragment", what, quoted(transport.PlainURL(u)))
	case u.Scheme == "http" && !kit.ThisMachine(u.Hostname()):
		return nil, fmt.Errorf("%s %s is not HTTPS, which only this machine may do without", what,
			quoted(transport.PlainURL(u)))
	case kit.ThisMachine(u.Hostname()) && !r.local:
		return nil, fmt.Errorf("%s %s is on this machine, and the server is not", what,
			quoted(transport.PlainURL(u)))
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return u, r.allow(hostOf(u), ip)
	}
	return u, nil
}

// allow judges the address that a host has at the moment of dialling, so that a name cannot change its mind
// in between.
func (r addressPolicy) allow(host string, ip netip.Addr) error {
	ip = ip.Unmap()
	switch {
	case kit.ThisMachine(host):
		if r.local && ip.IsLoopback() {
			return nil
		}
	case r.trusted[host] || public(ip):
		return nil
	}
	return exit.Advise(trustIt, "%s is at %s, which is not a public address", host, ip)
}

// trustIt is the way out for an authorization server that is right for all that.
const trustIt = `if you trust it, name it in the configuration: "oauth": {"authServerMetadataUrl": "https://…/.well-known/…"}`

// reserved are networks that are neither private in the sense of netip nor public: shared address space,
// protocol assignments, benchmarks, the future, discard, documentation.
func reserved() []netip.Prefix {
	return kit.Map([]string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"100::/64", "fec0::/10"}, netip.MustParsePrefix)
}

// Public is an error for an address that is not one of the Internet.
func Public(ip netip.Addr) error {
	if public(ip.Unmap()) {
		return nil
	}
	return fmt.Errorf("%s is not a public address", ip.Unmap())
}

func public(ip netip.Addr) bool {
	if inner, ok := embedded(ip); ok {
		return public(inner)
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	return !slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// embedded is the IPv4 address inside an IPv6 one of NAT64 (RFC 6052) or 6to4 (RFC 3056).
func embedded(ip netip.Addr) (netip.Addr, bool) {
	bytes := ip.As16()
	switch {
	case !ip.Is6():
		return ip, false
	case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[12:])), true
	case netip.MustParsePrefix("2002::/16").Contains(ip):
		return netip.AddrFrom4([4]byte(bytes[2:6])), true
	}
	return ip, false
}
