package transport

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
)

// sseStream carries messages over HTTP+SSE: ours in POSTs, the server's in one event stream.
type sseStream struct {
	*web
	conn    *Conn
	life    context.Context
	over    context.CancelFunc
	inbox   atomic.Pointer[url.URL] // where our messages go
	named   chan struct{}           // closed once the server has said that
	asked   chan message            // requests of the server that wait for an answer; more than fit are dropped
	workers sync.WaitGroup
}

// OpenSSE opens the event stream of an HTTP+SSE server and waits until it has named its endpoint, or for life to end.
// The stream lives until Close or the end of life. Errors are those of SendRequest.
func OpenSSE(life context.Context, e Endpoint) (*Conn, error) {
	w, err := newWeb(e)
	if err != nil {
		return nil, err
	}
	s := &sseStream{web: w, conn: newConn(KindSSE), named: make(chan struct{}), asked: make(chan message, 64)}
	s.conn.carrier = s
	s.life, s.over = context.WithCancel(life)
	if err := s.open(); err != nil {
		err = s.conn.explain(life, err)
		_ = s.conn.Close()
		return nil, err
	}
	s.conn.closeWith(life)
	return s.conn, nil
}

// open gets the event stream, and waits for the endpoint.
func (s *sseStream) open() error {
	reply, err := s.stream(s.life, nil)
	if err != nil {
		return err
	}
	s.workers.Go(func() {
		defer reply.Body.Close()
		s.conn.lose(s.read(newEventReader(reply.Body)))
		s.over()
	})
	s.workers.Go(s.answer)
	select {
	case <-s.named:
		return nil
	case <-s.conn.done:
		return s.conn.Lost()
	}
}

func (s *sseStream) close() error {
	s.over()
	s.workers.Wait()
	s.client.CloseIdleConnections()
	return nil
}

// send posts a message. The reply comes in the event stream.
func (s *sseStream) send(ctx context.Context, m outgoing) error {
	reply, err := s.do(ctx, http.MethodPost, s.inbox.Load().String(), m.body, m.header)
	switch {
	case err != nil:
		return err
	case !good(reply):
		return s.bad(reply, m.call)
	}
	leave(reply)
	return nil
}

// read takes events until the stream ends, and tells why it did.
func (s *sseStream) read(events *eventReader) error {
	for {
		e, err := events.next()
		switch {
		case s.life.Err() != nil:
			return ErrTransportClosed
		case err != nil:
			return brokeOff("the event stream broke off", err)
		case e.kind == "endpoint":
			err = s.name(string(bytes.TrimSpace(e.data)))
		case e.kind == messageEvent:
			s.take(e.data)
		}
		if err != nil {
			return err
		}
	}
}

// name checks where the server wants our messages.
func (s *sseStream) name(endpoint string) error {
	to, err := s.home.Parse(endpoint)
	switch {
	case err != nil:
		return &RedirectError{From: PlainURL(s.home), To: "an unreadable URL", Why: otherOrigin}
	case !sameOrigin(s.home, to):
		return &RedirectError{From: PlainURL(s.home), To: PlainURL(to), Why: otherOrigin}
	}
	if s.inbox.Swap(to) == nil {
		close(s.named)
	}
	return nil
}

func (s *sseStream) take(data []byte) {
	batch, ok := parseMessages(data)
	if id, deep := nestedTooDeep(data); !ok && deep {
		s.conn.calls.failOne(id, &TooDeepError{Limit: nestingLimit})
	} else if !ok {
		s.conn.noise.add(data, 0)
	}
	for _, m := range batch {
		s.conn.receive(m, func(m message) {
			select {
			case s.asked <- m:
			default:
			}
		})
	}
}

// answer posts answers to the server's requests, one after the other.
func (s *sseStream) answer() {
	for {
		select {
		case <-s.life.Done():
			return
		case m := <-s.asked:
			if to := s.inbox.Load(); to != nil {
				s.respond(s.life, to.String(), s.conn.requests.reply(s.life, m), nil)
			}
		}
	}
}
