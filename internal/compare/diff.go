// Package compare carries out the commands that judge servers. Diff compares two sides of each server, Check
// looks at one side, Save writes snapshots, Accept moves them forward by chosen changes, and MergeShards
// joins the reports of shards.
package compare

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
)

// DiffOptions say what is compared with what, and how.
type DiffOptions struct {
	Reach
	Recorded
	diff.Options
	Base  string // the old side, a SOURCE; empty = the first of two SOURCEs, else the saved snapshots
	Ref   string // the old side: the same servers, started from this commit
	Build string // with Ref: runs in both trees first

	Versions int  // the one SOURCE is a package: its last releases, each with the one before; 0 = no history
	Upgrade  bool // configured servers that start a package, with its newest version
	Locked   bool // with the saved snapshots: refuse a package that is not the locked one

	FailOn string // as --fail-on; empty = as configured, else breaking
}

// Diff compares servers with their old side and reports what changed.
func Diff(ctx context.Context, p host.Process, o DiffOptions, from []source.Source) (*Result, error) {
	old, current, err := o.sides(from)
	if err != nil {
		return nil, err
	}
	counts, err := o.Recorded.check(ctx, p, o.FailOn)
	if err != nil {
		return nil, err
	}

	// The configuration: the servers, and the policy for their changes.
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, current)
	if err != nil {
		return nil, err
	}
	policy, err := fleet.Policy(f.Config.Project.Policy, o.FailOn)
	if err != nil {
		return nil, err
	}

	// Both sides of each server: a probe of it, and what was saved or what another probe returns.
	pairs, err := o.pairs(ctx, p, f, old, current)
	if err != nil {
		return nil, err
	}
	o.Now, o.ItemBudget = p.Now, f.Config.Project.Budgets.ItemBytes
	var judge *calls.Counter
	if o.Calls != "" {
		judge = &calls.Counter{}
	}
	compared := make([]*comparison, pairs.n) // nil = interrupted, or disabled
	err = pairs.each(func(i int, one sides) error {
		compared[i] = one.compare(ctx, p, f, one.counted(judge, o.Options), policy)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var noCalls error
	if judge != nil {
		if found, err := judge.Read(ctx, p, o.Calls, !o.NoExamples); err != nil {
			return nil, err
		} else if !found {
			noCalls = counts.NoCalls(o.Calls)
		}
	}
	compared = slices.DeleteFunc(compared, func(c *comparison) bool { return c == nil })

	// The result: levels and waivers by the policy, then the exit status.
	var all fleet.Results
	for _, c := range compared {
		all.Add(c.server.Surface, c.found, c.complete, c.unsaved)
	}
	result := &Result{Assessment: all.Judge(p, f.Config, policy, seen.RuleIDs(diff.Rules())),
		Servers: kit.Map(compared, func(c *comparison) Server { return c.server })}
	result.Shard = ShardOfRun(p, f, result.Status, result.Partial, o.baseFlags()...)
	result.Problem = noCalls
	return result, nil
}

// sides returns the old and the new SOURCEs; no old one means the saved snapshots. The error is that of flags
// that do not go together.
func (o DiffOptions) sides(from []source.Source) (old, current []source.Source, err error) {
	kinds := o.kinds()
	switch {
	case o.Versions > 0 && (len(from) != 1 || from[0].Kind != source.Package):
		return nil, nil, errVersions
	case len(kinds) > 1:
		return nil, nil, errKinds(kinds)
	case o.Ref == "" && o.Build != "":
		return nil, nil, errBuild
	case o.Build != "" && o.Contact.Buildable() != nil:
		return nil, nil, o.Contact.Buildable()
	}
	old, current, err = splitSides(from, o.Base)
	if err == nil && o.Locked && old != nil {
		err = errLocked
	}
	return old, current, err
}

// kinds returns the flags that say what is compared with what.
func (o DiffOptions) kinds() []string {
	var given []string
	for _, flag := range []struct {
		name  string
		given bool
	}{
		{"--base", o.Base != ""}, {"--base-ref", o.Ref != ""}, {"--versions", o.Versions > 0},
		{"--upgrade", o.Upgrade}, {"--locked", o.Locked},
	} {
		if flag.given {
			given = append(given, flag.name)
		}
	}
	return given
}

// baseFlags returns the kinds with the old side, which all shards must share. One that may hold a secret is
// named by its digest.
func (o DiffOptions) baseFlags() []string {
	all := o.kinds()
	if side := o.Base + o.Ref; side != "" { // they exclude each other
		if strings.ContainsAny(side, "@?") {
			side = fmt.Sprintf("sha256:%.6x", sha256.Sum256([]byte(side)))
		}
		all[0] += " " + side
	}
	return all
}

// splitSides compares two SOURCEs with each other if the first is saved or the second is not a configured
// server, since only those have a saved snapshot of their own.
func splitSides(from []source.Source, base string) (old, current []source.Source, err error) {
	saved := slices.IndexFunc(from, func(s source.Source) bool { return !s.Live() })
	switch {
	case base != "":
		old, err := source.ParseAll([]string{base}, nil)
		return old, from, err
	case len(from) == 2 && (saved == 0 || from[1].Kind != source.Configured):
		return from[:1], from[1:], nil
	case saved < 0:
		return nil, from, nil
	case len(from) > 2:
		return nil, nil, errSides(len(from), from[saved])
	}
	return nil, nil, ErrOneSide
}

// pairs returns both sides of each server.
func (o DiffOptions) pairs(
	ctx context.Context, p host.Process, f *fleet.Fleet, old, current []source.Source,
) (pairSet, error) {
	sharded := o.Select.Shard.Count > 0
	switch {
	case o.Ref != "":
		return knownPairs(rebuilt(ctx, p, f, o.Ref, o.Build, current))
	case o.Versions > 0:
		return knownPairs(history(ctx, f, o.Versions, current))
	case o.Upgrade:
		return knownPairs(upgrades(ctx, p, f, current, sharded))
	case old == nil:
		return pairsWithSaved(ctx, p, f, current, o.Locked)
	}
	old, current = exactly(ctx, f, old), exactly(ctx, f, current)
	bases, err := f.Resolve(ctx, old)
	if err != nil {
		return pairSet{}, err
	}
	before, err := f.Known(ctx, bases) // first, so that a wrong --base is found before a server is contacted
	if err != nil {
		return pairSet{}, err
	}
	targets, err := f.Resolve(ctx, current)
	if err != nil {
		return pairSet{}, err
	}
	if len(current) == 0 { // other shards compare the rest of the old side
		before = slices.DeleteFunc(before, func(t fleet.Target) bool { return !o.Select.Shard.Has(t.Name()) })
	}
	return matchByName(ctx, f, old, current, sharded, before, targets), nil
}

// Reach says which servers take part in a run, and how they are reached.
type Reach struct {
	Select  fleet.Selection
	Contact fleet.Contact
}
