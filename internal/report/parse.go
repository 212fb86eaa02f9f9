package report

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
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

// Items are where the items of a kind stand, as far as they came with s; nil = not shown or not offered.
func (s *Server) Items(k snapshot.Kind) *Items {
	return map[snapshot.Kind]*Items{
		snapshot.Tools: &s.Tools, snapshot.Prompts: &s.Prompts,
		snapshot.Resources: &s.Resources, snapshot.Templates: &s.ResourceTemplates,
	}[k]
}

// Count is how many items of a kind there are; nil = not offered or not known.
func (s *Server) Count(k snapshot.Kind) *int {
	if s.Counts == nil {
		return nil
	}
	return map[snapshot.Kind]*int{
		snapshot.Tools: s.Counts.Tools, snapshot.Prompts: s.Counts.Prompts,
		snapshot.Resources: s.Counts.Resources, snapshot.Templates: s.Counts.ResourceTemplates,
	}[k]
}
