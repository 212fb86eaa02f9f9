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

type introduced struct {
	peer peer
	err  error
}

// negotiation finds out in which era a server speaks. Both openings may be under way at once: a result of
// discover that lists our version wins over initialize, so that a slow server of the new era is not taken for
// one of the old, and a server that keeps silent on discover costs no more than discoverWait and grace.
type negotiation struct {
	caller caller
	grace  time.Duration // what discover gets after initialize was answered

	discovered  <-chan introduced // nil once it has been answered
	initialized <-chan introduced // nil unless initialize is under way
	quiet, late <-chan time.Time

	discover, initialize *introduced // as far as they are known
}

// negotiate opens the protocol on a fresh connection. errFreshConn says that initialize may work on one of
// its own.
func (c caller) negotiate(ctx context.Context, grace time.Duration) (peer, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n := negotiation{caller: c, grace: grace, quiet: time.After(discoverWait)}
	n.discovered = introduce(ctx, c.discover)
	for !n.settled() {
		select {
		case a := <-n.discovered:
			n.discovered, n.quiet, n.discover = nil, nil, &a
			if !n.decided() {
				n.sendInitialize(ctx)
			}
		case <-n.quiet:
			n.quiet = nil
			n.sendInitialize(ctx)
		case a := <-n.initialized:
			n.initialized, n.initialize = nil, &a
			n.late = time.After(n.discoverLimit())
		case <-n.late:
			n.discovered = nil
		}
	}
	return n.outcome()
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

func (n *negotiation) sendInitialize(ctx context.Context) {
	if n.initialized != nil || n.initialize != nil {
		return
	}
	version := n.version()
	n.initialized = introduce(ctx, func(ctx context.Context) (peer,
		error) {
		return n.caller.initializeAny(ctx, version)
	})
}

// settled reports whether there is nothing left to wait for.
func (n *negotiation) settled() bool {
	return n.discover != nil && n.decided() || n.initialize != nil && n.discovered == nil
}

// decided reports whether discover's answer leaves nothing to ask with initialize on this connection.
func (n *negotiation) decided() bool {
	return n.isModern() || final(n.discover.err) || lost(n.discover.err)
}

// isModern reports whether the server answered discover with a list that has our version.
func (n *negotiation) isModern() bool {
	return n.discover != nil && n.discover.err == nil && slices.Contains(n.discover.peer.supported, modern)
}

// discoverLimit returns how long discover may still take once initialize was answered. A refusal is worth a
// longer wait.
func (n *negotiation) discoverLimit() time.Duration {
	if n.initialize.err != nil {
		return max(n.grace, discoverWait)
	}
	return n.grace
}

// version returns the one to ask for with initialize.
func (n *negotiation) version() string {
	switch {
	case n.discover == nil:
		return legacy
	case n.discover.err != nil:
		return newestLegacy(supportedBy(n.discover.err))
	}
	return newestLegacy(n.discover.peer.supported)
}

// outcome returns the peer that won, or why there is none.
func (n *negotiation) outcome() (peer, error) {
	if n.isModern() {
		return n.discover.peer, nil
	}
	if n.initialize == nil {
		return peer{supported: supportedBy(n.discover.err)}, freshConn(n.discover.err, lost(n.discover.err))
	}
	p, err := n.initialize.peer, n.initialize.err
	if n.discover != nil && wantsLogin(n.discover.err) && hasAnswer(err) && !oldTransport(err) {
		// the first refusal says how to get in; a server without a handshake does not know initialize
		return p, n.discover.err
	}
	discovered := n.discover != nil && n.discover.err == nil
	if discovered {
		p.supported = n.discover.peer.supported
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
	case hasCode(err, codeUnsupportedVersion):
		named := supportedBy(err)
		return len(named) > 0 && !slices.ContainsFunc(named, isLegacy)
	}
	return hasCode(err, codeHeaderMismatch, codeMissingCapability)
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

// datedVersion finds protocol versions in a text.
var datedVersion = regexp.MustCompile(`\b20\d\d-\d\d-\d\d\b`)

// supportedBy returns the versions that a refusal names as supported: in its data with any code, as
// servers spell it, or in a text about versions, of an error or of HTTP 400.
func supportedBy(err error) []string {
	text := ""
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
		text = refusal.Message
	}
	if status, ok := errors.AsType[*transport.HTTPError](err); ok && status.Status == http.StatusBadRequest {
		text = status.Body
	}
	// behind "unsupported" the one that was asked for may be named
	_, named, ok := strings.Cut(strings.ToLower(text), "support")
	if !ok || !strings.Contains(strings.ToLower(text), "version") {
		return nil
	}
	if _, behind, again := strings.Cut(named, "support"); again {
		named = behind
	}
	return datedVersion.FindAllString(named, -1)
}
