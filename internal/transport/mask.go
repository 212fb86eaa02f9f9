package transport

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// shortSecret is the length below which a value is too common to be searched for in a text.
const shortSecret = 6

// mask hides the values of our headers and credentials, and of the URL's password and query, in a text of the server: some servers
// quote the request in their errors.
func (t *tripper) mask(text string) string {
	var secrets []string
	for _, value := range slices.AppendSeq(t.endpoint.Credentials.Given(), maps.Values(t.endpoint.Headers)) {
		secrets = append(secrets, value)
		if _, credentials, ok := strings.Cut(value, " "); ok { // "Bearer TOKEN"
			secrets = append(secrets, credentials)
		}
	}
	for _, values := range t.home.Query() {
		secrets = append(secrets, values...)
	}
	if password, ok := t.home.User.Password(); ok {
		secrets = append(secrets, password)
	}
	slices.SortFunc(secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, s := range secrets {
		if len(s) >= shortSecret {
			text = strings.ReplaceAll(text, s, "***")
		}
	}
	return text
}
