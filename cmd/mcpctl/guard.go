package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/live"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

func snapshotCommand(p program) *cli.Command {
	var o compare.SaveOptions
	return p.command(&cli.Command{
		Name:      "snapshot",
		Usage:     "save what servers offer, a file for each",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "save the snapshot of the one server to `FILE`, not into the folder (a report goes there with --report)", Destination: &o.File, TakesFile: true},
		},
		Action: p.about(&report.Options{}, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Scope = p.scope()
			return compare.Save(ctx, p.Process, o, from)
		}),
	}, snapshotsFlags(&p.Select), selectionFlags(&p.Select), formatFlags(&p.Output), p.talkFlags(), reportFlags(&p.Output), p.reachFlags())
}

// scope is which servers take part, and how they are reached.
func (p program) scope() compare.Scope { return compare.Scope{Select: p.Select, Contact: p.Contact} }

func diffCommand(p program) *cli.Command {
	var o compare.DiffOptions
	var view report.Options
	return p.command(&cli.Command{
		Name:      "diff",
		Usage:     "what changed since the saved snapshots, and who breaks",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Compares servers with their saved snapshots, or with what --base names.
Two saved SOURCEs are compared with each other: the first is old, the second is new.`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "base", Usage: "the old side: any `SOURCE`", Destination: &o.Base},
			&cli.StringFlag{Name: "base-ref", Usage: "the old side: the same servers, started from commit `REF` in a temporary worktree", Destination: &o.Ref},
			&cli.GenericFlag{Name: "versions", Usage: "a table of the last `N` releases of the one package", Value: number(&o.Versions, 0)},
			&cli.BoolFlag{Name: "upgrade", Usage: "configured servers that start a package (npx, uvx, pipx, docker), against its newest version", Destination: &o.Upgrade},
			&cli.BoolFlag{Name: "locked", Usage: "start no other package than what mcp-snapshots/mcpctl.lock.json says", Destination: &o.Locked},
			&cli.StringFlag{Name: "build", Usage: "with --base-ref, run `CMD` with the shell in both trees first", Destination: &o.Build},
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Scope, view.History = p.scope(), o.Versions > 0
			return compare.Diff(ctx, p.Process, o, from)
		}),
	}, judgeFlags(&o.FailOn, &view.Waived, "breaking"), schemaFlags(&o.Strict, &o.AssertFormats), snapshotsFlags(&p.Select), p.surveyFlags())
}

// fingerprint tells the words of the command line that are meant as one, be they whole or not.
var fingerprint = match.Pattern(`^[0-9a-fA-F]{8,}$`)

func acceptCommand(p program) *cli.Command {
	var o compare.AcceptOptions
	var servers []string
	return p.command(&cli.Command{
		Name:      "accept",
		Usage:     "move saved snapshots forward by single changes",
		ArgsUsage: "FINGERPRINT… [SOURCE…] [-- CMD ARG…]",
		Description: `Takes the changes with these fingerprints, as mcpctl diff shows them, over into the saved snapshots, and nothing else.
Changes that cannot be told apart from them go along; the report lists all that was accepted.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "accept all changes", Destination: &o.All},
			&cli.GenericFlag{Name: "server", Usage: "ask only the configured server `NAME` (repeatable)", Value: list(&servers)},
			&cli.BoolFlag{Name: "dry-run", Usage: "tell what would be accepted, and write nothing", Destination: &o.DryRun},
		},
		Action: func(c *cli.Context) error {
			var words []string
			for _, word := range c.Args().Slice() {
				if fingerprint().MatchString(word) {
					o.Fingerprints = append(o.Fingerprints, strings.ToLower(word))
				} else {
					words = append(words, word)
				}
			}
			if len(words) > 0 && len(o.Fingerprints) == 0 && !o.All {
				return exit.Usagef("%q is no fingerprint, which has 12 digits and letters from a to f: name those that mcpctl diff shows, or --all", words[0])
			}
			from, err := p.sources(append(words, servers...))
			if err != nil {
				return err
			}
			o.Scope = p.scope()
			r, err := compare.Accept(c.Context, p.Process, o, from)
			return p.emit(c.Context, r, err, report.Options{Waived: true})
		},
	}, schemaFlags(&o.Strict, &o.AssertFormats), snapshotsFlags(&p.Select), p.surveyFlags())
}

func checkCommand(p program) *cli.Command {
	var o compare.CheckOptions
	var view report.Options
	return p.command(&cli.Command{
		Name:      "check",
		Usage:     "what is wrong with what servers offer: protocol, schemas, quality, cost, security",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Looks at each server and at all of them together; no tool is called. A server is asked for its lists twice, to see
whether they stay the same. What the saved snapshot already has, rules on security tell as info.
With --conformance a server is also asked what no client would ask – methods, versions, headers and sessions that do not exist – and must
answer as the specification has it, in both eras if it speaks both.`,
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "against", Usage: "hold `FILE` or URL to the server: a server.json, the manifest.json of a bundle or a .mcpb, a server card, a README; auto = those of this folder (repeatable)", Value: list(&o.Against), TakesFile: true},
			&cli.BoolFlag{Name: "fix", Usage: "bring the files of --against in step with the server first: version, title, tools and prompts", Destination: &o.Fix},
			&cli.BoolFlag{Name: "read-skills", Usage: "read the SKILL.md of each skill, and look at what it says and whether it is what is listed", Destination: &o.ReadSkills},
			&cli.BoolFlag{Name: "conformance", Usage: "ask each server on purpose whether it keeps to the specification", Destination: &o.Conformance},
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			o.Scope = p.scope()
			return compare.Check(ctx, p.Process, o, from)
		}),
	}, judgeFlags(&o.FailOn, &view.Waived, "warning"), snapshotsFlags(&p.Select), p.surveyFlags())
}

func watchCommand(p program) *cli.Command {
	o := live.Options{MaxFailures: 5}
	var against string
	p.Output.Format = eventFormat(p.env)
	return &cli.Command{
		Name:      "watch",
		Usage:     "keep watching servers, and tell every change once",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Listens to what servers announce and polls beside that, until a signal or --for ends it.
r and Enter, or SIGUSR1, asks all servers at once. Saved snapshots are never written.`,
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
