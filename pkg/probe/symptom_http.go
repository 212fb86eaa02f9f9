package probe

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Symptoms that hints look for: of servers at a URL.

func (f facts) untrustedCA() bool    { return unknownAuthority(f.err) }
func (f facts) badCertificate() bool { return untrusted(f.err) }
func (f facts) plainHTTP() bool      { return notTLS(f.err) }
func (f facts) noHost() bool         { return noSuchHost(f.err) }
func (f facts) refused() bool        { return refused(f.err) }
func (f facts) proxied() bool {
	failure, ok := errors.AsType[*net.OpError](f.err)
	return ok && failure.Op == "proxyconnect"
}

func (f facts) cutOff() bool { return f.server.HTTP != nil && cutOff(f.err) }

func (f facts) redirected() bool {
	_, ok := errors.AsType[*transport.RedirectError](f.err)
	return ok
}

func (f facts) newAddress() string {
	redirect, _ := errors.AsType[*transport.RedirectError](f.err)
	return fmt.Sprintf("if you trust it, use the new URL: %s; headers are never sent to another origin on their own", redirect.To)
}

// reply is the HTTP reply that was no message; the zero value when that is not what happened.
func (f facts) reply() transport.HTTPError {
	if reply, ok := errors.AsType[*transport.HTTPError](f.err); ok {
		return *reply
	}
	return transport.HTTPError{}
}

func (f facts) isHTTP() bool       { return f.reply().Status != 0 }
func (f facts) serverBroken() bool { return f.reply().Status >= 500 }

// answeredWith makes a symptom of one or more HTTP statuses.
func answeredWith(statuses ...int) func(facts) bool {
	return func(f facts) bool { return slices.Contains(statuses, f.reply().Status) }
}

func (f facts) howToSignIn() string {
	hint := `pass a token with --bearer env:NAME, --header "Name: value", or headers in the configuration`
	if f.reply().Status == 401 {
		hint = "log in with mcpctl login " + f.called() + ", or " + hint
	}
	if f.hasAuthorization() {
		hint = "the token that was sent was not accepted: check that it is whole, current and for this server"
	}
	if metadata := f.reply().Metadata; metadata != "" {
		hint += "; the server tells where to get one at " + metadata
	}
	return hint
}

// called is how the server is named on a command line.
func (f facts) called() string {
	if f.server.Source != "argv" && f.server.Name != "" {
		return f.server.Name
	}
	plain := url.URL{Scheme: f.address().Scheme, Host: f.address().Host, Path: f.address().Path}
	return plain.String()
}

func (f facts) hasAuthorization() bool {
	if f.server.HTTP.Helper != nil {
		return true
	}
	for name := range f.server.HTTP.Headers {
		if strings.EqualFold(name, "Authorization") {
			return true
		}
	}
	return strings.Contains(f.server.HTTP.URL, "@")
}

func (f facts) howToBeLetIn() string {
	if f.hasAuthorization() {
		return "the token was read and is not enough: check its scopes, and whether the server allows this host name"
	}
	return f.howToSignIn()
}

// otherSpelling: some servers on this machine answer to one name of it only.
func (f facts) otherSpelling() bool {
	return f.reply().Status == 403 && f.otherHost() != "" && !f.hasAuthorization()
}

func (f facts) spellHost() string {
	return fmt.Sprintf("the server may insist on another name of this machine: try %s in the URL instead of %s", f.otherHost(), f.address().Hostname())
}

// otherHost is how else this machine can be called, when the URL is of this machine.
func (f facts) otherHost() string {
	host := f.address().Hostname()
	switch ip := net.ParseIP(host); {
	case host == "localhost":
		return "127.0.0.1"
	case ip.IsLoopback():
		return "localhost"
	}
	return ""
}

// address is the URL of the server; the zero value when it has none.
func (f facts) address() *url.URL {
	if f.server.HTTP == nil {
		return &url.URL{}
	}
	address, err := url.Parse(f.server.HTTP.URL)
	if err != nil {
		return &url.URL{}
	}
	return address
}

// isPage tells that a web page stands where an endpoint is looked for.
func (f facts) isPage() bool {
	reply := f.reply()
	return reply.HTML()
}

func (f facts) otherPath() string {
	path := strings.TrimSuffix(f.address().Path, "/")
	switch {
	case f.reply().Session:
		return "the server no longer knows the session: it may have restarted; try again"
	case f.server.HTTP.Kind == SSE:
		return "the server may speak streamable HTTP: leave the transport's type out, and both are tried"
	case f.server.HTTP.Kind == StreamableHTTP:
		return "the server may speak HTTP+SSE: leave the transport's type out, and both are tried"
	case strings.HasSuffix(path, "/mcp"), strings.HasSuffix(path, "/sse"):
		return "check the path of the URL: the server has no MCP endpoint there"
	}
	return fmt.Sprintf("check the path of the URL: try %s/mcp or %s/sse", path, path)
}
