package transport

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// What follows has the names and fields that mcp-go's client/transport gives them, so that its client runs over a Conn by
// conversion alone. That package itself is not imported: it brings mcp-go's server, and with it a JSON Schema validator
// that takes longer to start than all the rest of the program.

// Interface is one connection, method for method as mcp-go's transports are.
type Interface interface {
	Start(ctx context.Context) error
	SendRequest(ctx context.Context, request JSONRPCRequest) (*JSONRPCResponse, error)
	SendNotification(ctx context.Context, notification mcp.JSONRPCNotification) error
	SetNotificationHandler(handler func(notification mcp.JSONRPCNotification))
	Close() error
	GetSessionId() string
}

// HTTPConnection is a connection over HTTP, whose requests carry the version of the protocol in a header.
type HTTPConnection interface {
	Interface
	SetProtocolVersion(version string)
}

// JSONRPCRequest is a request of JSON-RPC 2.0, with headers for a connection over HTTP.
type JSONRPCRequest struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      mcp.RequestId `json:"id"`
	Method  string        `json:"method"`
	Params  any           `json:"params,omitempty"`
	Header  http.Header   `json:"-"`
}

// JSONRPCResponse is a response of JSON-RPC 2.0.
type JSONRPCResponse struct {
	JSONRPC string                   `json:"jsonrpc"`
	ID      mcp.RequestId            `json:"id"`
	Result  json.RawMessage          `json:"result,omitempty"`
	Error   *mcp.JSONRPCErrorDetails `json:"error,omitempty"`
}

// Headers of the streamable HTTP transport.
const (
	HeaderKeySessionID       = "Mcp-Session-Id"
	HeaderKeyProtocolVersion = "Mcp-Protocol-Version"
)

// Errors to match.
var (
	ErrTransportClosed   = errors.New("transport closed")
	ErrSessionTerminated = errors.New("session terminated (404). need to re-initialize")
)
