package schema_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/schema"
)

// A tool's input schema changes: are calls that were accepted still accepted?
func Example() {
	before, _ := schema.Parse(json.RawMessage(`{
		"type": "object",
		"properties": {"query": {"type": "string"}, "limit": {"type": "number", "minimum": 0}},
		"required": ["query"]}`))
	after, _ := schema.Parse(json.RawMessage(`{
		"type": "object",
		"properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 0}},
		"required": ["query"]}`))

	r := schema.Contains(context.Background(), after, before, schema.Budget{})
	fmt.Println(r.Verdict, string(r.Witness))

	for _, e := range schema.Compare(context.Background(), before, after, schema.Budget{}).Edits {
		fmt.Println(e.Family, e.Path, string(e.Old), string(e.New))
	}
	// Output:
	// incompatible {"limit":0.5,"query":"a"}
	// type /properties/limit "number" "integer"
}

// Two changes at once: each comes with a call that it breaks.
func ExampleRevision_Judge() {
	before, _ := schema.Parse(json.RawMessage(`{"type": "object",
		"properties": {"query": {"type": "string"}, "sort": {"enum": ["new", "old"]}}}`))
	after, _ := schema.Parse(json.RawMessage(`{"type": "object",
		"properties": {"query": {"type": "string", "minLength": 1}, "sort": {"enum": ["new"]}}}`))

	revision := schema.Compare(context.Background(), before, after, schema.Budget{})
	judged := revision.Judge(context.Background(), schema.Input, schema.Budget{})
	for _, ch := range judged.Changes {
		edit := revision.Edits[ch.Edit]
		fmt.Println(edit.Family, edit.Path, ch.Breaks.Verdict, string(ch.Breaks.Witness))
	}
	// Output:
	// length /properties/query incompatible {"query":""}
	// enum /properties/sort incompatible {"sort":"old"}
}

// Two ways to write the same schema are equivalent.
func ExampleEquivalent() {
	x, _ := schema.Parse(json.RawMessage(`{"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}`))
	y, _ := schema.Parse(json.RawMessage(`{"type": ["null", "integer"], "exclusiveMinimum": 0}`))
	fmt.Println(schema.Equivalent(context.Background(), x, y, schema.Budget{}))
	// Output: true
}
