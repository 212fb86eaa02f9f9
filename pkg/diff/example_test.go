package diff_test

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func ExampleCompare() {
	old, _ := snapshot.Parse([]byte(`{"tools": [{"name": "search", "inputSchema": {"type": "object", "properties": {
		"limit": {"type": "number"}}}}]}`))
	new, _ := snapshot.Parse([]byte(`{"tools": [{"name": "search", "inputSchema": {"type": "object", "properties": {
		"limit": {"type": "integer"}, "lang": {"type": "string"}}}}]}`))

	findings, err := diff.Compare(context.Background(), old, new, diff.Options{})
	if err != nil {
		panic(err) // the context ended
	}
	for _, f := range findings {
		fmt.Printf("%s %s %s%s: %s → %s\n", f.Level, f.Rule, f.Item, f.Pointer(), f.Old, f.New)
	}
	// Output:
	// info input-optional-property-added tool/search/inputSchema/properties/lang:  → {"type":"string"}
	// breaking input-fractions-rejected tool/search/inputSchema/properties/limit/type: "number" → "integer"
}
