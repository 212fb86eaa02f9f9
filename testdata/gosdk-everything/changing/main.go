// Command changing is a server on the official go-sdk whose surface changes on command. It speaks over its standard input
// and output, or with -http over streamable HTTP, and does what is asked at the address -control:
//
//	/add?tool=NAME  /remove?tool=NAME  /add?prompt=NAME  /remove?prompt=NAME  /add?resource=URI  /remove?resource=URI
//	/exit
package main

import (
	"context"
	"encoding/json"
	"flag"
	"log"
	"net/http"
	"os"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

func main() {
	control := flag.String("control", "", "take commands at this address")
	listen := flag.String("http", "", "serve streamable HTTP at this address, at /mcp")
	stateless := flag.Bool("stateless", false, "with -http: without sessions, as 2026-07-28 has it")
	flag.Parse()
	server := mcp.NewServer(&mcp.Implementation{Name: "changing", Version: "1"}, &mcp.ServerOptions{
		HasPrompts: true, HasResources: true, HasTools: true,
	})
	change(server, "/add", "tool", "first")
	go func() { log.Fatal(http.ListenAndServe(*control, commands(server))) }()
	if *listen == "" {
		log.Fatal(server.Run(context.Background(), &mcp.StdioTransport{}))
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: *stateless}))
	log.Fatal(http.ListenAndServe(*listen, mux))
}

// commands does what is asked.
func commands(server *mcp.Server) http.Handler {
	return http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/exit" {
			os.Exit(7)
		}
		for kind, names := range r.URL.Query() {
			for _, name := range names {
				change(server, r.URL.Path, kind, name)
			}
		}
	})
}

func change(server *mcp.Server, how, kind, name string) {
	switch how + " " + kind {
	case "/add tool":
		server.AddTool(&mcp.Tool{Name: name, Description: strings.Repeat(name+" ", 5), InputSchema: json.RawMessage(`{"type":"object"}`)},
			func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{}, nil
			})
	case "/remove tool":
		server.RemoveTools(name)
	case "/add prompt":
		server.AddPrompt(&mcp.Prompt{Name: name}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		})
	case "/remove prompt":
		server.RemovePrompts(name)
	case "/add resource":
		server.AddResource(&mcp.Resource{URI: name, Name: name}, func(context.Context, *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
	case "/remove resource":
		server.RemoveResources(name)
	}
}
