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
	return a.err == nil && slices.Contains(a.peer.supported, modern)
}

// negotiate opens the protocol on a fresh connection, and finds out in which era the server speaks. It sends
// server/discover, and initialize once that was refused, or beside it when there is no answer after
// discoverWait. A result of discover that lists our version wins over initialize, so that a slow server of
// the new era is not taken for one of the old: grace is how long discover may still take once initialize was
// answered. errFreshConn reports that initialize may work on a connection of its own.
func (c caller) negotiate(ctx context.Context, grace time.Duration) (peer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	discovering := introduce(ctx, c.discover) // nil once it was answered, or is not waited for any more
	var initializing <-chan introduced
	var discover, initialize *introduced // the answers
	limit := time.After(discoverWait)    // of the wait for discover
	for {
		select {
		case a := <-discovering:
			discovering, discover = nil, &a
		case a := <-initializing:
			initialize, limit = &a, time.After(grace)
			if a.err != nil { // a refusal is worth a longer wait
				limit = time.After(max(grace, discoverWait))
			}
		case <-limit:
			if limit = nil; initialize != nil {
				discovering = nil
			}
		}
		decided := discover != nil && (discover.speaksModern() || final(discover.err) || lost(discover.err))
		switch {
		case decided && (discover.speaksModern() || initialize == nil):
			p := discover.peer
			if discover.err != nil {
				p.supported = supportedBy(discover.err)
			}
			return p, freshConn(discover.err, lost(discover.err))
		case initialize != nil && (discovering == nil || decided):
			return chooseLegacy(discover, *initialize)
		case initializing == nil && (discovering == nil || limit == nil):
			version := legacyVersion(discover) // here: discover may change meanwhile
			initializing = introduce(ctx, func(ctx context.Context) (peer, error) {
				return c.initializeAny(ctx, version)
			})
		}
	}
}

// introduce runs one opening beside the caller; the channel has room, so the goroutine ends with ctx at the
// latest.
func introduce(ctx context.Context, open func(context.Context) (peer, error)) <-chan introduced {
	answers := make(chan introduced, 1)
	go func() {
		var a introduced
		a.err = guard(func() (err error) {
			a.peer, err = open(ctx)
			return err
		})
		answers <- a
	}()
	return answers
}

// legacyVersion returns the version to ask for with initialize, by what discover answered; nil = nothing.
func legacyVersion(discover *introduced) string {
	switch {
	case discover == nil:
		return legacy
	case discover.err != nil:
		return newestLegacy(supportedBy(discover.err))
	}
	return newestLegacy(discover.peer.supported)
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
		p.supported = discover.peer.supported
	}
	return p, freshConn(err, lost(err) || discovered && hasAnswer(err))
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
