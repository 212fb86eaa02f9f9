package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
)

// fingerprint matches the arguments that may be a fingerprint, whole or shortened.
var fingerprint = kit.Pattern(`^[0-9a-fA-F]{4,12}$`)

// acceptCommand makes accept. A word that looks like a fingerprint is one unless a configured server has that
// name; other words are SOURCEs.
func acceptCommand(p program) *cli.Command {
	var o compare.AcceptOptions
	return p.command(&cli.Command{
		Name:      "accept",
		Category:  "Guard",
		Usage:     "Accept selected changes into the snapshots",
		ArgsUsage: "FINGERPRINT… [SOURCE…] [-- CMD ARG…]",
		Description: `
Fingerprints are those that mcpctl diff shows; they may be shortened. Inseparable changes are accepted
together.`,
		Flags: []cli.Flag{
			toggle("all", "Accept all changes", &o.All),
			option("tool", "Accept the changes of tool `NAME` (repeatable)", list(&o.Tools)),
			option("rule", "Accept the changes of rule `ID` (repeatable)", list(&o.Rules)),
			toggle("dry-run", "Show what would be accepted; write nothing", &o.DryRun),
			semanticsFlag(&o.Strict),
		},
		Action: func(c *cli.Context) error {
			var servers, words []string
			if cfg, _ := fleet.Read(c.Context, p.Process, p.Select); cfg != nil {
				servers = cfg.Names()
			}
			for _, word := range c.Args().Slice() {
				if fingerprint().MatchString(word) && !slices.Contains(servers, word) {
					o.Fingerprints = append(o.Fingerprints, strings.ToLower(word))
				} else {
					words = append(words, word)
				}
			}
			if len(words) > 0 && len(o.Fingerprints)+len(o.Tools)+len(o.Rules) == 0 && !o.All {
				return errFingerprint(p, c, words, servers)
			}
			from, err := p.sources(words)
			if err != nil {
				return err
			}
			o.Reach, o.SaveHint = p.scope(), p.repeat(c.Command, words).SaveHint
			r, err := ofAccept(compare.Accept(c.Context, p.Process, o, from))
			return p.emit(c.Context, r, err, report.Options{Waived: true})
		},
	}, snapshotsFlags(&p.Select), p.surveyFlags())
}
