package diff

import "github.com/mcpctl/mcpctl/pkg/schema"

// The work on one pair of schemas is bounded by a count that is the same on every machine, in units of about a
// microsecond: a server cannot make a comparison last by many changes of an intricate schema. What is left undecided is
// told as unproven.
const (
	maxWork      = 1_000_000
	workPerStep  = 2  // of the schema engine
	bytesPerWork = 16 // of both schemas, which are read for each question
)

// contains asks the schema engine, and counts the work.
func (r *revision) contains(wide, narrow *schema.Schema, semantics schema.Semantics) schema.Result {
	left := (maxWork - r.work) / workPerStep
	if left <= 0 {
		return spent()
	}
	result := schema.Contains(wide, narrow, schema.Budget{
		Steps: min(schema.DefaultSteps, left), Semantics: semantics, AssertFormats: r.AssertFormats,
	})
	r.work += result.Steps*workPerStep + (len(wide.Raw())+len(narrow.Raw()))/bytesPerWork
	return result
}

func spent() schema.Result {
	return schema.Result{Reason: "the budget for the schemas of one tool is spent"}
}
