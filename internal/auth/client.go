package auth

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// Limits of one request.
const (
	requestTime  = 15 * time.Second // from the dial to the end of the body
	bodyLimit    = 256 << 10
	headerLimit  = 64 << 10
	maxRedirects = 3 // all within one origin
)

// client makes the requests for one server's OAuth.
type client struct {
	addressPolicy
	client *http.Client
	caCert []byte // further PEM certificates to trust
}

// newClient returns the client for a server. caCert are further PEM certificates to trust.
func newClient(s Server, caCert []byte) (*client, error) {
	policy, err := policyOf(s)
	if err != nil {
		return nil, err
	}
	config, err := transport.TLSConfig(caCert)
	if err != nil {
		return nil, err
	}
	direct := &http.Transport{DialContext: policy.dial, TLSClientConfig: config,
		MaxResponseHeaderBytes: headerLimit, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	proxied := direct.Clone()
	proxied.DialContext, proxied.Proxy = nil, transport.Proxy
	return &client{policy, &http.Client{Transport: checkedTransport{policy, direct, proxied},
		CheckRedirect: sameOriginOnly, Timeout: requestTime}, caCert}, nil
}

// sameOriginOnly follows a redirect of a GET within its origin.
func sameOriginOnly(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return errors.New("it redirects, which is not followed because a secret would be sent along")
	case transport.Origin(first.URL) != transport.Origin(next.URL):
		return fmt.Errorf("it redirects to another origin, %s", quoted(next.URL.Scheme+"://"+next.URL.Host))
	case len(via) > maxRedirects:
		return errors.New("it redirects too often")
	}
	return nil
}

// absentError is the reply for a document that does not exist, so that the next URL is tried.
type absentError struct{ error }

// statusError returns the error of an HTTP status.
func statusError(status int) error {
	err := fmt.Errorf("HTTP %d %s", status, http.StatusText(status))
	if status >= 400 && status < 500 {
		return absentError{err}
	}
	return err
}

// isAbsent reports whether a document does not exist.
func isAbsent(err error) bool {
	_, absent := errors.AsType[absentError](err)
	return absent
}

// get reads a JSON object. The error begins with the URL.
func (c *client) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("MCP-Protocol-Version", "2025-11-25") // as 2025-03-26 requires for discovery
	return c.object(req, http.StatusOK, into)
}

// post sends a JSON object and reads the one in the reply. Status 201 is expected, as for a registration (RFC
// 7591, 3.2.1); 200 will do.
func (c *client) post(ctx context.Context, address string, what, into any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("Content-Type", "application/json")
	return c.object(req, http.StatusCreated, into)
}

// object sends a request and reads the JSON object in its reply, of any status: an error may be in it. With
// nil its body does not matter.
func (c *client) object(req *http.Request, good int, into any) error {
	req.Header.Set("Accept", "application/json")
	reply, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), causeOf(req.Context(), err))
	}
	defer reply.Body.Close()
	body, err := files.ReadLimited(reply.Body, bodyLimit)
	invalid := err == nil && into != nil && json.Unmarshal(body, into) != nil
	switch {
	case err != nil:
		err = causeOf(req.Context(), err)
	case reply.StatusCode != good && reply.StatusCode != http.StatusOK:
		err = statusError(reply.StatusCode)
	case invalid && isPage(body):
		err = absentError{errors.New("a web page is there, not a JSON document")}
	case invalid:
		err = errors.New("it is not the expected JSON document")
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), err)
}

// isPage reports whether a body is empty, HTML or XML: single-page applications answer any path with a page.
func isPage(body []byte) bool {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	return len(body) == 0 || body[0] == '<'
}

// causeOf returns why a request failed, without its URL, which may hold a code or a token.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return fmt.Errorf("no complete answer within %s", requestTime)
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// checkedTransport sends a request directly, and checks the address that is dialled, or through the user's
// proxy, which dials itself.
type checkedTransport struct {
	addressPolicy
	direct, proxied http.RoundTripper
}

// RoundTrip checks the URL, also of a redirect.
func (t checkedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if _, err := t.check("the URL", req.URL.String()); err != nil {
		return nil, err
	}
	if proxy, err := transport.Proxy(req); err != nil || proxy != nil {
		return t.proxied.RoundTrip(req)
	}
	return t.direct.RoundTrip(req)
}

