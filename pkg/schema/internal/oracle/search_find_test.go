package oracle

import (
	"encoding/json"
	"fmt"
)

// DefaultEvaluations is the number of candidates tried where [searchOptions] names none.
const DefaultEvaluations = 4_000

// searchOptions tunes a search. The zero value is useful.
type searchOptions struct {
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
func find(narrow, wide any, o searchOptions) (witness json.RawMessage, tried int, err error) {
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
