package compare

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// DiffOptions say what is compared with what, and how.
type DiffOptions struct {
	Scope
	Recorded
	diff.Options
	Base  string // the old side, a SOURCE; empty = the first of two SOURCEs, else the saved snapshots
	Ref   string // the old side: the same servers, started from this commit
	Build string // with Ref, run in both trees first

	Versions int  // the one SOURCE is a package: its last releases, each with the one before; 0 = no history
	Upgrade  bool // configured servers that start a package, with the newest version of it
	Locked   bool // with the saved snapshots: what starts must be the package that was locked

	FailOn string // as --fail-on; empty = as configured, else breaking
}

// Diff is what changed from the old side to the new one, which SOURCEs name.
func Diff(ctx context.Context, p host.Process, o DiffOptions, from []source.Source) (*report.Report, error) {
	o.Now = p.Now
	if o.Versions > 0 && (len(from) != 1 || from[0].Kind != source.Package) {
		return nil, exit.Usagef("--versions N is how many of the last releases of one package are " +
			"compared: write mcpctl diff npm:PACKAGE --versions 5")
	}
	old, now, err := splitSides(from, o.Base)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.kinds()) > 1:
		return nil, exit.Usagef("%s each say what is compared with what: leave one of them out",
			strings.Join(o.kinds()[:2], " and "))
	case o.Locked && old != nil:
		return nil, exit.Usagef("--locked is for servers and their saved snapshots: name no old side")
	case o.Ref == "" && o.Build != "":
		return nil, exit.Usagef("--build is for --base-ref: name the commit to build, too")
	case o.Build != "" && o.Contact.Buildable() != nil:
		return nil, o.Contact.Buildable()
	}
	if err := o.Recorded.check(p, o.FailOn); err != nil {
		return nil, err
	}
	f, err := o.load(ctx, p, now)
	if err != nil {
		return nil, err
	}
	policy, err := Policy(f.Config.Project.Policy, o.FailOn)
	if err != nil {
		return nil, err
	}
	o.ItemBudget = f.Config.Project.Budgets.ItemBytes
	pairs, err := o.pairs(ctx, p, f, old, now)
	if err != nil {
		return nil, err
	}
	o.Steps = stepsFor(fleet.WholeOf(f, now, pairs.n))
	var judge *calls.Judge
	if o.Calls != "" {
		judge = &calls.Judge{}
	}
	done := make([]*compared, pairs.n)
	err = pairs.each(func(i int, pair Pair) error {
		if ctx.Err() != nil {
			return nil // what was judged before the signal is reported
		}
		defer turnFor(sizeOf(pair.Old.Snapshot) + sizeOf(pair.New.Snapshot))()
		pair.explain(ctx, p, f)
		done[i] = pair.within(ctx, f.Limit(), pair.counted(judge, o.Options), policy)
		if done[i] != nil && done[i].server.BaseFile == "" && pair.Old.Transport != "" {
			// the lines of which show it, if it is there
			done[i].server.BaseFile = p.Rel(SavedFile(f.Config.Project.Snapshots, pair.New.Name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	problem, err := o.Recorded.count(ctx, p, judge)
	if err != nil {
		return nil, err
	}
	r := o.told(p, f, policy, slices.DeleteFunc(done, func(c *compared) bool { return c == nil }))
	unanswered(r, problem)
	return r, nil
}

func (o DiffOptions) told(p host.Process, f *fleet.Fleet, policy finding.Policy,
	done []*compared) *report.Report {
	r := &report.Report{Command: "diff", FailOn: policy.FailOn, Servers: make([]report.Server, 0, len(done))}
	var found []finding.Finding
	var seen, partial []string
	var all fleet.Tally
	unsaved := false
	for _, c := range done {
		if found = append(found, c.found...); c.whole {
			seen = append(seen, c.server.Name)
		} else {
			partial = append(partial, c.server.Name)
		}
		all, unsaved = all.With(c.tally), unsaved || c.unsaved
	}
	scope := scopeOf(f.Config, diff.Rules(), seen, partial)
	unknownOverrides(p, f.Config, scope)
	r.Findings = policy.Apply(found, scope, p.Now)
	byServer := map[string][]finding.Finding{}
	for _, f := range r.Findings {
		byServer[f.Server] = append(byServer[f.Server], f)
	}
	for i, c := range done {
		if done[i] = nil; c.versions != nil { // one after the other lives in the report alone
			v := c.versions
			c.server.Version = finding.Advise(v[0], v[1], byServer[c.server.Name])
		}
		r.Servers = append(r.Servers, c.server)
	}
	r.Servers, r.Status = ownThresholds(r.Servers, policy), status(all, unsaved, false)
	r.SetShard(f.ShardReport(o.sides()...), scope.Partial)
	if policy.Fails(r.Findings) {
		r.Status = status(all, unsaved, true)
	}
	return r
}

// kinds are the flags that say what is compared with what.
func (o DiffOptions) kinds() []string {
	return given(flag{"--base", o.Base != ""}, flag{"--base-ref", o.Ref != ""},
		flag{"--versions", o.Versions > 0}, flag{upgradeFlag, o.Upgrade}, flag{"--locked", o.Locked})
}

// sides are kinds with the old side that all parts must have in common. One that may hold a secret is told by
// its digest.
func (o DiffOptions) sides() []string {
	all := o.kinds()
	if side := o.Base + o.Ref; side != "" { // they exclude each other
		if strings.ContainsAny(side, "@?") {
			side = fmt.Sprintf("sha256:%.6x", sha256.Sum256([]byte(side)))
		}
		all[0] += " " + side
	}
	return all
}

// splitSides are the old and the new SOURCEs of a diff; no old one means the saved snapshots. Two SOURCEs are
// compared with each other, the old one first, when the first is saved, or the second is no name: only what
// is configured has a snapshot of its own.
func splitSides(from []source.Source, base string) (old, now []source.Source, err error) {
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
		return nil, nil, exit.Usagef("two SOURCEs are compared with each other, and %d are named, of which "+
			"%q is saved: name two, the old one first, or the old one with --base", len(from), from[saved])
	}
	return nil, nil, exit.Usagef("compare %q with what? name two SOURCEs, the old one first, or the old "+
		"one with --base", from[saved])
}

// pairs brings the two sides together: by the server's name, or one with one.
func (o DiffOptions) pairs(ctx context.Context, p host.Process, f *fleet.Fleet, old,
	now []source.Source) (pairing, error) {
	switch {
	case o.Ref != "":
		return there(rebuilt(ctx, p, f, o.Ref, o.Build, now))
	case o.Versions > 0:
		return there(history(ctx, f, o.Versions, now))
	case o.Upgrade:
		return there(upgrades(ctx, p, f, now, o.Select.Shard.Count > 0))
	case o.Locked:
		return there(keptToLock(ctx, p, f, now))
	}
	if old == nil {
		targets, err := f.Resolve(ctx, now)
		if err != nil {
			return pairing{}, err
		}
		saved := openBaseline(ctx, p, f.Config.Project.Snapshots)
		return pairing{len(targets), func(visit func(int, Pair) error) error {
			return f.Visit(ctx, targets, func(i int, s *fleet.Surface) error {
				if s.State == report.Disabled {
					return nil
				}
				return visit(i, saved.with(ctx, *s))
			})
		}}, nil
	}
	bases, err := f.Resolve(ctx, old)
	if err != nil {
		return pairing{}, err
	}
	before, err := f.Later(ctx, bases) // first, so that a wrong --base is found before a server is contacted
	if err != nil {
		return pairing{}, err
	}
	current, err := f.Resolve(ctx, now)
	if err != nil {
		return pairing{}, err
	}
	if len(now) == 0 { // what the old side has for other parts is theirs to compare
		before = slices.DeleteFunc(before, func(s fleet.Pending) bool { return !o.Select.Shard.Has(s.Name) })
	}
	return extentOf(old, now, o.Select.Shard.Count > 0).matchByName(ctx, f, before, current), nil
}
