package main

import (
	"embed"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

//go:embed surface-*.json
var surfaces embed.FS

// surface is what one version of the server offers, as its JSON file says.
type surface struct {
	Version string
	Tools   []struct {
		Name, Description string
		InputSchema       json.RawMessage
		Annotations       mcp.ToolAnnotation
	}
}

func newServer(version string) (*server.MCPServer, error) {
	offered, err := readSurface(version)
	if err != nil {
		return nil, err
	}
	s := server.NewMCPServer("tickets", offered.Version,
		server.WithToolCapabilities(true), server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(false, true),
		server.WithInstructions("Search before you create: a ticket that exists twice helps no one."))
	store := &tracker{tickets: []ticket{}}
	for _, t := range offered.Tools {
		tool := mcp.NewToolWithRawSchema(t.Name, t.Description, t.InputSchema)
		tool.Annotations = t.Annotations
		s.AddTool(tool, store.handler(t.Name))
	}
	s.AddPrompt(mcp.NewPrompt("triage", mcp.WithPromptDescription(
		"Sort the open tickets by what to do first."),
		mcp.WithArgument("team", mcp.ArgumentDescription("Whose tickets"), mcp.RequiredArgument())), triage)
	s.AddResource(mcp.NewResource("tickets://open", "open tickets",
		mcp.WithResourceDescription("All tickets that are open."),
		mcp.WithMIMEType("application/json")), store.read)
	s.AddResourceTemplate(mcp.NewResourceTemplate("tickets://{id}", "one ticket",
		mcp.WithTemplateDescription("A ticket by its number."),
		mcp.WithTemplateMIMEType("application/json")), store.read)
	return s, nil
}

func readSurface(version string) (surface, error) {
	var s surface
	data, err := surfaces.ReadFile("surface-" + version + ".json")
	if err != nil {
		return s, fmt.Errorf("no surface %q: 1 and 2 exist", version)
	}
	return s, json.Unmarshal(data, &s)
}
