package main

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
)

// program is one run of mcpctl as a command sees it. Every command has a copy of its own, into which its
// flags write.
type program struct {
	host.Process
	typed   []string // the arguments before "--"
	behind  []string // what followed "--"; nil = there was no "--"
	env     config.Environment
	misread error // what is wrong with env

	JSON    bool // --json
	Select  fleet.Selection
	Contact fleet.Contact
	Output  report.Output
}

// newProgram returns a run before its flags are read; environment variables replace the defaults of flags.
func newProgram(p host.Process, typed, behind []string) program {
	this := program{Process: p, typed: typed, behind: behind, Contact: fleet.DefaultContact()}
	this.env, this.misread = config.ReadEnvironment(p.Lookup,
		kit.Distinct(slices.Concat(report.Formats(), resultFormats())))
	this.Contact.Timeout, this.Output.Format = this.env.Timeout, this.env.Format
	this.Output.Color = "auto"
	if this.env.Retries != nil {
		this.Contact.Retries = *this.env.Retries
	}
	return this
}

// command completes a command whose answer is a report: its own flags come first, shared ones after them.
func (p *program) command(c *cli.Command, shared ...[]cli.Flag) *cli.Command {
	c.Flags = append(c.Flags, slices.Concat(shared...)...)
	c.BashComplete = completeFor(p, c)
	c.Before = p.complete(func() error { return p.Output.Check(p.Process) })
	return c
}

// complete finds mistakes in the environment and in a command's flags, before anything is contacted.
func (p *program) complete(check func() error) cli.BeforeFunc {
	return func(c *cli.Context) error {
		if p.misread != nil {
			return exit.Misuse(p.misread)
		}
		if p.JSON {
			p.Output.Format = "json"
		}
		if err := errFileIsFormat(c.Command, p.Output.File); err != nil {
			return err
		}
		if p.Output.File == "-" {
			p.Output.File = ""
		}
		p.Select.Takes = sourcesOf(c.Command)
		p.Output.Ending = formatOfFile(c.Command, p.Output)
		return check()
	}
}

// sourcesOf returns what a command takes beside names of configured servers, as hints name it.
func sourcesOf(c *cli.Command) string {
	unsaved := []string{"call", "prompt", "read", "complete", "diff", "ping", "replay", "watch"}
	switch {
	case strings.HasPrefix(c.ArgsUsage, "SERVER"):
		return "a URL"
	case !strings.Contains(c.ArgsUsage, "[-- CMD"):
		return ""
	case slices.Contains(unsaved, c.Name):
		return "a URL, npm:PACKAGE or -- CMD"
	}
	return "a URL, npm:PACKAGE, FILE.json or -- CMD"
}

// formatOfFile returns the format that the ending of an output file is for, if a table is written to it and
// the command has that format; "" for other files.
func formatOfFile(c *cli.Command, o report.Output) string {
	ending := strings.TrimPrefix(strings.ToLower(filepath.Ext(o.File)), ".")
	format := cmp.Or(map[string]string{"xml": "junit", "htm": "html"}[ending], formatNamed(ending))
	if cmp.Or(o.Format, "table") != "table" || !takesFlag(c, "format", "table") ||
		!takesFlag(c, "format", format) || format == "table" {
		return ""
	}
	return format
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
		view.Run = p.repeat(c.Command, c.Args().Slice())
		return p.emit(c.Context, r, err, *view)
	}
}

