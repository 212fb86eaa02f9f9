package auth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
)

// challenge is what a server said with a 401 or 403 (RFC 6750, 3; RFC 9728, 5.1).
type challenge struct {
	metadata string   // URL of the protected-resource metadata; empty = not told
	scopes   []string // needed for the request
	open     bool     // the request was let in
}

// parseChallenge reads WWW-Authenticate headers, joined with commas.
func parseChallenge(header string) challenge {
	return challenge{metadata: parameter(header, "resource_metadata"), scopes: scopes([]string{parameter(header, "scope")})}
}

// parameter is the value of a parameter of a challenge, or nothing.
func parameter(header, name string) string {
	found := regexp.MustCompile(`(?i)(?:^|[\s,])` + name + `\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))`).FindStringSubmatch(header)
	if found == nil {
		return ""
	}
	return strings.NewReplacer(`\"`, `"`, `\\`, `\`).Replace(found[1]) + found[2]
}

// hello is a request that servers which want a token answer with 401, whichever revision they speak.
const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpctl","version":"1"}}}`

// ask is what the server itself says to a request without a token. A server that lets it in may want one later.
func (w *web) ask(ctx context.Context, s Server) (challenge, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(hello))
	if err != nil {
		return challenge{}, fmt.Errorf("the URL of %q is not one", s.Name)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	reply, err := w.client.Do(req)
	if err != nil {
		return challenge{}, fmt.Errorf("asking %s what it wants: %w", plain(req.URL), bare(err))
	}
	defer reply.Body.Close()
	_, _ = io.CopyN(io.Discard, reply.Body, 1<<10)
	c := parseChallenge(strings.Join(reply.Header.Values("WWW-Authenticate"), ", "))
	c.open = reply.StatusCode < 300
	return c, nil
}
