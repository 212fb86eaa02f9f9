package watch_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Example watches one server and prints its changes, until the first one.
func Example() {
	server, end := runTickets()
	defer end()

	ctx, stop := context.WithCancel(context.Background())
	source := watch.Source{Name: "tickets", Open: func(ctx context.Context) (watch.Session, error) {
		session, err := probe.Open(ctx, server, probe.Options{})
		if err == nil {
			<-session.Listen() // for what the server announces
		}
		return session, err
	}}
	fmt.Println(watch.Run(ctx, source, watch.Options{}, func(e watch.Event) {
		for _, f := range e.Findings {
			fmt.Println(e.Server, e.Kind, f.Level, f.Rule, f.Item)
			stop()
		}
	}))
	// Output:
	// tickets changed info tool-added tool/close_ticket
	// <nil>
}

// runTickets runs a server that has one tool more once its tools were listed.
func runTickets() (server probe.Server, end func()) {
	hooks := &mcpserver.Hooks{}
	tickets := mcpserver.NewMCPServer("tickets", "1.0.0", mcpserver.WithToolCapabilities(true),
		mcpserver.WithHooks(hooks))
	tickets.AddTool(mcp.NewTool("list_tickets"), nil)
	hooks.AddAfterListTools(func(context.Context, any, *mcp.ListToolsRequest, *mcp.ListToolsResult) {
		tickets.AddTool(mcp.NewTool("close_ticket"), nil)
	})
	running := httptest.NewServer(mcpserver.NewStreamableHTTPServer(tickets))
	return probe.Server{Name: "tickets", HTTP: &probe.HTTP{URL: running.URL}}, running.Close
}
