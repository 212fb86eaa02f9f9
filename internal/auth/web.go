package auth

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"
	"time"
)

// Bounds of one request to a server that a stranger named.
const (
	requestTime = 15 * time.Second // from the dial to the end of the body
	dialTime    = 10 * time.Second
	bodyLimit   = 256 << 10
	headerLimit = 64 << 10
	mostHops    = 3 // redirects, all within one origin
)

// web makes the requests of one server's OAuth.
type web struct {
	realm
	client *http.Client
}

// newWeb makes a web for a server. caCert are further PEM certificates to trust.
func newWeb(s Server, caCert []byte) (*web, error) {
	r, err := realmOf(s)
	if err != nil {
		return nil, err
	}
	config, err := trusting(caCert)
	if err != nil {
		return nil, err
	}
	w := &web{realm: r}
	direct := &http.Transport{DialContext: w.dial, TLSClientConfig: config, TLSHandshakeTimeout: dialTime,
		MaxResponseHeaderBytes: headerLimit, DisableKeepAlives: true, ForceAttemptHTTP2: true}
	proxied := direct.Clone()
	proxied.DialContext, proxied.Proxy = nil, http.ProxyFromEnvironment
	w.client = &http.Client{Transport: &lane{w.realm, direct, proxied, requestTime}, CheckRedirect: stayHome}
	return w, nil
}

// trusting is a TLS configuration with further certificates; nil = the system's alone.
func trusting(caCert []byte) (*tls.Config, error) {
	if len(caCert) == 0 {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(caCert) {
		return nil, errors.New("the further certificates to trust hold no PEM certificate")
	}
	return &tls.Config{RootCAs: pool}, nil
}

// dial connects to a host at an address that it may have.
func (w *web) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTime, Control: func(_, dialled string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(dialled)
		if err != nil {
			return err
		}
		return w.allow(host, at.Addr())
	}}
	return d.DialContext(ctx, network, address)
}

// stayHome follows a redirect of a GET within its origin.
func stayHome(next *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case first.Method != http.MethodGet:
		return errors.New("it redirects, which is not followed since a secret would go along")
	case origin(first.URL) != origin(next.URL):
		return fmt.Errorf("it redirects to another origin, %s", quoted(next.URL.Scheme+"://"+next.URL.Host))
	case len(via) > mostHops:
		return errors.New("it redirects too often")
	}
	return nil
}

// statusError is an HTTP status that is not the one that is needed.
type statusError struct{ status int }

// Error names the status.
func (e *statusError) Error() string {
	return fmt.Sprintf("HTTP %d %s", e.status, http.StatusText(e.status))
}

// notThere tells that a document does not exist, which is no failure where another one may.
func notThere(err error) bool {
	var status *statusError
	return errors.As(err, &status) && status.status >= 400 && status.status < 500
}

// get reads a JSON object. The error begins with the URL.
func (w *web) get(ctx context.Context, address string, into any) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return errors.New("it is not a URL")
	}
	req.Header.Set("MCP-Protocol-Version", "2025-11-25") // as 2025-03-26 asks for discovery
	return w.object(req, http.StatusOK, into)
}

// post sends a JSON object and reads one.
func (w *web) post(ctx context.Context, address string, what, into any) error {
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

// object sends a request and reads the JSON object in its reply, which is also read when the status is not a good one.
func (w *web) object(req *http.Request, good int, into any) error {
	req.Header.Set("Accept", "application/json")
	reply, err := w.client.Do(req)
	if err != nil {
		return fmt.Errorf("%s: %w", plain(req.URL), bare(err))
	}
	defer reply.Body.Close()
	body, err := limited(reply.Body)
	if err != nil {
		return fmt.Errorf("%s: %w", plain(req.URL), bare(err))
	}
	wrong := json.Unmarshal(body, into)
	switch {
	case reply.StatusCode != good && reply.StatusCode != http.StatusOK:
		return fmt.Errorf("%s: %w", plain(req.URL), &statusError{reply.StatusCode})
	case wrong != nil:
		return fmt.Errorf("%s: the document is not the JSON it should be", plain(req.URL))
	}
	return nil
}

// limited reads a body that may not be large.
func limited(body io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, bodyLimit+1))
	if len(text) > bodyLimit {
		return nil, fmt.Errorf("the document is larger than %d KiB", bodyLimit>>10)
	}
	return text, err
}

// bare is an error of net/http without the URL in it, which may hold a code or a token.
func bare(err error) error {
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err
	}
	return err
}
