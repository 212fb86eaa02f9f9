package snapshot

import (
	"errors"
	"fmt"
)

// maxDepth is how many arrays and objects may lie inside one another. encoding/json has the same bound.
const maxDepth = 10_000

var (
	errNotObject = errors.New("not an object")
	errNotArray  = errors.New("not an array")
)

// scanner reads one JSON text (RFC 8259) from its start to its end without copying it. It accepts invalid UTF-8 inside
// strings and every number that the grammar allows, whatever its size.
type scanner struct {
	data  []byte
	pos   int
	depth int
}

// whole reads the one value that the text consists of.
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
	switch s.peek() {
	case '{':
		return s.object(func([]byte) error { return s.skip() })
	case '[':
		return s.array(func() error { return s.skip() })
	default:
		_, err := s.scalar()
		return err
	}
}

// object reads an object. member is called with each key, quotes and escapes included, and reads the value after it.
func (s *scanner) object(member func(key []byte) error) error {
	if s.peek() != '{' {
		return errNotObject
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
		return errNotArray
	}
	return s.nested(']', func(i int) error {
		if err := element(); err != nil {
			return within(err, fmt.Append(nil, i))
		}
		return nil
	})
}

// nested reads the parts between an opening byte and end, separated by commas.
func (s *scanner) nested(end byte, part func(i int) error) error {
	if s.depth++; s.depth > maxDepth {
		return &syntaxError{reason: fmt.Sprintf("more than %d arrays and objects lie inside one another", maxDepth)}
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

// scalar reads a string, number, true, false or null and is its text.
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
