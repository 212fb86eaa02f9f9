package schema

import (
	"encoding/json"

	"github.com/mcpctl/mcpctl/pkg/schema/internal/refute"
)

// Contains decides whether the wide schema accepts every JSON value that the narrow one accepts.
//
// Compatible rests on a proof, Incompatible on a value that an independent validator confirmed. Everything else is
// Unknown, with the reason.
func Contains(wide, narrow *Schema, b Budget) Result {
	e := newEngine(b)
	out := e.inhabit([]lit{yes(narrow.root(b.Semantics)), not(wide.plain)})
	steps := b.steps() - e.left
	if out.answer == void {
		return Result{Verdict: Compatible, Steps: steps}
	}
	r := refuteWith(wide, narrow, b, out)
	r.Steps += steps
	return r
}

// Equivalent reports whether both schemas are proved to accept the same values, whatever the semantics in b say: the
// comparison is strict set equality.
func Equivalent(x, y *Schema, b Budget) bool {
	b.Semantics = Strict
	return prove(x, y, b) && prove(y, x, b)
}

// prove is Contains without the search for a witness.
func prove(wide, narrow *Schema, b Budget) bool {
	return newEngine(b).inhabit([]lit{yes(narrow.root(b.Semantics)), not(wide.plain)}).answer == void
}

// root returns the assertion that the schema makes under the given semantics.
func (s *Schema) root(m Semantics) *node {
	if m == Declared {
		return s.declared()
	}
	return s.plain
}

// refuteWith confirms the value that the engine found, or searches another one.
func refuteWith(wide, narrow *Schema, b Budget, out outcome) Result {
	if out.answer == inhabited || out.tried {
		if r, ok := confirm(wide, narrow, b, out); ok {
			return r
		}
	}
	value, tried := search(wide, narrow, b, out)
	if value != nil {
		r := incompatible(wide, readBack(value), b)
		r.Steps = tried
		return r
	}
	r := Result{Reason: out.why.String(), Steps: tried}
	if out.answer == inhabited {
		r.Reason = "the value that was found is not confirmed"
	}
	if n := out.why.node; n != nil {
		if r.Path, r.Keyword = n.place, n.keyword; n.keyword != "" {
			r.Path = join(n.place, n.keyword)
		}
	}
	return r
}

// maxWitness is the number of values in the largest witness that is shown. A larger one shows the incompatibility by
// its structure only.
const maxWitness = 2000

// confirm asks the independent validator whether the value that the engine found shows incompatibility. Where the
// validator cannot tell, the engine's own reading of the value decides and the value is not shown as a witness.
func confirm(wide, narrow *Schema, b Budget, out outcome) (Result, bool) {
	value := out.value
	f := newFormats(b.AssertFormats)
	inside, outside := accepts(yes(narrow.root(b.Semantics)), value, f), accepts(not(wide.plain), value, f)
	if inside == void || outside == void {
		return Result{}, false
	}
	accepted, rejected := unsure, unsure
	small := weight(value, maxWitness) < maxWitness
	if small {
		accepted = narrow.judge(value, b.AssertFormats)
		rejected = negate(wide.judge(value, b.AssertFormats))
	}
	hybrid := narrow.standsFor != nil || wide.standsFor != nil
	switch {
	case accepted == inhabited && rejected == inhabited:
		return incompatible(wide, value, b), true
	case !hybrid && (accepted == void || rejected == void):
		return Result{}, false
	}
	certain := out.answer == inhabited && inside == inhabited && outside == inhabited
	return shownBy(blamer{f}.of(yes(wide.plain), value, "")), certain
}

// weight counts the values in a value, up to a limit.
func weight(v any, limit int) int {
	n := 1
	if limit <= 1 {
		return n
	}
	switch v := v.(type) {
	case []any:
		for i := 0; i < len(v) && n < limit; i++ {
			n += weight(v[i], limit-n)
		}
	case map[string]any:
		for _, item := range v {
			if n < limit {
				n += weight(item, limit-n)
			}
		}
	case string:
		n += len(v) / 64
	}
	return n
}

// readBack decodes a witness from its JSON text.
func readBack(raw json.RawMessage) any {
	v, _ := decode(raw)
	return v
}

// search looks for a witness that the engine did not find.
func search(wide, narrow *Schema, b Budget, out outcome) (value json.RawMessage, tried int) {
	if wide.doc == nil || narrow.doc == nil || wide.loops || narrow.loops {
		return nil, 0
	}
	o := refute.Options{AssertFormats: b.AssertFormats, Declared: b.Semantics == Declared, Evaluations: searchFor(b)}
	if out.tried && weight(out.value, maxWitness) < maxWitness {
		o.Hints = []json.RawMessage{json.RawMessage(jsonText(out.value))}
	}
	value, tried, err := refute.Find(narrow.judged(), wide.judged(), o)
	if err != nil || value == nil {
		return nil, tried
	}
	if b.Semantics == Declared && accepts(yes(narrow.declared()), readBack(value), newFormats(b.AssertFormats)) == void {
		return nil, tried
	}
	return value, tried
}

// searchFor is the number of values to try within a budget.
func searchFor(b Budget) int { return min(b.steps()/50, refute.DefaultEvaluations) + 1 }

func incompatible(wide *Schema, value any, b Budget) Result {
	r := shownBy(blamer{newFormats(b.AssertFormats)}.of(yes(wide.plain), value, ""))
	r.Witness = json.RawMessage(jsonText(value))
	return r
}

func shownBy(where blame) Result {
	r := Result{Verdict: Incompatible, Path: where.path, Instance: where.instance, Keyword: where.keyword,
		Reason: where.keyword}
	switch {
	case where.detail != "":
		r.Reason += ": " + where.detail
	case r.Reason == "":
		r.Reason = "the schema as a whole"
	}
	return r
}

// String says what stopped a decision.
func (r reason) String() string {
	switch {
	case r.node == nil || r.node.keyword == "":
		return r.what
	case r.what == "":
		return r.node.keyword
	}
	return r.what + " (" + r.node.keyword + ")"
}
