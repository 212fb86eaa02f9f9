package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// RPCError is a JSON-RPC error with which the server answered a request.
type RPCError struct {
	Code    int    // as sent; 0 is in use too
	Message string // as sent, secrets masked

	data  json.RawMessage // as sent; nil when there is none
	shown json.RawMessage // data without secrets
}

// Error returns the message and the code.
func (e *RPCError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("the server answered with error %d", e.Code)
	}
	return fmt.Sprintf("the server answered with error %d: %s", e.Code, e.Message)
}

// Data returns the data of the error as the server sent it, secrets masked; nil when there is none.
func (e *RPCError) Data() json.RawMessage { return e.shown }

// hasCode reports whether err is an RPCError with one of the codes.
func hasCode(err error, codes ...int) bool {
	answer, ok := errors.AsType[*RPCError](err)
	return ok && slices.Contains(codes, answer.Code)
}

// hasAnswer reports whether err is an answer of the server, not silence.
func hasAnswer(err error) bool { return is[*RPCError](err) || is[*transport.HTTPError](err) }

// sender is what a caller needs of a connection.
type sender interface {
	SendRequest(context.Context, transport.JSONRPCRequest) (*transport.JSONRPCResponse, error)
	SendNotification(context.Context, mcp.JSONRPCNotification) error
	SetProtocolVersion(string)
}

// caller sends requests over one connection and gives back the raw results.
type caller struct {
	conn         sender
	client       Options  // has its name and version
	version      string   // protocol version of the requests; empty before the handshake
	capabilities []string // declared to the server
	seen         *observations
}

// send sends one request and waits for its result. The error is an *RPCError, whose secrets are not masked
// yet, or one of the connection's. A server that refuses its version, and lists that very version among those
// it supports, is asked once more (specification 2026-07-28, version negotiation).
func (c caller) send(ctx context.Context, request transport.JSONRPCRequest) (json.RawMessage, error) {
	result, err := c.resultOf(c.conn.SendRequest(ctx, request))
	if c.version == "" || !hasCode(err, mcp.UNSUPPORTED_PROTOCOL_VERSION) ||
		!slices.Contains(supportedBy(err), c.version) {
		return result, err
	}
	request.ID = mcp.NewRequestId(c.seen.nextID())
	return c.resultOf(c.conn.SendRequest(ctx, request))
}

// resultOf returns the result in a reply. A JSON-RPC error is returned as an *RPCError.
func (c caller) resultOf(reply *transport.JSONRPCResponse, err error) (json.RawMessage, error) {
	if err != nil {
		return nil, err
	}
	c.seen.heard.Store(true)
	if reply.Error != nil {
		data, _ := reply.Error.Data.(json.RawMessage)
		return nil, &RPCError{Code: reply.Error.Code, Message: reply.Error.Message, data: data}
	}
	return reply.Result, nil
}

// request builds a request of the era of c.version: since 2026-07-28 each says in _meta who asks, and in
// headers what for.
func (c caller) request(method string, params map[string]any) transport.JSONRPCRequest {
	if params == nil {
		params = map[string]any{}
	}
	header := http.Header{}
	if mcp.IsModernProtocol(c.version) {
		meta := map[string]any{
			mcp.MetaKeyProtocolVersion:    c.version,
			mcp.MetaKeyClientCapabilities: c.declaration(),
			mcp.MetaKeyClientInfo:         c.implementation(),
		}
		own, _ := params["_meta"].(map[string]any)
		maps.Copy(meta, own)
		params = maps.Clone(params)
		params["_meta"] = meta
		header.Set(transport.HeaderKeyProtocolVersion, c.version)
		named, _ := json.Marshal(params) // what cannot be encoded cannot be sent either
		for name, value := range mcp.StandardHeaders(c.version, mcp.MCPMethod(method), named) {
			header.Set(name, value)
		}
	}
	id := mcp.NewRequestId(c.seen.nextID())
	return transport.JSONRPCRequest{JSONRPC: mcp.JSONRPC_VERSION, ID: id, Method: method, Params: params,
		Header: header}
}

// declaration returns the client capabilities as requests carry them.
func (c caller) declaration() map[string]any {
	declared := map[string]any{}
	for _, name := range c.capabilities {
		declared[name] = struct{}{}
	}
	if _, ok := declared["elicitation"]; ok {
		declared["elicitation"] = map[string]any{"form": struct{}{}, "url": struct{}{}}
	}
	return declared
}

func (c caller) implementation() map[string]string {
	return map[string]string{"name": c.client.ClientName, "version": c.client.ClientVersion}
}

// Request is one request beside those of a probe: for what a server does, not for what it offers.
type Request struct {
	Stage  Stage  // what it is called in an error
	Method string // of the protocol
	// members of params, each sent as it is but for white space and the escapes of <, > and &; _meta is added
	Params map[string]json.RawMessage
	// inputSchema of the tool that is called: it may want arguments in headers (x-mcp-header)
	Schema json.RawMessage
}

