package snapshot

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// syntaxError is what is wrong with a JSON text, and the JSON pointer of the value in which it lies.
type syntaxError struct {
	keys   []string // from the inside out
	reason string
}

// shownKeys is how many keys of a place an error shows: enough to find it, few enough to read.
const shownKeys = 12

// Error is the place and the reason.
func (e *syntaxError) Error() string { return fmt.Sprintf("at %s: %s", e.pointer(), e.reason) }

func (e *syntaxError) pointer() string {
	var b strings.Builder
	for i := len(e.keys) - 1; i >= 0; i-- {
		if len(e.keys)-i > shownKeys {
			return b.String() + "/…"
		}
		b.WriteString("/" + PointerToken(e.keys[i]))
	}
	if b.Len() == 0 {
		return "the top"
	}
	return b.String()
}

// within adds the key or index of an enclosing value to the place of an error.
func within(err error, key []byte) error {
	if err == nil {
		return nil
	}
	name := string(key)
	if unquoted, ok := text(key); ok {
		name = unquoted
	}
	var syntax *syntaxError
	if !errors.As(err, &syntax) {
		syntax = &syntaxError{reason: err.Error()}
	}
	syntax.keys = append(syntax.keys, name)
	return syntax
}

// unexpected says what should have stood at the scanner's position, and what stands there.
func (s *scanner) unexpected(wanted string) error {
	if s.pos >= len(s.data) {
		return &syntaxError{reason: fmt.Sprintf("the text ends where %s should be", wanted)}
	}
	line := 1 + strings.Count(string(s.data[:s.pos]), "\n")
	return &syntaxError{reason: fmt.Sprintf("line %d has %s where %s should be", line, strconv.QuoteRune(rune(s.data[s.pos])), wanted)}
}

// PointerToken is a key as it stands in a JSON pointer (RFC 6901): ~ is written ~0 and / is written ~1.
func PointerToken(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
