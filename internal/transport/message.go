package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// message is one JSON-RPC message as a server wrote it. Its parts share raw's memory; nothing is re-encoded.
type message struct {
	raw    []byte
	id     json.RawMessage // nil when absent or null
	method string          // empty for a reply
	params json.RawMessage // nil when absent
	result json.RawMessage // nil when absent
	fault  json.RawMessage // the error member; nil when absent or null
}

// isReply tells a reply from a request or a notification.
func (m message) isReply() bool { return m.method == "" }

// isRequest tells that the server wants an answer.
func (m message) isRequest() bool { return !m.isReply() && m.id != nil }

// parseMessage reads one JSON value. A value that has not the members of a JSON-RPC message is none: a line of a JSON log,
// for example. Replies without the jsonrpc member are accepted, since nothing else has both an id and a result.
func parseMessage(value []byte) (message, bool) {
	members, err := rawjson.Members(value)
	if err != nil {
		return message{}, false
	}
	at := func(name string) json.RawMessage { return rawjson.Last(members, name) }
	id, version, method := at("id"), at("jsonrpc"), at("method")
	m := message{raw: value, id: orNil(id), params: at("params"), result: at("result"), fault: orNil(at("error"))}
	if method != nil {
		text, ok := rawjson.Text(method)
		m.method = text
		return m, ok && text != "" && version != nil
	}
	if version != nil {
		return m, id != nil || m.fault != nil || m.result != nil
	}
	return m, m.id != nil && (m.result != nil || m.fault != nil)
}

// parseMessages reads a message, or a batch of them (2025-03-26). A batch with an element that is no message is none.
func parseMessages(value []byte) ([]message, bool) {
	if m, ok := parseMessage(value); ok {
		return []message{m}, true
	}
	elements, err := rawjson.Elements(value)
	if err != nil {
		return nil, false
	}
	batch := make([]message, 0, len(elements))
	for _, e := range elements {
		m, ok := parseMessage(e)
		if !ok {
			return nil, false
		}
		batch = append(batch, m)
	}
	return batch, len(batch) > 0
}

// flaw is what makes a reply useless, or nothing.
func (m message) flaw() string {
	if m.fault == nil && m.result == nil {
		return "has neither a result nor an error"
	}
	if _, err := m.details(); m.fault != nil && err != nil {
		return "has an error that is no JSON-RPC error object"
	}
	return ""
}

// details is the error of a reply, with its data as it was sent. Some servers have a bare string in its place.
func (m message) details() (*mcp.JSONRPCErrorDetails, error) {
	var details struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	if text, ok := rawjson.Text(m.fault); ok {
		return &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: text}, nil
	}
	if err := json.Unmarshal(m.fault, &details); err != nil {
		return nil, err
	}
	d := &mcp.JSONRPCErrorDetails{Code: details.Code, Message: details.Message}
	if data := orNil(details.Data); data != nil {
		d.Data = data
	}
	return d, nil
}

func orNil(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// Request is one request of the server's own.
type Request struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// RPCError is the JSON-RPC error that answers a request of the server.
type RPCError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Handler answers requests of the server, each with a result or with an error; nil and nil leave one to the default. It
// may take its time: others are answered meanwhile, except over HTTP+SSE. Its context ends with the connection, or over
// streamable HTTP with the request that the server was working on.
type Handler func(context.Context, Request) (json.RawMessage, *RPCError)

// requestHandler answers the server's own requests; the zero value answers as a client without any capability.
type requestHandler struct {
	mu     sync.Mutex
	handle Handler
}

func (h *requestHandler) set(handle Handler) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.handle = handle
}

// reply is the whole reply to a request, under the id that it has.
func (h *requestHandler) reply(ctx context.Context, m message) []byte {
	member, value := `,"result":`, []byte(nil)
	result, refusal := h.decide(ctx, m)
	if value = result; refusal != nil {
		member = `,"error":`
		value, _ = json.Marshal(refusal) // a number and a text can be encoded
	}
	return bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(member), value, []byte("}")}, nil)
}

func (h *requestHandler) decide(ctx context.Context, m message) (json.RawMessage, *RPCError) {
	h.mu.Lock()
	handle := h.handle
	h.mu.Unlock()
	if handle != nil {
		if result, refusal := handle(ctx, Request{m.method, m.params}); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if m.method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &RPCError{mcp.METHOD_NOT_FOUND, "method not found: " + m.method}
}

// What follows has the names and fields that mcp-go's client/transport gives them, so that its client runs over a Conn by
// conversion alone. That package itself is not imported: it brings mcp-go's server, and with it a JSON Schema validator
// that takes longer to start than all the rest of the program.

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
