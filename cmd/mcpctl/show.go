package main

import (
	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

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
				err = exit.Usagef("show which server? see mcpctl show --help")
			}
			if err != nil {
				return err
			}
			surfaces, err := fleet.Survey(c.Context, p.Process, p.Select, p.Contact, from)
			if err == nil {
				err = fleet.Show(surfaces, wanted)
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
