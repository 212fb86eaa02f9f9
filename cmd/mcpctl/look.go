package main

import (
	"context"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func listCommand(p program) *cli.Command {
	var filter fleet.ItemFilter
	var view report.Options
	return p.command(&cli.Command{
		Name:      "list",
		Usage:     "what servers offer: a row per server, or per item",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "items", Usage: "a row per item, also for several servers", Destination: &view.Items},
			kindFlag(&filter),
			&cli.StringFlag{Name: "filter", Usage: "only items whose name or URI matches `GLOB`", Destination: (*string)(&filter.Name)},
		},
		Action: p.about(&view, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			if err := filter.Check(); err != nil {
				return nil, err
			}
			f, err := fleet.Load(ctx, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return nil, err
			}
			surfaces, err := f.List(ctx, from, filter)
			view.Items, view.Fleet = view.Items || filter != fleet.ItemFilter{}, len(from) == 0
			r := fleet.Report("list", surfaces)
			r.InPart(f.Part(), nil)
			return r, err
		}),
	}, p.surveyFlags())
}

func kindFlag(filter *fleet.ItemFilter) cli.Flag {
	return &cli.StringFlag{Name: "kind", Usage: "only this `KIND`: " + strings.Join(fleet.KindWords(), ", "), Destination: &filter.Kind}
}

func showCommand(p program) *cli.Command {
	raw := false
	return p.command(&cli.Command{
		Name:        "show",
		Usage:       "everything about a server or some of its items",
		ArgsUsage:   "SOURCE [ITEM…] [-- CMD ARG…]",
		Description: `An ITEM is a name or URI, or one with its kind in front: tool/create_issue. With "-- CMD" the words are ITEMs.`,
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "raw", Usage: "the raw JSON of every item too", Destination: &raw}},
		Action: func(c *cli.Context) error {
			source, wanted := oneSource(p, c.Args().Slice())
			from, err := p.sources(source)
			if err == nil && len(from) == 0 {
				err = exit.Usagef("show which server? Write mcpctl show SOURCE [ITEM…]; mcpctl list shows what there is")
			}
			if err != nil {
				return err
			}
			f, err := fleet.Load(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			surfaces, err := f.Survey(c.Context, from)
			if err == nil {
				err = fleet.Show(c.Context, f.Limit(), surfaces, wanted)
			}
			return p.emit(c.Context, fleet.Report("show", surfaces), err, report.Options{Raw: raw})
		},
	}, p.surveyFlags())
}

// oneSource takes the SOURCE off the words of a command, unless it is the command behind "--", which is for the server when a
// package is named.
func oneSource(p program, words []string) (named, rest []string) {
	if len(words) > 0 && (p.behind == nil || source.Parse(words[0]).Kind == source.Package) {
		return words[:1], words[1:]
	}
	return nil, words
}

