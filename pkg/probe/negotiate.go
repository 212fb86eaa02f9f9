package probe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// modern is the newest protocol version of the era without a handshake; legacy the newest of the era with
// one.
const (
	modern = mcp.ProtocolVersion20260728
	legacy = mcp.LATEST_LEGACY_PROTOCOL_VERSION
)

// Versions returns the protocol versions that the prober speaks, newest first.
func Versions() []string { return slices.Clone(mcp.ValidProtocolVersions) }

func isKnown(version string) bool { return slices.Contains(Versions(), version) }

func isLegacy(version string) bool { return slices.Contains(mcp.LegacyProtocolVersions(), version) }

// discoverWait is how long server/discover may stay unanswered before initialize is sent as well.
const discoverWait = 2 * time.Second

// introduced is the answer to one opening.
type introduced struct {
	peer peer
	err  error
}

// speaksModern reports whether the server answered discover with a list that has our version.
func (a introduced) speaksModern() bool {
	return a.err == nil && slices.Contains(a.peer.Supported, modern)
}

// decides reports whether initialize cannot help after this answer to discover.
func (a introduced) decides() bool { return a.speaksModern() || final(a.err) || lost(a.err) }

// outcome returns an answer to discover that decides.
func (a introduced) outcome() (peer, error) {
	return a.peer, freshConn(a.err, lost(a.err))
}

// negotiate opens the protocol on a fresh connection, and finds out in which era the server speaks. It sends
// server/discover, and initialize once that was refused, or beside it when there is no answer after
// discoverWait. A result of discover that lists our version wins over initialize, so that a slow server of
// the new era is not taken for one of the old: grace is how long discover may still take once initialize was
// answered. errFreshConn reports that initialize may work on a connection of its own.
func (c caller) negotiate(ctx context.Context, grace time.Duration) (peer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	discovering := c.introduce(ctx, caller.discover)
	discover, version := within(discovering, discoverWait), legacy
	if discover != nil {
		if discover.decides() {
			return discover.outcome()
		}
		discovering, version = nil, newestLegacy(discover.peer.Supported)
	}
	initializing := c.introduce(ctx, func(c caller, ctx context.Context) (peer, error) {
		return c.initializeAny(ctx, version)
	})
	select {
	case late := <-discovering:
		if late.decides() {
			return late.outcome()
		}
		return chooseLegacy(&late, <-initializing)
	case initialize := <-initializing:
		if discover == nil {
			if initialize.err != nil { // a refusal is worth a longer wait
				grace = max(grace, discoverWait)
			}
			discover = within(discovering, grace)
		}
		if discover != nil && discover.speaksModern() {
			return discover.outcome()
		}
		return chooseLegacy(discover, initialize)
	}
}

// introduce runs one opening beside the caller; the channel has room, so the goroutine ends with ctx at the
// latest.
func (c caller) introduce(
	ctx context.Context, open func(caller, context.Context) (peer, error),
) <-chan introduced {
	answers := make(chan introduced, 1)
	go func() {
		var a introduced
		defer func() { answers <- a }()
		defer recovered(&a.err)
		a.peer, a.err = open(c, ctx)
	}()
	return answers
}

// within returns the answer if it comes within a limit, or nil.
func within(answers <-chan introduced, limit time.Duration) *introduced {
	select {
	case a := <-answers:
		return &a
	case <-time.After(limit):
		return nil
	}
}

// chooseLegacy returns the outcome of initialize, unless the refusal of discover says more.
func chooseLegacy(discover *introduced, initialize introduced) (peer, error) {
	p, err := initialize.peer, initialize.err
	if discover != nil && wantsLogin(discover.err) && hasAnswer(err) && !oldTransport(err) {
		// the first refusal says how to get in; a server without a handshake does not know initialize
		return p, discover.err
	}
	discovered := discover != nil && discover.err == nil
	if discovered {
		p.Supported = discover.peer.Supported
	}
	return p, freshConn(err, lost(err) || discovered && hasAnswer(err)) // servers on go-sdk open once
}

