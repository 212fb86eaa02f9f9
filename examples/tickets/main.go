// Command tickets is a small, real MCP server for trying mcpctl: a ticket tracker kept in memory.
//
// Its surface comes in two versions, surface-1.json and surface-2.json, chosen by -surface. The second one
// makes the mistakes that servers make: a parameter becomes required, a value leaves an enum, a tool gets
// another name.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"os"

	"github.com/mark3labs/mcp-go/server"
)

func main() {
	surface := flag.String("surface", "1", "which surface to offer: 1 or 2")
	listen := flag.String("listen", "", "serve streamable HTTP at this address, such as 127.0.0.1:8080, "+
		"instead of stdio")
	flag.Parse()
	if err := run(*surface, *listen); err != nil {
		fmt.Fprintln(os.Stderr, "tickets:", err)
		os.Exit(1)
	}
}

func run(surface, listen string) error {
	tickets, err := newServer(surface)
	if err != nil {
		return err
	}
	if listen == "" {
		return server.ServeStdio(tickets)
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", server.NewStreamableHTTPServer(tickets))
	return http.ListenAndServe(listen, mux)
}
