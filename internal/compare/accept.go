package compare

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/accept"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// AcceptOptions say which changes are taken over.
type AcceptOptions struct {
	Scope
	diff.Options
	Fingerprints []string
	All          bool
	DryRun       bool // tell, and write nothing
}

// Accept takes changes over into the saved snapshots, and nothing else.
func Accept(ctx context.Context, p host.Process, o AcceptOptions, from []source.Source) (*report.Report, error) {
	switch {
	case o.All && len(o.Fingerprints) > 0:
		return nil, exit.Usagef("--all accepts everything: leave the fingerprints out, or --all")
	case !o.All && len(o.Fingerprints) == 0:
		return nil, exit.Usagef("accept what? name the fingerprints that mcpctl diff shows, or --all")
	}
	f, err := o.load(ctx, p, from)
	if err == nil {
		err = checkFolder(p, f.Config.Project)
	}
	if err != nil {
		return nil, err
	}
	current, err := f.Survey(ctx, from)
	if err != nil {
		return nil, err
	}
	folder := f.Config.Project.Snapshots
	o.Now, o.ItemBudget = p.Now, f.Config.Project.Budgets.ItemBytes
	o.Steps = stepsFor(fleet.WholeOf(f, from, len(current)))
	var candidates []candidate
	for _, pair := range withSaved(ctx, p, current, folder) {
		candidates = append(candidates, o.candidate(ctx, p, pair, f.Config.Project.Policy))
	}
	if err := o.choose(candidates); err != nil {
		return nil, err
	}
	r := &report.Report{Command: "accept", Findings: report.Findings{}}
	if err := o.apply(ctx, p, r, candidates, folder); err != nil {
		return nil, err
	}
	finding.Sort(r.Findings)
	return r, nil
}

// candidate is what accepting may do to one server's saved snapshot.
type candidate struct {
	Pair
	compare accept.Compare
	found   []finding.Finding
	told    []finding.Finding             // those that diff tells
	rest    map[string][]*finding.Finding // what each of those stands for that stands for several
	chosen  []string                      // fingerprints of found
	all     bool                          // after it, what is saved is what the server offers now
}

// candidate is a pair with its findings as the policy sees them; of no use once the context has ended.
func (o AcceptOptions) candidate(ctx context.Context, p host.Process, pair Pair, policy finding.Policy) candidate {
	o.Every = true
	judged := func(found []finding.Finding) []finding.Finding { return policy.Apply(found, finding.Scope{}, p.Now) }
	c := candidate{Pair: pair, compare: func(old, now *snapshot.Snapshot) []finding.Finding {
		pair := pair
		pair.Old.Snapshot, pair.New.Snapshot = old, now
		found, _ := pair.Findings(ctx, o.Options, policy) // the context is asked before anything is written
		return judged(found)
	}}
	found, _ := pair.Findings(ctx, o.Options, policy)
	c.found = judged(found)
	c.told, c.rest = finding.Sum(found)
	c.told = judged(c.told)
	return c
}

// choose marks the findings that are named, one by one or as a group. A fingerprint that names nothing is an error.
func (o AcceptOptions) choose(candidates []candidate) error {
	var all []finding.Finding
	var silent []string
	for _, c := range candidates {
		all = append(all, c.told...)
		if c.result().Incomplete() {
			silent = append(silent, c.New.Name)
		}
	}
	chosen := map[string]bool{}
	for _, id := range o.Fingerprints {
		named := finding.Named(all, id)
		if len(named) == 0 {
			return unknownFingerprint(id, all, silent)
		}
		for _, f := range named {
			chosen[f.Fingerprint()] = true
		}
	}
	for i, c := range candidates {
		for sum, others := range c.rest {
			for _, f := range others {
				chosen[f.Fingerprint()] = chosen[f.Fingerprint()] || chosen[sum]
			}
		}
		for _, f := range c.found {
			if o.All || chosen[f.Fingerprint()] {
				candidates[i].chosen = append(candidates[i].chosen, f.Fingerprint())
			}
		}
	}
	return nil
}

