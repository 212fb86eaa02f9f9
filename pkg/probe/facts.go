package probe

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// facts are what was seen of a server at a URL before a request failed. Hints are chosen from them, never
// from the words of a message.
type facts struct {
	reply  *transport.HTTPError   // what came instead of a message; nil = none
	stream *transport.StreamError // the event stream of HTTP+SSE that opened; nil = none

	introduced bool          // the handshake was done at this URL
	answered   bool          // something came back, be it of no use
	wait       time.Duration // that the server asks for; 0 = none
	schemes    []string      // of the challenges, as RFC 9110 writes them
	otherHost  bool          // the server may not want to be called by this name
}

// factsOf collects what was seen.
func factsOf(f failure) facts {
	var seen facts
	seen.introduced = f.stage.order() > Handshake.order()
	seen.stream, _ = errors.AsType[*transport.StreamError](f.err)
	timeout, late := errors.AsType[*timeoutError](f.err)
	seen.answered = seen.introduced || seen.stream != nil || lost(f.err) || hasAnswer(f.err) ||
		is[*transport.ReplyError](f.err) || badShape.in(f.err) || late && !timeout.silent
	if reply, ok := errors.AsType[*transport.HTTPError](f.err); ok {
		local := kit.ThisMachine(f.address().Hostname())
		seen.reply, seen.answered = reply, true
		seen.wait = transport.AskedWait(reply.RetryAfter)
		seen.schemes = reply.Schemes
		seen.otherHost = reply.Status == http.StatusMisdirectedRequest ||
			local && (reply.Status == http.StatusForbidden && len(seen.schemes) == 0 ||
				reply.Status == http.StatusBadRequest && strings.HasPrefix(reply.Type, "text/plain"))
	}
	return seen
}

// bearer reports whether a bearer token may be what the server wants.
func (seen facts) bearer() bool {
	return len(seen.schemes) == 0 || slices.ContainsFunc(seen.schemes,
		func(scheme string) bool { return scheme == "Bearer" || scheme == "" })
}

// otherScheme advises on a server that wants another login than a token.
func (seen facts) otherScheme() string {
	if slices.Contains(seen.schemes, "Basic") {
		return `the server wants Basic, not a bearer token: give it with --header "Authorization: Basic ` +
			`…", or headers in the configuration`
	}
	return "the server wants " + kit.Some(kit.Distinct(seen.schemes)) + ", which mcpctl does not speak: " +
		"ask its operator for another way in, such as a token"
}

// waitHint advises on a server that limits requests, or is not there for a while.
func (seen facts) waitHint() string {
	wait := strings.Replace(seen.wait.Round(time.Second).String(), "m0s", "m", 1)
	wait = strings.Replace(wait, "h0m", "h", 1)
	return "the server asks to wait " + wait + ": try again then, or ask " +
		"it less, with --parallel 1 and --retries, or a longer --interval of watch"
}

// streamHint advises on a server of HTTP+SSE whose stream opened, and nothing else; empty = that is not it.
func streamHint(f failure) string {
	seen := factsOf(f)
	const named = "the event stream works, so the URL is right: the server must name its endpoint as " +
		"clients see it"
	switch {
	case seen.stream == nil || seen.introduced:
		return ""
	case is[*transport.RedirectError](f.err):
		return named + ", with the scheme and the host of this URL"
	case seen.stream.Endpoint == "":
		return "the server must name its endpoint first (event: endpoint): look into its log, or allow " +
			"more with --timeout"
	case seen.reply != nil && slices.Contains([]int{400, 404, 405, 421}, seen.reply.Status):
		return named + ", with the prefix of a proxy before it"
	case is[*timeoutError](f.err):
		return "the event stream works, so the URL is right: replies to messages must come on it; look " +
			"into the server's log, or allow more with --timeout"
	}
	return ""
}
