package oracle

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A search holds the two schemas, what is left of the budget, and what was learnt on the way.
type search struct {
	narrow, wide *document
	options      searchOptions
	tried        int             // candidates put to both schemas
	work         int             // units left: values visited by the validator, candidates made
	seen         map[string]bool // candidates tried, as text
	accepted     []any           // candidates that both accept
	read         map[string]*pattern.Pattern
	smallest     map[string]chosen
	open         int      // calls of minimal under way
	failed       []string // what they found no value for
	ways         map[string][]alternative
	twins        map[[2]string]bool // pairs of places that read the same, references followed
	limit        int                // how deep values are varied in this round
	cut          bool               // some place was too deep for that
}

// A chosen value is the smallest one found for some schemas.
type chosen struct {
	value any
	size  int // of its text, in bytes
	found bool
}

// The work that one candidate may cost on average, how much of its text counts as a unit, and what a question to an
// automaton and a way to satisfy some schemas count for.
const (
	workPerEvaluation  = 100
	bytesPerUnit       = 4
	workPerPattern     = 50
	workPerAlternative = 20
)

func newSearch(narrow, wide any, o searchOptions) (*search, error) {
	n, err := newDocument(narrow, "narrow", o.AssertFormats)
	if err != nil {
		return nil, err
	}
	w, err := newDocument(wide, "wide", o.AssertFormats)
	if err != nil {
		return nil, err
	}
	if o.Evaluations <= 0 {
		o.Evaluations = DefaultEvaluations
	}
	return &search{narrow: n, wide: w, options: o, work: o.Evaluations * workPerEvaluation, seen: map[string]bool{},
		read: map[string]*pattern.Pattern{}, smallest: map[string]chosen{}, ways: map[string][]alternative{}, twins: map[[2]string]bool{}}, nil
}

// run tries hints, then candidates from the schemas, varied ever deeper, then mutations of what both accept.
func (s *search) run() (any, bool) {
	for _, h := range s.options.Hints {
		if v, err := readValue(h); err == nil && s.refutes(v) {
			return v, true
		}
	}
	root := place{ns: []node{s.narrow.node()}, ws: []node{s.wide.node()}, exact: true}
	for _, limit := range [...]int{1, 2, 4, 40} {
		s.limit = limit
		for v := range s.values(root) {
			if s.refutes(v) {
				return v, true
			}
			if s.spent() {
				return nil, false
			}
		}
		if !s.cut {
			break
		}
	}
	return s.mutate()
}

func (s *search) spent() bool { return s.tried >= s.options.Evaluations || s.work <= 0 }

// refutes reports whether a candidate is a witness.
func (s *search) refutes(v any) bool {
	text := textOf(v)
	s.work -= 1 + len(text)/bytesPerUnit
	if s.seen[text] || s.spent() {
		return false
	}
	s.seen[text] = true
	s.tried++
	if !s.admits(v) {
		return false
	}
	switch s.ask(s.wide.node(), v) {
	case No:
		return true
	case Yes:
		if len(s.accepted) < 200 && len(text) < 2000 {
			s.accepted = append(s.accepted, v)
		}
	}
	return false
}

// admits reports whether a caller of the narrow schema may send the value.
func (s *search) admits(v any) bool {
	if s.ask(s.narrow.node(), v) != Yes {
		return false
	}
	return !s.options.Declared || declared([]node{s.narrow.node()}, v, 0)
}

func textOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
