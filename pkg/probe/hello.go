package probe

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// modern is the newest protocol version of the era without a handshake; legacy the newest of the era with one.
const (
	modern = mcp.ProtocolVersion20260728
	legacy = mcp.LATEST_LEGACY_PROTOCOL_VERSION
)

// hello is how a server introduced itself.
type hello struct {
	protocol     string          // the version in effect
	supported    []string        // what server/discover lists; nil when it has no such list
	server       json.RawMessage // serverInfo
	capabilities json.RawMessage
	instructions string
	stateless    bool // there is no handshake to end: the server was asked with discover
	notices      []Notice
}

// discover asks with server/discover (specification 2026-07-28). Any result that is an object gives a hello without an
// error; whether it is of use, supported tells.
func (c caller) discover(ctx context.Context) (hello, error) {
	c.version = modern
	raw, err := c.call(ctx, "server/discover", nil)
	if err != nil {
		return hello{}, err
	}
	result, err := readObject(raw)
	if err != nil {
		return hello{}, nil // a result that no modern server gives: as useful as {}
	}
	h := introduction(result)
	h.protocol, h.stateless = modern, true
	h.supported = texts(result.members["supportedVersions"])
	h.server = result.present("serverInfo")
	if meta, err := readObject(result.members["_meta"]); err == nil {
		if info := meta.present(mcp.MetaKeyServerInfo); info != nil {
			h.server = info
		}
	}
	return h, nil
}

// initialize shakes hands the way of 2024-11-05 to 2025-11-25.
func (c caller) initialize(ctx context.Context, version string) (hello, error) {
	raw, err := c.call(ctx, "initialize", map[string]any{
		"protocolVersion": version, "capabilities": c.capabilities(), "clientInfo": c.implementation(),
	})
	if err != nil {
		return hello{}, err
	}
	result, err := readObject(raw)
	if err != nil {
		return hello{}, shape.errorf("the result of initialize %v", err)
	}
	h := introduction(result)
	h.server = result.present("serverInfo")
	h.protocol, err = answered(result)
	if mcp.IsModernProtocol(h.protocol) {
		h.notices = append(h.notices, Notice{Handshake, NoticeVersionOdd,
			fmt.Sprintf("initialize was answered with version %s, which has no initialize", h.protocol)})
	}
	return h, err
}

// answered is the version that the result of initialize names, if it is one that the prober speaks.
func answered(result object) (string, error) {
	named, ok := rawjson.Text(result.members["protocolVersion"])
	if !ok {
		return "", shape.errorf("the result of initialize has no protocolVersion: it is %s", jsonType(result.members["protocolVersion"]))
	}
	if !slices.Contains(Versions(), named) {
		return "", version.errorf("the server answered with protocol version %q, which is not one of %s", named, listing(Versions()))
	}
	return named, nil
}

// introduction is the part that the results of discover and initialize share.
func introduction(result object) hello {
	h := hello{capabilities: result.present("capabilities")}
	if jsonType(h.capabilities) != "an object" {
		h.notices = append(h.notices, Notice{Handshake, NoticeNoCapabilities,
			fmt.Sprintf("capabilities are %s, not an object: every list is asked for", jsonType(result.members["capabilities"]))})
	}
	if raw := result.present("instructions"); raw != nil {
		var ok bool
		if h.instructions, ok = rawjson.Text(raw); !ok {
			h.notices = append(h.notices, Notice{Handshake, NoticeInstructionsOdd,
				fmt.Sprintf("instructions are %s, not a string", jsonType(raw))})
		}
	}
	return h
}

// Versions are the protocol versions that the prober speaks, newest first.
func Versions() []string { return slices.Clone(mcp.ValidProtocolVersions) }