// wantsLogin reports whether a server refused a request for lack of credentials, and said which it wants.
func wantsLogin(err error) bool {
	status, ok := errors.AsType[*transport.HTTPError](err)
	return ok && (status.Status == http.StatusUnauthorized ||
		status.Status == http.StatusForbidden && status.Auth != "")
}

// errFreshConn asks for initialize on a fresh connection: this one is used up by discover.
var errFreshConn = errors.New("initialize needs a fresh connection")

// freshConn marks err as one that a fresh connection may avoid.
func freshConn(err error, worth bool) error {
	if worth {
		return fmt.Errorf("%w: %w", errFreshConn, err)
	}
	return err
}

// final reports whether err, the answer to discover, leaves no reason to try initialize: the server cannot be
// reached, or it said in the terms of the new era that it will not talk to us (specification 2026-07-28,
// stdio, backward compatibility).
func final(err error) bool {
	var status *transport.HTTPError
	switch {
	case err == nil:
		return false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), unreachable(err),
		is[*transport.RedirectError](err), is[*transport.CredentialsError](err):
		return true
	case errors.As(err, &status):
		// a gateway's refusal says nothing about the server's era, which must not depend on a bad moment
		return slices.Contains([]int{http.StatusTooManyRequests, http.StatusBadGateway,
			http.StatusServiceUnavailable, http.StatusGatewayTimeout}, status.Status)
	case hasCode(err, mcp.UNSUPPORTED_PROTOCOL_VERSION):
		named := kit.Filter(supportedBy(err), func(v string) bool { return v != modern }) // it was asked for
		return len(named) > 0 && !slices.ContainsFunc(named, isLegacy)
	}
	return hasCode(err, mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY)
}

// newestLegacy returns the newest of the versions that has a handshake, or else the newest there is.
func newestLegacy(versions []string) string {
	for _, version := range mcp.LegacyProtocolVersions() {
		if slices.Contains(versions, version) {
			return version
		}
	}
	return legacy
}

// Patterns of texts that refuse a protocol version.
var (
	datedVersion = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)
	ofVersions   = regexp.MustCompile(`(?i)protocol.?version`)
	beforeNames  = regexp.MustCompile(`(?i)support|one of|must be|expect`)
)

// supportedBy returns the versions that a refusal names as supported: in its data with any code, as
// servers spell it, or in a text about versions, of an error or of HTTP 400.
func supportedBy(err error) []string {
	if refusal, ok := errors.AsType[*RPCError](err); ok {
		for _, name := range []string{"supported", "supportedVersions"} {
			member := rawjson.ObjectOf(refusal.data)[name]
			if named := rawjson.Texts(member); len(named) > 0 {
				return named
			}
			if one, ok := rawjson.Text(member); ok {
				return []string{one}
			}
		}
	}
	text := refusalText(err)
	found := beforeNames.FindAllStringIndex(text, -1)
	if len(found) == 0 || !strings.Contains(strings.ToLower(text), "version") {
		return nil
	}
	// before the last such word the version that was asked for may be named
	if named := datedVersion.FindAllString(text[found[len(found)-1][1]:], -1); len(named) > 0 {
		return named
	}
	return datedVersion.FindAllString(text, -1)
}

// refusesVersion reports whether the text of a refusal is about the protocol version.
func refusesVersion(err error) bool { return ofVersions.MatchString(refusalText(err)) }

// refusalText returns the text of an error, or of HTTP 400.
func refusalText(err error) string {
	if status, ok := errors.AsType[*transport.HTTPError](err); ok && status.Status == http.StatusBadRequest {
		return status.Body
	}
	if refusal, ok := errors.AsType[*RPCError](err); ok {
		return refusal.Message
	}
	return ""
}
