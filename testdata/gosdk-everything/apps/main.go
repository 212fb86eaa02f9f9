// Command apps is a server on the official go-sdk with a page for its tool, as MCP Apps has it. Its arguments are the
// _meta of the tool and that of the page, as JSON.
package main

import (
	"context"
	"encoding/json"
	"log"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	server := mcp.NewServer(&mcp.Implementation{Name: "apps", Version: "1"}, nil)
	server.AddTool(&mcp.Tool{Name: "chart", Description: "Draws the sales of a year.", Meta: meta(os.Args[1]),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}, InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{}, nil
		})
	page := &mcp.Resource{URI: "ui://chart", Name: "chart", Description: "The chart.", MIMEType: "text/html;profile=mcp-app",
		Meta: meta(os.Args[2])}
	server.AddResource(page, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: page.URI, MIMEType: page.MIMEType, Text: "<p>"}}}, nil
	})
	log.Fatal(server.Run(context.Background(), &mcp.StdioTransport{}))
}

func meta(arg string) (m mcp.Meta) {
	if err := json.Unmarshal([]byte(arg), &m); err != nil {
		log.Fatal(err)
	}
	return m
}
