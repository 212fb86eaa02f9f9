package transport

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
)

const (
	eventStream   = "text/event-stream" // the media type
	messageEvent  = "message"
	endpointEvent = "endpoint"
)

// event is one server-sent event; see the HTML standard, section 9.2.6.
type event struct {
	kind string // messageEvent when the stream does not say
	data []byte
}

// eventReader reads a stream of events, within bounds, and with what is needed to resume the stream.
type eventReader struct {
	lines *bufio.Scanner
	cr    bool // the last line ended with a CR, and an LF that comes now is part of that
	seen  int  // bytes of the line that are known to have no end
	begun bool // the first line was read, which may begin with a byte order mark

	last  string // the id of the last whole event
	retry string // the pause in milliseconds that the server asks for before the stream is resumed
}

// newEventReader returns a reader of body with a small buffer: most streams carry little, and there may be
// many. It reads nothing yet: a stream that stays silent is open all the same.
func newEventReader(body io.Reader) *eventReader {
	r := &eventReader{lines: bufio.NewScanner(body)}
	r.lines.Buffer(make([]byte, 1<<10), frameLimit)
	r.lines.Split(r.split)
	return r
}

// split ends a line at CR, LF or both. What comes behind a CR is not waited for.
func (r *eventReader) split(text []byte, atEnd bool) (advance int, line []byte, _ error) {
	skip := 0
	if r.cr && len(text) > 0 {
		if r.cr = false; text[0] == '\n' {
			skip, text = 1, text[1:]
		}
	}
	if at := bytes.IndexAny(text[r.seen:], "\r\n"); at >= 0 {
		at, r.seen = at+r.seen, 0
		r.cr = text[at] == '\r'
		return skip + at + 1, text[:at:at], nil
	}
	if r.seen = len(text); !atEnd || len(text) == 0 {
		return skip, nil, nil
	}
	r.seen = 0
	return skip + len(text), text, nil
}

// next returns the next event with data, or with a new id that its end has made valid. The end is io.EOF.
func (r *eventReader) next() (event, error) {
	var data []byte
	kind, id, some := "", r.last, false
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if !r.begun {
			r.begun, line = true, bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			if primes := id != r.last; some || primes {
				r.last = id
				return event{cmp.Or(kind, messageEvent), data}, nil
			}
			kind = ""
			continue
		}
		field, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch string(field) {
		case "event":
			kind = strings.TrimSpace(string(value))
		case "id":
			if !bytes.Contains(value, []byte("\x00")) {
				id = string(value)
			}
		case "retry":
			if _, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				r.retry = string(value)
			}
		case "data":
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, value...)
			some = len(data) > 0
		}
		if len(data) > frameLimit {
			return event{}, &TooLargeError{Limit: frameLimit}
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return event{}, &TooLargeError{Limit: frameLimit}
	case err != nil:
		return event{}, err
	case some: // the end cut its id off
		return event{cmp.Or(kind, messageEvent), data}, nil
	}
	return event{}, io.EOF
}

// eventFilter is an event stream as mcp-go reads it: receipts, and what it needs to resume the stream.
type eventFilter struct {
	conn   *Conn
	events *eventReader
	body   io.Closer
	take   func(event) (pass [][]byte, err error) // returns the data of the events that take its place
	ended  func(error)                            // is called with the reason when the stream ends
	once   sync.Once

	last string // the id that mcp-go knows
	out  bytes.Buffer
	err  error
}

// filter puts a filter before a stream.
func (c *Conn) filter(body io.ReadCloser, take func(event) ([][]byte, error),
	ended func(error)) io.ReadCloser {
	c.readers.Add(1)
	return &eventFilter{conn: c, events: newEventReader(body), body: body, take: take, ended: ended}
}

// Read returns the events for mcp-go.
func (f *eventFilter) Read(p []byte) (int, error) {
	for f.out.Len() == 0 {
		if f.err != nil {
			return 0, f.err
		}
		e, err := f.events.next()
		var pass [][]byte
		if err == nil && len(e.data) > 0 {
			pass, err = f.take(e)
		}
		if f.events.last != f.last {
			f.last = f.events.last
			// mcp-go ignores an empty pause
			fmt.Fprintf(&f.out, "id: %s\nretry: %s\n\n", f.last, f.events.retry)
		}
		for _, data := range pass {
			fmt.Fprintf(&f.out, "event: %s\ndata: %s\n\n", e.kind, data)
		}
		if err != nil {
			f.err = err
			f.ended(err)
		}
	}
	return f.out.Read(p)
}

// Close closes the stream; mcp-go does it more than once.
func (f *eventFilter) Close() error {
	f.once.Do(f.conn.readers.Done)
	return f.body.Close()
}

// brokeOff returns the end of a stream that was to go on.
func brokeOff(how string, err error) error {
	if errors.Is(err, io.EOF) {
		return &LostError{Cause: "the server ended the event stream"}
	}
	if is[*TooLargeError](err) || is[*TooDeepError](err) || is[*ReplyError](err) || is[*RedirectError](err) {
		return err
	}
	return &LostError{Cause: fmt.Sprintf("%s: %v", how, err)}
}

// unmarked returns a body without the byte order mark that some frameworks put before it. It waits for more
// than a byte only where that may be the mark's.
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

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