// emit writes the report of a command, as view says.
func (p program) emit(ctx context.Context, r *report.Report, err error, view report.Options) error {
	if err != nil {
		return err
	}
	for _, s := range r.Seen() {
		if s.Error != nil {
			s.Error.Hint = completed(p, s.Error.Hint)
			if s.Source == config.CommandLine && seen.Exited(*s.Error) {
				s.Error.Hint = cmp.Or(beforeDashes(p, s.Error.Stderr), s.Error.Hint)
			}
		}
		for i := range s.MoreErrors {
			s.MoreErrors[i].Hint = completed(p, s.MoreErrors[i].Hint)
		}
	}
	return report.Emit(ctx, p.Process, p.Output, r, view)
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

// option makes a flag with a value. Its name may be followed by a short one: "config, c". Shells complete
// paths for a usage with `FILE` or `DIR`.
func option(name, usage string, to value) cli.Flag {
	names := strings.Split(name, ", ")
	return &cli.GenericFlag{Name: names[0], Aliases: names[1:], Usage: usage, Value: to,
		TakesFile: strings.Contains(usage, "FILE`") || strings.Contains(usage, "`DIR`")}
}

// toggle makes a flag without a value, named as by option.
func toggle(name, usage string, to *bool) cli.Flag {
	names := strings.Split(name, ", ")
	return &cli.BoolFlag{Name: names[0], Aliases: names[1:], Usage: usage, Destination: to,
		DisableDefaultText: true}
}

// shared puts flags of several commands into a category, which the help of a command leaves out.
func shared(category string, flags ...cli.Flag) []cli.Flag {
	for _, f := range flags {
		switch f := f.(type) {
		case *cli.GenericFlag:
			f.Category = category
		case *cli.BoolFlag:
			f.Category = category
		}
	}
	return flags
}

func (p *program) surveyFlags() []cli.Flag {
	return slices.Concat(selectionFlags(&p.Select), p.outputFlags(nil), reportFlags(&p.Output),
		p.reachFlags())
}

func (p *program) reachFlags() []cli.Flag {
	return slices.Concat(contactFlags(&p.Select, &p.Contact), p.parallelFlags(), p.retryFlags("0"))
}

// retryFlags returns the flags for servers that fail, with the number of retries that the help shows.
func (p *program) retryFlags(usual string) []cli.Flag {
	return shared(connecting,
		option("retries", "Retry transient failures `N` times", number(&p.Contact.Retries, 0).usually(usual)),
		toggle("fail-fast", "Stop at the first failed server", &p.Contact.FailFast))
}

func selectionFlags(s *fleet.Selection) []cli.Flag {
	return append(configurationFlags(s), shared(selecting,
		option("only", "Limit to servers matching `NAME` (glob, repeatable)", names(&s.Only)))...)
}

// configurationFlags returns the flags for where servers are configured, without those that choose among
// them.
func configurationFlags(s *fleet.Selection) []cli.Flag {
	return shared(selecting,
		option("config, c", "Read servers from `FILE` (repeatable; default MCPCTL_CONFIG)", list(&s.Files)),
		toggle("discover", "Include the servers of Claude, Cursor, VS Code and others", &s.Discover))
}

func snapshotsFlags(s *fleet.Selection) []cli.Flag {
	return shared(selecting,
		option("snapshots", "`FOLDER` of saved snapshots (default mcp-snapshots)", text(&s.Snapshots)))
}

// consentFlags returns the flags that answer questions in advance.
func consentFlags(s *fleet.Selection) []cli.Flag {
	return shared(connecting,
		toggle("yes, y", "Skip confirmation prompts", &s.Yes),
		toggle("trust", "Start found servers in this run without asking", &s.Trust))
}

// valueFormats are the formats of values, and textFormats those of answers that judge nothing.
var (
	valueFormats = []string{"json", "table", "yaml"}
	textFormats  = []string{"html", "json", "markdown", "table", "yaml"}
)

// outputFlags returns the flags for the answer of a command that has some formats only; nil = all of reports.
// The default that the environment sets is for commands that have it.
func (p *program) outputFlags(formats []string) []cli.Flag {
	category := "" // the help of the command lists them
	if p.Output.Formats = formats; formats == nil {
		formats, category = report.Formats(), printing
	}
	if !slices.Contains(formats, p.Output.Format) {
		p.Output.Format = ""
	}
	return slices.Concat(p.formatFlags(category, formats, "table"), outputFlag(&p.Output), p.talkFlags())
}

func outputFlag(o *report.Output) []cli.Flag {
	return shared(printing, option("output, o", "Write to `FILE`, replacing it (- for standard output)",
		text(&o.File)))
}

// formatFlags returns the flags for the format. The default is what the environment set; the help shows usual
// in its place.
func (p *program) formatFlags(category string, formats []string, usual string) []cli.Flag {
	return shared(category,
		option("format, f", "`FORMAT` of the output: "+strings.Join(formats, ", "),
			format(&p.Output.Format).usually(usual)),
		toggle("json", "Same as --format json", &p.JSON))
}

// talkFlags returns the flags for colors and for how much is printed.
func (p *program) talkFlags() []cli.Flag {
	return shared(printing,
		option("color", "Use colors `WHEN`: auto, always or never", text(&p.Output.Color).usually(`"auto"`)),
		toggle("quiet, q", "Print nothing but the report and errors", &p.Quiet),
		toggle("verbose, v", "Print more detail", &p.Verbose))
}

// reportFlags returns the flags of commands that report findings: more reports, and an exit status of 0 in
// spite of them.
func reportFlags(o *report.Output) []cli.Flag {
	return shared(printing,
		option("report", "Also write the report as `FORMAT=FILE` (repeatable)", reports(&o.Reports)),
		toggle("exit-zero", "Exit 0 even if there are findings or failed servers", &o.ExitZero))
}

// contactFlags returns the flags for how servers are started and reached, and for what a client says to them:
// its protocol, capabilities and credentials.
func contactFlags(s *fleet.Selection, c *fleet.Contact) []cli.Flag {
	return append(consentFlags(s), shared(connecting,
		timeoutFlag(c, "30s, 2m for packages"),
		option("env", "Set `K=V` for stdio servers (repeatable)", list(&c.Env)),
		toggle("inherit-env", "Pass the full environment to stdio servers", &c.InheritEnv),
		toggle("allow-scripts", "Run install scripts and builds of packages", &c.AllowScripts),
		toggle("sandbox", "Run stdio servers without network, read-only (Linux)", &c.Sandbox),
		caCertFlag(c),
		option("protocol", "Speak protocol `VERSION`, such as 2025-11-25",
			text(&c.Protocol).usually(`"auto"`)),
		option("client-capabilities", "Declare `LIST` of roots,sampling,elicitation, or none",
			text(&c.Capabilities)),
		option("header", "Send `\"K: V\"` (or lines of @FILE) to HTTP servers (repeatable)",
			list(&c.Headers)),
		option("bearer", "Bearer token `FROM` env:NAME, file:PATH or cmd:COMMAND", text(&c.Bearer)))...)
}

func timeoutFlag(c *fleet.Contact, usual string) cli.Flag {
	return option("timeout", "Timeout per server, a `DURATION` (0 = none)",
		duration(&c.Timeout).usually(usual))
}

func caCertFlag(c *fleet.Contact) cli.Flag {
	return option("ca-cert", "Trust the certificates of PEM `FILE` too", text(&c.CACert))
}

// parallelFlags returns the flags for how many servers are contacted at once, and which shard of them.
func (p *program) parallelFlags() []cli.Flag {
	return shared(connecting,
		option("parallel", "Maximum concurrent servers, `N`",
			number(&p.Contact.Parallel, 1).usually("64 remote, 8 per host")),
		option("shard", "Contact shard `I/N` of the servers; auto: from the CI environment",
			shard(&p.Select.Shard, p.Lookup)))
}

// judgeFlags returns the flags for what fails a run, and whether waived findings are shown. usual is the
// threshold without a flag.
func judgeFlags(failOn *string, showWaived *bool, usual string) []cli.Flag {
	return []cli.Flag{
		option("fail-on", "Exit 1 on findings at or above `LEVEL`, any or never",
			text(failOn).usually(usual)),
		waivedFlag(showWaived),
	}
}

func callsFlag(file *string) cli.Flag {
	return option("calls", "Judge findings by the recorded calls in `FILE`", text(file))
}

func waivedFlag(show *bool) cli.Flag { return toggle("show-waived", "Include waived findings", show) }

func semanticsFlag(strict *bool) cli.Flag {
	return option("semantics", "Properties that callers send, by `MODE`: declared or strict",
		oneOf("semantics", func(mode string) { *strict = mode == "strict" }, "declared", "strict").
			usually("declared"))
}
