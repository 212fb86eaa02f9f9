package oracle

import (
	"cmp"
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A search holds the two schemas, what is left of the budget, and what was learnt on the way.
type search struct {
	narrow, wide *document
	most         int             // candidates to try
	tried        int             // candidates put to both schemas
	work         int             // units left: values visited by the validator, candidates made
	seen         map[string]bool // candidates tried, as text
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

func newSearch(narrow, wide any, evaluations int) (*search, error) {
	n, err := newDocument(narrow, "narrow")
	if err != nil {
		return nil, err
	}
	w, err := newDocument(wide, "wide")
	if err != nil {
		return nil, err
	}
	most := cmp.Or(evaluations, defaultEvaluations)
	return &search{narrow: n, wide: w, most: most, work: most * workPerEvaluation, seen: map[string]bool{},
		read: map[string]*pattern.Pattern{}, smallest: map[string]chosen{}, ways: map[string][]alternative{},
		twins: map[[2]string]bool{}}, nil
}

// run tries candidates from the schemas, varied ever deeper.
func (s *search) run() (any, bool) {
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
	return nil, false
}

func (s *search) spent() bool { return s.tried >= s.most || s.work <= 0 }

// refutes reports whether a candidate is a witness.
func (s *search) refutes(v any) bool {
	text := textOf(v)
	s.work -= 1 + len(text)/bytesPerUnit
	if s.seen[text] || s.spent() {
		return false
	}
	s.seen[text] = true
	s.tried++
	return s.ask(s.narrow.node(), v) == Yes && s.ask(s.wide.node(), v) == No
}

func textOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
