package transport

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// codeSessionGone is the JSON-RPC error of the TypeScript SDK for an unknown session.
const codeSessionGone = -32001

// readReply reads the reply to a call: an event stream, or a JSON body with any Content-Type.
func (w *web) readReply(reply *http.Response, call *pendingCall) (*http.Response, error) {
	defer func() { _ = reply.Body.Close() }() // a stream may be resumed with another body
	counted := &metered{Reader: reply.Body, meter: w.conn.handlers.Meter}
	body := bufio.NewReaderSize(counted, 16) // most is read past it
	first, _ := body.Peek(1)
	read := w.readJSON
	if mediaType(reply) == eventStream && string(first) != "{" {
		read = w.readStream
	}
	m, err := read(reply, body, counted, call)
	counted.settle(err == nil)
	if m.fault != nil && m.fault.Code == codeSessionGone && endsSession(http.StatusBadRequest, m.raw) {
		fail := w.fault(reply, m.raw)
		fail.Session = true
		err = fail
	}
	return deliver(reply, call, m, err)
}

// readJSON reads the reply in a JSON body.
func (w *web) readJSON(reply *http.Response, body io.Reader, _ *metered, call *pendingCall) (message,
	error) {
	text, err := io.ReadAll(io.LimitReader(body, frameLimit+1))
	switch {
	case len(text) > frameLimit:
		return message{}, &TooLongError{Limit: frameLimit}
	case CutOff(err):
		return message{}, errCutOff
	case err != nil:
		return message{}, err
	}
	batch, wrong := parseMessages(bytes.TrimPrefix(text, []byte("\ufeff"))) // as some frameworks write it
	switch {
	case wrong == errNotMessage, wrong == errCutOff && opens(text), wrong != nil && brokenReply(text):
		return message{}, wrong
	case wrong != nil:
		return message{}, w.fault(reply, text)
	}
	if w.endpoint.ForeignType != nil && mediaType(reply) != "application/json" {
		w.endpoint.ForeignType(reply.Header.Get("Content-Type"))
	}
	for _, m := range batch {
		if call.flawOf(m) == "" {
			return m, nil
		}
	}
	return message{}, &ReplyError{call.flawOf(batch[0])}
}

// resumePause is the time before a stream is resumed when the server does not ask for another one.
const resumePause = time.Second

// readStream reads the reply in an event stream of its own. If a stream ends before the reply, and its events
// have ids, the rest is asked for after the last one (2025-11-25, transports, resumability).
func (w *web) readStream(reply *http.Response, body io.Reader, counted *metered, call *pendingCall) (message,
	error) {
	ctx := reply.Request.Context()
	last, pause := "", resumePause
	for {
		events := newEventReader(body)
		m, err := w.readEvents(ctx, events, counted, call)
		last, pause = cmp.Or(events.last, last), cmp.Or(events.retry, pause)
		switch {
		case err == nil:
			w.readEnd(reply)
			return m, nil
		case !errors.Is(err, io.EOF):
			return m, err
		case last == "":
			return m, &LostError{Cause: "the server ended the event stream without a reply"}
		}
		_ = reply.Body.Close()
		if within(ctx.Done(), pause) {
			return m, context.Cause(ctx)
		}
		header := http.Header{}
		header.Set("Last-Event-ID", last)
		if session := reply.Header.Get(HeaderKeySessionID); session != "" { // mcp-go does not know it yet
			header.Set(HeaderKeySessionID, session)
		}
		rest, err := w.conn.do(ctx, http.MethodGet, nil, header)
		if refusal, ok := errors.AsType[*HTTPError](err); ok {
			refusal.Taken = true
		}
		if err != nil {
			return m, err
		}
		counted.Reader = rest.Body
		reply.Body, body = rest.Body, counted
	}
}

// readEvents reads events up to the reply. Notifications and requests of the server come before it.
func (w *web) readEvents(ctx context.Context, events *eventReader, counted *metered, call *pendingCall) (
	message, error) {
	for {
		kind, data, err := events.next()
		if err != nil {
			return message{}, err
		}
		batch, wrong := parseMessages(data)
		if wrong != nil && brokenReply(data) {
			return message{}, wrong
		}
		for _, m := range batch {
			isReply := call.flawOf(m) == ""
			switch {
			case isReply && kind == messageEvent:
				return m, nil
			case isReply:
				return message{}, &ReplyError{fmt.Sprintf("is in an event named %q, where MCP has %q", kind,
					messageEvent)}
			case !m.isReply() && kind == messageEvent:
				w.conn.take(ctx, m)
			}
		}
		counted.settle(false)
	}
}
