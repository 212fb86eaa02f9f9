package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// command completes a command whose answer is a report: its own flags come first, shared ones after them.
func (p *program) command(c *cli.Command, shared ...[]cli.Flag) *cli.Command {
	c.Flags = append(c.Flags, slices.Concat(shared...)...)
	c.BashComplete = completeFor(p, c)
	c.Before = p.complete(func() error { return p.Output.Check(p.Process) })
	return c
}

// complete finds mistakes in the environment and in a command's flags, before anything is contacted.
func (p *program) complete(check func() error) cli.BeforeFunc {
	return func(*cli.Context) error {
		if p.misread != nil {
			return exit.Misuse(p.misread)
		}
		if p.JSON {
			p.Output.Format = "json"
		}
		switch file := p.Output.File; {
		case file == "-":
			p.Output.File = ""
		case slices.Contains(slices.Concat(report.Formats(), call.Formats()), file):
			return errFileIsFormat(file)
		}
		return check()
	}
}

// about returns the action of a command whose arguments are SOURCEs and whose answer is a report, shown as
// view says then.
func (p *program) about(
	view *report.Options, do func(ctx context.Context, from []source.Source) (*report.Report, error),
) cli.ActionFunc {
	return func(c *cli.Context) error {
		from, err := p.sources(c.Args().Slice())
		if err != nil {
			return err
		}
		r, err := do(c.Context, from)
		return p.emit(c.Context, r, err, *view)
	}
}

// sources returns the SOURCEs of a command: its arguments, and the command behind "--" last.
func (p program) sources(words []string) ([]source.Source, error) {
	return source.ParseAll(words, p.behind)
}

// oneSource takes the SOURCE off the arguments of a command, unless it is the command behind "--", which is
// for the server when a package is named.
func oneSource(p program, words []string) (named, rest []string) {
	if len(words) > 0 && (p.behind == nil || source.Parse(words[0]).Kind == source.Package) {
		return words[:1], words[1:]
	}
	return nil, words
}

func (p *program) surveyFlags() []cli.Flag {
	return slices.Concat(selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output), p.reachFlags())
}

func (p *program) reachFlags() []cli.Flag {
	return slices.Concat(contactFlags(&p.Select, &p.Contact), p.parallelFlags(), retryFlags(&p.Contact))
}

func selectionFlags(s *fleet.Selection) []cli.Flag {
	return append(configurationFlags(s), &cli.GenericFlag{
		Name: "only", Category: selecting, Usage: "Limit to servers matching `NAME` (glob, repeatable)",
		Value: names(&s.Only),
	})
}

// configurationFlags returns the flags for where servers are configured, without those that choose among
// them.
func configurationFlags(s *fleet.Selection) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name: "config", Aliases: []string{"c"}, Category: selecting, Value: list(&s.Files),
			TakesFile: true,
			Usage:     "Read servers from `FILE` (repeatable; default MCPCTL_CONFIG)",
		},
		&cli.BoolFlag{
			Name: "discover", Category: selecting, Destination: &s.Discover,
			Usage: "Include the servers of Claude, Cursor, VS Code and others",
		},
	}
}

func snapshotsFlags(s *fleet.Selection) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{
		Name: "snapshots", Category: selecting, Destination: &s.Snapshots,
		Usage: "`FOLDER` of saved snapshots (default mcp-snapshots)",
	}}
}

func yesFlag(s *fleet.Selection) cli.Flag {
	return &cli.BoolFlag{
		Name: "yes", Aliases: []string{"y"}, Category: connecting, Usage: "Skip confirmation prompts",
		Destination: &s.Yes,
	}
}

func trustFlag(s *fleet.Selection) cli.Flag {
	return &cli.BoolFlag{
		Name: "trust", Category: connecting, Destination: &s.Trust,
		Usage: "Start found servers in this run without asking",
	}
}

func (p *program) outputFlags() []cli.Flag {
	return slices.Concat(p.formatFlags(printing, report.Formats(), "table"), outputFlag(&p.Output),
		p.talkFlags())
}

func outputFlag(o *report.Output) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{
		Name: "output", Aliases: []string{"o"}, Category: printing, Destination: &o.File, TakesFile: true,
		Usage: "Write to `FILE` (- for standard output)",
	}}
}

// formatFlags returns the flags for the format. The default is what the environment set; the help shows usual
// in its place.
func (p *program) formatFlags(category string, formats []string, usual string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "format", Aliases: []string{"f"}, Category: category, Value: p.Output.Format,
			DefaultText: usual,
			Usage:       "`FORMAT` of the output: " + strings.Join(formats, ", "),
			Destination: &p.Output.Format,
		},
		&cli.BoolFlag{Name: "json", Category: category, Usage: "Same as --format json", Destination: &p.JSON},
	}
}

// talkFlags returns the flags for colors and for how much is printed.
func (p *program) talkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "color", Category: printing, Value: "auto", Destination: &p.Output.Color,
			Usage: "Use colors `WHEN`: auto, always or never",
		},
		&cli.BoolFlag{
			Name: "quiet", Aliases: []string{"q"}, Category: printing, Usage: "Print errors only",
			Destination: &p.Quiet,
		},
		&cli.BoolFlag{
			Name: "verbose", Aliases: []string{"v"}, Category: printing, Usage: "Print more detail",
			Destination: &p.Verbose,
		},
	}
}

