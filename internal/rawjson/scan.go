// Package rawjson reads and writes JSON without changing what it means: the text is scanned where it lies,
// numbers stay as written, repeated keys stay, and every string that JSON can say can be said again.
//
// Members, Elements and Object read a text; Canonical is the one form of a value; Join, Split and Find are
// the one way to name a place (RFC 6901); Encode, Build and List write.
package rawjson

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
)

// maxDepth is how many arrays and objects may lie inside one another. encoding/json has the same bound.
const maxDepth = 10_000

var (
	// ErrNotObject is wrapped by the errors about a value that is no object where one is wanted.
	ErrNotObject = errors.New("not an object")
	// ErrNotArray is wrapped by the errors about a value that is no array where one is wanted.
	ErrNotArray = errors.New("not an array")
)

// scanner reads one JSON text (RFC 8259) from its start to its end without copying it. It accepts invalid
// UTF-8 inside strings and every number that the grammar allows, whatever its size.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// added is append for what may become very long: append lets a long list grow by a quarter, and copies it
// four times over.
func added[T any](list []T, one T) []T {
	if len(list) == cap(list) {
		list = slices.Grow(list, max(len(list), 4))
	}
	return append(list, one)
}

func (s *scanner) whole(value func() error) error {
	if err := value(); err != nil {
		return err
	}
	if c := s.peek(); c != 0 || s.pos < len(s.data) {
		return s.unexpected("the end of the text")
	}
	return nil
}

// peek skips white space and is the next byte, 0 at the end.
func (s *scanner) peek() byte {
	// as most bytes are; the rest in a function of its own, so that this is none
	if s.pos < len(s.data) && s.data[s.pos] > ' ' {
		return s.data[s.pos]
	}
	return s.behindSpace()
}

func (s *scanner) behindSpace() byte {
	for s.pos < len(s.data) {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\n', '\r':
			s.pos++
		default:
			return c
		}
	}
	return 0
}

// skip reads a value of any kind.
func (s *scanner) skip() error {
	start := s.pos
	if s.pass() {
		return nil
	}
	s.pos = start
	return s.explain()
}

// pass reads a value in which nothing is wrong, which explain takes twice as long for, and else reports
// false.
func (s *scanner) pass() bool {
	var few [32]byte
	ends := few[:0] // of what is open, which in ASCII stand two behind the beginnings
	for {
		if c := s.peek(); c != '{' && c != '[' {
			if _, err := s.scalar(); err != nil {
				return false
			}
		} else if ends = append(ends, c+2); s.depth+len(ends) > maxDepth {
			return false
		} else if s.pos++; s.peek() != c+2 {
			if c == '{' && !s.key() {
				return false
			}
			continue
		}
		for ; len(ends) > 0 && s.peek() == ends[len(ends)-1]; s.pos++ {
			ends = ends[:len(ends)-1]
		}
		if len(ends) == 0 {
			return true
		}
		if s.peek() != ',' {
			return false
		}
		if s.pos++; ends[len(ends)-1] == '}' && !s.key() {
			return false
		}
	}
}

// key reads the name of a member and the colon behind it.
func (s *scanner) key() bool {
	if s.peek() != '"' {
		return false
	}
	if _, err := s.str(); err != nil || s.peek() != ':' {
		return false
	}
	s.pos++
	return true
}

// explain reads a value and says what is wrong with it, and where.
func (s *scanner) explain() error {
	switch s.peek() {
	case '{':
		return s.object(func([]byte) error { return s.explain() })
	case '[':
		return s.array(func() error { return s.explain() })
	default:
		_, err := s.scalar()
		return err
	}
}

// object reads an object. member is called with each key, quotes and escapes included, and reads the value
// after it.
func (s *scanner) object(member func(key []byte) error) error {
	if s.peek() != '{' {
		return ErrNotObject
	}
	return s.nested('}', func(int) error {
		if s.peek() != '"' {
			return s.unexpected("a key in quotes")
		}
		key, err := s.str()
		if err != nil {
			return err
		}
		if s.peek() != ':' {
			return s.unexpected("a colon after the key")
		}
		s.pos++
		return within(member(key), key)
	})
}

// array reads an array. element is called at the start of each element and reads it.
func (s *scanner) array(element func() error) error {
	if s.peek() != '[' {
		return ErrNotArray
	}
	return s.nested(']', func(i int) error {
		if err := element(); err != nil {
			return Within(err, strconv.Itoa(i))
		}
		return nil
	})
}

// nested reads the parts between an opening byte and end, separated by commas.
func (s *scanner) nested(end byte, part func(i int) error) error {
	if s.depth++; s.depth > maxDepth {
		return &syntaxError{reason: fmt.Sprintf("more than %d arrays and objects lie inside one another",
			maxDepth)}
	}
	s.pos++
	if s.peek() == end {
		s.pos++
		s.depth--
		return nil
	}
	for i := 0; ; i++ {
		if err := part(i); err != nil {
			return err
		}
		switch c := s.peek(); c {
		case ',':
			s.pos++
		case end:
			s.pos++
			s.depth--
			return nil
		default:
			return s.unexpected(fmt.Sprintf("a comma or %q", end))
		}
	}
}

