// Package refute looks for a JSON value that one JSON Schema accepts and another rejects.
//
// What it returns was confirmed by an independent validator, so it is a proof; that it returns nothing proves nothing.
// The search is directed by both schemas: boundary values of either side, members of enumerations, defaults and
// examples, strings inside one pattern and outside another, and around each of them the smallest container that the
// narrow schema accepts. It is deterministic and ends within a budget that does not depend on the machine.
package refute

import (
	"encoding/json"
	"fmt"
)

// DefaultEvaluations is the number of candidates tried where [Options] names none.
const DefaultEvaluations = 4_000

// Options tunes a search. The zero value is useful.
type Options struct {
	// Evaluations bounds the candidates put to the validator; 0 means DefaultEvaluations.
	Evaluations int
	// AssertFormats treats "format" as a constraint instead of an annotation.
	AssertFormats bool
	// Declared leaves out values with properties that the narrow schema does not declare, where it lists some and says
	// nothing about others.
	Declared bool
	// Hints are values worth trying first, such as real calls.
	Hints []json.RawMessage
}

// Find returns a value that narrow accepts and wide rejects, or nil where none was found, and the number of
// candidates it tried. Both are schemas decoded from JSON with numbers as [json.Number]; neither is changed. An error
// means that the validator cannot read one of them: it is invalid, refers outside itself, or is too large to judge.
func Find(narrow, wide any, o Options) (witness json.RawMessage, tried int, err error) {
	s, err := newSearch(narrow, wide, o)
	if err != nil {
		return nil, 0, err
	}
	v, found := s.run()
	if !found {
		return nil, s.tried, nil
	}
	witness, err = json.Marshal(s.shrink(v))
	if err != nil {
		return nil, s.tried, fmt.Errorf("writing the witness: %w", err)
	}
	return witness, s.tried, nil
}

// Valid reports whether the schema accepts the instance, with formats as annotations. Both are decoded from JSON with
// numbers as [json.Number]. An error means that the validator cannot tell.
func Valid(schema, instance any) (bool, error) {
	j, err := NewJudge(schema, false)
	if err != nil {
		return false, err
	}
	return j.Valid(instance)
}

// Judge is a schema ready to judge many instances. It is not safe for concurrent use.
type Judge struct {
	doc *document
}

// NewJudge reads a schema, decoded from JSON with numbers as [json.Number].
func NewJudge(schema any, assertFormats bool) (*Judge, error) {
	doc, err := newDocument(schema, "schema", assertFormats)
	if err != nil {
		return nil, err
	}
	return &Judge{doc: doc}, nil
}

// Valid reports whether the schema accepts the instance, decoded from JSON with numbers as [json.Number]. An error
// means that the validator cannot tell.
func (j *Judge) Valid(instance any) (bool, error) {
	if err := measure(instance).check(); err != nil {
		return false, fmt.Errorf("judging an instance: %w", err)
	}
	switch j.doc.accepts("", instance) {
	case yes:
		return true, nil
	case no:
		return false, nil
	}
	return false, fmt.Errorf("judging an instance: the answer rests on a pattern that is not decided, or takes too long")
}
