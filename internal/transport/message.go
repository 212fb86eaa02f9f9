package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

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

func (m message) isReply() bool { return m.method == "" }

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
	if m.fault == nil {
		return ""
	}
	if _, err := m.details(); err != nil {
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

// Handler answers the server's requests; nil and nil leave one to the default. Others are answered meanwhile, but over
// HTTP+SSE. Its context ends with the connection, or the request that the server works on.
type Handler func(context.Context, Request) (json.RawMessage, *RPCError)

// reply is the whole reply to a request of the server's own, under the id that it has.
func (c *Conn) reply(ctx context.Context, m message) []byte {
	member, value := `,"result":`, []byte(nil)
	result, refusal := c.decide(ctx, m)
	if value = result; refusal != nil {
		member = `,"error":`
		value, _ = json.Marshal(refusal) // a number and a text can be encoded
	}
	return bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), m.id, []byte(member), value, []byte("}")}, nil)
}

func (c *Conn) decide(ctx context.Context, m message) (json.RawMessage, *RPCError) {
	if handle := c.handler.Load(); handle != nil {
		if result, refusal := (*handle)(ctx, Request{m.method, m.params}); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if m.method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &RPCError{mcp.METHOD_NOT_FOUND, "method not found: " + m.method}
}

// What follows has mcp-go's names and fields, so that its client runs over a Conn; its client/transport would bring its
// server and a JSON Schema validator along.

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

// TooLargeError is a message over the cap; it was not kept.
type TooLargeError struct{ Limit int } // bytes

// TooDeepError is a message that is nested over the cap.
type TooDeepError struct{ Limit int } // levels

// ReplyError is a reply that breaks JSON-RPC or its framing so that no client can use it.
type ReplyError struct{ Problem string } // what is wrong, to follow "the reply"

// LostError is the end of the connection while somebody waited. It wraps mcp-go's ErrTransportClosed.
type LostError struct {
	Exited bool   // the child is gone
	Exit   string // how: "exit status 7", "signal: killed"
	Stderr string // tail of its stderr, at most 8 KiB, unescaped
	Cause  string // what was lost, when no child is gone: "the server closed its standard output"
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the message is larger than %d MiB", e.Limit>>20)
}

// Error names the limit.
func (e *TooDeepError) Error() string {
	return fmt.Sprintf("the message is nested deeper than %d levels", e.Limit)
}

// Error names the problem alone: the text is the server's.
func (e *ReplyError) Error() string { return "the reply " + e.Problem }

// Error leaves out the stderr: it is the server's.
func (e *LostError) Error() string {
	if e.Exited {
		return "the server ended: " + e.Exit
	}
	return e.Cause
}

// Unwrap is mcp-go's ErrTransportClosed.
func (e *LostError) Unwrap() error { return ErrTransportClosed }

// HTTPError is an HTTP reply without the MCP message that is needed. What it quotes has the values of our own headers masked.
type HTTPError struct {
	Status     int    // the HTTP status, also a good one
	Type       string // Content-Type
	Body       string // the first KiB, unescaped
	Auth       string // WWW-Authenticate
	Metadata   string // the resource_metadata URL in it (RFC 9728), if any
	RetryAfter string // as it came
	Session    bool   // for a session that the server no longer knows: 404, or 400 and words to that effect
}

// Error names the status, and what was there instead of a message. Text of the server is quoted and short.
func (e *HTTPError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status)))
	body := strings.TrimSpace(e.Body)
	switch {
	case e.Session && e.Status == http.StatusNotFound:
		return text + ": the server no longer knows the session"
	case e.Session:
		return text + ": the server no longer knows the session: " + quoteStart(body)
	case e.HTML():
		return text + " with an HTML page instead of JSON"
	case body == "":
		return text + " with an empty body"
	case e.Status < 300 && e.Type == "":
		return text + " without a Content-Type: " + quoteStart(body)
	case e.Status < 300:
		return text + " with " + strconv.Quote(e.Type) + " instead of JSON: " + quoteStart(body)
	}
	return text + ": " + quoteStart(body)
}

// AskedWait is how long Retry-After asks to wait (RFC 9110: seconds or a date); 0 = it does not.
func AskedWait(retryAfter string) time.Duration {
	if seconds, err := strconv.ParseUint(retryAfter, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(retryAfter); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// HTML tells a web page from other bodies.
func (e *HTTPError) HTML() bool {
	if mediaType(e.Type) == "text/html" {
		return true
	}
	start := strings.ToLower(strings.TrimSpace(e.Body))
	return strings.HasPrefix(start, "<!doctype html") || strings.HasPrefix(start, "<html")
}

func quoteStart(text string) string {
	const most = 160
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > most {
		return strconv.Quote(line[:most]) + "…"
	}
	return strconv.Quote(line)
}
