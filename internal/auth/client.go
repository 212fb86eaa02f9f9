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

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
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
	config config.Login
	caCert []byte // further PEM certificates to trust
}

// newClient returns the client for a server. caCert are further PEM certificates to trust.
func newClient(s Resource, caCert []byte) (*client, error) {
	policy, err := policyOf(s)
	if err != nil {
		return nil, err
	}
	certificates, err := transport.TLSConfig(caCert)
	if err != nil {
		return nil, err
	}
	direct := &http.Transport{DialContext: policy.dial, TLSClientConfig: certificates,
		MaxResponseHeaderBytes: headerLimit, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	proxied := direct.Clone()
	proxied.DialContext, proxied.Proxy = nil, transport.Proxy
	return &client{policy, &http.Client{Transport: checkedTransport{policy, direct, proxied},
		CheckRedirect: sameOriginOnly, Timeout: requestTime}, s.Client, caCert}, nil
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

// isPassing reports whether a server replied that it is overloaded or broken, which may pass.
func isPassing(err error) bool {
	reply, ok := errors.AsType[*transport.HTTPError](err)
	return ok && (reply.Status >= 500 || reply.Status == http.StatusTooManyRequests)
}

// isAbsent reports whether a server replied that there is no document, so that the next URL is tried.
// Single-page applications answer any path with a page.
func isAbsent(err error) bool {
	_, ok := errors.AsType[*transport.HTTPError](err)
	return ok && !isPassing(err)
}

// get reads a JSON object. The error begins with the URL.
func (c *client) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("MCP-Protocol-Version", "2025-11-25") // as 2025-03-26 requires for discovery
	return c.object(req, into)
}

// object sends a request and reads the JSON object in its reply; with nil its body does not matter. A refusal
// is an *HTTPError, and so is a page in place of the object.
func (c *client) object(req *http.Request, into any) error {
	req.Header.Set("Accept", "application/json")
	reply, err := c.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), causeOf(req.Context(), err))
	}
	defer reply.Body.Close()
	body, err := files.ReadLimited(reply.Body, bodyLimit)
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	invalid := err == nil && into != nil && json.Unmarshal(body, into) != nil
	switch isPage := len(body) == 0 || body[0] == '<'; {
	case err != nil:
		err = causeOf(req.Context(), err)
	case reply.StatusCode/100 != 2, invalid && isPage:
		err = &transport.HTTPError{Status: reply.StatusCode, Type: reply.Header.Get("Content-Type"),
			Body: string(body)}
	case invalid:
		err = errors.New("it is not the expected JSON document")
	default:
		return nil
	}
	return fmt.Errorf("%s: %w", transport.PlainURL(req.URL), err)
}

// causeOf returns why a request failed, without its URL, which may hold a code or a token.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return errLate
	}
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}

// errLate reports that a reply took too long.
var errLate = fmt.Errorf("no complete answer within %s", requestTime)

// isOfNetwork reports whether there was no complete reply.
func isOfNetwork(err error) bool {
	_, failed := errors.AsType[net.Error](err)
	return failed || errors.Is(err, errLate) || transport.CutOff(err)
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

// trustIssuer advises on an authorization server that is not taken by itself.
const trustIssuer = `if you trust it, name it in the configuration: ` +
	`"oauth": {"authServerMetadataUrl": "https://…/.well-known/…"}`

// policyOf returns the policy for a server.
func policyOf(s Resource) (addressPolicy, error) {
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
	allowed := p.trusted[host] || transport.Public(ip) == nil
	if kit.ThisMachine(host) {
		allowed = p.local && ip.IsLoopback()
	}
	if !allowed {
		return exit.Advise(trustIssuer, "%s is at %s, which is not a public address", host, ip)
	}
	return nil
}
