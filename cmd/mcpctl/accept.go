package main

import (
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// fingerprint tells the words of the command line that are meant as one, be they whole or not.
var fingerprint = match.Pattern(`^[0-9a-fA-F]{8,}$`)

func acceptCommand(p program) *cli.Command {
	var o compare.AcceptOptions
	var servers []string
	return p.command(&cli.Command{
		Name:        "accept",
		Usage:       "Accept selected changes into the snapshots",
		ArgsUsage:   "FINGERPRINT… [SOURCE…] [-- CMD ARG…]",
		Description: `Fingerprints are those that mcpctl diff shows. Inseparable changes are accepted together.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "Accept all changes", Destination: &o.All},
			&cli.GenericFlag{Name: "server", Usage: "Limit to the configured server `NAME` (repeatable)", Value: list(&servers)},
			&cli.BoolFlag{Name: "dry-run", Usage: "Show what would be accepted; write nothing", Destination: &o.DryRun},
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
				return exit.Misuse(exit.Advise(`specify fingerprints (see "mcpctl diff") or --all`, "invalid fingerprint %q", words[0]))
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
