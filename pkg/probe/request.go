package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"time"

	mcptransport "github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Request is one request beside those of a probe: for what a server does, not for what it offers.
type Request struct {
	Stage  Stage                      // what it is called in an error
	Method string                     // of the protocol
	Params map[string]json.RawMessage // members of params, each sent as it is but for white space and the escapes of <, > and &; _meta is added
	Schema json.RawMessage            // inputSchema of the tool that is called: it may want arguments in headers (x-mcp-header)
}

// Request sends one request and waits for its result, which is exactly as the server sent it, but for secrets that the
// server was given, as in a surface. The timeout of the server,
// or else of the options, holds for each request; the time that a person takes to answer Options.Elicit is not counted.
// When ctx or the time ends before the result, the server is told that nobody waits any more (specification,
// cancellation). The error is an *Error.
func (s *Session) Request(ctx context.Context, r Request) (result json.RawMessage, _ error) {
	ctx, stop := s.patience(ctx)
	defer stop()
	defer s.overhear(ctx)()
	message, err := s.message(r)
	if err == nil {
		err = guard(func() error {
			result, err = s.caller.send(ctx, message)
			return err
		})
	}
	if err == nil {
		clean, _ := s.attempt.surfaceSecrets().JSON(result)
		return clean, nil
	}
	if ctx.Err() != nil && !hasAnswer(err) {
		s.cancel(message, context.Cause(ctx))
	}
	if status, ok := errors.AsType[*transport.HTTPError](err); ok && status.Session {
		s.line.GiveUp(status)
	}
	return nil, s.attempt.explain(ctx, r.Stage, err, s.line.Conn)
}

// Preview is the JSON-RPC message that Request would send, on one line, with the secrets of the server masked.
func (s *Session) Preview(r Request) (json.RawMessage, error) {
	message, err := s.message(r)
	if err != nil {
		return nil, s.attempt.explain(context.Background(), r.Stage, err, nil)
	}
	text, err := encode(map[string]any{"jsonrpc": message.JSONRPC, "id": message.ID, "method": message.Method, "params": message.Params})
	clean, _ := s.attempt.masks().JSON(text)
	return clean, err
}

// message is a request with what the era, the transport and the listener want in it.
func (s *Session) message(r Request) (mcptransport.JSONRPCRequest, error) {
	params := make(map[string]any, len(r.Params)+1)
	for name, value := range r.Params {
		params[name] = value
	}
	meta := map[string]any{}
	if s.attempt.options.Hear != nil {
		meta["progressToken"] = fmt.Sprintf("mcpctl-%d", s.attempt.record.nextID())
		if s.hello.stateless && s.attempt.options.LogLevel != "" {
			meta[mcp.MetaKeyLogLevel] = s.attempt.options.LogLevel
		}
	}
	if len(meta) > 0 {
		params["_meta"] = meta
	}
	message := s.caller.request(r.Method, params)
	return message, s.mirror(r, message.Header)
}

// mirror puts the arguments into headers that a tool wants there (specification 2026-07-28, streamable HTTP, x-mcp-header).
// A tool whose wishes are malformed must not be called over HTTP.
func (s *Session) mirror(r Request, header http.Header) error {
	if r.Schema == nil || !s.hello.stateless || s.line.Kind != transport.KindStreamable {
		return nil
	}
	tool := &mcp.Tool{RawInputSchema: r.Schema}
	if err := mcp.ValidateParamHeaderAnnotations(tool); err != nil {
		return usage.errorf("the tool must not be called over HTTP, since its x-mcp-header is malformed: %v", err)
	}
	params, err := json.Marshal(r.Params)
	for name, value := range mcp.GenerateParamHeaders(tool, params) {
		header.Set(name, value)
	}
	return err
}

// cancelWait bounds how long a server may take to hear of a cancellation.
const cancelWait = 2 * time.Second

// cancel tells the server that nobody waits for a request any more. Over HTTP since 2026-07-28 the end of the connection
// says it.
func (s *Session) cancel(message mcptransport.JSONRPCRequest, why error) {
	if s.hello.stateless && s.line.Kind == transport.KindStreamable || s.line.Lost() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), cancelWait)
	defer cancel()
	n := mcp.JSONRPCNotification{JSONRPC: mcp.JSONRPC_VERSION}
	n.Method = "notifications/cancelled"
	n.Params.AdditionalFields = map[string]any{"requestId": message.ID, "reason": plain(why)}
	_ = s.line.SendNotification(ctx, n) // a server that cannot be told has lost nothing
}

// extended is params with further members in its _meta.
func extended(params map[string]any, more map[string]any) map[string]any {
	meta := maps.Clone(more)
	if own, ok := params["_meta"].(map[string]any); ok {
		maps.Copy(meta, own)
	}
	params = maps.Clone(params)
	params["_meta"] = meta
	return params
}
