package diff_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/probe"
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

// A gateway asks the servers behind it what they offer, and whether that breaks its clients.
func Example_gateway() {
	before, _ := snapshot.Parse([]byte(`{"tools": [{"name": "search", "inputSchema": {"type": "object", "properties": {
		"limit": {"type": "number"}}}}]}`)) // as it was saved with Encode
	search := server.NewMCPServer("search", "2.0.0")
	search.AddTool(mcp.NewToolWithRawSchema("search", "", json.RawMessage(`{"type": "object", "properties": {
		"limit": {"type": "integer"}}}`)), nil)
	running := httptest.NewServer(server.NewStreamableHTTPServer(search))
	defer running.Close()

	servers := []probe.Server{{Name: "search", HTTP: &probe.HTTP{URL: running.URL}}}
	options := probe.Options{Timeout: 30 * time.Second, ClientName: "gateway", ClientVersion: "1.0.0"}
	for result := range probe.All(context.Background(), servers, options) {
		for _, failure := range probe.Failures(result.Err) {
			fmt.Println(failure, failure.Code)
		}
		if result.Err != nil {
			continue
		}
		breaks, err := diff.Breaking(context.Background(), before, result.Snapshot, diff.Options{Server: "search"})
		if err != nil {
			fmt.Println("it may break more:", err)
		}
		for _, f := range breaks {
			fmt.Printf("%s %s: %s\n  such as %s\n", f.Server, f.Item, f.Message, f.Witness)
		}
	}
	// Output:
	// search tool/search: `limit` now accepts integers only ("number" → "integer").
	//   such as {"limit":0.5}
}
