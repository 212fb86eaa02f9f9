package refute

import (
	"encoding/json"
	"iter"
	"slices"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/pattern"
)

// A search holds the two schemas, what is left of the budget, and what was learnt on the way.
type search struct {
	narrow, wide *document
	options      Options
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

func newSearch(narrow, wide any, o Options) (*search, error) {
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
		if v, err := decode(h); err == nil && s.refutes(v) {
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
	text := encode(v)
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
	case no:
		return true
	case yes:
		if len(s.accepted) < 200 && len(text) < 2000 {
			s.accepted = append(s.accepted, v)
		}
	}
	return false
}

// admits reports whether a caller of the narrow schema may send the value.
func (s *search) admits(v any) bool {
	if s.ask(s.narrow.node(), v) != yes {
		return false
	}
	return !s.options.Declared || declared([]node{s.narrow.node()}, v, 0)
}

// A place is a point in a value with the schemas of either side that speak of it. With exact set, the wide schema
// accepts a value only if each of ws accepts what stands there.
type place struct {
	ns, ws []node
	exact  bool
	depth  int
	trail  []string // the places above it
	plain  bool     // leave out what combines narrow and wide schemas
	below  bool     // the two sides differ in parts of the value only
}

func (p place) bag() []node {
	all, _ := bag(p.ws)
	return all
}

// hints lists what may name a bound worth trying: every schema of either side that speaks of the place.
func (p place) hints() facts {
	all, _ := bag(p.ns)
	return facts{append(p.bag(), all...)}
}

// below returns the place of a part of the value. It is not worth visiting where both sides say the same.
func (s *search) below(p place, ns, ws []node) (place, bool) {
	s.work -= 1 + len(p.trail)
	_, plain := bag(p.ws)
	sub := place{ns: ns, ws: ws, exact: p.exact && plain, depth: p.depth + 1}
	if sub.exact && s.same(ns, ws) {
		return sub, false
	}
	name := key(ns) + "\n" + key(ws)
	visits := 0
	for _, above := range p.trail {
		if above == name {
			visits++
		}
	}
	sub.trail = append(slices.Clone(p.trail), name)
	return sub, visits < 2
}

// local returns the candidates for a place inside a container. Where the wide side is exact, one that it accepts
// cannot make the difference, and only the first few are kept.
func (s *search) local(p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		harmless := 0
		for v := range s.values(p) {
			if p.exact && s.fits(p.ws, v) {
				if harmless++; harmless > 2 || harmless > 1 && p.depth > 2 {
					continue
				}
			}
			if !yield(v) {
				return
			}
		}
	}
}

// values returns candidates for a place that its narrow schemas accept, simple ones first.
func (s *search) values(p place) iter.Seq[any] {
	return func(yield func(any) bool) {
		if p.depth > s.limit {
			s.cut = true
			if v, ok := s.minimal(p.ns); ok {
				yield(v)
			}
			return
		}
		seen := map[string]bool{}
		for v := range s.raw(p) {
			text := encode(v)
			if s.work -= 1 + len(text)/bytesPerUnit; s.work <= 0 {
				return
			}
			if seen[text] || !s.fits(p.ns, v) {
				continue
			}
			seen[text] = true
			if !yield(v) {
				return
			}
		}
	}
}

// raw returns candidates that may or may not fit.
func (s *search) raw(p place) iter.Seq[any] {
	p.below = p.exact && s.differBelow(p)
	return func(yield func(any) bool) {
		wide := p.hints()
		for _, alt := range s.alternatives(p.ns) {
			for v := range s.ofAlternative(alt, wide, p) {
				if !yield(v) {
					return
				}
			}
		}
		if p.plain {
			return
		}
		for _, extra := range targets(p.ws) {
			aimed := p
			aimed.plain = true
			for _, alt := range s.alternatives(slices.Concat(p.ns, extra)) {
				for v := range s.ofAlternative(alt, wide, aimed) {
					if !yield(v) {
						return
					}
				}
			}
		}
	}
}

func (s *search) ofAlternative(alt alternative, wide facts, p place) iter.Seq[any] {
	narrow := facts{alt}
	return func(yield func(any) bool) {
		s.work -= workPerAlternative + len(alt) + len(wide.parts)
		if s.work <= 0 {
			return
		}
		list, finite := narrow.finite()
		if !finite && !p.below {
			list = slices.Concat(narrow.known(), wide.known())
		}
		for _, v := range list {
			if !yield(v) {
				return
			}
		}
		if finite {
			return
		}
		for _, kind := range narrow.kinds() {
			for v := range s.ofKind(kind, alt, wide, p) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

func (s *search) ofKind(kind string, alt alternative, wide facts, p place) iter.Seq[any] {
	switch kind {
	case "object":
		return s.objects(alt, p)
	case "array":
		return s.arrays(alt, p)
	case "string":
		return slices.Values(s.strings(facts{alt}, wide))
	case "integer":
		return slices.Values(s.numbers(facts{alt}, wide, true))
	case "number":
		return slices.Values(s.numbers(facts{alt}, wide, false))
	case "boolean":
		return slices.Values([]any{true, false})
	}
	return slices.Values([]any{nil})
}

func (s *search) alternatives(ns []node) []alternative {
	name := key(ns)
	all, known := s.ways[name]
	if !known {
		all = alternatives(ns)
		s.ways[name] = all
	}
	return all
}

// minimal returns the first value that the schemas accept. Asked for again while it looks, as by a schema that
// requires itself, it gives up.
func (s *search) minimal(ns []node) (any, bool) {
	name := key(ns)
	if c, known := s.smallest[name]; known {
		return c.value, c.found
	}
	s.smallest[name] = chosen{}
	limit, cut := s.limit, s.cut
	s.limit = 1
	s.open++
	defer func() { s.open--; s.limit, s.cut = limit, cut }()
	for v := range s.values(place{ns: ns, plain: true}) {
		s.smallest[name] = chosen{v, len(encode(v)), true}
		s.retry()
		return v, true
	}
	s.failed = append(s.failed, name)
	return nil, false
}

// retry forgets the failures below an outermost success: they may have failed only because it was not known yet.
func (s *search) retry() {
	if s.open > 1 {
		return
	}
	for _, name := range s.failed {
		delete(s.smallest, name)
	}
	s.failed = nil
}

// fits reports whether no schema of a list rejects the value.
func (s *search) fits(ns []node, v any) bool {
	for _, n := range ns {
		if b, ok := n.value.(bool); ok {
			if !b {
				return false
			}
			continue
		}
		if n.doc == nil {
			continue
		}
		if s.ask(n, v) == no {
			return false
		}
	}
	return true
}

// ask puts a value to the validator and pays for it.
func (s *search) ask(n node, v any) answer {
	a := n.doc.accepts(n.at, v)
	s.work -= 1 + n.doc.ticks
	return a
}

func encode(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}
