package main

import (
	"runtime"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// invocation is one run of mcpctl: its streams, its environment, and the values of the flags that commands share.
// Flags write straight into it.
type invocation struct {
	host.Process
	command []string          // what followed "--"; nil when there was no "--"
	twice   bool              // every list is asked for twice
	answers map[string]string // to prompts of the configuration, by the variable that stands for each; never stored

	configs    cli.StringSlice
	discover   bool
	remarked   []string // what was told of the configuration
	only       only
	yes        bool
	sandbox    bool
	format     string
	output     string
	reports    reportFiles
	timeout    setDuration
	parallel   int
	headers    cli.StringSlice
	bearer     string
	helper     string
	env        cli.StringSlice
	inheritEnv bool
	caCert     string
	protocol   string
	retries    int
	failFast   bool
	shard      setShard
	color      string
	snapshots  string
}

// outputFlags choose how a command answers.
func (inv *invocation) outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: strings.Join(report.Formats(), ", ") + " (default: MCPCTL_FORMAT, else table on a terminal and json elsewhere)", Destination: &inv.format},
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output", Destination: &inv.output, TakesFile: true},
		&cli.StringFlag{Name: "color", Usage: "`WHEN`: auto, always or never", Value: "auto", Destination: &inv.color},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "no progress and no remarks on standard error", Destination: &inv.Quiet},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "tell more on standard error", Destination: &inv.Verbose},
	}
}

// configFlags choose which servers exist.
func (inv *invocation) configFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "config", Aliases: []string{"c"}, Usage: "read servers from `FILE` (repeatable; default: MCPCTL_CONFIG, else searched for)", Destination: &inv.configs, TakesFile: true},
		&cli.BoolFlag{Name: "discover", Usage: "also the servers of Claude, Cursor, VS Code, Codex and other applications", Destination: &inv.discover},
		&cli.GenericFlag{Name: "only", Usage: "no server but `NAME`, or those of a pattern such as git* (repeatable, or with commas)", Value: &inv.only},
	}
}

// yesFlag answers every question.
func (inv *invocation) yesFlag() cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do without asking, this once: start what was only found, call a tool that may change things", Destination: &inv.yes}
}

// probeFlags choose how servers are reached.
func (inv *invocation) probeFlags() []cli.Flag {
	return append([]cli.Flag{
		inv.yesFlag(),
		&cli.GenericFlag{Name: "timeout", Usage: "per server, a `DURATION` such as 10s; 0 = none (default: MCP_TIMEOUT, else as configured, else 30s)", Value: &inv.timeout},
		&cli.IntFlag{Name: "parallel", Usage: "contact `N` servers at once", Value: defaultParallel(), Destination: &inv.parallel},
		&cli.StringSliceFlag{Name: "env", Usage: "`K=V` for every stdio server of this run (repeatable)", Destination: &inv.env},
		&cli.BoolFlag{Name: "inherit-env", Usage: "hand the whole environment to stdio servers, not only the minimum", Destination: &inv.inheritEnv},
		&cli.BoolFlag{Name: "sandbox", Usage: "start stdio servers without network and home, everything read-only (Linux, needs bwrap)", Destination: &inv.sandbox},
		&cli.StringFlag{Name: "ca-cert", Usage: "trust the certificates of PEM `FILE` too", Destination: &inv.caCert, TakesFile: true},
		&cli.StringFlag{Name: "protocol", Usage: "auto, or pin a `VERSION` such as 2025-11-25", Value: "auto", Destination: &inv.protocol},
		&cli.IntFlag{Name: "retries", Usage: "`N` further attempts after a failure that can heal (default: MCP_MAX_RETRIES, else 0)", Destination: &inv.retries},
		&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first server that fails", Destination: &inv.failFast},
		&cli.GenericFlag{Name: "shard", Usage: "only part `I/N` of the configured servers", Value: &inv.shard},
	}, inv.credentialFlags()...)
}

// savedFlags choose where snapshots are kept.
func (inv *invocation) savedFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "snapshots", Usage: "`FOLDER` of saved snapshots (default: mcp-snapshots, or as mcpctl.yaml says)", Destination: &inv.snapshots},
	}
}

// reachFlags are all flags of a command that contacts servers.
func (inv *invocation) reachFlags(own ...cli.Flag) []cli.Flag {
	return slices.Concat(own, inv.configFlags(), inv.outputFlags(), inv.reportFlags(), inv.probeFlags())
}

// defaultParallel is twice the processors, at least 4 and at most 16.
func defaultParallel() int { return min(max(2*runtime.NumCPU(), 4), 16) }
