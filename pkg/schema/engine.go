package schema

import "slices"

// The engine answers one question: is there a value that satisfies all of some literals? Contains asks it for
// a value that satisfies the narrow schema and the negation of the wide one. "No value" is a proof of
// compatibility, a value is a witness against it.
//
// A question is divided by the type of the value. For one type, combinations are resolved until only
// assertions about that type are left (clause.go); these are decided by a procedure of the type (number.go,
// text.go, array.go, object.go), which asks again for the values inside the value. Recursion is answered by
// induction on the height of values. That is semantic subtyping (Frisch, Castagna, Benzaken, "Semantic
// subtyping", 2008; for JSON Schema Attouche and others, "Witness generation for JSON Schema", 2022), lazily
// and within a budget.
//
// A construct that is not understood is kept by its text. It equals itself, never holds or fails, and a
// verdict that depends on it is Unknown.
type engine struct {
	*meter
	exact bool // numbers count only as far as all programs agree on them, see [Declared]

	memo     map[string]outcome
	open     map[string]*frame
	frames   int // open questions
	confirms int // values that were read before they were doubted
	below    int // values inside values between the first open question and the current one
	low      int // the outermost open question that the current answer takes to be void
}

func newEngine(m *meter, b Budget) *engine {
	return &engine{meter: m, exact: b.Semantics == Declared,
		memo: map[string]outcome{}, open: map[string]*frame{}, low: noFrame}
}

// An answer says whether a value exists.
type answer uint8

const (
	unsure    answer = iota // not decided
	empty                   // proved that no value exists
	inhabited               // a value exists
)

// An outcome is an answer with its evidence.
type outcome struct {
	answer
	value any    // with inhabited: a value; with unsure: a value worth trying, or nil
	tried bool   // with unsure: value holds one
	why   reason // with unsure: what stopped the decision
}

// A reason names the construct or the bound that stopped a decision.
type reason struct {
	what string
	node *node
}

func found(v any) outcome              { return outcome{answer: inhabited, value: v} }
func undecided(why reason) outcome     { return outcome{why: why} }
func doubtful(v any, r reason) outcome { return outcome{value: v, tried: true, why: r} }

// settled returns the outcome of a value that was put together. tried reports whether it is worth trying in
// case of doubt.
func settled(v any, doubt reason, tried bool) outcome {
	switch {
	case doubt == reason{}:
		return found(v)
	case tried:
		return doubtful(v, doubt)
	}
	return undecided(doubt)
}

// inside asks for a value inside the value. It is undecided below maxInside levels, which ends schemas whose
// values are nested without end.
func (e *engine) inside(lits []literal) outcome {
	if e.below >= maxInside {
		return undecided(reason{what: "the values are nested too deeply"})
	}
	e.below++
	out := e.inhabit(lits)
	e.below--
	return out
}

// inhabit asks for a value that satisfies all literals.
func (e *engine) inhabit(lits []literal) outcome {
	if e.step() || e.spend(8*len(lits)) {
		return undecided(outOfSteps)
	}
	question, possible := tidy(lits)
	if !possible {
		return outcome{answer: empty}
	}
	return e.recall(question)
}

// ask divides a question by the type of the value.
func (e *engine) ask(question []literal) outcome {
	types := kindAll
	for _, l := range question {
		types &= l.may()
	}
	out := outcome{answer: empty}
	for _, k := range kinds {
		if types&k == 0 {
			continue
		}
		c := &clause{kind: k, asked: question, known: &facts{}}
		if !e.assume(c, question) {
			continue
		}
		if out = better(out, e.solve(c)); out.answer == inhabited {
			return out
		}
	}
	return out
}

// better returns the outcome to keep of two ways to find a value. An undecided way hides a void one, since
// void is a proof only if it is the answer of all ways.
func better(a, b outcome) outcome {
	switch {
	case a.answer == inhabited || b.answer == empty:
		return a
	case b.answer == inhabited || a.answer == empty || b.tried && !a.tried:
		return b
	}
	return a
}

// tidy sorts literals, drops those that say nothing, and reports false where two contradict each other.
func tidy(lits []literal) ([]literal, bool) {
	out := make([]literal, 0, len(lits))
	for _, l := range lits {
		if l.isFalse() {
			return nil, false
		}
		if !l.isTrue() {
			out = append(out, l)
		}
	}
	slices.SortFunc(out, compareLits)
	out = slices.CompactFunc(out, literal.same)
	for i := 1; i < len(out); i++ {
		if out[i].sum == out[i-1].sum {
			return nil, false
		}
	}
	return out, true
}

// Values are finite, so those of recursive schemas are looked for by induction on their height: while a
// question is open, the same question about a value inside may be answered with void. What rests on that is
// not remembered. The same question about the same value is unsure.

const noFrame = 1 << 30

type frame struct {
	index int
	below int // where it was asked
}

// recall answers a question from memory or asks it.
func (e *engine) recall(question []literal) outcome {
	key := keyOf(question)
	if out, known := e.memo[key]; known {
		return out
	}
	if f := e.open[key]; f != nil {
		if f.below == e.below {
			return undecided(reason{"a schema that refers to itself", question[0].node})
		}
		e.low = min(e.low, f.index)
		return outcome{answer: empty}
	}
	f := &frame{e.frames, e.below}
	e.open[key] = f
	e.frames++
	outer := e.low
	e.low = noFrame
	out := e.ask(question)
	e.frames--
	delete(e.open, key)
	if out.answer != empty || e.low >= f.index {
		e.memo[key], e.low = out, noFrame
	}
	e.low = min(outer, e.low)
	return out
}

func keyOf(question []literal) string {
	b := make([]byte, 0, 17*len(question))
	for _, l := range question {
		b = append(append(b, sign(l)), l.sum[:]...)
	}
	return string(b)
}
