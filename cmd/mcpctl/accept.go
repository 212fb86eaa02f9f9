package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/accept"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func acceptCommand(inv *invocation) *cli.Command {
	var how acceptance
	return &cli.Command{
		Name:      "accept",
		Usage:     "move saved snapshots forward by single changes",
		ArgsUsage: "FINGERPRINT… [SOURCE…] [-- CMD ARG…]",
		Description: `Takes the changes with these fingerprints, as mcpctl diff shows them, over into the saved snapshots, and nothing else.
Changes that cannot be told apart from them go along; the report lists all that was accepted.`,
		Flags: inv.reachFlags(slices.Concat(inv.savedFlags(), how.schemaFlags(), []cli.Flag{
			&cli.BoolFlag{Name: "all", Usage: "accept all changes", Destination: &how.all},
			&cli.StringSliceFlag{Name: "server", Usage: "ask only the configured server `NAME` (repeatable)", Destination: &how.servers},
			&cli.BoolFlag{Name: "dry-run", Usage: "tell what would be accepted, and write nothing", Destination: &how.dryRun},
		})...),
		Action: func(c *cli.Context) error { return inv.accept(c.Context, c.Args().Slice(), &how) },
	}
}

// acceptance says what to accept.
type acceptance struct {
	comparison
	prints  []string // fingerprints
	all     bool
	servers cli.StringSlice
	dryRun  bool
}

// fingerprint tells the words of the command line that are meant as one, be they whole or not.
var fingerprint = regexp.MustCompile(`^[0-9a-fA-F]{8,}$`)

// read sorts the words of the command line into fingerprints and SOURCEs.
func (how *acceptance) read(words []string) (sources []string, err error) {
	for _, word := range words {
		if fingerprint.MatchString(word) {
			how.prints = append(how.prints, strings.ToLower(word))
		} else {
			sources = append(sources, word)
		}
	}
	switch {
	case how.all && len(how.prints) > 0:
		return nil, exit.Usagef("--all accepts everything: leave the fingerprints out, or --all")
	case !how.all && len(how.prints) == 0:
		return nil, exit.Usagef("accept what? name the fingerprints that mcpctl diff shows, or --all")
	}
	return append(sources, how.servers.Value()...), how.settle()
}

func (inv *invocation) accept(ctx context.Context, words []string, how *acceptance) error {
	sources, err := how.read(words)
	if err != nil {
		return err
	}
	targets, err := inv.targets(sources)
	if err != nil {
		return err
	}
	cfg, err := inv.load(ctx, targets)
	if err == nil {
		err = ownFolder(cfg)
	}
	if err != nil {
		return err
	}
	pairs, err := inv.pairs(ctx, cfg, nil, targets)
	if err != nil {
		return err
	}
	how.ItemBudget = cfg.Project.Budgets.ItemBytes
	steps := advances(pairs, how, cfg.Project.Policy, inv)
	if err := unknown(how.prints, steps); err != nil {
		return err
	}
	r := &report.Report{Command: "accept", Findings: report.Findings{}}
	if err := how.take(r, steps, cfg.Project.Snapshots); err != nil {
		return err
	}
	finding.Sort(r.Findings)
	return inv.emit(ctx, r, report.Options{Waived: true})
}

// advance is what accepting may do to one server's saved snapshot.
type advance struct {
	pair
	compare accept.Compare
	found   []finding.Finding
	chosen  []string // fingerprints of found
}

// advances are the pairs, each with its findings as the project's policy sees them.
func advances(pairs []pair, how *acceptance, policy finding.Policy, inv *invocation) []advance {
	var steps []advance
	for _, p := range pairs {
		compare := func(old, now *snapshot.Snapshot) []finding.Finding {
			p := p
			p.old.snapshot, p.now.snapshot = old, now
			return policy.Apply(p.compare(how.Options, policy), finding.Scope{}, inv.Now)
		}
		step := advance{pair: p, compare: compare, found: compare(p.old.snapshot, p.now.snapshot)}
		for _, f := range step.found {
			if how.all || slices.Contains(how.prints, f.Fingerprint()) {
				step.chosen = append(step.chosen, f.Fingerprint())
			}
		}
		steps = append(steps, step)
	}
	return steps
}

