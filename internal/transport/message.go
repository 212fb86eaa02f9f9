package transport

import (
	"bytes"
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// message is one JSON-RPC message as a server wrote it. Its parts share raw's memory.
type message struct {
	raw    []byte
	id     json.RawMessage          // nil when absent or null
	method string                   // empty for a reply
	params json.RawMessage          // nil when absent
	result json.RawMessage          // nil when absent, or beside an error
	fault  *mcp.JSONRPCErrorDetails // nil without an error
	flaw   string                   // what makes a reply useless; empty = nothing
}

func (m message) isReply() bool { return m.method == "" }

// parseMessage reads one JSON value and reports whether it has the members of a JSON-RPC message; a line of a
// JSON log has not. Replies may lack "jsonrpc": nothing else has both an id and a result.
func parseMessage(value []byte) (message, bool) {
	members, err := rawjson.Members(value)
	if err != nil {
		return message{}, false
	}
	member := func(name string) json.RawMessage { return rawjson.Last(members, name) }
	version, method := member("jsonrpc"), member("method")
	m := message{raw: value, id: orNil(member("id")), params: member("params"), result: member("result")}
	if fault := orNil(member("error")); fault != nil {
		m.result = nil
		m.fault, m.flaw = details(fault)
	} else if m.result == nil {
		m.flaw = "has neither a result nor an error"
	}
	switch {
	case method != nil:
		var ok bool
		m.method, ok = rawjson.Text(method)
		return m, ok && m.method != "" && version != nil
	case version != nil:
		return m, m.id != nil || m.fault != nil || m.result != nil
	}
	return m, m.id != nil && (m.result != nil || m.fault != nil)
}

// Reasons why a text is not a message: other JSON, and the start of JSON.
var (
	errNotMessage = &ReplyError{"is JSON but not a JSON-RPC message"}
	errCutOff     = &ReplyError{"is cut off"}
)

// parseMessages reads a message, or a batch of them (2025-03-26), all of whose elements must be messages. The
// error is one of those above, or says why the text is not JSON.
func parseMessages(value []byte) ([]message, *ReplyError) {
	if m, ok := parseMessage(value); ok {
		return []message{m}, nil
	}
	if err := json.Unmarshal(value, new(json.RawMessage)); err != nil {
		if err.Error() == "unexpected end of JSON input" {
			return nil, errCutOff
		}
		return nil, &ReplyError{"is not valid JSON: " + err.Error()}
	}
	elements, _ := rawjson.Elements(value) // none of another value
	batch := make([]message, len(elements))
	for i, e := range elements {
		var ok bool
		if batch[i], ok = parseMessage(e); !ok {
			return nil, errNotMessage
		}
	}
	if len(batch) == 0 {
		return nil, errNotMessage
	}
	return batch, nil
}

// brokenReply reports whether a text that is not JSON was meant as a reply, most likely.
func brokenReply(text []byte) bool {
	return opens(text) && bytes.Contains(text, []byte(`"jsonrpc"`)) &&
		!bytes.Contains(text, []byte(`"method"`))
}

// details decodes the error of a reply, and keeps its data as it was sent. Some servers send a string.
func details(fault json.RawMessage) (d *mcp.JSONRPCErrorDetails, flaw string) {
	if text, ok := rawjson.Text(fault); ok {
		return &mcp.JSONRPCErrorDetails{Code: mcp.INTERNAL_ERROR, Message: text}, ""
	}
	var read struct {
		Code    int
		Message string
		Data    json.RawMessage
	}
	if json.Unmarshal(fault, &read) != nil {
		flaw = "has an error that is not a JSON-RPC error object"
	}
	d = &mcp.JSONRPCErrorDetails{Code: read.Code, Message: read.Message}
	if data := orNil(read.Data); data != nil {
		d.Data = data
	}
	return d, flaw
}

func orNil(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}

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
