package diff_test

import (
	"fmt"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func ExampleCompare() {
	old, _ := snapshot.Parse([]byte(`{"tools": [{"name": "search", "inputSchema": {"type": "object", "properties": {
		"limit": {"type": "number"}}}}]}`))
	new, _ := snapshot.Parse([]byte(`{"tools": [{"name": "search", "inputSchema": {"type": "object", "properties": {
		"limit": {"type": "integer"}, "lang": {"type": "string"}}}}]}`))

	for _, f := range diff.Compare(old, new, diff.Options{}) {
		fmt.Printf("%s %s %s%s: %s → %s\n", f.Level, f.Rule, f.Item, f.Pointer(), f.Old, f.New)
	}
	// Output:
	// info input-optional-property-added tool/search/inputSchema/properties/lang:  → {"type":"string"}
	// breaking input-type-narrowed tool/search/inputSchema/properties/limit/type: "number" → "integer"
}
