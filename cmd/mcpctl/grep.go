package main

import (
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

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
			surfaces, err := fleet.Survey(c.Context, p.Process, p.Select, p.Contact, from)
			filter.Fill(surfaces)
			r := fleet.Report("list", surfaces)
			if err := p.emit(c.Context, r, err, report.Options{Items: true}); err != nil {
				return err
			}
			for _, s := range r.Servers {
				if slices.ContainsFunc(snapshot.Kinds(), func(k snapshot.Kind) bool { return len(*s.Items(k)) > 0 }) {
					return nil
				}
			}
			p.Note("nothing matches %s", report.Visible(pattern))
			return exit.Told(exit.Findings)
		},
	}, p.surveyFlags())
}
