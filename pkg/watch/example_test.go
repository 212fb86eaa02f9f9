package watch_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpserver "github.com/mark3labs/mcp-go/server"

	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// Example watches one server and prints its changes, until the first one.
func Example() {
	tickets := mcpserver.NewMCPServer("tickets", "1.0.0", mcpserver.WithToolCapabilities(true))
	tickets.AddTool(mcp.NewTool("list_tickets"), nil)
	running := httptest.NewServer(mcpserver.NewStreamableHTTPServer(tickets))
	defer running.Close()

	ctx, stop := context.WithCancel(context.Background())
	source := watch.Source{Name: "tickets", Open: func(ctx context.Context) (watch.Session, error) {
		session, err := probe.Open(ctx, probe.Server{Name: "tickets", HTTP: &probe.HTTP{URL: running.URL}},
			probe.Options{Timeout: 30 * time.Second})
		if err != nil {
			return nil, err
		}
		<-session.Listen() // for what the server announces
		return session, nil
	}}
	err := watch.Run(ctx, source, watch.Options{}, func(e watch.Event) {
		if e.Kind == watch.StateChanged && e.State.Reached() {
			tickets.AddTool(mcp.NewTool("close_ticket"), nil) // a release of the server
		}
		for _, f := range e.Findings {
			fmt.Println(e.Server, e.Kind, f.Level, f.Rule, f.Item)
			stop()
		}
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output: tickets changed info tool-added tool/close_ticket
}