// addressPolicy decides which addresses may be contacted: public ones over HTTPS; the host of the MCP server
// and configured hosts at any address; and this machine, if the MCP server is on it.
type addressPolicy struct {
	home    *url.URL        // of the MCP server
	local   bool            // the MCP server is on this machine
	trusted map[string]bool // hosts that may have any address
}

// policyOf returns the policy for a server.
func policyOf(s Server) (addressPolicy, error) {
	home, err := url.Parse(s.URL)
	if err != nil || home.Host == "" {
		return addressPolicy{}, fmt.Errorf("the URL of %q is not absolute", s.Name)
	}
	policy := addressPolicy{home: home, trusted: map[string]bool{}}
	configured := []string{s.URL, s.Client.Metadata, s.Client.Authorize, s.Client.TokenEndpoint}
	for _, address := range configured {
		if u, err := url.Parse(address); err == nil && u.Host != "" &&
			!slices.Contains(s.Client.UnverifiedHosts, strings.ToLower(u.Host)) {
			policy.trusted[strings.ToLower(u.Hostname())] = true
			policy.local = policy.local || kit.ThisMachine(u.Hostname())
		}
	}
	return policy, nil
}

// dial connects to a host at an allowed address.
func (p addressPolicy) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	return transport.Dial(ctx, network, address, requestTime,
		func(ip netip.Addr) error { return p.allow(host, ip) })
}

// check returns an error for a URL that must not be contacted or opened in a browser, before its host is
// resolved. name is for the error.
func (p addressPolicy) check(name, raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || strings.ContainsFunc(raw, unprintable):
		return nil, fmt.Errorf("%s is not a URL", name)
	case u.Scheme != "https" && u.Scheme != "http":
		return nil, fmt.Errorf("%s is a %s URL, not an https one", name, quoted(u.Scheme+":"))
	case u.Hostname() == "" || u.Opaque != "":
		return nil, fmt.Errorf("%s %s names no host", name, quoted(raw))
	}
	plain := quoted(transport.PlainURL(u))
	switch {
	case u.User != nil || u.Fragment != "":
		return nil, fmt.Errorf("%s %s has user info or a fragment", name, plain)
	case u.Scheme == "http" && !kit.ThisMachine(u.Hostname()):
		return nil, fmt.Errorf("%s %s is not HTTPS, which is optional on this machine only", name, plain)
	case kit.ThisMachine(u.Hostname()) && !p.local:
		return nil, fmt.Errorf("%s %s is on this machine, and the server is not", name, plain)
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil {
		return u, p.allow(strings.ToLower(u.Hostname()), ip)
	}
	return u, nil
}

// allow returns an error for an address that a host must not have. It is called for the address that is
// dialled, so that a name cannot change its address after the check.
func (p addressPolicy) allow(host string, ip netip.Addr) error {
	ip = ip.Unmap()
	allowed := p.trusted[host] || public(ip)
	if kit.ThisMachine(host) {
		allowed = p.local && ip.IsLoopback()
	}
	if !allowed {
		return errPrivate(host, ip)
	}
	return nil
}

// reserved returns networks that netip does not call private and that are not public: shared address space,
// protocol assignments, benchmarks, the future, discard, documentation.
func reserved() []netip.Prefix {
	return kit.Map([]string{"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "198.18.0.0/15", "240.0.0.0/4",
		"100::/64", "fec0::/10"}, netip.MustParsePrefix)
}

// Public returns an error for an address that is not public.
func Public(ip netip.Addr) error {
	if public(ip.Unmap()) {
		return nil
	}
	return fmt.Errorf("%s is not a public address", ip.Unmap())
}

// public reports whether an address is on the public internet. One that holds an IPv4 address is judged by
// it.
func public(ip netip.Addr) bool {
	if inner, ok := embedded(ip); ok {
		return public(inner)
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Zone() != "" {
		return false
	}
	return !slices.ContainsFunc(reserved(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// embedded returns the IPv4 address in an IPv6 one of NAT64 (RFC 6052) or 6to4 (RFC 3056).
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
