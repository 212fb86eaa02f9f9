package probe_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Example asks two servers what they offer; one of them cannot be reached.
func Example() {
	tickets := server.NewMCPServer("tickets", "1.0.0")
	tickets.AddTool(mcp.NewTool("list_tickets"), nil)
	running := httptest.NewServer(server.NewStreamableHTTPServer(tickets))
	defer running.Close()

	servers := []probe.Server{
		{Name: "tickets", HTTP: &probe.HTTP{URL: running.URL}},
		{Name: "missing", Stdio: &probe.Stdio{Command: "no-such-server"}},
	}
	for result := range probe.All(context.Background(), servers, probe.Options{Parallel: 1}) {
		if result.Err != nil {
			for _, failure := range probe.Failures(result.Err) {
				fmt.Println(failure.Server, "failed while", failure.Stage)
			}
			continue
		}
		for _, tool := range result.Snapshot.Tools.Items() {
			fmt.Println(result.Server.Name, "offers", tool.Key)
		}
	}
	// Unordered output:
	// tickets offers list_tickets
	// missing failed while starting
}
