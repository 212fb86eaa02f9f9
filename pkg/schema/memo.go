package schema

// Values are finite, so the values of recursive schemas may be looked for by induction on their height: while a
// question is open, the same question about a value inside the value may be answered with void. Such an answer is an
// assumption, and what was concluded under it is provisional until the open question is answered: with void it
// stands, with anything else it is forgotten. The same question about the same value is no induction and is unsure.

const noFrame = 1 << 30

// A frame is an open question.
type frame struct {
	index int
	below int // where it was asked
}

// A memory is the outcome of a question that was answered before.
type memory struct {
	outcome
	low int // the outermost open question it depends on, or noFrame
}

// recall answers a question from memory or asks it.
func (e *engine) recall(question []lit, ask func([]lit) outcome) outcome {
	key := keyOf(question)
	if m := e.memo[key]; m != nil {
		e.low = min(e.low, m.low)
		return m.outcome
	}
	if f := e.open[key]; f != nil {
		if f.below == e.below {
			return undecided(reason{"a schema that refers to itself", question[0].node})
		}
		e.low = min(e.low, f.index)
		return outcome{answer: void}
	}
	f := &frame{e.frames, e.below}
	e.open[key] = f
	e.frames++
	outer, mark := e.low, len(e.trail)
	e.low = noFrame
	out := ask(question)
	e.frames--
	delete(e.open, key)
	e.remember(key, out, f, mark)
	e.low = min(outer, e.low)
	return out
}

// remember keeps an outcome and settles what was concluded since mark.
func (e *engine) remember(key string, out outcome, f *frame, mark int) {
	switch {
	case out.answer != void:
		for _, provisional := range e.trail[mark:] {
			delete(e.memo, provisional)
		}
		e.trail, e.low = e.trail[:mark], noFrame
	case e.low >= f.index:
		for _, provisional := range e.trail[mark:] {
			e.memo[provisional].low = noFrame
		}
		e.trail, e.low = e.trail[:mark], noFrame
	default:
		e.trail = append(e.trail, key)
	}
	e.memo[key] = &memory{out, e.low}
}

func keyOf(question []lit) string {
	b := make([]byte, 0, 17*len(question))
	for _, l := range question {
		b = append(append(b, sign(l)), l.sum[:]...)
	}
	return string(b)
}
