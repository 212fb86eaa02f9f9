package transport

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// streamableHTTP carries messages over streamable HTTP: each in a POST of its own, whose reply is JSON or an event stream.
type streamableHTTP struct {
	*web
	conn    *Conn
	session httpSession
	life    context.Context // of every request
	over    context.CancelFunc
}

// OpenStreamable makes a connection of streamable HTTP. It contacts nothing yet; the end of ctx ends every request.
// The error is about the URL or the certificates.
func OpenStreamable(ctx context.Context, e Endpoint) (*Conn, error) {
	w, err := newWeb(e)
	if err != nil {
		return nil, err
	}
	s := &streamableHTTP{web: w, conn: newConn(KindStreamable)}
	s.life, s.over = context.WithCancel(context.Background())
	s.conn.carrier = s
	s.conn.closeWith(ctx)
	return s.conn, nil
}

// close ends every request, and tells the server that the session is over.
func (s *streamableHTTP) close() error {
	s.over()
	defer s.client.CloseIdleConnections()
	if id := s.header(nil).Get(sessionHeader); id != "" {
		s.endSession(id)
	}
	return nil
}

func (s *streamableHTTP) endSession(id string) {
	ctx, cancel := context.WithTimeout(context.Background(), deleteTimeout)
	defer cancel()
	if reply, err := s.do(ctx, http.MethodDelete, s.endpoint.URL, nil, http.Header{sessionHeader: {id}}); err == nil {
		s.leave(reply)
	}
}

// httpSession is what a server of the era of the handshake knows us by.
type httpSession struct {
	mu    sync.Mutex
	id    string
	ended bool // the server does not know it any more, and no other one has begun
}

func (s *httpSession) current() (id string, ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id, s.ended
}

func (s *httpSession) begin(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id, s.ended = id, false
}

// end forgets a session, unless another one has begun.
func (s *httpSession) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.id == id {
		s.id, s.ended = "", true
	}
}

// header is the header of a request, with the session as long as there are any: since 2026-07-28 there are none.
func (s *streamableHTTP) header(own http.Header) http.Header {
	header := own.Clone()
	if header == nil {
		header = http.Header{}
	}
	if id, _ := s.session.current(); id != "" && !mcp.IsModernProtocol(s.protocol()) {
		header.Set(sessionHeader, id)
	}
	return header
}

// send posts a message, and reads the reply to a request.
func (s *streamableHTTP) send(ctx context.Context, m outgoing) error {
	initialize := m.method == string(mcp.MethodInitialize)
	if _, ended := s.session.current(); ended && !initialize {
		return ErrSessionTerminated
	}
	ctx, cancel := s.whileOpen(ctx)
	header := s.header(m.header)
	reply, err := s.do(ctx, http.MethodPost, s.endpoint.URL, m.body, header)
	if err != nil {
		cancel()
		return err
	}
	defer func() { cancel(); _ = reply.Body.Close() }() // in this order: over HTTP/2 closing may wait for the end of ctx
	if !good(reply) {
		err := s.bad(reply, m.call)
		if status, ok := errors.AsType[*HTTPError](err); ok && status.Session {
			s.session.end(header.Get(sessionHeader))
		}
		return err
	}
	if initialize {
		s.session.begin(reply.Header.Get(sessionHeader))
	}
	switch kind := mediaType(reply.Header.Get("Content-Type")); {
	case m.call == nil:
	case kind == "application/json":
		err = s.readReply(reply, m.call)
	case kind == eventStream:
		err = s.readStream(ctx, reply.Body, m.call)
	default:
		err = s.fault(reply, startOf(reply.Body))
	}
	if err == nil {
		s.readEnd(reply)
	}
	return err
}

// whileOpen is ctx until the connection is closed.
func (s *streamableHTTP) whileOpen(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	return ctx, func() { stop(); cancel() }
}

// readReply reads the reply in a JSON body. A body that goes on after its value is not waited for.
func (s *streamableHTTP) readReply(reply *http.Response, call *pendingCall) error {
	body, whole, err := readValue(reply.Body)
	batch, ok := parseMessages(body)
	switch {
	case errors.As(err, new(*TooLargeError)):
		return err
	case ok:
	case whole && json.Valid(body):
		return &ReplyError{"is JSON but no JSON-RPC message"}
	default:
		return s.unreadable(reply, body, err)
	}
	for _, m := range batch {
		if flawFor(call, m) == "" {
			call.answer(m)
			return nil
		}
	}
	return &ReplyError{flawFor(call, batch[0])}
}

// unreadable says why a body could not be read as JSON.
func (s *streamableHTTP) unreadable(reply *http.Response, body []byte, err error) error {
	if _, deep := nestedTooDeep(body); deep {
		return &TooDeepError{Limit: nestingLimit}
	}
	ended := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
	switch {
	case ended && opens(body):
		return &ReplyError{"is cut off"}
	case err != nil && !ended:
		return err
	}
	return s.fault(reply, body)
}

// bodyChunk is the first chunk of a body: most bodies are shorter. They are lent, since a fleet has thousands of bodies.
const bodyChunk = 32 << 10

var bodyChunks = sync.Pool{New: func() any { return new([bodyChunk]byte) }}

