package schema

// Draft is a published version of JSON Schema.
type Draft int

// The drafts that are read, oldest first.
const (
	Draft04 Draft = iota + 1
	Draft06
	Draft07
	Draft201909
	Draft202012
)
