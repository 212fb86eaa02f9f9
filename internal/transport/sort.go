package transport

import (
	"bytes"
	"encoding/json"
)

// salvageTries bounds how many braces of a broken line are tried as the start of a message.
const salvageTries = 16

// sortLine tells the messages on a line from the noise. A line should be one message; a batch (2025-03-26) and messages
// glued to each other or to a banner are understood too.
func sortLine(line []byte) []piece {
	if m, ok := parseMessage(line); ok {
		return []piece{{message: m}}
	}
	if batch, ok := parseBatch(line); ok {
		out := make([]piece, len(batch))
		for i, m := range batch {
			out[i].message = m
		}
		return out
	}
	if json.Valid(line) { // a log in JSON, say, even if it quotes a message
		return []piece{{noise: line}}
	}
	if id, deep := nestedTooDeep(line); deep {
		return []piece{{noise: line, id: id, err: &TooDeepError{Limit: nestingLimit}}}
	}
	return salvage(line)
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

// salvage finds the messages in a line that is more than one message. After noise only a reply counts: a request or a
// notification there is most likely a log that quotes one.
func salvage(line []byte) []piece {
	var out []piece
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
			out = append(out, piece{noise: gap})
		}
		out = append(out, piece{message: m})
		start = at + len(value)
		from = start
	}
	if tail := bytes.TrimSpace(line[start:]); len(tail) > 0 {
		out = append(out, piece{noise: tail})
	}
	return out
}

// firstValue is the JSON value that a text begins with, or nil.
func firstValue(text []byte) []byte {
	var raw json.RawMessage
	if json.NewDecoder(bytes.NewReader(text)).Decode(&raw) != nil {
		return nil
	}
	return raw
}
