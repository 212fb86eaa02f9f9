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
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
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

// OpenSSE opens the event stream and waits until it has named its endpoint. It lives until Close or the end of life.
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
	s.leave(reply)
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
				s.respond(s.life, to.String(), s.conn.reply(s.life, m), nil)
			}
		}
	}
}

// event is one server-sent event; see the HTML standard, section 9.2.6.
type event struct {
	kind string // messageEvent when the stream does not say
	data []byte
}

const (
	eventStream  = "text/event-stream" // the media type
	messageEvent = "message"
	endOfEvent   = "\n" // stands for the name of a field in an empty line
)

// eventReader reads a stream of events, and remembers what is needed to go on with it on another connection.
type eventReader struct {
	lines *bufio.Reader
	cr    bool          // the last line ended with a CR, and an LF that comes now is part of that
	last  string        // the id of the last event; empty = there is none, and the stream cannot be resumed
	retry time.Duration // how long to wait before that
}

// Times between the end of a stream and the request to go on with it.
const (
	defaultRetry = time.Second
	leastRetry   = 10 * time.Millisecond
)

// newEventReader reads body with a small buffer: most streams carry little, and there may be many.
func newEventReader(body io.Reader) *eventReader {
	return &eventReader{lines: unmarked(body, 1<<10), retry: defaultRetry}
}

// unmarked is a body without the byte order mark that some frameworks put before it. It waits for more than a byte only where that may be
// the mark's.
func unmarked(body io.Reader, buffer int) *bufio.Reader {
	text, mark := bufio.NewReaderSize(body, buffer), "\ufeff"
	if first, _ := text.Peek(1); len(first) == 0 || first[0] != mark[0] {
		return text
	}
	if start, _ := text.Peek(len(mark)); string(start) == mark {
		_, _ = text.Discard(len(mark))
	}
	return text
}

// next is the next event with data. One that the stream's end cuts off is given without its id. The end is io.EOF.
func (r *eventReader) next() (event, error) {
	var data chunks
	defer data.drop()
	kind, id, left := "", r.last, frameLimit
	for {
		name, value, err := r.field(&left, &data)
		switch ended := errors.Is(err, io.EOF); {
		case err != nil && !ended:
			return event{}, err
		case ended && data.size == 0:
			return event{}, io.EOF
		case ended:
			return event{cmp.Or(kind, messageEvent), data.take()}, nil
		}
		switch name {
		case "event":
			kind = strings.TrimSpace(value)
		case "id":
			if !strings.Contains(value, "\x00") {
				id = value
			}
		case "retry":
			if ms, err := strconv.ParseUint(value, 10, 31); err == nil {
				r.retry = max(time.Duration(ms)*time.Millisecond, leastRetry)
			}
		case endOfEvent:
			if r.last = id; data.size > 0 {
				return event{cmp.Or(kind, messageEvent), data.take()}, nil
			}
			kind, left = "", frameLimit
		}
	}
}

// field reads one line: data, which may be large, goes where it is collected. What is read counts against left.
func (r *eventReader) field(left *int, data *chunks) (name, value string, err error) {
	var rest []byte
	first := true
	err = r.line(left, func(part []byte) {
		if first {
			if len(part) == 0 {
				name = endOfEvent
				return
			}
			first = false
			field, start, _ := bytes.Cut(part, []byte(":"))
			name, part = string(field), bytes.TrimPrefix(start, []byte(" "))
			if name == "data" && data.size > 0 {
				data.add([]byte("\n"))
			}
		}
		switch {
		case name == "data":
			data.add(part)
		case slices.Contains([]string{"event", "id", "retry"}, name):
			rest = append(rest, part...)
		}
	})
	return name, string(rest), err
}

// line hands on the next line without its end, in parts as they come. The end is CR, LF or both; what comes behind a CR is not waited for.
func (r *eventReader) line(left *int, take func([]byte)) error {
	for {
		part, end, err := r.part()
		if *left -= len(part) + len(end); *left < 0 {
			return &TooLargeError{Limit: frameLimit}
		}
		take(part)
		r.cr = string(end) == "\r"
		if _, _ = r.lines.Discard(len(part) + len(end)); len(end) > 0 || err != nil {
			return err
		}
	}
}

// part is the next part of a line, up to the line's end or as much as the buffer holds. It is valid until it is discarded.
func (r *eventReader) part() (part, end []byte, err error) {
	for seen := 0; ; {
		_, err = r.lines.Peek(seen + 1)
		text, _ := r.lines.Peek(r.lines.Buffered())
		if r.cr && len(text) > 0 && text[0] == '\n' { // it belongs to the end before
			_, _ = r.lines.Discard(1)
			r.cr = false
			continue
		}
		if at := endOfLine(text[seen:]); at >= 0 {
			at += seen
			return text[:at], text[at : at+1], nil
		}
		switch r.cr, seen = false, len(text); {
		case errors.Is(err, bufio.ErrBufferFull):
			return text, nil, nil
		case err != nil:
			return text, nil, err
		}
	}
}

// endOfLine is where a text has its first CR or LF; -1 = it has none.
func endOfLine(text []byte) int {
	lf := bytes.IndexByte(text, '\n')
	if lf >= 0 {
		text = text[:lf]
	}
	if cr := bytes.IndexByte(text, '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// brokeOff is the end of a stream that was to go on.
func brokeOff(how string, err error) error {
	if errors.Is(err, io.EOF) {
		return &LostError{Cause: "the server ended the event stream"}
	}
	if known, ok := errors.AsType[*TooLargeError](err); ok {
		return known
	}
	return &LostError{Cause: fmt.Sprintf("%s: %v", how, err)}
}
