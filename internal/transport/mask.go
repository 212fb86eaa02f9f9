package transport

import (
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/redact"
)

// mask hides the values of our headers and credentials, and of the URL's user info and query, in a text of the server that
// may be cut off: some servers quote the request in their errors.
func (t *tripper) mask(text string) string {
	secrets := redact.URL(t.endpoint.URL)
	for _, value := range slices.AppendSeq(t.endpoint.Credentials.Given(), maps.Values(t.endpoint.Headers)) {
		secrets = append(secrets, redact.Header(value)...)
	}
	return redact.Of(secrets...).Cut(text)
}
