package compare

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// AcceptOptions say which changes are accepted.
type AcceptOptions struct {
	Reach
	diff.Options
	Fingerprints []string // as diff shows them; each may be shortened
	Tools, Rules []string // all changes of these tools, of these rules; with both, those that match both
	All          bool
	DryRun       bool // report, and write nothing

	// returns what to do about servers without a saved snapshot
	SaveHint func(servers ...seen.Server) string
}

// Accept moves saved snapshots forward by the selected changes.
func Accept(
	ctx context.Context, p host.Process, o AcceptOptions, from []source.Source,
) (*AcceptResult, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, from)
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
	o.Now, o.ItemBudget = p.Now, f.Config.Project.Budgets.ItemBytes
	policy := f.Config.Project.Policy
	compare := func(both *sides, limit time.Duration) ([]finding.Finding, error) {
		found, err := both.findings(ctx, limit, o.Options, policy)
		return policy.Apply(found, finding.Scope{}, p.Now), err
	}
	var candidates []candidate
	saved := openBaseline(p, f.Config.Project.Snapshots)
	for _, s := range surfaces {
		if s.State == seen.Disabled {
			continue
		}
		both := saved.with(ctx, s)
		found, err := compare(&both, f.Limit())
		if err != nil {
			return nil, err
		}
		candidates = append(candidates, candidate{both, found})
	}
	if unsaved := unsavedOf(candidates); !o.All && len(unsaved) > 0 && len(unsaved) == len(candidates) {
		return nil, errUnsaved(o.SaveHint, unsaved)
	}
	if len(o.Fingerprints) == 0 && noneKnown(candidates) {
		o.All = true // no change is known, and the failures are what there is to say
	}
	chosen, err := o.choose(candidates)
	if err != nil {
		return nil, err
	}

	next, err := o.advance(ctx, p, f, candidates, chosen, compare)
	if err != nil {
		return nil, err
	}
	finding.Sort(next.all.Found)
	r := &AcceptResult{Status: next.all.Status(), Servers: next.servers,
		Findings: append([]finding.Finding{}, next.all.Found...)}
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case o.DryRun:
		return r, nil
	}
	return r, next.write(ctx, p, f)
}

// check returns an error unless either all changes are selected or some.
func (o AcceptOptions) check() error {
	some := len(o.Fingerprints)+len(o.Tools)+len(o.Rules) > 0
	switch {
	case o.All && some:
		return errAcceptAll
	case !o.All && !some:
		return errAcceptNone
	}
	return nil
}

// judge returns the findings of a pair, with the policy applied.
type judge func(both *sides, limit time.Duration) ([]finding.Finding, error)

// accepted is what accept writes and reports.
type accepted struct {
	all     fleet.Results
	servers []AcceptedServer
	files   map[string][]byte // new contents of snapshot files
	current []fleet.Surface   // servers whose new file is what they offer now
}

// advance makes the new snapshot files. None is written before all of them are known.
func (o AcceptOptions) advance(
	ctx context.Context, p host.Process, f *fleet.Fleet, candidates []candidate,
	chosen func(finding.Finding) bool, compare judge,
) (accepted, error) {
	next := accepted{files: map[string][]byte{}}
	for _, c := range candidates {
		if !o.All && !slices.ContainsFunc(c.found, chosen) {
			continue
		}
		moved, err := o.move(c, chosen, func(old, now *snapshot.Snapshot) []finding.Finding {
			again := c.sides
			again.old.Snapshot, again.old.Raw, again.now.Snapshot = old, nil, now
			found, _ := compare(&again, 0) // ctx is checked below
			return found
		})
		if err != nil {
			return next, cmp.Or(ctx.Err(), exit.Misuse(err))
		}
		file := SavedFile(f.Config.Project.Snapshots, c.now.Name)
		moved.saved.File = p.Rel(file)
		if moved.data != nil {
			file := moved.saved.File
			if o.DryRun {
				file = "" // it has none of them yet
			}
			alarms := alarmsIn(ctx, c.now.Name, c.old.Snapshot, moved.snapshot, f.Limit(), file)
			moved.saved.Reason = kit.Join("; ", moved.saved.Reason, alarms)
			next.files[file] = moved.data
		}
		if c.now.Whole() && len(moved.left) == 0 {
			next.current = append(next.current, c.now)
		}
		server := c.result()
		next.servers = append(next.servers, AcceptedServer{server, moved.saved})
		next.all.Add(server.Surface, moved.taken, true, c.unsaved)
	}
	return next, nil
}

// write replaces the snapshot files, and locks the packages of the servers whose file is current.
func (next accepted) write(ctx context.Context, p host.Process, f *fleet.Fleet) error {
	files.Sweep(f.Config.Project.Snapshots)
	for file, data := range next.files {
		if err := replaceFile(p, file, data); err != nil {
			return err
		}
	}
	return relock(ctx, p, f, next.current)
}

// candidate is a server whose saved snapshot may be moved.
type candidate struct {
	sides
	found []finding.Finding
}

