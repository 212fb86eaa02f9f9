package schema

// Semantics chooses which values count as sent by a caller of the narrow schema.
type Semantics int

const (
	// Declared is the default: where an object schema lists properties and says nothing of others, callers send the
	// listed ones only. An explicit additionalProperties (also true) is a declaration and is taken at its word.
	Declared Semantics = iota
	// Strict is plain set inclusion: every value the narrow schema accepts counts.
	Strict
)

// Budget bounds and tunes one decision. The zero value is the default budget.
type Budget struct {
	// Steps is the number of units of work after which the answer is Unknown; 0 means DefaultSteps.
	Steps int
	// Depth is the number of nested values that are followed; 0 means DefaultDepth.
	Depth int
	// Semantics is Declared unless set.
	Semantics Semantics
	// AssertFormats treats "format" as a constraint instead of an annotation.
	AssertFormats bool
	// Pool, if there is one, bounds the work of all decisions together that are made with it.
	Pool *Pool
}

// Pool is work that several decisions share, one after another.
type Pool struct {
	// Left is the number of steps that are left. Decisions for which none are left are Unknown.
	Left int
}

// Default limits of a [Budget].
const (
	DefaultSteps = 50_000
	DefaultDepth = 64
)

func (b Budget) steps() int {
	steps := DefaultSteps
	if b.Steps > 0 {
		steps = b.Steps
	}
	if b.Pool != nil {
		steps = min(steps, max(b.Pool.Left, 0))
	}
	return steps
}

func (b Budget) depth() int {
	if b.Depth > 0 {
		return b.Depth
	}
	return DefaultDepth
}
