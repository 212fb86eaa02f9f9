package transport

import (
	"encoding/json"

	"github.com/mark3labs/mcp-go/mcp"
)

// deliver is what to hand to mcp-go for a message, or nil. A reply goes under the id that we sent, whatever it has; a
// reply that mcp-go would drop in silence fails its exchange instead. stray says that it answers nothing we asked.
func (s *exchanges) deliver(m message) (line []byte, stray bool) {
	if !m.isReply() {
		return m.raw, false
	}
	x, late := s.find(m.id)
	if x == nil {
		return nil, !late
	}
	if problem := m.flaw(); problem != "" {
		x.fail(&ReplyError{Problem: problem, Text: excerpt(m.raw)})
		return nil, false
	}
	s.settle(x)
	return m.reply(x.id), false
}

// flaw is what makes a reply useless, or nothing.
func (m message) flaw() string {
	if m.fault == nil {
		if m.result == nil {
			return "has neither a result nor an error"
		}
		return ""
	}
	var details mcp.JSONRPCErrorDetails
	if json.Unmarshal(m.fault, &details) != nil {
		return "has an error that is no JSON-RPC error object"
	}
	return ""
}
