package transport

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Limits of what a server may send.
const (
	frameLimit   = 64 << 20 // bytes of one message
	junkLimit    = 1 << 20  // bytes of a line that cannot be one
	nestingLimit = 10_000   // levels of one message
)

// frame is a part of a server's stdout: a message, noise, or a message that cannot be delivered (which is noise too).
type frame struct {
	message message
	noise   []byte // what is no message, until the next bytes are read; nil = message is set
	more    int    // bytes of the noise that were not kept
	err     error  // why a reply cannot be delivered
	id      []byte // whose reply it is, as far as that can be told
}

// framer cuts stdout into lines and sorts what is on them. However the bytes are chunked, the frames are the same.
type framer struct {
	limit  int                     // bytes of a line; 0 = frameLimit
	wants  func(start []byte) bool // whether a long message that begins like this may be one that somebody waits for; nil = it may
	line   chunks                  // the line so far
	large  *large                  // instead of line, once the line is over the limit
	spread shape                   // of a message that goes over several lines
}

// feed takes the next bytes and emits the frames that they complete.
func (f *framer) feed(p []byte, emit func(frame)) {
	for len(p) > 0 {
		part, rest, whole := bytes.Cut(p, []byte("\n"))
		f.grow(part, emit)
		if whole {
			f.rest(emit)
		}
		p = rest
	}
}

// grow adds to the line. A line over the limit is no longer kept; that alone can complete a frame.
func (f *framer) grow(part []byte, emit func(frame)) {
	if f.large == nil {
		size := f.line.size + len(part)
		limit := cmp.Or(f.limit, frameLimit)
		junk := size > junkLimit && f.line.size <= junkLimit && !f.plausible(part)
		if size <= limit && !junk {
			f.line.add(part)
			return
		}
		f.large = &large{limit: limit, junk: junk}
		f.line.drain(func(p []byte) { f.large.feed(p, emit) })
	}
	f.large.feed(part, emit)
}

// rest ends the line: at its newline, or at the end of the stream.
func (f *framer) rest(emit func(frame)) {
	if f.large != nil {
		f.large.end(emit)
		f.large, f.spread = nil, shape{}
		return
	}
	line := bytes.TrimSpace(f.line.take())
	if len(line) == 0 {
		return
	}
	sortLine(line, func(one frame) {
		f.follow(&one)
		emit(one)
	})
}

// follow notices a reply that can never be read, pretty-printed or broken, so that whoever waits for it is told.
func (f *framer) follow(one *frame) {
	if one.noise == nil || one.err != nil {
		f.spread = shape{}
		return
	}
	first := f.spread.depth == 0
	if first && !opens(one.noise) {
		return
	}
	f.spread.feed(one.noise)
	if !f.spread.done {
		return
	}
	if f.spread.object && f.spread.jsonrpc && len(f.spread.id) > 0 {
		problem := "is spread over several lines (pretty-printed), where the stdio transport needs one line per message"
		if first {
			problem = "is not valid JSON"
		}
		one.id, one.err = f.spread.id, &ReplyError{problem}
	}
	f.spread = shape{}
}

// opens tells whether a text could be the start of a JSON object or array.
func opens(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n")
	return len(text) > 0 && (text[0] == '{' || text[0] == '[')
}

// plausible tells whether a long line may be a message for somebody: a member of JSON-RPC is near its start.
func (f *framer) plausible(next []byte) bool {
	start := slices.Concat(f.line.head(), next[:min(len(next), firstChunk)])
	return opens(start) && regexp.MustCompile(`"(jsonrpc|id|method|params|result|error)"\s*:`).Match(start) && (f.wants == nil || f.wants(start))
}

// sortLine tells the messages on a line from the noise: one, a batch (2025-03-26), or several glued together or to a banner.
func sortLine(line []byte, emit func(frame)) {
	if batch, ok := parseMessages(line); ok {
		for _, m := range batch {
			emit(frame{message: m})
		}
		return
	}
	if json.Valid(line) { // a log in JSON, say, even if it quotes a message
		emit(frame{noise: line})
	} else if id, deep := nestedTooDeep(line); deep {
		emit(frame{noise: line, id: id, err: &TooDeepError{Limit: nestingLimit}})
	} else {
		recoverMessages(line, emit)
	}
}

// nestedTooDeep tells whether a text that could not be parsed is whole, and only too deep; then also its id.
func nestedTooDeep(text []byte) ([]byte, bool) {
	if !opens(text) {
		return nil, false
	}
	var s shape
	s.feed(text)
	return s.id, s.deepest > nestingLimit
}

// recoverTries bounds how many braces of a broken line are tried as the start of a message.
const recoverTries = 16

// recoverMessages finds the messages in a line. After noise only a reply counts: a request there is most likely a log.
func recoverMessages(line []byte, emit func(frame)) {
	start, from := 0, 0
	for tries := 0; tries < recoverTries; {
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
			emit(frame{noise: gap})
		}
		emit(frame{message: m})
		start = at + len(value)
		from = start
	}
	if tail := bytes.TrimSpace(line[start:]); len(tail) > 0 {
		emit(frame{noise: tail})
	}
}

// firstValue is the JSON value that a text begins with, or nil.
func firstValue(text []byte) []byte {
	var raw json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) != nil {
		return nil
	}
	return raw
}

// large is a line over the limit. It is read on without being kept, up to its newline, to learn whose reply it is.
type large struct {
	limit int
	junk  bool   // it is no message
	head  []byte // the first noiseText bytes
	size  int
	shape shape
	told  bool
}

