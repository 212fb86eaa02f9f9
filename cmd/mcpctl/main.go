// Command mcpctl inspects, diffs and guards MCP (Model Context Protocol) servers.
//
// It lists what servers offer, saves it, says what changed and who breaks. See docs/usage.md for its commands, sources
// and exit statuses.
package main

import (
	"io"
	"log/slog"
	"os"
)

func main() {
	// The MCP library logs through the default logger; stderr is our conversation, not its.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, interrupted := untilSignal()
	status := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}, os.Environ())
	if s := interrupted(); s != 0 {
		status = s
	}
	os.Exit(status)
}

// streams are where one run reads and writes.
type streams struct {
	in       io.Reader
	out, err io.Writer
}
