package transport

import (
	"bufio"
	"bytes"
	"io"
	"regexp"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// junkLimit is the size of the longest line that is kept although it cannot be a message, in bytes.
const junkLimit = 1 << 20

// stdoutPart is a part of a server's stdout: a message, noise, or a message that cannot be delivered (which
// is noise too).
type stdoutPart struct {
	message message
	noise   []byte // what is not a message; nil = message is set
	err     error  // why a reply cannot be delivered
	id      []byte // whose reply it is, as far as known
}

// framer cuts stdout into lines and finds the messages on them.
type framer struct {
	in      *bufio.Reader
	limit   int  // bytes of a line
	unended bool // the last frame came before the end of its line

	waits func(start []byte) // is called with a line that has no end yet
	skips func()             // is called while the rest of a line is passed over
}

func newFramer(stdout io.Reader) *framer {
	return &framer{in: bufio.NewReaderSize(stdout, 64<<10), limit: frameLimit, waits: func([]byte) {},
		skips: func() {}}
}

// next emits the frames of the next line, or of a message whose line has no end yet. Of a line over the limit
// it emits the start at once, and passes over the rest. The error is that of stdout.
func (f *framer) next(emit func(stdoutPart)) error {
	var line []byte
	for {
		part, ended, err := f.part()
		if is[*TooMuchError](err) { // what there is of the line was not cut off by the server
			return err
		}
		line = append(line, part...)
		text := bytes.TrimSpace(line)
		find := sort
		switch {
		case len(line) > f.limit || len(line) > junkLimit && !opens(line):
			start := bytes.Clone(line[:min(len(line), noiseText, f.limit)])
			long := stdoutPart{noise: start}
			if opens(start) {
				long.err, long.id = &TooLongError{Limit: f.limit}, idIn(start)
			}
			emit(long)
			for line = nil; !ended; {
				f.skips()
				_, ended, err = f.part()
			}
			f.unended = false
			return err
		case !ended && (len(line) > junkLimit || !isMessage(text)): // a server may forget the newline
			f.waits(line)
			continue
		case f.unended:
			find = salvage
		}
		for _, found := range find(text) {
			emit(found)
		}
		f.unended = !ended
		return err
	}
}

// part reads what is buffered of a line, and reports whether the line ends with it.
func (f *framer) part() (text []byte, ended bool, err error) {
	if _, err := f.in.Peek(1); err != nil {
		return nil, true, err
	}
	text, _ = f.in.Peek(f.in.Buffered())
	end := bytes.IndexByte(text, '\n')
	if end >= 0 {
		text = text[:end+1]
	}
	_, _ = f.in.Discard(len(text)) // the bytes stay until the next read
	return text, end >= 0, nil
}

// isMessage reports whether a text is a whole message.
func isMessage(text []byte) bool {
	if len(text) == 0 || text[0] != '{' || text[len(text)-1] != '}' {
		return false
	}
	_, ok := parseMessage(text)
	return ok
}

// sort returns what is on a line: a message, a batch (2025-03-26), several glued together or to a banner, or
// noise.
func sort(line []byte) []stdoutPart {
	batch, err := parseMessages(line)
	switch {
	case err == nil:
		return kit.Map(batch, func(m message) stdoutPart { return stdoutPart{message: m} })
	case err == errNotMessage: // a log in JSON, say, even if it quotes a message
		return []stdoutPart{{noise: line}}
	case bytes.Contains(line, []byte("\x00\"\x00")) || bytes.Contains(line, []byte("{\x00")):
		return []stdoutPart{{noise: line, err: &ReplyError{"is UTF-16 text, where MCP needs UTF-8"}}}
	}
	found := salvage(line)
	if len(found) == 1 && brokenReply(line) {
		found[0].id, found[0].err = idIn(line), err
	}
	return found
}

// salvageTries limits how many braces of a broken line are tried as the start of a message.
const salvageTries = 16

// salvage returns the messages in a line and the noise between them. After noise only a reply counts: a
// request there is most likely quoted by a log.
func salvage(line []byte) (found []stdoutPart) {
	start, from := 0, 0
	for tries := 0; tries < salvageTries; {
		brace := bytes.IndexByte(line[from:], '{')
		if brace < 0 {
			break
		}
		from += brace
		value := firstValue(line[from:])
		m, ok := parseMessage(value)
		before := bytes.TrimSpace(line[start:from])
		if !ok || len(before) > 0 && !m.isReply() {
			from += max(1, len(value))
			tries++
			continue
		}
		if len(before) > 0 {
			found = append(found, stdoutPart{noise: before})
		}
		found = append(found, stdoutPart{message: m})
		from += len(value)
		start = from
	}
	if rest := bytes.TrimSpace(line[start:]); len(rest) > 0 {
		found = append(found, stdoutPart{noise: rest})
	}
	return found
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
