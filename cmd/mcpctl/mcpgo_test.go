package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
	"github.com/rogpeppe/go-internal/testscript"
)

// mcpgoServer offers one thing of every kind, over two pages of tools.
func mcpgoServer() *server.MCPServer {
	s := server.NewMCPServer("mcpgo", "1.2.1", server.WithToolCapabilities(true), server.WithPromptCapabilities(false),
		server.WithResourceCapabilities(false, false), server.WithPaginationLimit(2), server.WithInstructions("Built with mcp-go."))
	for _, name := range []string{"add", "divide", "multiply"} {
		schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":["number","null"]},"b":true},"required":["a"]}`)
		s.AddTool(mcp.NewToolWithRawSchema(name, "Calculates.", schema), nil)
	}
	s.AddPrompt(mcp.NewPrompt("greet", mcp.WithArgument("who", mcp.RequiredArgument())), nil)
	s.AddResource(mcp.NewResource("test://motto", "motto"), nil)
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://user/{id}", "user"), nil)
	return s
}

// mcpgoStdio is the program mcpgo: the server on standard input and output.
func mcpgoStdio() int {
	if err := server.NewStdioServer(mcpgoServer()).Listen(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// mcpgoHTTP serves the same over HTTP: mcpgohttp NAME both|legacy|sse sets NAME_URL.
func mcpgoHTTP(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mcpgohttp NAME both|legacy|sse")
	}
	var listening *httptest.Server
	path := "/mcp"
	switch args[1] {
	case "both":
		listening = servertest.NewTestStreamableHTTPServer(mcpgoServer())
	case "legacy":
		listening = servertest.NewTestStreamableHTTPServer(mcpgoServer(), server.WithStateful(true), server.WithStreamableHTTPProtocolVersions("2025-11-25"))
	case "sse":
		listening, path = servertest.NewTestServer(mcpgoServer()), "/sse"
	default:
		ts.Fatalf("unknown kind %q", args[1])
	}
	ts.Defer(func() {
		listening.CloseClientConnections()
		listening.Close()
	})
	ts.Setenv(args[0]+"_URL", listening.URL+path)
}
