package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// command completes a command whose answer is a report: its own flags come first, shared ones after them.
func (p *program) command(c *cli.Command, shared ...[]cli.Flag) *cli.Command {
	c.Flags = append(c.Flags, slices.Concat(shared...)...)
	c.Before = p.complete(func() error { return p.Output.Check(p.Process) })
	return c
}

// complete finds mistakes in what the environment says and in what a command's flags do, before anything is contacted.
func (p *program) complete(check func() error) cli.BeforeFunc {
	return func(*cli.Context) error {
		if p.misread != nil {
			return exit.Misuse(config.Explain(p.misread))
		}
		return check()
	}
}

// about is the action of a command whose words are SOURCEs and whose answer is a report, shown as view says once that is made.
func (p *program) about(view *report.Options, do func(ctx context.Context, from []source.Source) (*report.Report, error)) cli.ActionFunc {
	return func(c *cli.Context) error {
		from, err := p.sources(c.Args().Slice())
		if err != nil {
			return err
		}
		r, err := do(c.Context, from)
		return p.emit(c.Context, r, err, *view)
	}
}

func (p *program) surveyFlags() []cli.Flag {
	return slices.Concat(selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output), p.reachFlags())
}

func (p *program) reachFlags() []cli.Flag {
	return slices.Concat(contactFlags(&p.Select, &p.Contact), p.parallelFlags(), retryFlags(&p.Contact))
}

func selectionFlags(s *fleet.Selection) []cli.Flag {
	return append(configurationFlags(s), &cli.GenericFlag{Name: "only", Usage: "no server but `NAME`, or those of a pattern such as git* (repeatable, or with commas)", Value: names(&s.Only)})
}

func configurationFlags(s *fleet.Selection) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "config", Aliases: []string{"c"}, Usage: "read servers from `FILE` (repeatable; default: MCPCTL_CONFIG, else searched for)", Value: list(&s.Files), TakesFile: true},
		&cli.BoolFlag{Name: "discover", Usage: "also the servers of Claude, Cursor, VS Code, Codex and other applications", Destination: &s.Discover},
	}
}

func snapshotsFlags(s *fleet.Selection) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "snapshots", Usage: "the `FOLDER` of saved snapshots (default: mcp-snapshots, or as mcpctl.yaml says)", Destination: &s.Snapshots}}
}

func yesFlag(s *fleet.Selection) cli.Flag {
	return &cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "do without asking, this once: start what was only found, call a tool that may change things", Destination: &s.Yes}
}

func (p *program) outputFlags() []cli.Flag {
	return slices.Concat(formatFlags(&p.Output), []cli.Flag{
		&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "write to `FILE` instead of standard output", Destination: &p.Output.File, TakesFile: true},
	}, p.talkFlags())
}

func formatFlags(o *output.Options) []cli.Flag {
	return []cli.Flag{&cli.StringFlag{Name: "format", Aliases: []string{"f"}, Usage: strings.Join(report.Formats(), ", ") + " (default: MCPCTL_FORMAT, else table)", Value: o.Format, Destination: &o.Format}}
}

func (p *program) talkFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "color", Usage: "`WHEN` to colour: auto, always or never", Value: "auto", Destination: &p.Output.Color},
		&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "nothing on standard error but the reason of a status other than 0", Destination: &p.Quiet},
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "tell more on standard error", Destination: &p.Verbose},
	}
}

func reportFlags(o *output.Options) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "report", Usage: "write the report as `FORMAT=FILE` as well, such as sarif=mcpctl.sarif (repeatable)", Value: reports(&o.Reports), TakesFile: true},
		&cli.BoolFlag{Name: "exit-zero", Usage: "status 0 once the report is written, whatever it says", Destination: &o.ExitZero},
	}
}

func contactFlags(s *fleet.Selection, c *fleet.Contact) []cli.Flag {
	return []cli.Flag{
		yesFlag(s),
		&cli.GenericFlag{Name: "timeout", Usage: "a server has failed after this `DURATION`, such as 10s; 0 = never (default: MCP_TIMEOUT, else as configured, else 30s)", Value: duration(&c.Timeout)},
		&cli.GenericFlag{Name: "env", Usage: "set `K=V` for every stdio server of this run (repeatable)", Value: list(&c.Env)},
		&cli.BoolFlag{Name: "inherit-env", Usage: "hand the whole environment to stdio servers, not only the minimum", Destination: &c.InheritEnv},
		&cli.BoolFlag{Name: "allow-scripts", Usage: "run the install scripts of npm: packages, once you agreed to them", Destination: &c.AllowScripts},
		&cli.BoolFlag{Name: "sandbox", Usage: "start stdio servers without network and home, everything read-only (Linux, needs bwrap)", Destination: &c.Sandbox},
		caCertFlag(c),
		&cli.StringFlag{Name: "protocol", Usage: "speak this `VERSION` of the protocol, such as 2025-11-25, or auto", Value: c.Protocol, Destination: &c.Protocol},
		&cli.GenericFlag{Name: "header", Usage: "send `\"K: V\"` to every HTTP server of this run, or the lines of @FILE (repeatable)", Value: list(&c.Headers)},
		&cli.StringFlag{Name: "bearer", Usage: "send every HTTP server of this run a bearer token `FROM` env:NAME, file:PATH or cmd:'COMMAND'", Destination: &c.Bearer},
		&cli.StringFlag{Name: "headers-helper", Usage: "run `CMD` with the shell and send the headers that it prints as a JSON object", Destination: &c.HeadersHelper},
	}
}

func caCertFlag(c *fleet.Contact) cli.Flag {
	return &cli.StringFlag{Name: "ca-cert", Usage: "trust the certificates of PEM `FILE` too", Destination: &c.CACert, TakesFile: true}
}

// parallelFlags choose how many servers are reached at once, and which part of them.
func (p *program) parallelFlags() []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "parallel", Usage: "contact `N` servers at once", Value: count(&p.Contact.Parallel), DefaultText: "64 remote, 8 per host"},
		&cli.GenericFlag{Name: "shard", Usage: "only part `I/N` of the configured servers, or auto: as the job runner says", Value: shard(&p.Select.Shard, p.Lookup)},
	}
}

func retryFlags(c *fleet.Contact) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "retries", Usage: "try up to `N` times more after a failure that may pass (default: MCP_MAX_RETRIES, else 0)", Value: number(&c.Retries, 0)},
		&cli.BoolFlag{Name: "fail-fast", Usage: "stop at the first server that fails", Destination: &c.FailFast},
	}
}

// judgeFlags choose what fails a run, and what is shown of it. usual is the threshold when nobody says one.
func judgeFlags(failOn *string, showWaived *bool, usual string) []cli.Flag {
	levels := "breaking, warning, info, any or never"
	return []cli.Flag{
		&cli.StringFlag{Name: "fail-on", Usage: "status 1 from this `LEVEL` on: " + strings.Replace(levels, usual, usual+" (default)", 1), Destination: failOn},
		&cli.BoolFlag{Name: "show-waived", Usage: "show in the table what waivers excuse, too", Destination: showWaived},
	}
}

func schemaFlags(strict, assertFormats *bool) []cli.Flag {
	return []cli.Flag{
		&cli.GenericFlag{Name: "semantics", Usage: "`WHICH` properties callers send: declared ones only, or strict = anything the schema allows", Value: semantics(strict), DefaultText: "declared"},
		&cli.BoolFlag{Name: "assert-formats", Usage: "take format in schemas for a constraint", Destination: assertFormats},
	}
}