// feed takes the next bytes of the line. Past twice the limit nobody is left waiting for its end.
func (l *large) feed(p []byte, emit func(frame)) {
	room := 2*l.limit - l.size
	if l.told || len(p) <= room {
		l.keep(p)
		return
	}
	l.keep(p[:room])
	l.told = true
	l.tell(emit)
	l.keep(p[room:])
}

// keep learns from bytes, until the line was reported.
func (l *large) keep(p []byte) {
	l.size += len(p)
	if !l.told {
		l.shape.feed(p)
		l.head = append(l.head, p[:min(len(p), noiseText-len(l.head))]...)
	}
}

func (l *large) end(emit func(frame)) {
	if l.told {
		emit(frame{noise: []byte{}, more: l.size - 2*l.limit})
		return
	}
	l.tell(emit)
}

// tell reports what was read so far. What does not begin like JSON is noise and fails nobody.
func (l *large) tell(emit func(frame)) {
	one := frame{noise: l.head, more: l.size - len(l.head)}
	if opens(l.head) && !l.junk {
		one.err = &TooLargeError{Limit: l.limit}
		one.id = l.shape.id
	}
	emit(one)
}

// shape follows a JSON text byte by byte without keeping it, for texts whose end is looked for, and for those that cannot
// be parsed: too large, too deep, or spread over lines. It does not validate.
type shape struct {
	depth, deepest int
	done           bool   // past the outermost value
	object         bool   // the outermost value is an object
	jsonrpc        bool   // it has a member of that name
	id             []byte // its id as far as it was seen, at most idLimit bytes
	text, escape   bool   // inside a string, after a backslash
	value          bool   // after the colon of a member of the outermost value
	key            []byte // the name of that member, at most idLimit bytes
}

const idLimit = 256

// feed takes the next bytes and tells how many of them belong to the outermost value.
func (s *shape) feed(p []byte) int {
	for i := 0; i < len(p); i++ {
		if s.done {
			return i
		}
		if s.text && !s.escape && !s.telling() { // nothing is learned from it but its end
			if i += rawjson.Unremarkable(p[i:]); i == len(p) {
				break
			}
		}
		s.step(p[i])
	}
	return len(p)
}

// telling tells whether the string that is being read is a key of the outermost value, or its id.
func (s *shape) telling() bool {
	return s.depth == 1 && s.object && (!s.value || string(s.key) == "id")
}

func (s *shape) step(b byte) {
	outermost := s.depth == 1 && s.object
	switch {
	case s.text:
		s.inText(b, outermost)
		return
	case b == '"':
		s.text = true
		if outermost && !s.value {
			s.key = s.key[:0]
		}
	case b == '{', b == '[':
		if s.depth == 0 {
			s.object = b == '{'
		}
		s.depth++
		s.deepest = max(s.deepest, s.depth)
	case b == '}', b == ']':
		s.depth--
		s.done = s.depth <= 0
	case outermost && b == ':':
		s.value = true
		s.jsonrpc = s.jsonrpc || string(s.key) == "jsonrpc"
		return
	case outermost && b == ',':
		s.value = false
	}
	if s.depth == 1 && b > ' ' && b != ',' && b != '}' {
		s.keepID(b, outermost)
	}
}

func (s *shape) inText(b byte, outermost bool) {
	switch {
	case s.escape:
		s.escape = false
	case b == '\\':
		s.escape = true
	case b == '"':
		s.text = false
	}
	if outermost && !s.value && s.text && len(s.key) < idLimit {
		s.key = append(s.key, b)
	}
	s.keepID(b, outermost)
}

func (s *shape) keepID(b byte, outermost bool) {
	if outermost && s.value && string(s.key) == "id" && len(s.id) < idLimit {
		s.id = append(s.id, b)
	}
}

// chunks collects a text whose length is not known, without copying what is there already: a list may have many MiB.
type chunks struct {
	parts [][]byte
	size  int
}

// The first chunk is kept for the next text; further ones grow up to the last size. Those of that size are no memory of
// the garbage collector's, which would keep all of them beside the whole text: they are given back one by one.
const (
	firstChunk = 4 << 10
	lastChunk  = 1 << 20
)

func (c *chunks) add(p []byte) {
	for len(p) > 0 {
		n := copy(c.room(), p)
		c.took(n)
		p = p[n:]
	}
}

// room is where the next bytes may be written; took says how many were.
func (c *chunks) room() []byte {
	if n := len(c.parts); n == 0 || len(c.parts[n-1]) == cap(c.parts[n-1]) {
		c.parts = append(c.parts, newChunk(min(max(firstChunk, c.size), lastChunk)))
	}
	last := c.parts[len(c.parts)-1]
	return last[len(last):cap(last)]
}

func (c *chunks) took(n int) {
	last := &c.parts[len(c.parts)-1]
	*last = (*last)[:len(*last)+n]
	c.size += n
}

func newChunk(size int) []byte {
	if size == lastChunk {
		return mapChunk()
	}
	return make([]byte, 0, size)
}

// head is the start of the text, as much as the first chunk has; it is good until the next call of another method.
func (c *chunks) head() []byte {
	if len(c.parts) == 0 {
		return nil
	}
	return c.parts[0]
}

// drain hands on the chunks, which use must not keep, and forgets them.
func (c *chunks) drain(use func([]byte)) {
	for _, part := range c.parts {
		use(part)
		if cap(part) == lastChunk {
			unmapChunk(part)
		}
	}
	*c = chunks{}
}

func (c *chunks) drop() { c.drain(func([]byte) {}) }

// take is the whole text in memory of its own, of exactly its size.
func (c *chunks) take() []byte {
	text := make([]byte, 0, c.size)
	first := c.head()
	c.drain(func(part []byte) { text = append(text, part...) })
	if first != nil {
		c.parts = append(c.parts, first[:0])
	}
	return text
}
