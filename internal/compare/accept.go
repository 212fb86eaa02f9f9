package compare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
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
	Fingerprints []string // as diff shows them; each may be shortened
	Tools, Rules []string // all changes of these tools, of these rules; with both, those that match both
	All          bool
	DryRun       bool // report, and write nothing
}

// Accept takes changes over into the saved snapshots, and nothing else.
func Accept(ctx context.Context, p host.Process, o AcceptOptions, from []source.Source) (*report.Report,
	error) {
	some := len(o.Fingerprints)+len(o.Tools)+len(o.Rules) > 0
	switch {
	case o.All && some:
		return nil, exit.Usagef("--all cannot be used with fingerprints, --tool or --rule")
	case !o.All && !some:
		return nil, exit.Misuse(exit.Advise(`see "mcpctl diff" for them`, "specify fingerprints, --tool, "+
			"--rule or --all"))
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
		one, err := o.candidate(ctx, p, pair, f.Limit(), f.Config.Project.Policy)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, one)
	}
	if err := o.choose(candidates); err != nil {
		return nil, err
	}
	r := &report.Report{Command: "accept", Findings: report.Findings{}}
	if err := o.apply(ctx, p, r, candidates, f); err != nil {
		return nil, err
	}
	finding.Sort(r.Findings)
	return r, nil
}

// candidate is what accepting may do to one server's saved snapshot.
type candidate struct {
	Pair
	compare func(context.Context) comparer
	found   []finding.Finding
	told    []finding.Finding             // those that diff tells
	rest    map[string][]*finding.Finding // what each of those stands for that stands for several
	chosen  []string                      // fingerprints of found
}

// step is what accepting does to what is saved of one server.
type step struct {
	moved
	data   []byte // the new file; nil = it is left alone
	all    bool   // after it, what is saved is what the server offers now
	reason string // why nothing is done
}

// candidate is a pair with its findings as the policy sees them. What is too much to be compared, or takes
// longer than the limit, is a failure of the server; the error is why the run ended.
func (o AcceptOptions) candidate(ctx context.Context, p host.Process, pair Pair, limit time.Duration,
	policy finding.Policy) (candidate, error) {
	o.Every = true
	judged := func(found []finding.Finding) []finding.Finding {
		return policy.Apply(found, finding.Scope{},
			p.Now)
	}
	of := func(ctx context.Context, pair Pair) (candidate, error) {
		found, err := pair.judge(ctx, o.Options, policy)
		c := candidate{Pair: pair, found: judged(found)}
		c.told, c.rest = finding.Limit(found)
		c.told = judged(c.told)
		return c, err
	}
	c, err := host.Within(ctx, limit, func(ctx context.Context) (candidate, error) { return of(ctx, pair) })
	switch {
	case ctx.Err() != nil:
		return candidate{}, context.Cause(ctx)
	case err != nil:
		c = candidate{Pair: pair}
		undecided(&c.New, "comparing", fleet.TooLong(limit), fleet.TakeLonger)
	}
	c.compare = func(ctx context.Context) comparer {
		return func(old, now *snapshot.Snapshot) []finding.Finding {
			pair := pair
			pair.Old.Snapshot, pair.New.Snapshot = old, now
			// the context is asked before anything is written
			found, _ := pair.Findings(ctx, o.Options, policy)
			return judged(found)
		}
	}
	return c, nil
}

