package oracle

import "encoding/json"

// defaultEvaluations is the number of candidates tried where a search names none.
const defaultEvaluations = 4_000

// find returns a value that narrow accepts and wide rejects, or nil where none was found, and the number of
// candidates it tried, at most so many; 0 means defaultEvaluations. Both are schemas decoded from JSON with
// numbers as [json.Number]; neither is changed. An error means that the validator cannot read one of them.
func find(narrow, wide any, evaluations int) (witness json.RawMessage, tried int, err error) {
	s, err := newSearch(narrow, wide, evaluations)
	if err != nil {
		return nil, 0, err
	}
	v, found := s.run()
	if !found {
		return nil, s.tried, nil
	}
	return encode(v), s.tried, nil
}
