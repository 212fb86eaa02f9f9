// Package auth gets and renews the tokens of protected MCP servers with OAuth 2.1, as the MCP specifications of 2025-11-25
// and 2026-07-28 say (basic/authorization), and as 2025-03-26 said for servers that name no authorization server.
//
// Whatever a server or an authorization server says is taken for hostile: requests go to public HTTPS addresses alone,
// or to where the user's own configuration points; replies are bounded; every claim is checked before it is used.
package auth

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Server is a protected MCP server, as configured.
type Server struct {
	Name   string // for advice: what follows "mcpctl login"
	URL    string // absolute, without user info
	Client Client
}

// Client is what a configuration says of logging in. The zero value is enough for servers that keep to the specification.
type Client struct {
	ID            string       // of a client that was registered beforehand; empty = register, or Document
	Secret        probe.Secret // its secret; empty = it has none
	Key           probe.Secret // its private key as PEM, for private_key_jwt
	KeyID         string       // what the authorization server calls the key
	Scopes        []string     // asked for instead of those that the server names
	Metadata      string       // URL of the authorization server's metadata, instead of what the server names
	Authorize     string       // authorization endpoint, instead of the metadata's; with TokenEndpoint
	TokenEndpoint string       // token endpoint, instead of the metadata's
	Redirect      string       // the redirect URI that the client was registered with; empty = any port of 127.0.0.1
	Document      string       // URL of a Client ID Metadata Document that stands for this client
	Machine       bool         // the client gets its tokens without a person: by client_credentials, or by Assertion
	Assertion     *Assertion   // what the client shows instead of credentials of its own; nil = nothing
	Refresh       probe.Secret // a refresh token from elsewhere, for runs without a person
	Never         bool         // no token is ever sent
	Doubted       []string     // hosts of the above that nobody named: they must have public addresses
}

// loginCommand is what logs in to the server, as one types it, further words at its end.
func (s Server) loginCommand(words ...string) string {
	return strings.Join(append([]string{"mcpctl", "login", printable.ShellWord(s.Name)}, words...), " ")
}

// Canonical is the URL of a server as the key of its logins, and as the resource that tokens are for (RFC 8707): without
// query and fragment, scheme and host in lower case, no slash behind a host.
func Canonical(server string) string {
	u, err := url.Parse(server)
	if err != nil {
		return server
	}
	plain := url.URL{Scheme: strings.ToLower(u.Scheme), Host: strings.ToLower(u.Host), Path: u.Path, RawPath: u.RawPath}
	if plain.Path == "/" {
		plain.Path = ""
	}
	return plain.String()
}

// quoted is a short text of a stranger, quoted for people.
func quoted(text string) string {
	const most = 200
	if len(text) > most {
		return strconv.QuoteToASCII(text[:most]) + "…"
	}
	return strconv.QuoteToASCII(text)
}

// unprintable tells runes that have no place in a URL or a token.
func unprintable(r rune) bool { return r <= 0x20 || r >= 0x7f }

// Bounds of what is asked for, whatever servers name.
const (
	mostScopes   = 100
	longestScope = 256
)

// scopes are the scopes of some lists, each once, in order. What is not a scope-token (RFC 6749, 3.3) is left out, and what is more
// than anybody could agree to.
func scopes(lists ...[]string) []string {
	var all []string
	for _, scope := range strings.Fields(strings.Join(slices.Concat(lists...), " ")) {
		odd := strings.ContainsFunc(scope, func(r rune) bool { return unprintable(r) || r == '"' || r == '\\' })
		if len(all) < mostScopes && len(scope) <= longestScope && !odd && !slices.Contains(all, scope) {
			all = append(all, scope)
		}
	}
	return all
}