// Request sends one request and waits for its result, which is exactly as sent, secrets masked. The timeout
// holds for each request; Options.Elicit stops it, and it begins anew with the answer. When it or ctx ends,
// the server is notified (specification, cancellation). The error is an *Error.
func (s *Session) Request(ctx context.Context, r Request) (result json.RawMessage, _ error) {
	ctx, stop := s.attempt.timer.limit(ctx, s.attempt.options.Timeout)
	defer stop()
	defer s.listenDuring(ctx)()
	s.attempt.meter.Restart()
	message, err := s.message(r)
	if err == nil {
		err = inSession(ctx, s, func() error {
			result, err = s.caller.send(ctx, message)
			message.ID = mcp.NewRequestId(s.attempt.seen.nextID()) // for a second time
			return err
		})
	}
	if err == nil {
		clean, _ := s.attempt.surfaceSecrets().JSON(result)
		return clean, nil
	}
	// where the end of the HTTP request says it
	unheard := s.peer.stateless && s.conn.Kind == transport.KindStreamable
	if ctx.Err() != nil && !hasAnswer(err) && !unheard && s.conn.Lost() == nil {
		s.caller.cancel(message.ID, context.Cause(ctx))
	}
	return nil, s.fail(ctx, r.Stage, err)
}

// fail returns the error of a failed request. A server that no longer knows the session ends it.
func (s *Session) fail(ctx context.Context, stage Stage, err error) *Error {
	if status, ok := errors.AsType[*transport.HTTPError](err); ok && status.Session {
		s.conn.GiveUp(status)
	}
	return s.attempt.explain(ctx, stage, err, s.conn)
}

// Preview returns the JSON-RPC message that Request would send, on one line, with the secrets of the server
// masked.
func (s *Session) Preview(r Request) (json.RawMessage, error) {
	message, err := s.message(r)
	if err != nil {
		return nil, s.attempt.explain(context.Background(), r.Stage, err, nil)
	}
	text, err := rawjson.Encode(map[string]any{"jsonrpc": message.JSONRPC, "id": message.ID,
		"method": message.Method, "params": message.Params})
	clean, _ := s.attempt.masks().JSON(text)
	return clean, err
}

// Mask returns JSON with the secrets of the server masked.
func (s *Session) Mask(raw json.RawMessage) json.RawMessage {
	clean, _ := s.attempt.masks().JSON(raw)
	return clean
}

// message returns a request with what the era, the transport and the listener want in it.
func (s *Session) message(r Request) (transport.JSONRPCRequest, error) {
	params := make(map[string]any, len(r.Params)+1)
	for name, value := range r.Params {
		params[name] = value
	}
	if s.attempt.options.OnProgress != nil {
		params["_meta"] = map[string]any{"progressToken": fmt.Sprintf("%s-%d", s.attempt.options.ClientName,
			s.attempt.seen.nextID())}
	}
	message := s.caller.request(r.Method, params)
	if r.Schema == nil || !s.peer.stateless || s.conn.Kind != transport.KindStreamable {
		return message, nil
	}
	return message, paramHeaders(r, message.Header)
}

// paramHeaders puts the arguments into headers that a tool wants there (specification 2026-07-28, streamable
// HTTP, x-mcp-header). A tool whose wishes are malformed must not be called over HTTP.
func paramHeaders(r Request, header http.Header) error {
	tool := &mcp.Tool{RawInputSchema: r.Schema}
	if err := mcp.ValidateParamHeaderAnnotations(tool); err != nil {
		return badUsage.errorf("the tool must not be called over HTTP, since its x-mcp-header is "+
			"malformed: %v", err)
	}
	params, err := json.Marshal(r.Params)
	for name, value := range mcp.GenerateParamHeaders(tool, params) {
		header.Set(name, value)
	}
	return err
}

// cancelWait bounds how long a server may take to hear of a cancellation.
const cancelWait = 2 * time.Second

// cancel notifies the server that a request was canceled.
func (c caller) cancel(id mcp.RequestId, why error) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelWait)
	defer cancel()
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method = "notifications/cancelled"
	n.Params.AdditionalFields = map[string]any{"requestId": id, "reason": plain(why)}
	_ = c.conn.SendNotification(ctx, n) // a server that cannot be notified has lost nothing
}

// Ping returns how long the server took to respond to ping, or since 2026-07-28 to server/discover. The error
// is an *Error.
func (s *Session) Ping(ctx context.Context) (time.Duration, error) {
	method := string(mcp.MethodPing)
	if s.peer.stateless {
		method = "server/discover"
	}
	began := time.Now()
	_, err := s.Request(ctx, Request{Stage: Pinging, Method: method})
	return time.Since(began), err
}
