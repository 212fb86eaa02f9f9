package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// ticket is one entry of the tracker.
type ticket struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
	Open  bool   `json:"open"`
}

// tracker keeps tickets in memory.
type tracker struct {
	mu      sync.Mutex
	tickets []ticket
}

// handler is what a call of the named tool does.
func (t *tracker) handler(tool string) server.ToolHandlerFunc {
	switch tool {
	case "create_ticket":
		return t.create
	case "close_ticket", "resolve_ticket":
		return t.finish
	}
	return t.list
}

func (t *tracker) list(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return mcp.NewToolResultJSON(map[string]any{"tickets": t.tickets})
}

func (t *tracker) create(_ context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	title, err := call.RequireString("title")
	if err != nil {
		return mcp.NewToolResultError(err.Error()), nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.tickets = append(t.tickets, ticket{ID: len(t.tickets) + 1, Title: title, Open: true})
	return mcp.NewToolResultJSON(t.tickets[len(t.tickets)-1])
}

func (t *tracker) finish(_ context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	id := call.GetInt("id", 0)
	t.mu.Lock()
	defer t.mu.Unlock()
	if id < 1 || id > len(t.tickets) {
		return mcp.NewToolResultErrorf("there is no ticket %d", id), nil
	}
	t.tickets[id-1].Open = false
	return mcp.NewToolResultJSON(t.tickets[id-1])
}

func (t *tracker) read(_ context.Context, request mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, err := json.Marshal(t.tickets)
	return []mcp.ResourceContents{mcp.TextResourceContents{URI: request.Params.URI,
		MIMEType: "application/json", Text: string(text)}}, err
}

func triage(_ context.Context, request mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	text := fmt.Sprintf("List the open tickets of %s and say which to take first, and why.",
		request.Params.Arguments["team"])
	return mcp.NewGetPromptResult("Triage",
		[]mcp.PromptMessage{mcp.NewPromptMessage(mcp.RoleUser, mcp.NewTextContent(text))}), nil
}
