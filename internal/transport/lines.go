package transport

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"regexp"
	"sync"
)

// junkLimit is the size of the longest line that is kept although it cannot be a message, in bytes.
const junkLimit = 1 << 20

// frame is a part of a server's stdout: a message, noise, or a message that cannot be delivered (which is
// noise too).
type frame struct {
	message message
	noise   []byte // what is no message; nil = message is set
	more    int    // bytes of the noise that were not kept
	err     error  // why a reply cannot be delivered
	id      []byte // whose reply it is, as far as known
}

// framer cuts stdout into lines and sorts what is on them.
type framer struct {
	in     *bufio.Reader
	limit  int    // bytes of a line
	spread []byte // the lines so far of a message that is spread over several
	goesOn bool   // the last frame came without the end of its line
}

func newFramer(stdout io.Reader) framer {
	return framer{in: bufio.NewReaderSize(stdout, 64<<10), limit: frameLimit}
}

// next emits the frames of the next line. Of a line over the limit it keeps the start and emits that at once,
// before it reads on to the line's end. The error is that of stdout.
func (f *framer) next(emit func(frame)) error {
	var line []byte
	for {
		part, err := f.part()
		line = append(line, part...)
		whole := err != nil || bytes.HasSuffix(part, []byte("\n"))
		switch {
		case len(line) > f.limit || len(line) > junkLimit && !opens(line):
			f.spread = nil
			text := bytes.TrimSuffix(line, []byte("\n"))
			head := text[:min(len(text), noiseText, f.limit)]
			one := frame{noise: bytes.Clone(head), more: len(text) - len(head)}
			if opens(head) {
				one.err, one.id = &TooLargeError{Limit: f.limit}, idIn(head)
			}
			if emit(one); whole {
				return err
			}
			return f.skip(emit)
		case whole, len(line) <= junkLimit && isMessage(line): // a server may forget the newline
			switch text := bytes.TrimSpace(line); {
			case len(text) == 0:
			case f.goesOn:
				emitAll(salvage(text), emit)
			default:
				f.sort(text, line[0] == text[0], emit)
			}
			f.goesOn = !whole
			return err
		}
	}
}

// part reads what there is of a line.
func (f *framer) part() ([]byte, error) {
	if _, err := f.in.Peek(1); err != nil {
		return nil, err
	}
	text, _ := f.in.Peek(f.in.Buffered())
	if end := bytes.IndexByte(text, '\n'); end >= 0 {
		text = text[:end+1]
	}
	_, _ = f.in.Discard(len(text)) // the bytes stay until the next read
	return text, nil
}

// isMessage reports whether a line that has no end yet is a whole message.
func isMessage(line []byte) bool {
	text := bytes.TrimSpace(line)
	if len(text) == 0 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	_, ok := parseMessage(text)
	return ok
}

// skip reads on to the end of a line and counts it as noise.
func (f *framer) skip(emit func(frame)) error {
	for {
		part, err := f.part()
		emit(frame{noise: []byte{}, more: len(bytes.TrimSuffix(part, []byte("\n")))})
		if err != nil || bytes.HasSuffix(part, []byte("\n")) {
			return err
		}
	}
}

// sort emits what is on a line: a message, a batch (2025-03-26), several glued together or to a banner, or
// noise.
func (f *framer) sort(line []byte, first bool, emit func(frame)) {
	spread := f.follow(line, first)
	if batch, ok := parseMessages(line); ok {
		for _, m := range batch {
			emit(frame{message: m})
		}
		return
	}
	switch err := json.Unmarshal(line, new(json.RawMessage)); {
	case spread != nil:
		emit(frame{noise: line, id: spread.id, err: &ReplyError{"is spread over several lines " +
			"(pretty-printed), " +
			"where the stdio transport needs one line per message"}})
	case bytes.Contains(line, []byte("\x00\"\x00")) || bytes.Contains(line, []byte("{\x00")):
		emit(frame{noise: line, err: &ReplyError{"is UTF-16 text, where MCP needs UTF-8"}})
	case err == nil: // a log in JSON, say, even if it quotes a message
		emit(frame{noise: line})
	case opens(line) && tooDeep(err):
		emit(frame{noise: line, id: idIn(line), err: &TooDeepError{Limit: nestingLimit}})
	default:
		frames := salvage(line)
		if len(frames) == 1 && line[0] == '{' && likelyReply(line) {
			frames[0].err, frames[0].id = &ReplyError{"is not valid JSON"}, idIn(line)
		}
		emitAll(frames, emit)
	}
}

