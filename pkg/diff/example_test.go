package diff_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
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

	ctx := context.Background()
	at := probe.Server{Name: "search", HTTP: &probe.HTTP{URL: running.URL}, Timeout: 30 * time.Second}
	session, err := probe.Open(ctx, at, probe.Options{ClientName: "gateway", ClientVersion: "1.0.0"})
	if err != nil {
		log.Fatal(err)
	}
	defer session.Close()
	now, err := session.Snapshot(ctx)
	if err != nil {
		log.Fatal(err)
	}
	breaks, err := diff.Breaking(ctx, before, now, diff.Options{Server: at.Name})
	var undecided *diff.UnknownError
	if err != nil && !errors.As(err, &undecided) {
		log.Fatal(err)
	}
	fmt.Println("breaks:", len(breaks) > 0 || undecided != nil)
	for _, f := range breaks {
		fmt.Printf("%s: %s\n  such as %s\n", f.Place(), f.Message, f.Witness)
	}
	// Output:
	// breaks: true
	// search(limit): `limit` now accepts integers only ("number" → "integer").
	//   such as {"limit":0.5}
}
