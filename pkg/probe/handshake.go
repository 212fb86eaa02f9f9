package probe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// peer is what a server said about itself when it was reached: a snapshot without lists.
type peer struct {
	snapshot.Snapshot
	stateless bool // there is no handshake to end: the server was asked with discover
	notices   []Notice
}

func (p *peer) note(code, format string, args ...any) {
	p.notices = append(p.notices, Notice{Handshake, code, fmt.Sprintf(format, args...)})
}

// noCommonVersion replaces err, a refusal, by what is wrong with a server that lists no version that the
// prober speaks.
func (p peer) noCommonVersion(client string, err error) error {
	if !hasAnswer(err) || len(p.Supported) == 0 || slices.ContainsFunc(p.Supported, isKnown) {
		return err
	}
	return badVersion.errorf("the server speaks protocol version %s; %s speaks %s", versions(p.Supported),
		client, versions(Versions()))
}

// versions returns protocol versions for a sentence. A server's list may be of any length.
func versions(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return kit.Clip(strings.Join(list, ", "), longText)
}

// shake opens the protocol on a fresh connection, as pinned or as the server has it.
func (c caller) shake(ctx context.Context, grace time.Duration, pin string) (peer, error) {
	switch {
	case pin == "" || pin == auto:
		return c.negotiate(ctx, grace)
	case mcp.IsModernProtocol(pin):
		return c.requireModern(ctx)
	}
	p, err := c.initialize(ctx, pin)
	if err == nil && p.Protocol != pin {
		err = badVersion.errorf("the server speaks protocol version %s, not the pinned %s", p.Protocol, pin)
	}
	return p, err
}

// requireModern speaks the era without a handshake or not at all.
func (c caller) requireModern(ctx context.Context) (peer, error) {
	p, err := c.discover(ctx)
	switch {
	case hasAnswer(err):
		err = badVersion.errorf("the server does not support the pinned protocol version %s: %v", modern,
			plain(err))
	case err == nil && !slices.Contains(p.Supported, modern):
		err = badVersion.errorf("the server does not support the pinned protocol version %s: it lists %s",
			modern, versions(p.Supported))
	}
	return p, err
}

// settle makes the version hold for the connection and, in the era of the handshake, ends the handshake.
func (c caller) settle(ctx context.Context, p peer) {
	c.conn.SetProtocolVersion(p.Protocol)
	c.seen.note(p.notices...)
	if p.stateless {
		return
	}
	done := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	done.Method = "notifications/initialized"
	if err := c.conn.SendNotification(ctx, done); err != nil {
		c.seen.note(Notice{Handshake, NoticeInitializedLost,
			"notifications/initialized was not taken: " + plain(err)})
	}
}

// initializeAfter sends initialize after discover failed on another connection.
func (c caller) initializeAfter(ctx context.Context, first peer) (peer, error) {
	p, err := c.initializeAny(ctx, newestLegacy(first.Supported))
	p.Supported = first.Supported
	p.note(NoticeRestarted, "the server took initialize only on a fresh connection, without "+
		"server/discover before it")
	return p, err
}

// discover asks with server/discover (specification 2026-07-28). Any result that is an object gives a peer
// without an error; supported, which a refusal may name too, shows whether it is of use.
func (c caller) discover(ctx context.Context) (peer, error) {
	c.version = modern
	raw, err := c.send(ctx, c.request("server/discover", nil))
	if err != nil {
		return peer{Snapshot: snapshot.Snapshot{Supported: supportedBy(err)}}, err
	}
	result, _, err := rawjson.ReadObject(raw)
	if err != nil {
		return peer{}, nil // a result that no modern server gives: as useful as {}
	}
	p := introduction(result)
	p.Protocol, p.stateless = modern, true
	p.Supported = rawjson.Texts(result["supportedVersions"])
	if info := rawjson.ObjectOf(result["_meta"]).Present(mcp.MetaKeyServerInfo); info != nil {
		p.Server = info
	}
	return p, nil
}

// initializeAny asks for a version, and once more for another one if the refusal names one that mcpctl
// speaks.
func (c caller) initializeAny(ctx context.Context, version string) (peer, error) {
	p, err := c.initialize(ctx, version)
	named := kit.Filter(supportedBy(err), func(v string) bool { return isLegacy(v) && v != version })
	if len(named) == 0 {
		return p, err
	}
	return c.initialize(ctx, newestLegacy(named))
}

// initialize asks for one version with initialize.
func (c caller) initialize(ctx context.Context, version string) (peer, error) {
	raw, err := c.send(ctx, c.request("initialize", map[string]any{
		"protocolVersion": version, "capabilities": c.declaration(), "clientInfo": c.implementation(),
	}))
	if err != nil {
		return peer{}, err
	}
	result, _, err := rawjson.ReadObject(raw)
	if err != nil {
		return peer{}, badShape.errorf("the result of initialize %v", err)
	}
	p := introduction(result)
	p.Protocol, err = answeredVersion(result)
	if mcp.IsModernProtocol(p.Protocol) {
		p.note(NoticeVersionOdd, "initialize was answered with version %s, which has no initialize",
			p.Protocol)
	}
	return p, err
}

// answeredVersion returns the version that the result of initialize names, if it is one that the prober
// speaks.
func answeredVersion(result rawjson.Object) (string, error) {
	named, ok := rawjson.Text(result["protocolVersion"])
	if !ok {
		return "", badShape.errorf("the result of initialize has no protocolVersion: it is %s",
			rawjson.TypeName(result["protocolVersion"]))
	}
	if !isKnown(named) {
		return "", badVersion.errorf("the server answered with protocol version %q, which is not one of %s",
			named, versions(Versions()))
	}
	return named, nil
}

// introduction returns the part that the results of discover and initialize share.
func introduction(result rawjson.Object) peer {
	p := peer{Snapshot: snapshot.Snapshot{Capabilities: result.Present("capabilities"),
		Server: result.Present("serverInfo")}}
	if rawjson.TypeName(p.Capabilities) != "an object" {
		p.note(NoticeNoCapabilities, "capabilities are %s, not an object: every list is asked for",
			rawjson.TypeName(result["capabilities"]))
	}
	if raw := result.Present("instructions"); raw != nil {
		var ok bool
		if p.Instructions, ok = rawjson.Text(raw); !ok {
			p.note(NoticeInstructionsOdd, "instructions are %s, not a string", rawjson.TypeName(raw))
		}
	}
	return p
}
