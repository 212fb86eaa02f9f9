package compare

import (
	"bytes"
	"cmp"
	"context"
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

// AcceptOptions say which changes are accepted.
type AcceptOptions struct {
	Scope
	diff.Options
	Fingerprints []string // as diff shows them; each may be shortened
	Tools, Rules []string // all changes of these tools, of these rules; with both, those that match both
	All          bool
	DryRun       bool // report, and write nothing
}

// Accept moves saved snapshots forward by the selected changes.
func Accept(
	ctx context.Context, p host.Process, o AcceptOptions, from []source.Source,
) (*report.Report, error) {
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
		err = checkDir(p, f.Config.Project)
	}
	if err != nil {
		return nil, err
	}
	surfaces, err := f.Survey(ctx, from)
	if err != nil {
		return nil, err
	}

	// What changed, and which changes are selected.
	o.Now, o.ItemBudget, o.Every = p.Now, f.Config.Project.Budgets.ItemBytes, true
	var candidates []*candidate
	for _, both := range openBaseline(p, f.Config.Project.Snapshots).withAll(ctx, surfaces) {
		c, err := o.candidate(ctx, p, both, f.Limit(), f.Config.Project.Policy)
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, c)
	}
	if err := o.choose(candidates); err != nil {
		return nil, err
	}

	// The new files, which are written if all of them are known.
	var all results
	var current []fleet.Surface // servers whose new file is what they offer now
	changed := map[string][]byte{}
	for _, c := range candidates {
		if !o.All && len(c.chosen) == 0 {
			continue
		}
		file := SavedFile(f.Config.Project.Snapshots, c.now.Name)
		next, err := o.move(ctx, *c)
		if err != nil {
			return nil, exit.Misuse(err)
		}
		c.now.Saved = o.describe(c, next)
		c.now.Saved.File = p.Rel(file)
		if next.data != nil {
			changed[file] = next.data
		}
		if next.current {
			current = append(current, c.now)
		}
		all.add(c.result(), next.Taken, true, c.unsaved)
	}
	finding.Sort(all.found)
	r := fleet.Report("accept", all.surfaces)
	r.Status = all.status()
	r.Findings = append(report.Findings{}, all.found...)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case o.DryRun:
		return r, nil
	}
	files.Sweep(f.Config.Project.Snapshots)
	for file, data := range changed {
		if err := replaceFile(p, file, data); err != nil {
			return nil, err
		}
	}
	return r, relock(ctx, p, f, current)
}

// candidate is a server whose saved snapshot may be moved.
type candidate struct {
	pair
	compare func(context.Context) comparer
	found   []finding.Finding
	shown   []finding.Finding            // found as diff shows them, many of one rule as one
	hidden  map[string][]finding.Finding // those behind a shown one, by its fingerprint
	chosen  []string                     // fingerprints of found
}

// candidate compares a pair. The error is that of ctx.
func (o AcceptOptions) candidate(
	ctx context.Context, p host.Process, both pair, limit time.Duration, policy finding.Policy,
) (*candidate, error) {
	judge := func(found []finding.Finding) []finding.Finding {
		return policy.Apply(found, finding.Scope{}, p.Now)
	}
	found, err := both.findings(ctx, limit, o.Options, policy)
	if err != nil {
		return nil, err
	}
	c := &candidate{pair: both, found: judge(found)}
	c.shown, c.hidden = finding.Limit(found)
	c.shown = judge(c.shown)
	c.compare = func(ctx context.Context) comparer {
		return func(old, now *snapshot.Snapshot) []finding.Finding {
			one := both
			one.old.Snapshot, one.now.Snapshot = old, now
			one.old.Raw = nil                                   // of another snapshot
			found, _ := one.findings(ctx, 0, o.Options, policy) // the caller checks ctx
			return judge(found)
		}
	}
	return c, nil
}

