package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

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

// parseMessage reads one JSON value. A value that has not the members of a JSON-RPC message is none: a line
// of a JSON log, for example. Replies without the jsonrpc member are accepted, since nothing else has both an
// id and a result.
func parseMessage(value []byte) (message, bool) {
	members, err := rawjson.Members(value)
	if err != nil {
		return message{}, false
	}
	at := func(name string) json.RawMessage { return rawjson.Last(members, name) }
	id, version, method := at("id"), at("jsonrpc"), at("method")
	m := message{raw: value, id: orNil(id), params: at("params"), result: at("result"),
		fault: orNil(at("error"))}
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

// parseMessages reads a message, or a batch of them (2025-03-26). A batch with an element that is no message
// is none.
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

// details is the error of a reply, with its data as it was sent. Some servers have a bare string in its
// place.
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

// Handler answers the server's requests; nil and nil leave one to the default. Others are answered meanwhile,
// but over HTTP+SSE. Its context ends with the connection, or the request that the server works on.
type Handler func(context.Context, Request) (json.RawMessage, *RPCError)

// firstValue returns the JSON value that a text begins with, or nil.
func firstValue(text []byte) []byte {
	var raw json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) != nil {
		return nil
	}
	return raw
}

// opens reports whether a text could be the start of a JSON object or array.
func opens(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// nestingLimit is that of encoding/json, in levels of one message.
const nestingLimit = 10_000

// tooDeep reports whether err, an error of encoding/json, is about nesting.
func tooDeep(err error) bool {
	return err != nil && strings.Contains(err.Error(), "exceeded max depth")
}

// nestedTooDeep reports whether a text cannot be parsed since it is nested too deep.
func nestedTooDeep(text []byte) bool {
	return opens(text) && tooDeep(json.Unmarshal(text, new(json.RawMessage)))
}
