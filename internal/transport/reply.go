package transport

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"
)

// errReplyCutOff is the error for a body that ends in the middle of its message.
var errReplyCutOff = &ReplyError{"is cut off"}

// codeSessionGone is the JSON-RPC error of the TypeScript SDK for an unknown session.
const codeSessionGone = -32001

// readReply reads the reply to a call: a JSON body with any Content-Type, or an event stream.
func (w *web) readReply(reply *http.Response, call *pendingCall) (*http.Response, error) {
	defer func() { _ = reply.Body.Close() }()   // a stream may be resumed with another body
	body := bufio.NewReaderSize(reply.Body, 16) // which waits for no more than it must
	mark := "\ufeff"                            // some frameworks put a byte order mark before a body
	if start, _ := body.Peek(len(mark)); string(start) == mark {
		_, _ = body.Discard(len(mark))
	}
	first, _ := body.Peek(1)
	read := w.readJSON
	if mediaType(reply) == eventStream && !opens(first) {
		read = w.readStream
	}
	m, err := read(reply, body, call)
	if err != nil {
		return nil, err
	}
	w.readEnd(reply)
	if details, err := m.details(); m.fault != nil && err == nil && details.Code == codeSessionGone &&
		endsSession(http.StatusBadRequest, m.raw) {
		fail := w.fault(reply, m.raw)
		fail.Session = true
		return endSession(reply, call, fail), nil
	}
	call.answer(m)
	return withReceipt(reply, call), nil
}

// readJSON reads the reply in a JSON body. A body that goes on after its value is not waited for.
func (w *web) readJSON(reply *http.Response, body io.Reader, call *pendingCall) (message, error) {
	value, start, err := readValue(body)
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case ended && opens(start):
		return message{}, errReplyCutOff
	case is[*json.SyntaxError](err) && unreadable(err) == errTooDeep:
		return message{}, errTooDeep
	case ended || is[*json.SyntaxError](err):
		return message{}, w.fault(reply, start)
	case err != nil:
		return message{}, err
	}
	batch, wrong := parseMessages(value)
	if wrong != nil {
		return message{}, wrong
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

// readValue reads the JSON value that a body begins with, and at most a buffer of what follows. start is the
// first KiB.
func readValue(body io.Reader) (value json.RawMessage, start []byte, err error) {
	var head headWriter
	limited := &io.LimitedReader{R: io.TeeReader(body, &head), N: frameLimit + 1}
	if err = json.NewDecoder(limited).Decode(&value); limited.N <= 0 {
		err = &TooLargeError{Limit: frameLimit}
	}
	return value, head.start, err
}

// headWriter keeps the first bytes that are written.
type headWriter struct{ start []byte }

// Write never fails.
func (h *headWriter) Write(p []byte) (int, error) {
	h.start = append(h.start, p[:min(len(p), bodyStart-len(h.start))]...)
	return len(p), nil
}

// resumePause is the time before a stream is resumed when the server does not ask for another one.
const resumePause = time.Second

// readStream reads the reply in an event stream of its own. A stream that ends before the reply is resumed if
// its events have ids (2025-11-25, transports, resumability).
func (w *web) readStream(reply *http.Response, body io.Reader, call *pendingCall) (message, error) {
	last, pause, odd := "", resumePause, "" // odd is the first oddity, if nothing better explains a failure
	for {
		events := newEventReader(body)
		m, err := w.readEvents(reply.Request.Context(), events, call, &odd)
		last, pause = cmp.Or(events.last, last), cmp.Or(events.retry, pause)
		switch {
		case !errors.Is(err, io.EOF):
			return m, err
		case last == "" && odd != "":
			return m, &ReplyError{odd}
		case last == "":
			return m, &LostError{Cause: "the server ended the event stream without a reply"}
		}
		if err := w.resume(reply, last, pause); err != nil {
			return m, err
		}
		body = reply.Body
	}
}

// readEvents reads events up to the reply. Notifications and requests of the server come before it.
func (w *web) readEvents(ctx context.Context, events *eventReader, call *pendingCall, odd *string) (message,
	error) {
	for {
		e, err := events.next()
		if err != nil {
			return message{}, err
		}
		batch, wrong := parseMessages(e.data)
		switch {
		case e.kind != messageEvent:
			if wrong == nil && call.flawOf(batch[0]) == "" {
				return message{}, &ReplyError{fmt.Sprintf("is in an event named %q, where MCP has %q", e.kind,
					messageEvent)}
			}
			continue
		case wrong == errTooDeep: // the reply, most likely
			return message{}, wrong
		case wrong != nil && len(e.data) > 0:
			*odd = cmp.Or(*odd, "is not a JSON-RPC message")
		}
		for _, m := range batch {
			switch flaw := call.flawOf(m); {
			case !m.isReply():
				w.conn.take(ctx, m)
			case flaw == "":
				return m, nil
			default:
				*odd = cmp.Or(*odd, flaw)
			}
		}
	}
}

// resume asks for the rest of a stream after the event with the id last, and makes it the body of reply.
func (w *web) resume(reply *http.Response, last string, pause time.Duration) error {
	_ = reply.Body.Close()
	req := reply.Request.Clone(reply.Request.Context())
	if within(req.Context().Done(), pause) {
		return context.Cause(req.Context())
	}
	req.Method, req.Body, req.ContentLength = http.MethodGet, nil, 0
	req.Header.Del("Content-Type")
	req.Header.Set("Accept", eventStream)
	req.Header.Set("Last-Event-ID", last)
	if session := reply.Header.Get(HeaderKeySessionID); session != "" {
		req.Header.Set(HeaderKeySessionID, session)
	}
	next, err := w.send(req)
	if err != nil {
		return err
	}
	if encoded(next) || !good(next) || mediaType(next) != eventStream {
		body := startOf(next.Body)
		fail := w.fault(next, body)
		fail.Session = req.Header.Get(HeaderKeySessionID) != "" && endsSession(next.StatusCode, body)
		fail.Taken = true
		return fail
	}
	reply.Body = next.Body
	return nil
}