func (s *scanner) scalar() ([]byte, error) {
	switch c := s.peek(); {
	case c == '"':
		return s.str()
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	case c == 't':
		return s.word("true")
	case c == 'f':
		return s.word("false")
	case c == 'n':
		return s.word("null")
	}
	return nil, s.unexpected("a value")
}

func (s *scanner) word(word string) ([]byte, error) {
	end := s.pos + len(word)
	if end > len(s.data) || string(s.data[s.pos:end]) != word {
		return nil, s.unexpected("a value")
	}
	start := s.pos
	s.pos = end
	return s.data[start:end], nil
}

func (s *scanner) str() ([]byte, error) {
	start, data := s.pos, s.data
	for i := start + 1; ; i++ {
		i += Unremarkable(data[i:])
		if s.pos = i; i == len(data) {
			return nil, s.unexpected("a closing quote")
		}
		switch data[i] {
		case '"':
			s.pos++
			return data[start:s.pos], nil
		case '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
			i = s.pos
		default:
			return nil, s.unexpected("no bare control character inside a string")
		}
	}
}

// Unremarkable is how many bytes stand before the next quote, backslash or control character. Most of a text
// is in strings: it looks at eight of them at once, where taking one away borrows from the bytes behind a
// byte that is too small, and from no others.
func Unremarkable(data []byte) int {
	const each, top = 0x01_01_01_01_01_01_01_01, 0x80_80_80_80_80_80_80_80
	i := 0
	for ; i+8 <= len(data); i += 8 {
		w := binary.LittleEndian.Uint64(data[i:])
		quote, backslash := w^each*'"', w^each*'\\'
		if found := ((w-each*' ')&^w | (quote-each)&^quote | (backslash-each)&^backslash) & top; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(data) && data[i] >= ' ' && data[i] != '"' && data[i] != '\\'; i++ {
	}
	return i
}

// escape reads an escape sequence and stops at its last byte.
func (s *scanner) escape() error {
	s.pos++
	if s.pos >= len(s.data) {
		return s.unexpected("an escape sequence")
	}
	switch s.data[s.pos] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return nil
	case 'u':
		for range 4 {
			if s.pos++; s.pos >= len(s.data) || hexDigit(s.data[s.pos]) < 0 {
				return s.unexpected(`four hexadecimal digits after \u`)
			}
		}
		return nil
	}
	return s.unexpected("an escape sequence")
}

func (s *scanner) number() ([]byte, error) {
	start := s.pos
	if s.data[s.pos] == '-' {
		s.pos++
	}
	zero := s.pos < len(s.data) && s.data[s.pos] == '0'
	digits := s.digits()
	if digits == 0 || zero && digits > 1 {
		return nil, s.unexpected("a number without leading zeros")
	}
	if s.at('.') {
		if s.pos++; s.digits() == 0 {
			return nil, s.unexpected("a digit after the decimal point")
		}
	}
	if s.at('e') || s.at('E') {
		s.pos++
		if s.at('+') || s.at('-') {
			s.pos++
		}
		if s.digits() == 0 {
			return nil, s.unexpected("a digit in the exponent")
		}
	}
	return s.data[start:s.pos], nil
}

func (s *scanner) at(c byte) bool { return s.pos < len(s.data) && s.data[s.pos] == c }

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.data) && '0' <= s.data[s.pos] && s.data[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}

// hexDigit is the value of a hexadecimal digit, -1 for anything else.
func hexDigit(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// span reads a value of any kind and is its text without white space around it.
func (s *scanner) span() (json.RawMessage, error) {
	s.peek()
	start := s.pos
	err := s.skip()
	return s.data[start:s.pos:s.pos], err
}

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
	place := ""
	for i := len(e.keys) - 1; i >= 0; i-- {
		if len(e.keys)-i > shownKeys {
			return place + "/…"
		}
		place = Join(place, e.keys[i])
	}
	if place == "" {
		return "the top"
	}
	return place
}

// Within adds the key or index of an enclosing value to the place that an error names. A nil error stays nil.
func Within(err error, key string) error {
	if err == nil {
		return nil
	}
	var syntax *syntaxError
	if !errors.As(err, &syntax) {
		syntax = &syntaxError{reason: err.Error()}
	}
	syntax.keys = append(syntax.keys, key)
	return syntax
}

// within is Within for a key in quotes.
func within(err error, key []byte) error {
	if err == nil {
		return nil
	}
	name, _ := text(key)
	return Within(err, name)
}

// unexpected says what should have stood at the scanner's position, and what stands there.
func (s *scanner) unexpected(wanted string) error {
	if s.pos >= len(s.data) {
		return &syntaxError{reason: fmt.Sprintf("the text ends where %s should be", wanted)}
	}
	line := 1 + bytes.Count(s.data[:s.pos], []byte{'\n'})
	return &syntaxError{reason: fmt.Sprintf("line %d has %s where %s should be", line,
		strconv.QuoteRune(rune(s.data[s.pos])), wanted)}
}