func grepCommand(p program) *cli.Command {
	ignoreCase := false
	var filter fleet.ItemFilter
	return p.command(&cli.Command{
		Name:      "grep",
		Usage:     "find tools, prompts and resources by what they say",
		ArgsUsage: "PATTERN [SOURCE…] [-- CMD ARG…]",
		Description: `Looks for a regular expression in all texts of the items of servers: names, descriptions, schemas. Without a SOURCE it
looks at every configured server; mcp-snapshots is a SOURCE, too, for which nothing is started. The exit status is 1 when nothing matches.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "ignore-case", Aliases: []string{"i"}, Usage: "capitals count as small letters", Destination: &ignoreCase},
			kindFlag(&filter),
		},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return exit.Usagef("grep for what? Write mcpctl grep PATTERN [SOURCE…]")
			}
			if err := filter.Check(); err != nil {
				return err
			}
			pattern := c.Args().First()
			if ignoreCase {
				pattern = "(?i)" + pattern
			}
			var err error
			if filter.Text, err = regexp.Compile(pattern); err != nil {
				return exit.Usagef("%q is no regular expression: %w (\\ takes its meaning from a character)", c.Args().First(), err)
			}
			from, err := p.sources(c.Args().Tail())
			if err != nil {
				return err
			}
			f, err := fleet.Load(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			surfaces, err := f.List(c.Context, from, filter)
			r := fleet.Report("list", surfaces)
			if err := p.emit(c.Context, r, err, report.Options{Items: true}); err != nil {
				return err
			}
			for _, s := range r.Servers {
				if slices.ContainsFunc(snapshot.Kinds(), func(k snapshot.Kind) bool { return len(*s.Items(k)) > 0 }) {
					return nil
				}
			}
			p.Reason("nothing matches %s", report.Visible(pattern))
			return exit.Told(exit.Findings)
		},
	}, p.surveyFlags())
}

func configCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "config",
		Usage:     "which servers were found, where, and what would be run; contacts nothing",
		ArgsUsage: "[NAME…]",
		Action: func(c *cli.Context) error {
			if p.behind != nil {
				return exit.Usagef(`config reads files: it takes no "--"`)
			}
			names := c.Args().Slice()
			cfg, problem := fleet.Read(c.Context, p.Process, p.Select)
			if cfg == nil {
				return problem
			}
			if problem == nil && len(cfg.Entries) == 0 && cfg.Looked == nil {
				return fleet.NoServers(cfg, names)
			}
			entries, err := fleet.Choose(cfg, p.Select, names)
			if err != nil {
				return err
			}
			return p.emit(c.Context, p.found(cfg, entries, problem), nil, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output))
}

// found is what was read, and what is wrong with it.
func (p program) found(cfg *config.Config, entries []config.Entry, problem error) *report.Report {
	r := &report.Report{Command: "config"}
	gate := trust.Gate{Process: p.Process}
	for _, e := range entries {
		r.Servers = append(r.Servers, gate.Describe(e))
		if e.Err() != nil {
			r.Status = exit.Usage
		}
	}
	if problem != nil {
		r.Status, r.Problems = exit.Usage, []string{problem.Error()}
	}
	for _, looked := range cfg.Looked {
		if looked.State != config.Absent || p.Verbose {
			r.Files = append(r.Files, looked)
		}
		if looked.Problem != "" {
			r.Status = exit.Usage
		}
	}
	return r
}

func pingCommand(p program) *cli.Command {
	times, second := 1, time.Second
	pause := &second
	return p.command(&cli.Command{
		Name:      "ping",
		Usage:     "ask servers whether they answer, and how fast",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Connects, and sends ping; since protocol version 2026-07-28, which has no ping, server/discover. Without a SOURCE every
configured server is asked. The exit status is 3 when one of them does not answer.`,
		Flags: []cli.Flag{
			&cli.GenericFlag{Name: "count", Aliases: []string{"n"}, Usage: "ping `N` times over the same connection", Value: count(&times), DefaultText: "1"},
			&cli.GenericFlag{Name: "interval", Usage: "wait a `DURATION` between two pings", Value: duration(&pause), DefaultText: "1s"},
		},
		Action: p.about(&report.Options{}, func(ctx context.Context, from []source.Source) (*report.Report, error) {
			f, err := fleet.Load(ctx, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return nil, err
			}
			targets, err := f.Resolve(ctx, from)
			if err != nil {
				return nil, err
			}
			return fleet.Report("ping", f.Ping(ctx, targets, times, *pause)), nil
		}),
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output), contactFlags(&p.Select, &p.Contact), p.parallelFlags())
}

func reportCommand(p program) *cli.Command {
	var view report.Options
	return p.command(&cli.Command{
		Name:      "report",
		Usage:     "write a saved report again, in other formats",
		ArgsUsage: "FILE.json",
		Description: `Reads what --format json or --report json=FILE wrote, - for standard input, and contacts nothing. The exit status is 0
once the report is written: what the run came to stands in it.`,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "show-waived", Usage: "show what waivers excuse, too", Destination: &view.Waived}},
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef("report takes one file that --format json wrote, or - for standard input: see mcpctl report --help")
			}
			r, err := p.savedReport(c.Context, c.Args().First())
			if err != nil {
				return err
			}
			return output.Write(c.Context, p.Process, p.Output, r, view)
		},
	}, p.outputFlags(), reportFlags(&p.Output))
}

// savedFile reads a file that somebody named; - is standard input.
func (p program) savedFile(ctx context.Context, path string) ([]byte, error) {
	switch {
	case path == "-":
		return source.ReadLimited(path, p.In)
	case store.Is(path):
		return store.Read(ctx, p.Process, path, source.MaxSize)
	}
	return source.ReadNamed(ctx, path)
}

// savedReport reads a report as the JSON format has it.
func (p program) savedReport(ctx context.Context, path string) (*report.Report, error) {
	data, err := p.savedFile(ctx, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, exit.Usagef("%w: mcpctl check --report json=FILE writes a report, and so do diff and list", err)
	}
	if err != nil {
		return nil, exit.Misuse(err)
	}
	r, err := host.Await(ctx, func() (*report.Report, error) { return report.Parse(data) })
	if err != nil {
		return nil, exit.Usagef("reading %s: %w", path, err)
	}
	return r, nil
}

func rulesCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "rules",
		Usage:     "the rules that findings come from, or one explained",
		ArgsUsage: "[ID]",
		Action: func(c *cli.Context) error {
			all, ids := rules.All(), c.Args().Slice()
			for _, id := range ids {
				if known := rules.IDs(all); !slices.Contains(known, id) {
					return exit.Usagef("there is no rule %q%s: see mcpctl rules", id, match.DidYouMean(id, known))
				}
			}
			r := &report.Report{Command: "rules"}
			for _, rule := range all {
				if len(ids) == 0 || slices.Contains(ids, rule.ID) {
					r.Rules = append(r.Rules, rule)
				}
			}
			return p.emit(c.Context, r, nil, report.Options{})
		},
	}, p.outputFlags(), reportFlags(&p.Output))
}
