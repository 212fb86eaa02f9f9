// Command mcpctl inspects, diffs and guards MCP (Model Context Protocol) servers.
//
// It lists what servers offer, saves it, says what changed and who breaks. See docs/usage.md for its commands, sources
// and exit statuses.
package main

import (
	"log/slog"
	"os"
	"runtime"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

func main() {
	// The MCP library logs through the default logger; stderr is our conversation, not its.
	slog.SetDefault(slog.New(slog.DiscardHandler))
	ctx, interrupted := untilSignal()
	status := run(ctx, os.Args[1:], ofSystem())
	if s := interrupted(); s != 0 {
		status = s
	}
	os.Exit(status)
}

// ofSystem is what this run knows of the machine.
func ofSystem() host.Process {
	p := host.Process{In: os.Stdin, Out: os.Stdout, Err: report.Guard(os.Stderr), Environ: os.Environ(), GOOS: runtime.GOOS, Version: version(), Now: time.Now()}
	p.Dir, _ = os.Getwd()
	p.Home, _ = os.UserHomeDir()
	return p
}