func emitAll(frames []frame, emit func(frame)) {
	for _, one := range frames {
		emit(one)
	}
}

// likelyReply reports whether a broken line was meant as a reply.
func likelyReply(line []byte) bool {
	return bytes.Contains(line, []byte(`"jsonrpc"`)) && !bytes.Contains(line, []byte(`"method"`))
}

// follow collects a pretty-printed message and returns it at its last line. first reports that the line is
// not indented.
func (f *framer) follow(line []byte, first bool) *message {
	if f.spread == nil && string(line) != "{" {
		return nil
	}
	if f.spread = append(append(f.spread, line...), '\n'); len(f.spread) > f.limit {
		f.spread = nil
	}
	if !first || line[0] != '}' {
		return nil
	}
	m, ok := parseMessage(f.spread)
	if f.spread = nil; ok && m.isReply() {
		return &m
	}
	return nil
}

// salvageTries bounds how many braces of a broken line are tried as the start of a message.
const salvageTries = 16

// salvage returns the messages in a line and the noise between them. After noise only a reply counts: a
// request there is most likely quoted by a log.
func salvage(line []byte) (frames []frame) {
	start, from := 0, 0
	for tries := 0; tries < salvageTries; {
		brace := bytes.IndexByte(line[from:], '{')
		if brace < 0 {
			break
		}
		at := from + brace
		value := firstValue(line[at:])
		m, ok := parseMessage(value)
		gap := bytes.TrimSpace(line[start:at])
		if !ok || len(gap) > 0 && !m.isReply() {
			from = at + max(1, len(value))
			tries++
			continue
		}
		if len(gap) > 0 {
			frames = append(frames, frame{noise: gap})
		}
		frames = append(frames, frame{message: m})
		start = at + len(value)
		from = start
	}
	if tail := bytes.TrimSpace(line[start:]); len(tail) > 0 {
		frames = append(frames, frame{noise: tail})
	}
	return frames
}

// leadingID finds the id of a message that begins as clients and servers write it.
var leadingID = regexp.MustCompile(
	`^\s*\{\s*(?:"jsonrpc"\s*:\s*"[^"]*"\s*,\s*)?"id"\s*:\s*("(?:[^"\\]|\\.)*"|[-+.\w]+)`)

// idIn returns the id of a message that cannot be parsed, or nil when it does not begin with it.
func idIn(text []byte) []byte {
	if found := leadingID.FindSubmatch(text[:min(len(text), junkLimit)]); found != nil {
		return found[1]
	}
	return nil
}

// lineFilter is the stdout of a child as mcp-go reads it: nothing but receipts.
type lineFilter struct {
	conn     *Conn
	framer   framer
	receipts bytes.Buffer
	err      error     // why stdout ended
	end      sync.Once // what the end brings about
}

// Read returns receipts. Before the end of stdout it has the connection lost, with the reason.
func (f *lineFilter) Read(p []byte) (int, error) {
	for f.receipts.Len() == 0 {
		if f.err != nil {
			f.end.Do(func() {
				f.conn.lose(f.conn.child.loss())
				f.conn.readers.Done()
			})
			return 0, io.EOF
		}
		f.err = f.framer.next(f.take)
	}
	return f.receipts.Read(p)
}

// take delivers a frame.
func (f *lineFilter) take(one frame) {
	if one.noise != nil { // first, so that it is there when the call fails
		f.conn.noise.add(one.noise, one.more)
	}
	switch {
	case one.err != nil:
		f.conn.calls.failOne(one.id, one.err)
	case one.noise == nil:
		if receipt := f.conn.take(f.conn.life, one.message); receipt != nil {
			f.receipts.Write(append(receipt, '\n'))
		}
	}
}
