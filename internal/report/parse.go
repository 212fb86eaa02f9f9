package report

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Fail adds a failure: the first is Error, those after it MoreErrors.
func (s *Server) Fail(f Failure) {
	if s.Error == nil {
		s.Error = &f
	} else {
		s.MoreErrors = append(s.MoreErrors, f)
	}
}

// Parse reads a report as the JSON format has it.
func Parse(data []byte) (*Report, error) {
	r := new(Report)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, fmt.Errorf("%w: a report is what --format json writes", err)
	}
	switch {
	case r.Mcpctl > Version:
		return nil, fmt.Errorf("the report has version %d, and this mcpctl knows %d: install a newer one", r.Mcpctl, Version)
	case r.Mcpctl != Version || r.Command == "":
		return nil, errors.New("it is no report of mcpctl, which --format json writes")
	}
	return r, nil
}