// reportFlags returns the flags of commands that report findings: more reports, and an exit status of 0 in
// spite of them.
func reportFlags(o *report.Output) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name: "report", Category: printing, Value: reports(&o.Reports), TakesFile: true,
			Usage: "Also write the report as `FORMAT=FILE` (repeatable)",
		},
		&cli.BoolFlag{
			Name: "exit-zero", Category: printing, Usage: "Exit 0 even if there are findings",
			Destination: &o.ExitZero,
		},
	}
}

// contactFlags returns the flags for how servers are started and reached, and for what a client says to them:
// its protocol, capabilities and credentials.
func contactFlags(s *fleet.Selection, c *fleet.Contact) []cli.Flag {
	return []cli.Flag{
		yesFlag(s), trustFlag(s),
		timeoutFlag(c, "30s"),
		&cli.GenericFlag{
			Name: "env", Category: connecting, Usage: "Set `K=V` for stdio servers (repeatable)",
			Value: list(&c.Env),
		},
		&cli.BoolFlag{
			Name: "inherit-env", Category: connecting, Destination: &c.InheritEnv,
			Usage: "Pass the full environment to stdio servers",
		},
		&cli.BoolFlag{
			Name: "allow-scripts", Category: connecting, Destination: &c.AllowScripts,
			Usage: "Run install scripts and builds of packages",
		},
		&cli.BoolFlag{
			Name: "sandbox", Category: connecting, Destination: &c.Sandbox,
			Usage: "Run stdio servers without network, read-only (Linux)",
		},
		caCertFlag(c),
		&cli.StringFlag{
			Name: "protocol", Category: connecting, Value: c.Protocol, Destination: &c.Protocol,
			Usage: "Speak protocol `VERSION`, such as 2025-11-25",
		},
		&cli.StringFlag{
			Name: "client-capabilities", Category: connecting, Destination: &c.Capabilities,
			Usage: "Declare `LIST` of roots,sampling,elicitation, or none",
		},
		&cli.GenericFlag{
			Name: "header", Category: connecting, Value: list(&c.Headers),
			Usage: "Send `\"K: V\"` (or lines of @FILE) to HTTP servers (repeatable)",
		},
		&cli.StringFlag{
			Name: "bearer", Category: connecting, Destination: &c.Bearer,
			Usage: "Bearer token `FROM` env:NAME, file:PATH or cmd:COMMAND",
		},
	}
}

func timeoutFlag(c *fleet.Contact, usual string) cli.Flag {
	return &cli.GenericFlag{
		Name: "timeout", Category: connecting, Value: duration(&c.Timeout), DefaultText: usual,
		Usage: "Timeout per server, a `DURATION` (0 = none)",
	}
}

func caCertFlag(c *fleet.Contact) cli.Flag {
	return &cli.StringFlag{
		Name: "ca-cert", Category: connecting, Destination: &c.CACert, TakesFile: true,
		Usage: "Trust the certificates of PEM `FILE` too",
	}
}

// parallelFlags returns the flags for how many servers are contacted at once, and which shard of them.
func (p *program) parallelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name: "parallel", Category: connecting, Value: count(&p.Contact.Parallel),
			Usage: "Maximum concurrent servers, `N`", DefaultText: "64 remote, 8 per host",
		},
		&cli.GenericFlag{
			Name: "shard", Category: connecting, Value: shard(&p.Select.Shard, p.Lookup),
			Usage: "Contact shard `I/N` of the servers; auto: from the CI environment",
		},
	}
}

// retryFlags returns the flags for what is done when a server fails.
func retryFlags(c *fleet.Contact) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name: "retries", Category: connecting, Usage: "Retry transient failures `N` times",
			DefaultText: "0",
			Value:       number(&c.Retries, 0),
		},
		&cli.BoolFlag{
			Name: "fail-fast", Category: connecting, Usage: "Stop at the first failed server",
			Destination: &c.FailFast,
		},
	}
}

// judgeFlags returns the flags for what fails a run, and whether waived findings are shown. usual is the
// threshold without a flag.
func judgeFlags(failOn *string, showWaived *bool, usual string) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "fail-on", Destination: failOn, DefaultText: usual,
			Usage: "Exit 1 on findings at or above `LEVEL`, any or never",
		},
		waivedFlag(showWaived),
	}
}

// callsFlags returns the flags for a file of recorded calls; noExamples = nil for commands that show no
// calls.
func callsFlags(file *string, noExamples *bool) []cli.Flag {
	flags := []cli.Flag{&cli.StringFlag{
		Name: "calls", Destination: file, TakesFile: true,
		Usage: "Judge findings by the recorded calls in `FILE`",
	}}
	if noExamples != nil {
		flags = append(flags, &cli.BoolFlag{
			Name: "no-examples", Destination: noExamples, Usage: "Show no arguments of recorded calls",
		})
	}
	return flags
}

func waivedFlag(show *bool) cli.Flag {
	return &cli.BoolFlag{Name: "show-waived", Usage: "Include waived findings", Destination: show}
}

func schemaFlags(strict *bool) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{
			Name: "semantics", Value: semantics(strict), DefaultText: "declared",
			Usage: "Properties that callers send, by `MODE`: declared or strict",
		},
	}
}
