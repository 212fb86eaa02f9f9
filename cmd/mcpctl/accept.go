package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// fingerprint tells the words of the command line that are meant as one, be they whole or not.
var fingerprint = match.Pattern(`^[0-9a-fA-F]{8,}$`)

func acceptCommand(p program) *cli.Command {
	var o compare.AcceptOptions
	var servers list
	return p.command(&cli.Command{
		Name:      "accept",
		Usage:     "move saved snapshots forward by single changes",
		ArgsUsage: "FINGERPRINT… [SOURCE…] [-- CMD ARG…]",
		Description: `Takes the changes with these fingerprints, as mcpctl diff shows them, over into the saved snapshots, and nothing else.
Changes that cannot be told apart from them go along; the report lists all that was accepted.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "accept all changes", Destination: &o.All},
			&cli.GenericFlag{Name: "server", Usage: "ask only the configured server `NAME` (repeatable)", Value: &servers},
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