// unknown is the error for fingerprints that no finding has.
func unknown(prints []string, steps []advance) error {
	var known, silent []string
	for _, s := range steps {
		for _, f := range s.found {
			known = append(known, f.Fingerprint())
		}
		if s.result().incomplete() {
			silent = append(silent, s.now.Name)
		}
	}
	for _, id := range prints {
		switch {
		case slices.Contains(known, id):
		case len(silent) > 0:
			return fmt.Errorf("there is no finding %s among the servers that answered: it may be one of %s, which did not in full", id, strings.Join(silent, ", "))
		default:
			return exit.Usagef("there is no finding %s now%s: mcpctl diff shows those that there are", id, match.DidYouMean(id, known))
		}
	}
	return nil
}

// take works out every new snapshot, and writes them when all could be worked out.
func (how *acceptance) take(r *report.Report, steps []advance, folder string) error {
	var pairs []pair
	files := map[string][]byte{}
	for _, s := range steps {
		if !how.all && len(s.chosen) == 0 {
			continue
		}
		data, err := how.move(&s, r, folder)
		if err != nil {
			return exit.Misuse(err)
		}
		if data != nil {
			files[filepath.Join(folder, config.FileName(s.now.Name))] = data
		}
		pairs, r.Servers = append(pairs, s.pair), append(r.Servers, s.result().Server)
	}
	r.Status = diffStatus(pairs, false)
	if how.dryRun {
		return nil
	}
	for file, data := range files {
		if err := replace(file, data); err != nil {
			return err
		}
	}
	return nil
}

// replace writes a file that is whole at any time.
func replace(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return files.Replace(file, data)
}

// move works out the new snapshot of one server, nil when its file is left alone, and tells what is done.
func (how *acceptance) move(s *advance, r *report.Report, folder string) ([]byte, error) {
	s.now.Saved = &report.Saved{Action: report.Skipped, File: shown(filepath.Join(folder, config.FileName(s.now.Name)))}
	switch {
	case s.old.snapshot == nil:
		s.now.Saved.Reason = "there is no saved snapshot to move forward"
		return nil, nil
	case how.all && !s.now.whole():
		s.now.Saved.Reason = "not everything arrived"
		return nil, nil
	}
	moved := accept.Result{Snapshot: s.now.snapshot, Taken: s.found}
	if !how.all {
		var err error
		if moved, err = accept.Move(s.old.snapshot, s.now.snapshot, s.chosen, s.compare); err != nil {
			return nil, err
		}
	}
	data, err := moved.Snapshot.Encode()
	if err != nil {
		return nil, err
	}
	before, err := s.old.snapshot.Encode()
	if err != nil {
		return nil, err
	}
	r.Findings = append(r.Findings, moved.Taken...)
	same := string(before) == string(data)
	how.describe(s, moved, same)
	if same {
		return nil, nil
	}
	return data, nil
}

// describe tells what became of a snapshot.
func (how *acceptance) describe(s *advance, moved accept.Result, same bool) {
	saved := s.now.Saved
	if saved.Action = report.Updated; same {
		saved.Action = report.Unchanged
	}
	summarize(saved, moved.Taken)
	var words []string
	for _, f := range moved.Taken {
		if !slices.Contains(s.chosen, f.Fingerprint()) {
			words = append(words, f.Fingerprint()+" went along")
		}
	}
	if n := len(moved.Left); n > 0 {
		words = append(words, fmt.Sprintf("left: %d", n))
	}
	if how.dryRun {
		words = append(words, "dry run, nothing was written")
	}
	saved.Reason = strings.Join(words, "; ")
}
