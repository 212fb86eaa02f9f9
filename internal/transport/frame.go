package transport

import (
	"bytes"
)

// Limits of what a server may send.
const (
	frameLimit   = 64 << 20 // bytes of one message
	nestingLimit = 10_000   // levels of one message; the limit of encoding/json too
)

// piece is a part of a server's stdout: a message, noise, or a message that cannot be delivered (which is noise too).
type piece struct {
	message message
	noise   []byte // what is no message; nil = message is set
	more    int    // bytes of the noise that were not kept
	err     error  // why a reply cannot be delivered
	id      []byte // whose reply it is, as far as that can be told
}

// framer cuts stdout into lines and sorts what is on them. However the bytes are chunked, the pieces are the same.
type framer struct {
	limit  int    // bytes of a line; 0 = frameLimit
	line   []byte // the line so far
	large  *large // instead of line, once the line is over the limit
	spread shape  // of a message that goes over several lines
}

// feed takes the next bytes and returns the pieces that they complete.
func (f *framer) feed(p []byte) []piece {
	var out []piece
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		out = append(out, f.grow(part)...)
		if whole {
			out = append(out, f.rest()...)
		}
		p = rest
	}
	return out
}

// grow adds to the line. A line over the limit is no longer kept; that alone can complete a piece.
func (f *framer) grow(part []byte) []piece {
	limit := f.limit
	if limit == 0 {
		limit = frameLimit
	}
	if f.large == nil {
		if len(f.line)+len(part) <= limit {
			f.line = append(f.line, part...)
			return nil
		}
		f.large = &large{limit: limit}
		f.large.feed(f.line)
		f.line = nil
	}
	return f.large.feed(part)
}

// rest ends the line: at its newline, or at the end of the stream.
func (f *framer) rest() []piece {
	if f.large != nil {
		out := f.large.end()
		f.large, f.spread = nil, shape{}
		return out
	}
	line := bytes.TrimSpace(f.line)
	f.line = nil
	if len(line) == 0 {
		return nil
	}
	out := sortLine(line)
	for i := range out {
		f.follow(&out[i])
	}
	return out
}

// follow notices a reply in the noise that can never be read: pretty-printed over several lines, or broken JSON.
// To tell whoever waits for it is better than to let them wait.
func (f *framer) follow(p *piece) {
	if p.noise == nil || p.err != nil {
		f.spread = shape{}
		return
	}
	first := f.spread.depth == 0
	if first && !opens(p.noise) {
		return
	}
	f.spread.feed(p.noise)
	if !f.spread.done {
		return
	}
	if f.spread.object && f.spread.jsonrpc && len(f.spread.id) > 0 {
		problem := "is spread over several lines (pretty-printed), where the stdio transport needs one line per message"
		if first {
			problem = "is not valid JSON"
		}
		p.id, p.err = f.spread.id, &ReplyError{Problem: problem, Text: excerpt(p.noise)}
	}
	f.spread = shape{}
}

// opens tells whether a text could be the start of a JSON object or array.
func opens(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}
