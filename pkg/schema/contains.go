package schema

import (
	"encoding/json"
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

// refuteWith confirms the value that the engine found.
func refuteWith(wide, narrow *Schema, b Budget, out outcome) Result {
	if out.answer == inhabited || out.tried {
		if r, ok := confirm(wide, narrow, b, out); ok {
			return r
		}
	}
	r := Result{Reason: out.why.String()}
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

// confirm reads the value that the engine found by both schemas as a validator does.
func confirm(wide, narrow *Schema, b Budget, out outcome) (Result, bool) {
	value := out.value
	f := newFormats(b.AssertFormats)
	if accepts(yes(narrow.root(b.Semantics)), value, f) != inhabited || accepts(yes(wide.plain), value, f) != void {
		return Result{}, false
	}
	r := shownBy(blamer{f}.of(yes(wide.plain), value, ""))
	if weight(value, maxWitness) < maxWitness {
		r.Witness = json.RawMessage(jsonText(value))
	}
	return r, true
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
