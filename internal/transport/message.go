package transport

import (
	"bytes"
	"encoding/json"
)

// message is one JSON-RPC message as a server wrote it. Nothing of it is re-encoded.
type message struct {
	raw    []byte
	id     json.RawMessage // nil when absent or null
	method string          // empty for a reply
	result json.RawMessage // nil when absent
	fault  json.RawMessage // the error member; nil when absent or null
}

// isReply tells a reply from a request or a notification.
func (m message) isReply() bool { return m.method == "" }

// parseMessage reads one JSON value. A value that has not the members of a JSON-RPC message is none: a line of a JSON log,
// for example. Replies without the jsonrpc member are accepted, since nothing else has both an id and a result.
func parseMessage(value []byte) (message, bool) {
	var env struct {
		JSONRPC, ID, Method, Result, Error json.RawMessage
	}
	if len(value) == 0 || value[0] != '{' || json.Unmarshal(value, &env) != nil {
		return message{}, false
	}
	m := message{raw: value, id: orNil(env.ID), result: env.Result, fault: orNil(env.Error)}
	if env.Method != nil {
		err := json.Unmarshal(env.Method, &m.method)
		return m, err == nil && m.method != "" && env.JSONRPC != nil
	}
	if env.JSONRPC != nil {
		return m, env.ID != nil || m.fault != nil || m.result != nil
	}
	return m, m.id != nil && (m.result != nil || m.fault != nil)
}

// parseBatch splits an array of messages. It is none when a single element is no message.
func parseBatch(value []byte) ([]message, bool) {
	var elements []json.RawMessage
	if len(value) == 0 || value[0] != '[' || json.Unmarshal(value, &elements) != nil {
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

// reply is the message again under the id that we sent, in the form that mcp-go understands.
func (m message) reply(id json.RawMessage) []byte {
	member, value := `,"result":`, m.result
	if m.fault != nil {
		member, value = `,"error":`, m.fault
	}
	return bytes.Join([][]byte{[]byte(`{"jsonrpc":"2.0","id":`), id, []byte(member), value, []byte("}")}, nil)
}

func orNil(raw json.RawMessage) json.RawMessage {
	if string(raw) == "null" {
		return nil
	}
	return raw
}