// readValue reads a body up to the end of the object or array in it, which whole tells; of another body it reads the start.
func readValue(body io.Reader) (value []byte, whole bool, err error) {
	body = unmarked(body, 16) // the least; what is large is read past it
	lent := bodyChunks.Get().(*[bodyChunk]byte)
	defer bodyChunks.Put(lent)
	text := chunks{parts: [][]byte{lent[:0]}}
	defer text.drop()
	var end shape
	for err == nil && !end.done {
		var n int
		room := text.room()
		n, err = body.Read(room)
		if text.took(end.feed(room[:n])); text.size > frameLimit {
			return nil, false, &TooLargeError{Limit: frameLimit}
		}
		if start := bytes.TrimSpace(text.head()); len(start) > 0 && !opens(start) {
			break
		}
	}
	if end.done {
		err = nil
	}
	return bytes.TrimSpace(text.take()), end.done, err
}

// flawFor is what makes a message useless as the reply to a call, or nothing.
func flawFor(call *pendingCall, m message) string {
	switch {
	case !m.isReply():
		return "is a request or a notification instead"
	case m.id != nil && !slices.Contains(keysOf(m.id), call.key):
		return "has the id of another request"
	}
	return m.flaw()
}

// replyStream is the event stream in which the reply to a call is to come.
type replyStream struct {
	*streamableHTTP
	events *eventReader
	call   *pendingCall
	odd    error // the first oddity, in case that nothing better explains a failure
}

// readStream reads an event stream: notifications, requests of the server, and at last the reply, whatever comes after it.
// One that the server ends before the reply goes on in another connection, if the server has said from where (2025-11-25,
// transports, resumability). Since 2026-07-28 that is no more.
func (s *streamableHTTP) readStream(ctx context.Context, body io.Reader, call *pendingCall) error {
	r := &replyStream{streamableHTTP: s, events: newEventReader(body), call: call}
	err := r.read(ctx)
	for errors.Is(err, io.EOF) && r.events.last != "" && !mcp.IsModernProtocol(s.protocol()) {
		err = r.resume(ctx)
	}
	_, lost := errors.AsType[*LostError](err)
	switch {
	case errors.Is(err, io.EOF):
		err, lost = &LostError{Cause: "the server ended the event stream without a reply"}, true
		fallthrough
	case lost && r.odd != nil:
		return cmp.Or(r.odd, err)
	}
	return err
}

// read reads events until the call is answered. The error is io.EOF when the stream ended before.
func (r *replyStream) read(ctx context.Context) error {
	for {
		e, err := r.events.next()
		switch {
		case errors.Is(err, io.EOF):
			return err
		case err != nil:
			return brokeOff("the event stream broke off before the reply", err)
		}
		if done, err := r.take(ctx, e); done || err != nil {
			return err
		}
	}
}

// resume waits as long as the server wants, and reads on in another stream.
func (r *replyStream) resume(ctx context.Context) error {
	select {
	case <-time.After(r.events.retry):
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithCancel(ctx)
	reply, err := r.stream(ctx, r.header(http.Header{"Last-Event-Id": {r.events.last}}))
	if err != nil {
		cancel()
		return err
	}
	defer func() { cancel(); _ = reply.Body.Close() }()
	r.events.lines.Reset(reply.Body)
	return r.read(ctx)
}

// take takes one event; done tells that it answered the call.
func (r *replyStream) take(ctx context.Context, e event) (done bool, err error) {
	if e.kind != messageEvent {
		return false, nil
	}
	batch, ok := parseMessages(e.data)
	if _, deep := nestedTooDeep(e.data); !ok && deep { // the reply, most likely; what else cannot be read may be followed by it
		return false, &TooDeepError{Limit: nestingLimit}
	}
	if !ok {
		r.note("is no JSON-RPC message")
	}
	for _, m := range batch {
		switch problem := flawFor(r.call, m); {
		case m.isRequest():
			go r.answer(ctx, m)
		case !m.isReply():
			r.conn.notifications.add(m)
		case problem != "":
			r.note(problem)
		default:
			r.call.answer(m)
			return true, nil
		}
	}
	return false, nil
}

func (r *replyStream) note(problem string) {
	if r.odd == nil {
		r.odd = &ReplyError{problem}
	}
}

func (s *streamableHTTP) answer(ctx context.Context, m message) {
	s.respond(ctx, s.endpoint.URL, s.conn.reply(ctx, m), s.header(nil))
}

// Listen opens the stream on which a server of streamable HTTP sends what belongs to no request (2025-11-25, transports,
// listening for messages), calls opened, and hands notifications on until the stream ends. The server's requests are
// answered. Errors are those of SendRequest: a server without such a stream gives an *HTTPError with status 405.
func (c *Conn) Listen(ctx context.Context, opened func()) error {
	s, ok := c.carrier.(*streamableHTTP)
	if !ok {
		return errors.New("only streamable HTTP has a stream to listen to")
	}
	return c.explain(ctx, s.listen(ctx, opened))
}

func (s *streamableHTTP) listen(ctx context.Context, opened func()) error {
	reply, err := s.stream(ctx, s.header(nil))
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	opened()
	var answers sync.WaitGroup
	defer answers.Wait()
	events := newEventReader(reply.Body)
	for {
		e, err := events.next()
		if err != nil {
			return brokeOff("the event stream broke off", err)
		}
		if e.kind != messageEvent {
			continue
		}
		batch, _ := parseMessages(e.data) // what is no message is passed over
		for _, m := range batch {
			if m.isRequest() {
				answers.Go(func() { s.answer(ctx, m) })
			} else if !m.isReply() { // which has no place here
				s.conn.notifications.add(m)
			}
		}
	}
}
