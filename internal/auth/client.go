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

	"github.com/mcpctl/mcpctl/internal/config"
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

// absentError is the reply for a document that does not exist, so that the next URL is tried.
type absentError struct{ error }

// passingError is the reply of a server that is overloaded or broken, which may pass.
type passingError struct{ error }

// networkError reports that there was no reply.
type networkError struct{ error }

// Unwrap returns the failure.
func (e networkError) Unwrap() error { return e.error }

// statusError returns the error of an HTTP status, with the reason in the body.
func statusError(status int, body []byte) error {
	err := fmt.Errorf("HTTP %d %s%s", status, http.StatusText(status), reason(body))
	switch {
	case status >= 500 || status == http.StatusTooManyRequests:
		return passingError{err}
	case status >= 400:
		return absentError{err}
	}
	return err
}

// reason returns what the body of a refusal says, to follow a status: the texts of its members, or the first
// line of plain text.
func reason(body []byte) string {
	var members map[string]any
	if json.Unmarshal(body, &members) != nil {
		line, _, _ := strings.Cut(strings.TrimSpace(string(body)), "\n")
		if isPage(body) || line[0] == '{' || line[0] == '[' {
			return ""
		}
		return ": " + quoted(line)
	}
	if inner, ok := members["error"].(map[string]any); ok {
		members = inner
	}
	text := ""
	for _, name := range []string{"error", "code", "error_description", "message", "detail", "title"} {
		if said, ok := members[name].(string); ok && said != "" {
			text += ": " + quoted(said)
		}
	}
	return text
}

// isAbsent reports whether a document does not exist.
func isAbsent(err error) bool {
	_, absent := errors.AsType[absentError](err)
	return absent
}

// isPassing reports whether a server replied that it is overloaded or broken.
func isPassing(err error) bool {
	_, passing := errors.AsType[passingError](err)
	return passing
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
	body = bytes.TrimPrefix(body, []byte("\ufeff"))
	invalid := err == nil && into != nil && json.Unmarshal(body, into) != nil
	switch {
	case err != nil:
		err = causeOf(req.Context(), err)
	case reply.StatusCode != good && reply.StatusCode != http.StatusOK:
		if into == nil || req.Method == http.MethodGet { // no reason to quote
			body = nil
		}
		err = statusError(reply.StatusCode, body)
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
	body = bytes.TrimSpace(body)
	return len(body) == 0 || body[0] == '<'
}

// causeOf returns why a request failed, without its URL, which may hold a code or a token.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if network, ok := errors.AsType[net.Error](err); ok && network.Timeout() {
		return networkError{fmt.Errorf("no complete answer within %s", requestTime)}
	}
	request, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	_, ofNetwork := errors.AsType[net.Error](request.Err)
	if ofNetwork || errors.Is(request.Err, io.EOF) || errors.Is(request.Err, io.ErrUnexpectedEOF) {
		return networkError{request.Err}
	}
	return request.Err
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
		return errPrivate(host, ip)
	}
	return nil
}
