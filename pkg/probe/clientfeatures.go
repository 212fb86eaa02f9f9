package probe

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/mcpctl/mcpctl/internal/transport"
)

// Elicit asks the user for what a server wants to know while it works on a request. It gets the params of
// elicitation/create as the server sent them, secrets masked, and gives back an ElicitResult (specification, elicitation).
// The error is told to the server.
type Elicit func(ctx context.Context, params json.RawMessage) (json.RawMessage, error)

// Heard is a notification of a server about a request under way.
type Heard struct {
	Method string          // notifications/progress or notifications/message
	Params json.RawMessage // as sent, secrets masked
}

// codeRejected is what the specification has for sampling that a user does not want.
const codeRejected = -1

// answer answers the requests of the server's own: elicitation when somebody answers it, no roots, no sampling.
func (s *Session) answer(ctx context.Context, asked transport.Request) (json.RawMessage, *transport.RPCError) {
	switch mcp.MCPMethod(asked.Method) {
	case mcp.MethodListRoots:
		return json.RawMessage(`{"roots":[]}`), nil
	case mcp.MethodSamplingCreateMessage:
		return nil, &transport.RPCError{Code: codeRejected, Message: "mcpctl has no model: sampling is not supported"}
	case mcp.MethodElicitationCreate:
		if s.attempt.options.Elicit == nil {
			return nil, nil
		}
		defer s.paused.pause()()
		params, _ := s.attempt.masks().JSON(asked.Params)
		result, err := s.attempt.options.Elicit(ctx, params)
		if err != nil {
			return nil, &transport.RPCError{Code: mcp.INTERNAL_ERROR, Message: err.Error()}
		}
		return result, nil
	}
	return nil, nil
}

// hear takes a notification. It runs on the goroutine that reads.
func (s *Session) hear(n transport.Notification) {
	s.listener.take(n)
	if s.attempt.options.OnNotification != nil && (n.Method == "notifications/progress" || n.Method == "notifications/message") {
		params, _ := s.attempt.masks().JSON(n.Params)
		s.attempt.options.OnNotification(Heard{n.Method, params})
	}
}

// listenDuringWait is how long the stream for what belongs to no request may take to open.
const listenDuringWait = 2 * time.Second

// listenDuring listens, while a request is under way, for what servers of streamable HTTP with a handshake send beside it:
// some send their questions and their log there. The function it returns ends that.
func (s *Session) listenDuring(ctx context.Context) (stop func()) {
	wanted := s.attempt.options.OnNotification != nil || s.attempt.options.Elicit != nil
	if !wanted || s.peer.stateless || s.conn.Kind != transport.KindStreamable {
		return func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	opened, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.conn.Listen(ctx, func() { close(opened) }) // a server without it answers 405
	}()
	select {
	case <-opened:
	case <-ended:
	case <-ctx.Done():
	case <-time.After(listenDuringWait):
	}
	return func() {
		cancel()
		<-ended
	}
}
