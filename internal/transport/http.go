package transport

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"
)

// Endpoint is an HTTP server to contact.
type Endpoint struct {
	URL         string            // absolute, http or https
	Headers     map[string]string // sent to this origin only
	Credentials *Credentials      // further headers, sent to this origin only; nil = none
	UserAgent   string            // empty = Go's
	CACert      []byte            // further PEM certificates to trust
}

// Times of a connection. Requests as a whole are bounded by their contexts alone: a stream may stay open for days.
const (
	dialTimeout   = 15 * time.Second
	tlsTimeout    = 15 * time.Second
	deleteTimeout = 2 * time.Second // a session's end must not keep the user
	unlimited     = 10 * 365 * 24 * time.Hour
)

// OpenStreamable makes a streamable HTTP link. It contacts nothing yet; the end of ctx ends every request.
// The error is about the URL or the certificates.
func OpenStreamable(ctx context.Context, e Endpoint) (*Link, error) {
	trip, client, err := e.client()
	if err != nil {
		return nil, err
	}
	inner, err := transport.NewStreamableHTTP(e.URL, transport.WithHTTPBasicClient(client), transport.WithHTTPLogger(silent()))
	if err != nil {
		return nil, errURL
	}
	l := newLink(KindStreamable, inner)
	l.trouble, trip.judge = trip.last, l.streamableJudge
	l.web = &web{url: e.URL, client: client}
	l.end = func() error {
		err := inner.Close()
		client.CloseIdleConnections()
		return err
	}
	_ = inner.Start(ctx) // cannot fail: it does nothing
	l.closeWith(ctx)
	return l, nil
}

var errURL = errors.New("the URL must be absolute and begin with http:// or https://")

// client makes the HTTP client that both HTTP transports use, and its round tripper.
func (e Endpoint) client() (*tripper, *http.Client, error) {
	u, err := url.Parse(e.URL)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, nil, errURL
	}
	base := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            (&net.Dialer{Timeout: dialTimeout}).DialContext,
		TLSHandshakeTimeout:    tlsTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    8,
		MaxResponseHeaderBytes: 1 << 20,
		IdleConnTimeout:        time.Minute,
		WriteBufferSize:        1 << 10, // requests are short
	}
	if len(e.CACert) > 0 {
		if base.TLSClientConfig, err = e.trust(); err != nil {
			return nil, nil, err
		}
	}
	trip := &tripper{base: base, home: u, endpoint: e}
	return trip, &http.Client{Transport: trip, CheckRedirect: checkRedirect}, nil
}

// trust adds the endpoint's certificates to the system's.
func (e Endpoint) trust() (*tls.Config, error) {
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificates: %w", err)
	}
	if !pool.AppendCertsFromPEM(e.CACert) {
		return nil, errors.New("the further certificates to trust hold no PEM certificate")
	}
	return &tls.Config{RootCAs: pool}, nil
}
