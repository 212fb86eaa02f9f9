package transport

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
)

// Raw is a message that is sent as it is, for what no client would send.
type Raw struct {
	Verb   string            // of HTTP
	ID     mcp.RequestId     // of the request in the body; nil = there is none
	Body   []byte            // one line
	Header map[string]string // over those of the connection, as written; an empty value takes one away
	First  bool              // what comes after the first message, or after the header of a GET, is not waited for
}

// RawReply is what came of it, unchanged.
type RawReply struct {
	Status   int    // of HTTP; 0 = another transport
	Type     string // Content-Type
	Messages []json.RawMessage
}

// mostMessages bounds what is kept of a stream.
const mostMessages = 100

// Exchange sends a message and gives what comes, over HTTP whatever the status; the error is why nothing came.
func (c *Conn) Exchange(ctx context.Context, r Raw) (RawReply, error) {
	if s, ok := c.carrier.(*streamableHTTP); ok {
		reply, err := s.exchange(ctx, r)
		if err != nil {
			err = c.explain(ctx, err)
		}
		return reply, err
	}
	call := c.calls.start(r.ID)
	defer c.calls.stop(call)
	if err := c.carrier.send(ctx, outgoing{body: r.Body, call: call}); err != nil {
		return RawReply{}, c.explain(ctx, err)
	}
	select {
	case <-call.done:
	case <-ctx.Done():
		call.fail(context.Cause(ctx))
	case <-c.done:
		call.fail(c.Lost())
	}
	if _, err := call.response(r.ID); err != nil && call.reply.raw == nil {
		return RawReply{}, err
	}
	return RawReply{Messages: []json.RawMessage{call.reply.raw}}, nil
}

func (s *streamableHTTP) exchange(ctx context.Context, r Raw) (reply RawReply, _ error) {
	ctx, cancel := s.whileOpen(ctx)
	req, err := s.request(ctx, r.Verb, s.endpoint.URL, r.Body, s.header(nil))
	if err != nil {
		cancel()
		return reply, err
	}
	for name, value := range r.Header {
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header[name] = []string{value}
		}
	}
	got, err := s.client.Do(req)
	if err != nil {
		cancel()
		return reply, err
	}
	defer func() { cancel(); _ = got.Body.Close() }()
	own, _ := s.session.current()
	switch id := got.Header.Get(sessionHeader); {
	case id == "" || id == own:
	case own == "":
		s.session.begin(id) // to be ended with the connection
	default:
		defer s.endSession(id)
	}
	reply.Status, reply.Type = got.StatusCode, mediaType(got.Header.Get("Content-Type"))
	if r.First && r.Verb == http.MethodGet {
		return reply, nil
	}
	reply.Messages, err = messagesIn(got.Body, reply.Type, r.First)
	return reply, err
}

// messagesIn are the messages of a body up to the reply. A body without any is no error.
func messagesIn(body io.Reader, kind string, first bool) (all []json.RawMessage, _ error) {
	if kind != eventStream {
		text, _, err := readValue(body)
		batch, _ := parseMessages(text)
		for _, m := range batch {
			all = append(all, m.raw)
		}
		if len(all) > 0 || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return all, nil
		}
		return nil, err
	}
	for events := newEventReader(body); len(all) < mostMessages; {
		e, err := events.next()
		if err != nil {
			return all, brokeOff("the event stream ended before the reply", err)
		}
		batch, _ := parseMessages(e.data)
		for _, m := range batch {
			if all = append(all, m.raw); first || m.isReply() {
				return all, nil
			}
		}
	}
	return all, nil
}
