package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// grepCommand makes grep, a list of the items that match. Without a match it exits with 1, as grep does, and
// a pattern in lower case matches capitals as well.
func grepCommand(p program) *cli.Command {
	var filter fleet.ItemFilter
	return p.command(&cli.Command{
		Name:      "grep",
		Category:  "Inspect",
		Usage:     "Search tools, prompts and resources",
		ArgsUsage: "PATTERN [SOURCE…] [-- CMD ARG…]",
		Description: `
Searches names, descriptions and schemas for a regular expression; case matters if it has capitals.
Exits 1 if nothing matches.`,
		Flags: []cli.Flag{kindFlag(&filter)},
		Action: func(c *cli.Context) error {
			if !c.Args().Present() {
				return errNoPattern
			}
			if err := filter.Check(); err != nil {
				return err
			}
			pattern := c.Args().First()
			var err error
			if filter.Text, err = regexp.Compile(pattern); err != nil {
				return errPattern(err)
			}
			if pattern == strings.ToLower(pattern) {
				filter.Text = regexp.MustCompile("(?i)" + pattern)
			}
			from, err := p.sources(c.Args().Tail())
			if err != nil {
				return err
			}
			f, err := fleet.LoadAsking(c.Context, p.Process, p.Select, p.Contact, from)
			if err != nil {
				return err
			}
			surfaces, err := f.List(c.Context, from, filter)
			body := &report.Listing{Servers: onlySeen(surfaces), Items: true,
				Pattern: filter.Text}
			err = p.emit(c.Context, ofSurfaces("list", surfaces, body), err, report.Options{})
			if err != nil {
				return err
			}
			for _, s := range body.Servers {
				if slices.ContainsFunc(snapshot.Kinds(),
					func(k snapshot.Kind) bool { return len(*s.Items(k)) > 0 }) {
					return nil
				}
			}
			exact := ""
			if pattern != strings.ToLower(pattern) {
				exact = " (case matters, since it has capitals)"
			}
			p.Reason("nothing matches %s%s", printable.Message(pattern), exact)
			return exit.Reported(exit.Findings)
		},
	}, p.surveyFlags())
}