// unknownFingerprint is the error for a fingerprint that nothing found has.
func unknownFingerprint(id string, all []finding.Finding, silent []string) error {
	if len(silent) > 0 {
		return fmt.Errorf("there is no finding %s among the servers that answered: it may be one of %s, which did not in full", id, strings.Join(silent, ", "))
	}
	var known []string
	for _, g := range finding.Groups(all) {
		known = append(append(known, g.Fingerprint), g.Findings...)
	}
	return exit.Usagef("there is no finding %s now%s: mcpctl diff shows those that there are", id, match.DidYouMean(id, known))
}

// apply works out every new snapshot, and writes them when all could be worked out.
func (o AcceptOptions) apply(ctx context.Context, p host.Process, r *report.Report, candidates []candidate, folder string) error {
	var settled []fleet.Surface
	var all fleet.Tally
	unsaved := false
	moved := map[string][]byte{} // by file
	for _, c := range candidates {
		if !o.All && len(c.chosen) == 0 {
			continue
		}
		file := SavedFile(folder, c.New.Name)
		c.New.Saved = &report.Saved{Action: report.Skipped, File: p.Rel(file)}
		data, err := o.move(&c, r)
		if err != nil {
			return exit.Misuse(err)
		}
		if data != nil {
			moved[file] = data
		}
		if c.all {
			settled = append(settled, c.New)
		}
		result := c.result()
		all, unsaved, r.Servers = all.With(fleet.TallyOf(result)), unsaved || c.Unsaved, append(r.Servers, result.Server)
	}
	r.Status = status(all, unsaved, false)
	if err := ctx.Err(); err != nil || o.DryRun {
		return err
	}
	files.SweepSnapshots(folder)
	for file, data := range moved {
		if err := replace(ctx, p, file, data); err != nil {
			return err
		}
	}
	return relock(ctx, p, folder, settled)
}

// move works out the new snapshot of one server, nil when its file is left alone, and tells what is done.
func (o AcceptOptions) move(c *candidate, r *report.Report) ([]byte, error) {
	switch {
	case c.Old.Snapshot == nil:
		c.New.Saved.Reason = "there is no saved snapshot to move forward"
		return nil, nil
	case o.All && !c.New.Whole():
		c.New.Saved.Reason = "not everything arrived"
		return nil, nil
	}
	moved := accept.Result{Snapshot: c.New.Snapshot, Taken: c.found}
	if !o.All {
		var err error
		if moved, err = accept.Move(c.Old.Snapshot, c.New.Snapshot, c.chosen, c.compare); err != nil {
			return nil, err
		}
	}
	data, err := moved.Snapshot.Encode()
	if err != nil {
		return nil, err
	}
	before, err := c.Old.Snapshot.Encode()
	if err != nil {
		return nil, err
	}
	if now, err := c.New.Snapshot.Encode(); c.New.Whole() {
		c.all = err == nil && bytes.Equal(now, data)
	}
	r.Findings = append(r.Findings, moved.Taken...)
	same := bytes.Equal(before, data)
	o.describe(c, moved, same)
	if same {
		return nil, nil
	}
	return data, nil
}

func (o AcceptOptions) describe(c *candidate, moved accept.Result, same bool) {
	saved := c.New.Saved
	if saved.Action = report.Updated; same {
		saved.Action = report.Unchanged
	}
	summarize(saved, moved.Taken)
	var words []string
	for _, f := range moved.Taken {
		if !slices.Contains(c.chosen, f.Fingerprint()) {
			words = append(words, f.Fingerprint()+" went along")
		}
	}
	if n := len(moved.Left); n > 0 {
		words = append(words, match.Counted(n, "finding")+" left")
	}
	if o.DryRun {
		words = append(words, "dry run, nothing was written")
	}
	saved.Reason = strings.Join(words, "; ")
}
