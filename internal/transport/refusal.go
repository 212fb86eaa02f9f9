package transport

import (
	"encoding/json"
	"net/http"

	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
)

const sessionHeader = "Mcp-Session-Id"

// refusal carries a JSON-RPC error out of a round trip whose HTTP status would make mcp-go misread it.
type refusal struct{ response transport.JSONRPCResponse }

// Error is the JSON-RPC error's message.
func (r *refusal) Error() string { return r.response.Error.Message }

// refusalIn is the JSON-RPC error in the body of a reply to x, or nil. Its id does not matter: servers that refuse a
// request before they read it write null.
func refusalIn(body []byte, x *exchange) *refusal {
	m, ok := parseMessage(firstValue(body))
	if !ok || x == nil || m.fault == nil || m.flaw() != "" {
		return nil
	}
	r := &refusal{}
	if json.Unmarshal(m.reply(x.id), &r.response) != nil {
		return nil
	}
	return r
}

// mayRefuse tells whether the JSON-RPC error of a bad status says more than the status: not for authorization, and for
// a request in a session only if the method is unknown, since any other 404 is then the end of the session.
func mayRefuse(status int, session bool, code int) bool {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return false
	case session:
		return code == mcp.METHOD_NOT_FOUND
	}
	return true
}
