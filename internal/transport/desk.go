package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
)

// Asked is one request of the server's own.
type Asked struct {
	Method string
	Params json.RawMessage // as sent; nil when absent
}

// Refusal is the JSON-RPC error that answers a request of the server.
type Refusal struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// Answer answers requests of the server, each with a result or with a refusal; nil and nil leave one to the default. It
// may take its time: others are answered meanwhile, except over HTTP+SSE. Its context ends with the connection, or over
// streamable HTTP with the request that the server was working on.
type Answer func(context.Context, Asked) (json.RawMessage, *Refusal)

// desk answers the server's own requests; the zero value answers as a client without any capability.
type desk struct {
	mu     sync.Mutex
	answer Answer
}

func (d *desk) set(answer Answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.answer = answer
}

// reply is the whole reply to a request, under the id that it has.
func (d *desk) reply(ctx context.Context, m message) []byte {
	result, refusal := d.decide(ctx, m)
	if refusal == nil {
		return message{result: result}.reply(m.id)
	}
	text, _ := json.Marshal(refusal) // a number and a text can be encoded
	return message{fault: text}.reply(m.id)
}

func (d *desk) decide(ctx context.Context, m message) (json.RawMessage, *Refusal) {
	d.mu.Lock()
	answer := d.answer
	d.mu.Unlock()
	if answer != nil {
		if result, refusal := answer(ctx, Asked{m.method, m.params()}); result != nil || refusal != nil {
			return result, refusal
		}
	}
	if m.method == string(mcp.MethodPing) {
		return json.RawMessage("{}"), nil
	}
	return nil, &Refusal{mcp.METHOD_NOT_FOUND, "method not found: " + m.method}
}

// asks tells that a message is a request of the server's own.
func (m message) asks() bool { return !m.isReply() && m.id != nil }

// params are the parameters of a request as they were sent, on one line.
func (m message) params() json.RawMessage {
	var request struct{ Params json.RawMessage }
	var line bytes.Buffer
	if json.Unmarshal(m.raw, &request) != nil || request.Params == nil || json.Compact(&line, request.Params) != nil {
		return nil
	}
	return line.Bytes()
}
