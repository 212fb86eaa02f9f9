package main

import (
	"os"
	"runtime/debug"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/watchrun"
)

// watchCommand makes watch. Its formats are those of events, not of reports, because it writes while it runs.
func watchCommand(p program) *cli.Command {
	var o watchrun.Options
	var against string
	p.Output.Format = eventFormat(p.env)
	c := &cli.Command{
		Name:      "watch",
		Category:  "Guard",
		Usage:     "Watch servers and report changes",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Listens to notifications and polls, until a signal or --for ends it.
r and Enter, or SIGUSR1, reads all servers now. Saved snapshots are not changed.`,
		Flags: slices.Concat(
			p.watchFlags(&o, &against), schemaFlags(&o.Diff.Strict), selectionFlags(&p.Select), p.talkFlags(),
			contactFlags(&p.Select, &p.Contact), p.parallelFlags(), snapshotsFlags(&p.Select),
		),
		Before: p.complete(func() error {
			if p.JSON {
				p.Output.Format = "ndjson"
			}
			switch {
			case !slices.Contains(report.EventFormats(), p.Output.Format):
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
			o.Saved, o.Parallel, o.Output = against == "saved", p.Contact.Parallel, p.Output
			if err := o.Check(from, p.behind != nil); err != nil {
				return err
			}
			if o.Build != "" {
				if err := p.Contact.Buildable(); err != nil {
					return err
				}
			}
			f, err := fleet.Load(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			if os.Getenv("GOGC") == "" {
				debug.SetGCPercent(50) // watch runs for weeks and is mostly idle: memory costs more
			}
			return watchrun.Watch(c.Context, p.Process, f, from, o)
		},
	}
	c.BashComplete = completeFor(&p, c)
	return c
}

// watchFlags returns the flags that only watch has.
func (p *program) watchFlags(o *watchrun.Options, against *string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "format", Aliases: []string{"f"},
			Usage: "Print `FORMAT`: table (lines) or ndjson (one event a line)",
			Value: p.Output.Format, Destination: &p.Output.Format,
		},
		&cli.BoolFlag{Name: "json", Usage: "Same as --format ndjson", Destination: &p.JSON},
		&cli.GenericFlag{
			Name: "interval", Usage: "Poll every `DURATION` (5m for servers that notify)",
			Value: duration(&o.Interval), DefaultText: "30s",
		},
		&cli.StringFlag{
			Name: "against", Usage: "Compare with `SNAPSHOT`: previous or saved",
			Value: "previous", Destination: against,
		},
		&cli.GenericFlag{Name: "for", Usage: "Quit after `DURATION`", Value: duration(&o.For)},
		&cli.GenericFlag{
			Name: "reload", Usage: "Restart the server when `GLOB` changes (repeatable)",
			Value: list(&o.Reload),
		},
		&cli.StringFlag{
			Name: "build", Usage: "With --reload: run `CMD` before each start", Destination: &o.Build,
		},
		&cli.StringFlag{
			Name: "exec", Usage: "Run `CMD` for each change, with JSON on its stdin", Destination: &o.Exec,
		},
		&cli.StringFlag{Name: "webhook", Usage: "Post each change as JSON to `URL`", Destination: &o.Webhook},
		&cli.StringFlag{
			Name: "listen", Usage: "Serve metrics, states and events at `ADDRESS`", Destination: &o.Listen,
		},
		&cli.StringFlag{
			Name: "state", Usage: "Keep snapshots in `DIR`; report changes since then",
			Destination: &o.State, TakesFile: true,
		},
		&cli.StringFlag{
			Name: "fail-on", Usage: "Quit with status 1 at a change of `LEVEL` or above",
			Destination: &o.FailOn,
		},
	}
}

// eventFormat returns the format of events unless a flag names one. MCPCTL_FORMAT only says whether a program
// reads.
func eventFormat(env config.Environment) string {
	if env.Format != "" && env.Format != "table" {
		return "ndjson"
	}
	return "table"
}
