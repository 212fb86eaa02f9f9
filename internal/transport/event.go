package transport

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
)

// event is one server-sent event; see the HTML standard, section 9.2.6.
type event struct {
	kind string // empty = message
	data []byte // nil when there is none
	rest string // its id and retry lines, which mcp-go needs to resume
}

// reader is what becomes of a stream's events.
type reader interface {
	take(event) (pass []event, last bool) // what mcp-go shall see of it, and whether it is the last one
	end(error)                            // the stream has ended; nil = cleanly
}

// stream is an event stream on its way to mcp-go.
type stream struct {
	body   io.ReadCloser
	lines  *bufio.Reader
	reader reader
	ready  []byte
	err    error // what to return once ready is empty
}

func newStream(body io.ReadCloser, r reader) *stream {
	return &stream{body: body, lines: bufio.NewReaderSize(body, 32<<10), reader: r}
}

// Read never returns a part of an event before the whole of it was seen.
func (s *stream) Read(p []byte) (int, error) {
	for len(s.ready) == 0 {
		if s.err != nil {
			return 0, s.err
		}
		s.advance()
	}
	n := copy(p, s.ready)
	s.ready = s.ready[n:]
	return n, nil
}

// Close closes the body.
func (s *stream) Close() error { return s.body.Close() }

// advance reads the next event. The stream's end is told only in the call after the last event was handed on.
func (s *stream) advance() {
	e, err := readEvent(s.lines)
	if err == nil || errors.Is(err, io.EOF) && e.data != nil {
		pass, last := s.reader.take(e)
		for _, one := range pass {
			s.ready = one.appendTo(s.ready)
		}
		if last {
			s.err = io.EOF
		}
		return
	}
	s.err = err
	if errors.Is(err, io.EOF) {
		err = nil
	}
	s.reader.end(err)
}

// appendTo writes the event as it goes over the wire.
func (e event) appendTo(b []byte) []byte {
	if e.kind != "" {
		b = append(b, "event: "+e.kind+"\n"...)
	}
	if e.data != nil {
		b = append(b, "data: "...)
		b = append(b, bytes.ReplaceAll(e.data, []byte("\n"), []byte("\ndata: "))...)
		b = append(b, '\n')
	}
	b = append(b, e.rest...)
	return append(b, '\n')
}

// readEvent reads up to an empty line. At the end of the stream it returns what there is, and io.EOF.
func readEvent(r *bufio.Reader) (event, error) {
	var e event
	left := frameLimit
	for {
		line, err := readLine(r, &left)
		if err != nil && !errors.Is(err, io.EOF) {
			return event{}, err
		}
		if len(line) == 0 && (err != nil || e.kind != "" || e.data != nil || e.rest != "") {
			return e, err
		}
		e.add(line)
		if err != nil {
			return e, err
		}
	}
}

// add takes a line of the event. Comments and unknown fields mean nothing.
func (e *event) add(line []byte) {
	name, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	switch string(name) {
	case "event":
		e.kind = strings.TrimSpace(string(value))
	case "data":
		if e.data != nil {
			e.data = append(e.data, '\n')
		}
		e.data = append(e.data, value...)
	case "id", "retry":
		e.rest += string(name) + ": " + string(value) + "\n"
	}
}

// readLine reads one line without its end, as long as it is within what is left of the limit.
func readLine(r *bufio.Reader, left *int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if *left -= len(part); *left < 0 {
			return nil, &TooLargeError{Limit: frameLimit}
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r")), err
		}
	}
}
