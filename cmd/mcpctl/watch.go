package main

import (
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/live"
	"github.com/mcpctl/mcpctl/internal/report"
)

func watchCommand(p program) *cli.Command {
	o := live.Options{MaxFailures: 5}
	var against string
	p.Output.Format = eventFormat(p.env)
	return &cli.Command{
		Name:      "watch",
		Usage:     "Watch servers and report changes",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Listens to notifications and polls until a signal or --for ends it. r and Enter, or SIGUSR1, refreshes all
servers. Saved snapshots are never written.`,
		Flags: slices.Concat([]cli.Flag{
			&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: "table (lines for people, the default) or ndjson (one event a line)", Value: p.Output.Format, Destination: &p.Output.Format},
			&cli.GenericFlag{Name: "interval", Usage: "poll every server once in this `DURATION` (without it one that announces its changes every 5m)", Value: duration(&o.Interval), DefaultText: "30s"},
			&cli.GenericFlag{Name: "max-staleness", Usage: "tell what is known of a server as stale after this `DURATION`, whatever the connection seems to be", Value: duration(&o.MaxStaleness), DefaultText: "twice the time between polls"},
			&cli.GenericFlag{Name: "debounce", Usage: "read again once announcements pause for this `DURATION`, after ten times as long in any case", Value: duration(&o.Debounce), DefaultText: "100ms"},
			&cli.GenericFlag{Name: "max-failures", Usage: "after `N` failures in a row try a server once a minute only", Value: count(&o.MaxFailures), DefaultText: "5"},
			&cli.StringFlag{Name: "against", Usage: "tell changes since this `SIDE`: previous (each from the one before) or saved (all since the saved snapshot)", Value: "previous", Destination: &against},
			&cli.GenericFlag{Name: "for", Usage: "end after this `DURATION`, such as 10m", Value: duration(&o.For)},
			&cli.BoolFlag{Name: "until-change", Usage: "end after the first change", Destination: &o.UntilChange},
			&cli.GenericFlag{Name: "reload", Usage: "start the stdio server anew when files change that `GLOB` names, such as 'src/**/*.ts' (repeatable)", Value: list(&o.Reload)},
			&cli.StringFlag{Name: "build", Usage: "with --reload: run `CMD` with the shell first", Destination: &o.Build},
			&cli.StringFlag{Name: "exec", Usage: "run `CMD` with the shell for every change, the event on its standard input", Destination: &o.Exec},
			&cli.StringFlag{Name: "webhook", Usage: "post every change to `URL`, signed if MCPCTL_WEBHOOK_SECRET is set", Destination: &o.Post.URL},
			&cli.StringFlag{Name: "webhook-format", Usage: "post as this `FORMAT`: json (the event), slack or teams", DefaultText: "json", Destination: &o.Post.Format},
			&cli.StringFlag{Name: "journal", Usage: "keep events in `FILE` too, and go on from there: what changed while nobody watched is told", Destination: &o.Record, TakesFile: true},
			&cli.StringFlag{Name: "surfaces", Usage: "keep the last surface of each server in `FOLDER`, and go on from there, also from what other watchers left of it", Destination: &o.Surfaces, TakesFile: true},
			&cli.StringFlag{Name: "listen", Usage: "serve metrics, health, surfaces and events over HTTP on `ADDRESS`, such as 127.0.0.1:9464 or unix:PATH", Destination: &o.Listen.Address},
			&cli.StringFlag{Name: "listen-token", Usage: "what HTTP clients must show: @FILE, env:NAME or a `TOKEN` (default: MCPCTL_LISTEN_TOKEN, else none)", Destination: &o.Listen.Token},
			&cli.StringFlag{Name: "tls-cert", Usage: "with --listen: serve HTTPS with the certificate in PEM `FILE`", Destination: &o.Listen.Cert, TakesFile: true},
			&cli.StringFlag{Name: "tls-key", Usage: "the key of --tls-cert, in PEM `FILE`", Destination: &o.Listen.Key, TakesFile: true},
			&cli.StringFlag{Name: "fail-on", Usage: "end with status 1 at the first change of this `LEVEL` or above: breaking, warning, info, any or never", Destination: &o.FailOn},
		}, schemaFlags(&o.Diff.Strict, &o.Diff.AssertFormats), selectionFlags(&p.Select), p.talkFlags(), contactFlags(&p.Select, &p.Contact), p.parallelFlags(), snapshotsFlags(&p.Select)),
		Before: p.complete(func() error {
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
			o.Post.Secret, _ = p.Lookup("MCPCTL_WEBHOOK_SECRET")
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
			return live.Watch(c.Context, p.Process, f, from, o)
		},
	}
}

// eventFormat is the format of events unless a flag names one. MCPCTL_FORMAT says no more than whether programs read.
func eventFormat(env config.Environment) string {
	if env.Format != "" && env.Format != "table" {
		return "ndjson"
	}
	return "table"
}
