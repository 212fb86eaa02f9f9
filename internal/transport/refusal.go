package transport

import "github.com/mark3labs/mcp-go/client/transport"

// refusal carries a JSON-RPC error out of a round trip whose HTTP status would make mcp-go misread it.
type refusal struct{ response transport.JSONRPCResponse }

// Error is the JSON-RPC error's message.
func (r *refusal) Error() string { return r.response.Error.Message }