// choose marks the findings that are selected. A fingerprint that names nothing is an error.
func (o AcceptOptions) choose(candidates []*candidate) error {
	var all []finding.Finding
	var incomplete []string
	for _, c := range candidates {
		all = append(all, c.shown...)
		if s := c.result(); s.Incomplete() {
			incomplete = append(incomplete, c.now.Name)
		}
	}
	chosen := map[string]bool{}
	for _, id := range o.Fingerprints {
		id, err := completeFingerprint(id, all)
		if err != nil {
			return err
		}
		named := finding.Named(all, id)
		if len(named) == 0 {
			return unknownFingerprint(id, all, incomplete)
		}
		for _, f := range named {
			chosen[f.Fingerprint()] = true
		}
	}
	if err := o.chooseMatching(all, chosen); err != nil {
		return err
	}
	for _, c := range candidates {
		for id, hidden := range c.hidden {
			for _, f := range hidden {
				chosen[f.Fingerprint()] = chosen[f.Fingerprint()] || chosen[id]
			}
		}
		for _, f := range c.found {
			if o.All || chosen[f.Fingerprint()] {
				c.chosen = append(c.chosen, f.Fingerprint())
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

// completeFingerprint returns the one fingerprint that begins with id, or id if none does.
func completeFingerprint(id string, all []finding.Finding) (string, error) {
	var known []string
	for _, full := range fingerprintsOf(all) {
		if strings.HasPrefix(full, id) && !slices.Contains(known, full) {
			known = append(known, full)
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

// unknownFingerprint returns the error for a fingerprint that no finding has.
func unknownFingerprint(id string, all []finding.Finding, incomplete []string) error {
	if len(incomplete) > 0 {
		return fmt.Errorf("no finding has the fingerprint %s; it may be in %s, which did not answer in full",
			id, strings.Join(incomplete, ", "))
	}
	return exit.Usagef("no finding has the fingerprint %s%s: see mcpctl diff", id,
		kit.DidYouMean(id, fingerprintsOf(all)))
}

// move is what accepting does to the saved snapshot of one server.
type move struct {
	moved
	data    []byte // the new file; nil = it stays
	current bool   // the new file is what the server offers now
	reason  string // why the file cannot be moved
}

// move returns what accepting would do to the saved snapshot, and writes nothing. With All the new one is
// what arrived, and all of that must have arrived.
func (o AcceptOptions) move(ctx context.Context, c candidate) (move, error) {
	switch {
	case c.old.Snapshot == nil:
		return move{reason: "nothing is saved"}, nil
	case o.All && !c.now.Whole():
		return move{reason: "not everything arrived"}, nil
	}
	next := move{moved: moved{Snapshot: c.now.Snapshot, Taken: c.found}}
	var err error
	if !o.All {
		next.moved, err = moveItems(c.old.Snapshot, c.now.Snapshot, c.found, c.chosen, c.compare(ctx))
		if err != nil {
			return move{}, cmp.Or(ctx.Err(), err)
		}
	}
	data, err := next.Snapshot.Encode()
	if err != nil {
		return move{}, err
	}
	before, err := c.old.Snapshot.Encode()
	if err != nil {
		return move{}, err
	}
	if now, err := c.now.Snapshot.Encode(); c.now.Whole() {
		next.current = err == nil && bytes.Equal(now, data)
	}
	if !bytes.Equal(before, data) {
		next.data = data
	}
	return next, ctx.Err()
}

// describe returns what a move does to a file.
func (o AcceptOptions) describe(c *candidate, next move) *report.Saved {
	saved := &report.Saved{Action: report.Updated}
	switch {
	case next.reason != "":
		return &report.Saved{Action: report.Skipped, Reason: next.reason}
	case next.data == nil:
		saved.Action = report.Unchanged
	case o.DryRun:
		saved.Action = report.WouldUpdate
	}
	countItems(saved, next.Taken)
	var remarks []string
	for _, f := range next.Taken {
		if !slices.Contains(c.chosen, f.Fingerprint()) {
			remarks = append(remarks, f.Fingerprint()+" went along")
		}
	}
	if n := len(next.Left); n > 0 {
		remarks = append(remarks, kit.Counted(n, "finding")+" left")
	}
	saved.Reason = strings.Join(remarks, "; ")
	return saved
}
