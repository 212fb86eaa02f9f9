package schema

// Contains decides whether the wide schema accepts every JSON value that the narrow one accepts.
func Contains(wide, narrow *Schema, b Budget) Result {
	e := newEngine(b)
	out := e.inhabit([]lit{yes(narrow.root(b.Semantics)), not(wide.plain)})
	r := Result{Steps: b.steps() - e.left}
	switch out.answer {
	case void:
		r.Verdict = Compatible
	case inhabited:
		r.Verdict = Incompatible
		r.Witness = []byte(jsonText(out.value))
	default:
		r.Reason = out.why.String()
	}
	return r
}

func (s *Schema) root(m Semantics) *node {
	if m == Declared {
		return s.declared()
	}
	return s.plain
}

// String says what stopped a decision.
func (r reason) String() string {
	switch {
	case r.node == nil:
		return r.what
	case r.what == "":
		return r.node.keyword
	}
	return r.what + " (" + r.node.keyword + ")"
}

// Equivalent reports whether both schemas are proved to accept the same values, whatever the semantics in b say: the
// comparison is strict set equality.
func Equivalent(x, y *Schema, b Budget) bool {
	b.Semantics = Strict
	return Contains(x, y, b).Verdict == Compatible && Contains(y, x, b).Verdict == Compatible
}
