package schema

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Contains decides whether the wide schema accepts every JSON value that the narrow one accepts.
//
// Compatible rests on a proof, Incompatible on a value that was read back by both schemas. Everything else is
// Unknown, with the reason; so is what is not decided when the context ends.
func Contains(ctx context.Context, wide, narrow *Schema, b Budget) Result {
	return question{in: []*Schema{narrow}, out: []*Schema{wide}, budget: b}.answer(ctx)
}

// A question asks for a value that the first of in accepts under the semantics of the budget, the others as
// they are written, and that none of out accepts. If there is none, the verdict is Compatible.
type question struct {
	in, out []*Schema
	with    []literal // what else the value satisfies
	budget  Budget
}

// literals returns the question as literals, all of them to be satisfied by one value. Only the first schema
// is read under the semantics of the budget.
func (q question) literals() []literal {
	var out []literal
	for i, s := range q.in {
		if i == 0 {
			out = append(out, yes(s.root(q.budget.Semantics)))
			continue
		}
		out = append(out, yes(s.plain))
	}
	for _, s := range q.out {
		out = append(out, not(s.plain))
	}
	return append(out, q.with...)
}

// answer decides the question. The engine is trusted only when it finds no value; a value that it finds must
// also pass holds, else the result is Unknown.
func (q question) answer(ctx context.Context) Result {
	if q.budget.Pool == nil {
		q.budget.Pool = &Pool{Left: q.budget.steps()}
	}
	m, paid := q.budget.Pool.meter(ctx, q.budget.steps()*unitsPerStep)
	limit := m.left
	out := outcome{answer: empty}
	if !slices.ContainsFunc(q.out, q.in[0].equals) {
		out = newEngine(m, q.budget).inhabit(q.literals())
	}
	paid()
	r := Result{Verdict: Compatible}
	switch {
	case out.answer == empty:
	case (out.answer == inhabited || out.tried) && q.holds(ctx, out.value):
		r = q.shown(ctx, out.value)
	default:
		r = undecidedBy(out)
	}
	r.Steps = m.used(limit) / unitsPerStep
	return r
}

// holds reads a value by every schema of the question, as a validator does.
func (q question) holds(ctx context.Context, value any) bool {
	return !slices.ContainsFunc(q.literals(),
		func(l literal) bool { return q.reads(ctx, l, value) != inhabited })
}

// reads reads a value by a schema. That is taken out of the pool, but needs no share of it: what was found
// must not be lost since other work was done before.
func (q question) reads(ctx context.Context, l literal, value any) answer {
	m := &meter{ctx: ctx, left: maxEvaluation}
	defer func() { q.budget.Pool.take(m.used(maxEvaluation)) }()
	return m.accepts(l, value)
}

// shown returns a result with the value, without what it does not need.
func (q question) shown(ctx context.Context, value any) Result {
	if weight(value, maxWitness) < maxWitness {
		value = shrunk(value, q.budget.Pool, func(v any) bool { return q.holds(ctx, v) })
	}
	r := Result{Verdict: Incompatible}
	r.show(value)
	return r
}

// tooLarge is why a witness is not shown.
const tooLarge = "the example is too large to print"

// show makes a value the witness.
func (r *Result) show(value any) {
	if r.value, r.Witness, r.Reason = value, nil, tooLarge; weight(value, maxWitness) < maxWitness {
		r.Witness, r.Reason = json.RawMessage(jsonText(value)), ""
	}
}

// undecidedBy returns an Unknown result with the reason, and with the place of the construct if there is one.
func undecidedBy(out outcome) Result {
	r := Result{Reason: out.why.what}
	if n := out.why.node; n != nil && n.keyword != "" {
		r.Reason += " (" + n.keyword + ")"
		r.Path = rawjson.Join(n.place, n.keyword)
	} else if n != nil {
		r.Path = n.place
	}
	if out.answer == inhabited {
		r.Reason = "the value that was found is not confirmed"
	}
	return r
}

// Equivalent reports whether both are proved to accept the same values. The semantics of b are ignored.
func Equivalent(ctx context.Context, x, y *Schema, b Budget) bool {
	b.Semantics = Strict
	return Contains(ctx, x, y, b).Verdict == Compatible && Contains(ctx, y, x, b).Verdict == Compatible
}

// equals reports whether two schemas are the same as written; what callers declare of one is in the other.
func (s *Schema) equals(other *Schema) bool { return s.plain.sum == other.plain.sum }

func (s *Schema) root(m Semantics) *node {
	if m == Declared {
		return s.declared()
	}
	return s.plain
}

// maxWitness is the number of values in the largest witness that is shown.
const maxWitness = 2000

// weight estimates the size of a value: one for each value in it, itself included, and one more for every 64
// bytes of a string or a name. It stops at the limit, so it is cheap for huge values too; it is the limit for
// a value that is not written out, see long.go.
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
		for name, item := range v {
			if n += len(name) / 64; n < limit {
				n += weight(item, limit-n)
			}
		}
	case string:
		n += len(v) / 64
	case longText, longList, longObject:
		return limit
	}
	return min(n, limit)
}

// canonical writes a value so that equal values have equal text: 1.0 is 1, and the order of keys does not
// matter.
func canonical(v any) string {
	text, _ := json.Marshal(plainNumbers(v))
	return string(text)
}

// plainNumbers returns a copy in which equal numbers are spelled alike. A number that is too large to compute
// with stays as written.
func plainNumbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if r, ok := rational(v); ok {
			return decimal(r)
		}
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = plainNumbers(item)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, item := range v {
			out[name] = plainNumbers(item)
		}
		return out
	}
	return v
}
