package transport

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"
)

// The media type of server-sent events, and the two kinds of events that MCP uses: a JSON-RPC message, and
// where HTTP+SSE takes the messages of the client.
const (
	eventStream   = "text/event-stream" // the media type
	messageEvent  = "message"
	endpointEvent = "endpoint"
)

// eventReader reads a stream of server-sent events (HTML standard, section 9.2.6), within limits.
type eventReader struct {
	lines *bufio.Scanner
	cr    bool // the last line ended with a CR, and an LF that comes now is part of that
	seen  int  // bytes of the line that are known to have no end
	begun bool // the first line was read, which may begin with a byte order mark

	last  string        // the id of the last whole event
	retry time.Duration // the pause that the server asks for before the stream is resumed
}

// newEventReader returns a reader of body with a small buffer: most streams carry little, and there may be
// many. It reads nothing yet: a stream may stay silent.
func newEventReader(body io.Reader) *eventReader {
	r := &eventReader{lines: bufio.NewScanner(body)}
	r.lines.Buffer(make([]byte, 1<<10), frameLimit)
	r.lines.Split(r.split)
	return r
}

// split ends a line at CR, LF or both. What comes after a CR is not waited for.
func (r *eventReader) split(text []byte, atEnd bool) (advance int, line []byte, _ error) {
	skip := 0
	if r.cr && len(text) > 0 {
		if r.cr = false; text[0] == '\n' {
			skip, text = 1, text[1:]
		}
	}
	if end := bytes.IndexAny(text[r.seen:], "\r\n"); end >= 0 {
		end, r.seen = end+r.seen, 0
		r.cr = text[end] == '\r'
		return skip + end + 1, text[:end:end], nil
	}
	if r.seen = len(text); !atEnd || len(text) == 0 {
		return skip, nil, nil
	}
	r.seen = 0
	return skip + len(text), text, nil
}

// next returns the kind and the data of the next event that has data. A stream that names no kind sends
// messages. The end is io.EOF.
func (r *eventReader) next() (kind string, data []byte, _ error) {
	id := r.last
	for r.lines.Scan() {
		line := r.lines.Bytes()
		if !r.begun {
			r.begun, line = true, bytes.TrimPrefix(line, []byte("\ufeff"))
		}
		if len(line) == 0 {
			if r.last = id; len(data) > 0 {
				return cmp.Or(kind, messageEvent), data, nil
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
			if ms, err := strconv.ParseUint(string(value), 10, 31); err == nil {
				r.retry = time.Duration(ms) * time.Millisecond
			}
		case "data":
			if len(data) > 0 {
				data = append(data, '\n')
			}
			data = append(data, value...)
		}
		if len(data) > frameLimit {
			return "", nil, &TooLongError{Limit: frameLimit}
		}
	}
	switch err := r.lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return "", nil, &TooLongError{Limit: frameLimit}
	case err != nil:
		return "", nil, err
	case len(data) > 0: // the end cut its id off
		return cmp.Or(kind, messageEvent), data, nil
	}
	return "", nil, io.EOF
}
