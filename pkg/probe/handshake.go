package probe

import (
	"context"
	"slices"
	"time"

	mcptransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// shake opens the protocol on a fresh link, as pinned or as the server has it.
func (c caller) shake(ctx context.Context, grace time.Duration, pin string) (hello, error) {
	switch {
	case pin == "" || pin == auto:
		return c.negotiate(ctx, grace)
	case mcp.IsModernProtocol(pin):
		return c.insist(ctx)
	}
	h, err := c.initialize(ctx, pin)
	if err == nil && h.protocol != pin {
		err = version.errorf("the server speaks protocol version %s, not the pinned %s", h.protocol, pin)
	}
	return h, err
}

// insist speaks the era without a handshake or not at all.
func (c caller) insist(ctx context.Context) (hello, error) {
	h, err := c.discover(ctx)
	switch {
	case hasAnswer(err):
		err = version.errorf("the server does not support the pinned protocol version %s: %v", modern, plain(err))
	case err == nil && !slices.Contains(h.supported, modern):
		err = version.errorf("the server does not support the pinned protocol version %s: it lists %s", modern, listing(h.supported))
	}
	return h, err
}

// settle makes the version hold for the link and, in the era of the handshake, ends the handshake.
func (c caller) settle(ctx context.Context, h hello) {
	if over, ok := c.conn.(mcptransport.HTTPConnection); ok {
		over.SetProtocolVersion(h.protocol)
	}
	c.record.note(h.notices...)
	if h.stateless {
		return
	}
	done := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	done.Method = "notifications/initialized"
	if err := c.conn.SendNotification(ctx, done); err != nil {
		c.record.note(Notice{Handshake, NoticeInitializedLost, "notifications/initialized was not taken: " + plain(err)})
	}
}

// again is initialize after discover failed or was of no use on another link.
func (c caller) again(ctx context.Context, first hello) (hello, error) {
	h, err := c.initialize(ctx, newestLegacy(first.supported))
	h.supported = first.supported
	h.notices = append(h.notices, Notice{Handshake, NoticeRestarted,
		"the server took initialize only on a fresh connection, without server/discover before it"})
	return h, err
}
