package main

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func checkCommand(inv *invocation) *cli.Command {
	var how checking
	return &cli.Command{
		Name:      "check",
		Usage:     "what is wrong with what servers offer: protocol, schemas, quality, cost, security",
		ArgsUsage: "[SOURCE…] [-- CMD ARG…]",
		Description: `Looks at each server and at all of them together; no tool is called. A server is asked for its lists twice, to see
whether they stay the same. What a saved snapshot holds too is no news: rules on security tell it as info.`,
		Flags: inv.reachFlags(append(inv.savedFlags(),
			&cli.StringFlag{Name: "fail-on", Usage: "status 1 from this level on: breaking, warning (default), info, any or never", Destination: &how.failOn},
			&cli.BoolFlag{Name: "show-waived", Usage: "show in the table what waivers excuse, too", Destination: &how.showWaived},
		)...),
		Action: func(c *cli.Context) error { return inv.check(c.Context, c.Args().Slice(), how) },
	}
}

// checking says what fails, and what is shown.
type checking struct {
	failOn     string
	showWaived bool
}

func (inv *invocation) check(ctx context.Context, words []string, how checking) error {
	targets, err := inv.targets(words)
	if err != nil {
		return err
	}
	cfg, err := inv.load(ctx, targets)
	if err != nil {
		return err
	}
	policy, err := policyOf(cfg.Project.Policy.CheckPolicy(), how.failOn)
	if err != nil {
		return err
	}
	inv.twice = true
	surfaces, err := inv.gather(ctx, cfg, targets)
	if err != nil {
		return err
	}
	looked, err := looksAt(surfaces, cfg.Project)
	if err != nil {
		return err
	}
	r := newReport("check", surfaces)
	r.FailOn, r.Servers = policy.FailOn, failOn(r.Servers, policy)
	found := check.Run(looked, check.Options{Budgets: check.Budgets(cfg.Project.Budgets)})
	scope := scopeOf(cfg, withThemselves(surfaces), check.Rules())
	inv.doubtOverrides(cfg, scope)
	r.Findings = policy.Apply(found, scope, inv.Now)
	r.Status = checkStatus(surfaces, policy.Fails(r.Findings))
	return inv.emit(ctx, r, report.Options{Waived: how.showWaived})
}

// looksAt are surfaces as the rules look at them; live ones with what was saved of them, if anything was.
func looksAt(surfaces []surface, project config.Project) ([]check.Surface, error) {
	var looked []check.Surface
	for _, s := range surfaces {
		one := check.Surface{Name: s.Name, Variant: project.Variants[s.Name], Snapshot: s.snapshot, Observed: s.observed()}
		if s.Transport != "" {
			saved, err := savedOf(s.Name, project.Snapshots)
			if err != nil {
				return nil, err
			}
			one.Saved = saved
		}
		looked = append(looked, one)
	}
	return looked, nil
}

// savedOf is the saved snapshot of a server; nil when there is none.
func savedOf(name, folder string) (*snapshot.Snapshot, error) {
	saved, err := readFile(filepath.Join(folder, config.FileName(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return saved.snapshot, err
}

// observed is what the probe saw beside the surface.
func (s surface) observed() check.Observed {
	seen := check.Observed{Transport: s.Transport, Noise: s.NoiseText, Again: s.again}
	for _, n := range s.Notices {
		seen.Notices = append(seen.Notices, check.Notice{Code: n.Code, Message: n.Message})
	}
	return seen
}

// withThemselves are surfaces that are compared with nothing: whole when they are.
func withThemselves(surfaces []surface) []pair {
	var pairs []pair
	for _, s := range surfaces {
		if s.State != report.Disabled {
			pairs = append(pairs, pair{old: s, now: s})
		}
	}
	return pairs
}

// checkStatus is the worst that holds: incomplete answers, then findings.
func checkStatus(surfaces []surface, fails bool) int {
	if reached := status(surfaces); reached != exit.OK || !fails {
		return reached
	}
	return exit.Findings
}