// choose marks the findings that are named, one by one or as a group. A fingerprint that names nothing is an
// error.
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
		whole, err := completeFingerprint(id, all)
		if err != nil {
			return err
		}
		named := finding.Named(all, whole)
		if len(named) == 0 {
			return unknownFingerprint(id, all, silent)
		}
		for _, f := range named {
			chosen[f.Fingerprint()] = true
		}
	}
	if err := o.chooseMatching(all, chosen); err != nil {
		return err
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

// chooseMatching marks the findings that --tool and --rule select. A value that selects nothing is an error.
func (o AcceptOptions) chooseMatching(all []finding.Finding, chosen map[string]bool) error {
	unused := map[string]bool{}
	for _, tool := range o.Tools {
		unused["--tool "+tool] = true
	}
	for _, rule := range o.Rules {
		unused["--rule "+rule] = true
	}
	if len(unused) == 0 {
		return nil
	}
	for _, f := range all {
		tool := strings.TrimPrefix(f.Item, "tool/")
		ofTool := len(o.Tools) == 0 || f.Item != tool && slices.Contains(o.Tools, tool)
		if ofTool && (len(o.Rules) == 0 || slices.Contains(o.Rules, f.Rule)) {
			chosen[f.Fingerprint()] = true
			delete(unused, "--tool "+tool)
			delete(unused, "--rule "+f.Rule)
		}
	}
	if names := slices.Sorted(maps.Keys(unused)); len(names) > 0 {
		return exit.Misuse(exit.Advise(`see "mcpctl diff"`, "no change matches %s",
			strings.Join(names, ", ")))
	}
	return nil
}

// fingerprintsOf returns the fingerprints of findings and of their groups.
func fingerprintsOf(all []finding.Finding) []string {
	var known []string
	for _, g := range finding.Groups(all) {
		known = append(append(known, g.Fingerprint), g.Findings...)
	}
	return known
}

// completeFingerprint returns the fingerprint that begins with id, or id if none does. That of a group counts
// where its only finding has another.
func completeFingerprint(id string, all []finding.Finding) (string, error) {
	var known []string
	for _, whole := range fingerprintsOf(all) {
		if strings.HasPrefix(whole, id) && !slices.Contains(known, whole) {
			known = append(known, whole)
		}
	}
	switch {
	case len(known) == 0 || slices.Contains(known, id):
		return id, nil
	case len(known) > 1:
		return "", exit.Usagef("fingerprint %s is ambiguous: %s", id, strings.Join(known, ", "))
	}
	return known[0], nil
}

// unknownFingerprint is the error for a fingerprint that nothing found has.
func unknownFingerprint(id string, all []finding.Finding, silent []string) error {
	if len(silent) > 0 {
		return fmt.Errorf("there is no finding %s among the servers that answered: it may be one of %s, "+
			"which did not in full", id, strings.Join(silent, ", "))
	}
	return exit.Usagef("there is no finding %s now%s: mcpctl diff shows those that there are", id,
		kit.DidYouMean(id, fingerprintsOf(all)))
}

// apply works out every new snapshot, and writes them when all could be worked out.
func (o AcceptOptions) apply(ctx context.Context, p host.Process, r *report.Report, candidates []candidate,
	f *fleet.Fleet) error {
	folder, limit := f.Config.Project.Snapshots, f.Limit()
	var settled []fleet.Surface
	var all fleet.Tally
	unsaved := false
	changed := map[string][]byte{} // by file
	for _, c := range candidates {
		if !o.All && len(c.chosen) == 0 {
			continue
		}
		file := SavedFile(folder, c.New.Name)
		c.New.Saved = &report.Saved{Action: report.Skipped, File: p.Rel(file)}
		next, err := host.Within(ctx, limit,
			func(ctx context.Context) (step, error) { return o.move(ctx, c) })
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, context.DeadlineExceeded):
			undecided(&c.New, "accepting", fleet.TooLong(limit), fleet.TakeLonger)
			next.reason = "it could not be worked out in time"
		case err != nil:
			return exit.Misuse(err)
		case next.data != nil:
			changed[file] = next.data
		}
		if next.all {
			settled = append(settled, c.New)
		}
		r.Findings = append(r.Findings, next.Taken...)
		o.describe(&c, next)
		result := c.result()
		all, unsaved, r.Servers = all.With(fleet.TallyOf(result)), unsaved ||
			c.Unsaved, append(r.Servers, result.Server)
	}
	r.Status = status(all, unsaved, false)
	if ctx.Err() != nil || o.DryRun {
		return context.Cause(ctx)
	}
	files.SweepSnapshots(folder)
	for file, data := range changed {
		if err := replace(ctx, p, file, data); err != nil {
			return err
		}
	}
	return relock(ctx, p, f, settled)
}

// move works out the new snapshot of one server.
func (o AcceptOptions) move(ctx context.Context, c candidate) (step, error) {
	switch {
	case c.Old.Snapshot == nil:
		return step{reason: "there is no saved snapshot to move forward"}, nil
	case o.All && !c.New.Whole():
		return step{reason: "not everything arrived"}, nil
	}
	next, err := step{moved: moved{Snapshot: c.New.Snapshot, Taken: c.found}}, error(nil)
	if !o.All {
		next.moved, err = moveItems(c.Old.Snapshot, c.New.Snapshot, c.chosen, c.compare(ctx))
		if err != nil {
			return step{}, cmp.Or(ctx.Err(), err)
		}
	}
	data, err := next.Snapshot.Encode()
	if err != nil {
		return step{}, err
	}
	before, err := c.Old.Snapshot.Encode()
	if err != nil {
		return step{}, err
	}
	if now, err := c.New.Snapshot.Encode(); c.New.Whole() {
		next.all = err == nil && bytes.Equal(now, data)
	}
	if !bytes.Equal(before, data) {
		next.data = data
	}
	return next, ctx.Err()
}

// describe tells what is done.
func (o AcceptOptions) describe(c *candidate, next step) {
	saved := c.New.Saved
	if saved.Reason = next.reason; saved.Reason != "" {
		return
	}
	if saved.Action = report.Updated; next.data == nil {
		saved.Action = report.Unchanged
	}
	summarize(saved, next.Taken)
	var words []string
	for _, f := range next.Taken {
		if !slices.Contains(c.chosen, f.Fingerprint()) {
			words = append(words, f.Fingerprint()+" went along")
		}
	}
	if n := len(next.Left); n > 0 {
		words = append(words, kit.Counted(n, "finding")+" left")
	}
	if o.DryRun && saved.Action == report.Updated {
		saved.Action = report.WouldUpdate
	}
	saved.Reason = strings.Join(words, "; ")
}
