package main

import (
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/watchrun"
)

// watchCommand makes watch. Its formats are those of events, not of reports, because it writes while it runs.
func watchCommand(p program) *cli.Command {
	var o watchrun.Options
	against := "previous"
	p.Output.Format = "table"
	if p.env.Format != "" && p.env.Format != "table" { // it only says whether a program reads
		p.Output.Format = "ndjson"
	}
	if p.env.Retries == nil {
		p.Contact.Retries = watchRetries
	}
	c := &cli.Command{
		Name:      "watch",
		Category:  "Guard",
		Usage:     "Watch servers and report changes",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Listens to notifications and polls, until a signal or --for ends it.
r and Enter, or SIGUSR1 (not on Windows), reads all servers now. Saved snapshots are not changed.
A stdio server keeps running: changes of its files show with --reload GLOB only.`,
		Flags: slices.Concat(
			p.watchFlags(&o, &against), selectionFlags(&p.Select), p.talkFlags(),
			contactFlags(&p.Select, &p.Contact), p.parallelFlags(), p.retryFlags(strconv.Itoa(watchRetries)),
			snapshotsFlags(&p.Select),
		),
		Before: p.complete(func() error {
			if p.JSON {
				p.Output.Format = "ndjson"
			}
			switch {
			case !slices.Contains([]string{"table", "ndjson"}, p.Output.Format):
				return exit.Usagef("watch has the formats table and ndjson, not %q", p.Output.Format)
			case against != "previous" && against != "saved":
				return exit.Usagef("--against is previous or saved, not %q", against)
			}
			return p.Output.CheckColor()
		}),
		Action: func(c *cli.Context) error {
			from, err := p.sources(c.Args().Slice())
			if err != nil {
				return err
			}
			o.Saved, o.Parallel = against == "saved", p.Contact.Parallel
			printEvents(p, &o, p.repeat(c.Command, c.Args().Slice()))
			o.Retries, o.FailFast = p.Contact.Retries, p.Contact.FailFast
			if err := o.Check(from, p.behind != nil); err != nil {
				return err
			}
			if o.Build != "" {
				if err := p.Contact.Buildable(); err != nil {
					return err
				}
			}
			f, err := fleet.LoadAsking(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(50) // watch runs for weeks and is mostly idle: memory costs more
			}
			err = watchrun.Watch(c.Context, p.Process, f, from, o)
			ended, is := errors.AsType[exit.Interrupted](err)
			if is && ended.Signal != syscall.SIGPIPE { // that is how it is meant to end
				p.Note("watching ended by a signal (%v)", ended.Signal)
				return exit.Reported(ended.Status())
			}
			return err
		},
	}
	c.BashComplete = completeFor(&p, c)
	return c
}

// printEvents sets how watch writes what it found, and what its advised commands repeat.
func printEvents(p program, o *watchrun.Options, run report.Repeat) {
	o.SaveHint = run.SaveHint
	if p.Output.Format == "table" {
		color := p.Output.Colored(p.Process)
		o.Lines = func(lines []seen.EventLine) string {
			var text strings.Builder
			for _, line := range lines {
				view := report.Options{Width: host.Width(p.Out), Color: color}
				text.WriteString(report.EventText(line, view))
			}
			return text.String()
		}
	}
	o.Explain = func(r watchrun.Result) {
		why := &report.Report{Command: "watch", Status: r.Status,
			Body: &report.Listing{Servers: onlySeen(r.Servers)}}
		report.PrintStatus(p.Process, p.Output, why, report.Options{Run: run})
	}
}

// watchRetries is how often watch tries to read a server again by default: it has the time.
const watchRetries = 3

// watchFlags returns the flags that only watch has.
func (p *program) watchFlags(o *watchrun.Options, against *string) []cli.Flag {
	return []cli.Flag{
		option("format, f", "`FORMAT` of the output: table, ndjson",
			text(&p.Output.Format).usually(strconv.Quote(p.Output.Format))),
		toggle("json", "Same as --format ndjson", &p.JSON),
		option("interval", "Poll every `DURATION` (5m for servers that notify)",
			duration(&o.Interval).usually("30s")),
		option("against", "Compare with `SNAPSHOT`: previous or saved", text(against).usually(`"previous"`)),
		option("for", "Quit after `DURATION`", duration(&o.For)),
		option("reload", "Restart the server when `GLOB` changes (repeatable)", list(&o.Reload)),
		option("build", "With --reload: run `CMD` before each start", text(&o.Build)),
		option("exec", "Run `CMD` for each change or outage, with JSON on its stdin", text(&o.Exec)),
		option("webhook", "Post each change or outage as JSON to `URL`", text(&o.Webhook)),
		option("listen", "Serve metrics, states and events at `ADDRESS`", text(&o.Listen)),
		option("state", "Keep snapshots in `DIR`; report changes since then", text(&o.State)),
		option("fail-on", "Quit with status 1 at a change of `LEVEL` or above", text(&o.FailOn)),
		semanticsFlag(&o.Diff.Strict),
	}
}
