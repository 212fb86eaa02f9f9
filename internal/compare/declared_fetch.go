package compare

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/transport"
)

const (
	fetchTimeout = 15 * time.Second // from the dial to the end of the body
	maxRedirects = 3                // redirects, all within one origin
)

// fetch reads what is at a URL. It follows redirects within the origin that the user named, and sends nothing
// along.
func (r declaredReader) fetch(ctx context.Context, address string) ([]byte, error) {
	trusted, err := transport.TLSConfig(r.CACert)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Timeout: fetchTimeout, CheckRedirect: sameOrigin,
		Transport: &http.Transport{Proxy: host.Proxy, TLSClientConfig: trusted, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, errors.New("it is not a URL")
	}
	request.Header.Set("Accept", "application/mcp-server-card+json, application/json, */*;q=0.1")
	answer, err := client.Do(request)
	if err != nil {
		return nil, errors.Unwrap(err) // of a *url.Error, which names the address with its secrets
	}
	defer answer.Body.Close()
	switch kind := answer.Header.Get("Content-Type"); {
	case answer.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("HTTP %d %s", answer.StatusCode, http.StatusText(answer.StatusCode))
	case strings.HasPrefix(kind, "text/html"):
		return nil, errors.New("it is a page for people; a server card is often at " +
			"/.well-known/mcp/server-card.json, or at the server's URL with /server-card")
	}
	return files.ReadLimited(answer.Body, longestDeclared)
}

func sameOrigin(next *http.Request, via []*http.Request) error {
	switch {
	case transport.Origin(next.URL) != transport.Origin(via[0].URL):
		return fmt.Errorf("it redirects to %s://%s; name the URL there", next.URL.Scheme, next.URL.Host)
	case len(via) > maxRedirects:
		return errors.New("it redirects too often")
	}
	return nil
}
