package probe

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// errAnew asks for initialize on a fresh connection: this one is used up by discover.
var errAnew = errors.New("initialize needs a fresh connection")

// anew marks err as one that a fresh connection may heal.
func anew(err error, worth bool) error {
	if worth {
		return fmt.Errorf("%w: %w", errAnew, err)
	}
	return err
}

// final tells that err, the answer to discover, leaves no reason to try initialize: the server cannot be reached, or it
// said in the terms of the new era that it will not talk to us (specification 2026-07-28, stdio, backward compatibility).
func final(err error) bool {
	var redirected *transport.RedirectError
	var unauthorized *transport.CredentialsError
	var status *transport.HTTPError
	switch {
	case err == nil:
		return false
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), unreachable(err):
		return true
	case errors.As(err, &redirected), errors.As(err, &unauthorized):
		return true
	case errors.As(err, &status):
		// a gateway's refusal says nothing about the server's era, which must not depend on a bad moment
		return slices.Contains([]int{429, 502, 503, 504}, status.Status)
	case hasCode(err, codeUnsupportedVersion):
		named := supportedBy(err)
		return len(named) > 0 && !slices.ContainsFunc(named, isLegacy)
	}
	return hasCode(err, codeHeaderMismatch, codeMissingCapability)
}

// newestLegacy is the newest of the versions that has a handshake, or else the newest there is.
func newestLegacy(versions []string) string {
	for _, version := range mcp.LegacyProtocolVersions() {
		if slices.Contains(versions, version) {
			return version
		}
	}
	return legacy
}

func isLegacy(version string) bool { return slices.Contains(mcp.LegacyProtocolVersions(), version) }

// supportedBy are the versions in the data of an UnsupportedProtocolVersion error.
func supportedBy(err error) []string {
	var refusal *RPCError
	if !errors.As(err, &refusal) || refusal.Code != codeUnsupportedVersion {
		return nil
	}
	return rawjson.Texts(rawjson.ObjectOf(refusal.data)["supported"])
}

// lost tells that the connection is gone.
func lost(err error) bool {
	var end *transport.LostError
	return errors.As(err, &end)
}

// hasAnswer tells that err is what the server said, not that it said nothing.
func hasAnswer(err error) bool {
	var answer *RPCError
	var status *transport.HTTPError
	return errors.As(err, &answer) || errors.As(err, &status)
}

// uncommon replaces err, a refusal, by what is wrong with a server that lists no version that the prober speaks.
func (h hello) uncommon(err error) error {
	if !hasAnswer(err) || len(h.supported) == 0 || slices.ContainsFunc(h.supported, isKnown) {
		return err
	}
	return noCommon(h.supported)
}

func isKnown(version string) bool { return slices.Contains(Versions(), version) }

// noCommon is the error for a server that lists no version that the prober speaks.
func noCommon(supported []string) error {
	return version.errorf("the server speaks protocol version %s; mcpctl speaks %s", listing(supported), listing(Versions()))
}

// listing is a list of versions for a sentence. A server's list may be of any length.
func listing(versions []string) string {
	if len(versions) == 0 {
		return "none"
	}
	return clip(strings.Join(versions, ", "), longText)
}
