package schema

import "encoding/json"

// Verdict is the answer of [Contains]. The zero value is Unknown: nothing is claimed until it is shown.
type Verdict int

const (
	// Unknown says that neither a proof nor a counterexample was found within the budget.
	Unknown Verdict = iota
	// Compatible says that every value the narrow schema accepts is accepted by the wide one.
	Compatible
	// Incompatible says that a value exists which the narrow schema accepts and the wide one rejects.
	Incompatible
)

// String returns the verdict as one lower-case word.
func (v Verdict) String() string {
	switch v {
	case Compatible:
		return "compatible"
	case Incompatible:
		return "incompatible"
	}
	return "unknown"
}

// Result is the answer of [Contains] with its evidence.
type Result struct {
	Verdict Verdict
	// Path is the JSON pointer of the keyword in the wide schema that rejects the witness, or of the construct that
	// stopped the decision. It is empty for the root and for Compatible.
	Path string
	// Instance is the JSON pointer of the place in the witness that is rejected; empty is the whole value.
	Instance string
	// Keyword is the keyword at Path, such as "required"; empty where a schema as a whole is meant.
	Keyword string
	// Reason says in a few words why: the keyword that rejects, or what stopped the decision. Empty for Compatible.
	Reason string
	// Witness is a value that the narrow schema accepts and the wide one rejects. It is nil unless the
	// verdict is Incompatible, and may be nil then: too large to be shown.
	Witness json.RawMessage
	// Steps counts the work done, in units that are the same on every machine.
	Steps int
}