// noneKnown reports whether no server answered, of those that there are.
func noneKnown(candidates []candidate) bool {
	known := func(c candidate) bool { return c.now.Known() }
	return len(candidates) > 0 && !slices.ContainsFunc(candidates, known)
}

// unsavedOf returns the servers without a saved snapshot.
func unsavedOf(candidates []candidate) (servers []seen.Server) {
	for _, c := range candidates {
		if c.unsaved && !c.now.Incomplete() {
			servers = append(servers, c.now.Server)
		}
	}
	return servers
}

// choose returns whether a finding is selected. A fingerprint or flag that selects nothing is an error.
func (o AcceptOptions) choose(candidates []candidate) (func(finding.Finding) bool, error) {
	var all []finding.Finding
	var incomplete []string
	for _, c := range candidates {
		all = append(all, c.found...)
		if c.result().Incomplete() {
			incomplete = append(incomplete, c.now.Name)
		}
	}
	unsaved, chosen := unsavedOf(candidates), map[string]bool{}
	isChosen := func(f finding.Finding) bool { return o.All || chosen[f.Fingerprint()] }
	var known []string // fingerprints of findings and of their groups
	for _, g := range finding.Groups(all) {
		known = append(append(known, g.Fingerprint), g.Findings...)
	}
	known = kit.Distinct(known)
	for _, id := range o.Fingerprints {
		matches := kit.Filter(known, func(full string) bool { return strings.HasPrefix(full, id) })
		switch {
		case len(matches) > 1:
			return nil, errFingerprint(id, matches)
		case len(matches) == 0 && len(unsaved) > 0:
			return nil, errUnsaved(o.SaveHint, unsaved)
		case len(matches) == 0:
			return nil, errNoFinding(id, known, incomplete)
		}
		for _, f := range finding.Named(all, matches[0]) {
			chosen[f.Fingerprint()] = true
		}
	}
	return isChosen, o.chooseMatching(all, chosen, incomplete)
}

// chooseMatching marks the findings that --tool and --rule select. A value that selects nothing is an error.
func (o AcceptOptions) chooseMatching(
	all []finding.Finding, chosen map[string]bool, incomplete []string,
) error {
	if o.All || len(o.Tools)+len(o.Rules) == 0 {
		return nil
	}
	unused := map[string]bool{}
	for _, tool := range o.Tools {
		unused["--tool "+tool] = true
	}
	for _, rule := range o.Rules {
		unused["--rule "+rule] = true
	}
	for _, f := range all {
		tool := strings.TrimPrefix(f.Item, "tool/")
		ofTool := len(o.Tools) == 0 || f.Item != tool && slices.Contains(o.Tools, tool)
		if ofTool && (len(o.Rules) == 0 || slices.Contains(o.Rules, f.Rule)) {
			chosen[f.Fingerprint()] = f.Item != "" || f.Path != "" // else it stands for others
			delete(unused, "--tool "+tool)
			delete(unused, "--rule "+f.Rule)
		}
	}
	if len(unused) > 0 {
		return errNoChange(kit.SortedKeys(unused), incomplete)
	}
	return nil
}

// move returns what accepting does to the saved snapshot of a server, and writes nothing. With All the new
// one is what arrived, and all of that must have arrived.
func (o AcceptOptions) move(c candidate, chosen func(finding.Finding) bool, compare comparer) (moved, error) {
	next := moved{snapshot: c.now.Snapshot, taken: c.found}
	var err error
	switch {
	case c.old.Snapshot == nil:
		save := ""
		if !c.now.Incomplete() { // else its failure comes first
			save = o.SaveHint(c.now.Server)
		}
		return moved{saved: &seen.Saved{Action: seen.Skipped,
			Reason: kit.Join("; ", "nothing is saved", save)}}, nil
	case o.All && !c.now.Whole():
		return moved{saved: &seen.Saved{Action: seen.Skipped, Reason: "not everything arrived"}}, nil
	case !o.All:
		next, err = moveItems(c.old.Snapshot, c.now.Snapshot, c.found, chosen, compare)
	}
	if err != nil {
		return moved{}, err
	}
	before, err := c.old.Snapshot.Encode()
	if err != nil {
		return moved{}, err
	}
	if next.data, err = next.snapshot.Encode(); err != nil {
		return moved{}, err
	}
	next.saved = countChanges(c.old.Snapshot, next.snapshot)
	switch {
	case bytes.Equal(before, next.data):
		next.saved.Action, next.data = seen.Unchanged, nil
	case o.DryRun:
		next.saved.Action = seen.WouldUpdate
	}
	var remarks []string
	for _, f := range next.taken {
		if !chosen(f) {
			remarks = append(remarks, f.Fingerprint()+" went along")
		}
	}
	if n := len(next.left); n > 0 {
		remarks = append(remarks, kit.Counted(n, "finding")+" left")
	}
	next.saved.Reason = strings.Join(remarks, "; ")
	return next, nil
}
