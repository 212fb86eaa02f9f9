package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	mcptransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

// RPCError is a JSON-RPC error with which the server answered a request.
type RPCError struct {
	Code    int    // as sent; 0 is in use too
	Message string // as sent, secrets masked

	data  json.RawMessage // as sent; nil when there is none
	shown json.RawMessage // data without secrets
}

// Error is the message and the code.
func (e *RPCError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered with error %d", e.Code)
	}
	return fmt.Sprintf("the server answered with error %d: %s", e.Code, e.Message)
}

// Data is the data of the error as the server sent it, secrets masked; nil when there is none.
func (e *RPCError) Data() json.RawMessage { return e.shown }

// codes of JSON-RPC and of the specification that the prober acts on.
const (
	codeMethodNotFound     = -32601
	codeInvalidParams      = -32602
	codeHeaderMismatch     = -32020
	codeMissingCapability  = -32021
	codeUnsupportedVersion = -32022
)

// hasCode tells whether err is an RPCError with one of the codes.
func hasCode(err error, codes ...int) bool {
	var answer *RPCError
	if !errors.As(err, &answer) {
		return false
	}
	for _, code := range codes {
		if answer.Code == code {
			return true
		}
	}
	return false
}

// caller sends requests over one connection and gives back the raw results.
type caller struct {
	conn    mcptransport.Interface
	client  Client
	version string // protocol version of the requests; empty before the handshake
	elicits bool   // there is somebody to answer the server's questions
	record  *record
}

// call makes a request, sends it and waits for its result. The error is an *RPCError or one of the connection's.
func (c caller) call(ctx context.Context, method string, params map[string]any) (json.RawMessage, error) {
	return c.send(ctx, c.request(method, params))
}

// send sends one request and waits for its result.
func (c caller) send(ctx context.Context, request mcptransport.JSONRPCRequest) (json.RawMessage, error) {
	method := request.Method
	reply, err := c.conn.SendRequest(ctx, request)
	switch {
	case err != nil:
		return nil, err
	case reply.Error != nil:
		c.record.hear("an error as the answer to " + method)
		data, _ := reply.Error.Data.(json.RawMessage)
		return nil, &RPCError{Code: reply.Error.Code, Message: reply.Error.Message, data: data}
	case reply.Result == nil:
		return nil, fmt.Errorf("the reply to %s has neither a result nor an error", method)
	}
	c.record.hear("the reply to " + method)
	return reply.Result, nil
}

// request builds a request of the era of c.version: since 2026-07-28 every request says in _meta who asks, and in headers
// what for (specification 2026-07-28, basic and streamable HTTP).
func (c caller) request(method string, params map[string]any) mcptransport.JSONRPCRequest {
	if params == nil {
		params = map[string]any{}
	}
	header := http.Header{}
	if mcp.IsModernProtocol(c.version) {
		params = extended(params, c.meta())
		header.Set(mcptransport.HeaderKeyProtocolVersion, c.version)
		named, _ := json.Marshal(params) // what cannot be encoded cannot be sent either
		for name, value := range mcp.StandardHeaders(c.version, mcp.MCPMethod(method), named) {
			header.Set(name, value)
		}
	}
	id := mcp.NewRequestId(c.record.nextID())
	return mcptransport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Method: method, Params: params, Header: header}
}

func (c caller) meta() map[string]any {
	return map[string]any{
		mcp.MetaKeyProtocolVersion:    c.version,
		mcp.MetaKeyClientCapabilities: c.capabilities(),
		mcp.MetaKeyClientInfo:         c.implementation(),
	}
}

// capabilities are declared to the server: only what somebody is there for, so that no server waits in vain.
func (c caller) capabilities() map[string]any {
	if !c.elicits {
		return map[string]any{}
	}
	return map[string]any{"elicitation": map[string]any{"form": struct{}{}, "url": struct{}{}}}
}

func (c caller) implementation() map[string]string {
	return map[string]string{"name": c.client.known().Name, "version": c.client.known().Version}
}
