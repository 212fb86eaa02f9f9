// Package rawjson reads and writes JSON without changing what it means: numbers stay as written, repeated
// keys stay, and strings with half a surrogate pair stay apart.
//
// Members, Elements and Object read a text; Canonical is the one form of a value; Join, Split and Find are
// the one way to name a place (RFC 6901); Encode, Build and List write. jsontext parses; it accepts invalid
// UTF-8 in strings here, and numbers of any size.
package rawjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	// ErrNotObject is wrapped by errors about another value where an object is expected.
	ErrNotObject = errors.New("not an object")
	// ErrNotArray is wrapped by errors about another value where an array is expected.
	ErrNotArray = errors.New("not an array")
)

// lenient are the options of all readers: real servers repeat keys and send invalid UTF-8.
var lenient = []jsontext.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}

// reader reads one JSON text. What it returns shares the memory of the text.
type reader struct {
	*jsontext.Decoder
	text []byte
}

func newReader(text []byte) reader {
	// a *bytes.Buffer is read in place
	return reader{jsontext.NewDecoder(bytes.NewBuffer(text), lenient...), text}
}

// next reads a value of any kind, or a key, and returns its text without the white space around it.
func (r reader) next() (json.RawMessage, error) {
	value, err := r.ReadValue()
	if err != nil {
		return nil, r.explain(err)
	}
	end := int(r.InputOffset())
	return r.text[end-len(value) : end : end], nil
}

// object reads an object. member is called with each key, in quotes, and reads the value after it.
func (r reader) object(member func(key []byte) error) error {
	if r.PeekKind() != '{' {
		return r.wrongKind(ErrNotObject)
	}
	return r.nested('}', func(int) error {
		key, err := r.next()
		if err != nil {
			return err
		}
		return member(key)
	})
}

// array reads an array. element is called at the start of each element and reads it.
func (r reader) array(element func(i int) error) error {
	if r.PeekKind() != '[' {
		return r.wrongKind(ErrNotArray)
	}
	return r.nested(']', element)
}

// nested reads what is between the token that comes next and end.
func (r reader) nested(end jsontext.Kind, part func(i int) error) error {
	_, err := r.ReadToken()
	for i := 0; err == nil && r.PeekKind() != end; i++ {
		err = part(i)
	}
	if err == nil {
		_, err = r.ReadToken()
	}
	return r.explain(err)
}

// wrongKind returns err, or what is wrong with the text.
func (r reader) wrongKind(err error) error {
	if _, wrong := r.next(); wrong != nil {
		return wrong
	}
	return err
}

// whole reads a value, which must be all of the text.
func (r reader) whole(value func() error) error {
	if err := value(); err != nil {
		return err
	}
	_, err := r.ReadToken()
	switch {
	case errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return &syntaxError{reason: fmt.Sprintf("line %d: text after the value", r.line(r.InputOffset()))}
	}
	return r.explain(err)
}

func (r reader) line(offset int64) int { return 1 + bytes.Count(r.text[:offset], []byte("\n")) }

// explain returns an error of jsontext with the place as a JSON pointer and the line. Others stay.
func (r reader) explain(err error) error {
	if errors.Is(err, io.EOF) {
		return &syntaxError{reason: "unexpected end of text"}
	}
	fault, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	e := &syntaxError{steps: slices.Collect(fault.JSONPointer.Tokens())}
	switch {
	case errors.Is(fault.Err, io.ErrUnexpectedEOF):
		e.reason = "unexpected end of text"
	case strings.Contains(fault.Err.Error(), "max depth"):
		e.reason = "nesting exceeds 10000 levels"
	default:
		e.reason = fmt.Sprintf("line %d: %v", r.line(fault.ByteOffset), fault.Err)
	}
	return e
}

// syntaxError reports what is wrong with a JSON text, and in which value.
type syntaxError struct {
	steps  []string // of the pointer to the value
	reason string
}

// shownSteps is how many steps of a place an error shows: enough to find it, few enough to read.
const shownSteps = 12

// Error names the place and the reason.
func (e *syntaxError) Error() string {
	if len(e.steps) == 0 {
		return e.reason
	}
	place := Join("", e.steps[:min(len(e.steps), shownSteps)]...)
	if len(e.steps) > shownSteps {
		place += "/…"
	}
	return fmt.Sprintf("at %s: %s", place, e.reason)
}

// Within adds the key or index of an enclosing value to the place that an error names. A nil error stays nil.
func Within(err error, step string) error {
	if err == nil {
		return nil
	}
	if inner, ok := errors.AsType[*syntaxError](err); ok {
		return &syntaxError{append([]string{step}, inner.steps...), inner.reason}
	}
	return &syntaxError{[]string{step}, err.Error()}
}
