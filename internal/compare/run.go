package compare

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/declared"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/internal/signature"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Scope says which servers take part, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}

// load reads the configuration for the servers that are named.
func (s Scope) load(ctx context.Context, p host.Process, from []source.Source) (*fleet.Fleet, error) {
	return fleet.Load(ctx, p, s.Select, s.Contact, from)
}

// DiffOptions say what is compared with what, and how.
type DiffOptions struct {
	Scope
	diff.Options
	Base  string // the old side, a SOURCE; empty = the first of two SOURCEs, else the saved snapshots
	Ref   string // the old side: the same servers, started from this commit
	Build string // with Ref, run in both trees first

	Versions int  // the one SOURCE is a package: its last releases, each with the one before; 0 = no history
	Upgrade  bool // configured servers that start a package, with the newest version of it
	Locked   bool // with the saved snapshots: what starts must be the package that was locked

	FailOn string // as --fail-on; empty = as configured, else breaking

	Records string        // recorded calls by which findings are judged, as UsageOptions.Records; empty = as configured, else none
	Since   time.Duration // how far back they count; 0 = as configured, else 30 days
}

// Diff is what changed from the old side to the new one, which SOURCEs name.
func Diff(ctx context.Context, p host.Process, o DiffOptions, from []source.Source) (*report.Report, error) {
	old, now, err := splitSides(from, o.Base)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.kinds()) > 1:
		return nil, exit.Usagef("%s each say what is compared with what: leave one of them out", strings.Join(o.kinds()[:2], " and "))
	case o.Versions < 0 || o.Versions > 0 && (len(from) != 1 || from[0].Kind != source.Package):
		return nil, exit.Usagef("--versions N is how many of the last releases of one package are compared: write mcpctl diff npm:PACKAGE --versions 5")
	case o.Locked && old != nil:
		return nil, exit.Usagef("--locked is for servers and their saved snapshots: name no old side")
	case o.Ref == "" && o.Build != "":
		return nil, exit.Usagef("--build is for --base-ref: name the commit to build, too")
	case o.Build != "" && o.Contact.Buildable() != nil:
		return nil, o.Contact.Buildable()
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
	r := &report.Report{Command: "diff", FailOn: policy.FailOn}
	calls := UsageOptions{Records: cmp.Or(o.Records, f.Config.Project.Usage.Records), Since: o.Since}
	evidence, err := calls.recorded(p, f.Config)
	if err != nil {
		return nil, err
	}
	found, pairs := findings(ctx, pairs, o.Options, policy, evidence, f.Limit())
	seen, partial := seenOf(pairs)
	scope := scopeOf(f.Config, diff.Rules(), seen, partial)
	unknownOverrides(p, f.Config, scope)
	r.Findings = policy.Apply(found, scope, p.Now)
	for _, pair := range pairs {
		s := pair.result().Server
		if s.BaseFile == "" && pair.Old.Transport != "" {
			s.BaseFile = p.Rel(SavedFile(f.Config.Project.Snapshots, s.Name)) // the lines of which show it, if it is there
		}
		s.BaseTokens, s.Tokens = pair.tokens()
		s.Changed = signature.Changed(pair.Old.Snapshot, pair.New.Snapshot)
		s.Version, s.Cause = pair.advice(r.Findings), pair.cause(slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Server == s.Name }))
		r.Servers = append(r.Servers, s)
	}
	r.Findings = f.Config.Project.Usage.Lower(r.Findings) // which version to call it is not asked of callers
	r.Servers, r.Status = ownThresholds(r.Servers, policy), status(pairs, false)
	r.InPart(f.Part(), scope.Partial)
	if policy.Fails(r.Findings) {
		r.Status = status(pairs, true)
	}
	return r, nil
}

// kinds are the flags that say what is compared with what.
func (o DiffOptions) kinds() []string {
	var flags []string
	for _, flag := range []struct {
		name  string
		given bool
	}{{"--base", o.Base != ""}, {"--base-ref", o.Ref != ""}, {"--versions", o.Versions > 0}, {"--upgrade", o.Upgrade}, {"--locked", o.Locked}} {
		if flag.given {
			flags = append(flags, flag.name)
		}
	}
	return flags
}

// splitSides are the old and the new SOURCEs of a diff; no old one means the saved snapshots. Two SOURCEs are compared with each
// other, the old one first, when the first is saved, or the second is no name: only what is configured has a snapshot of its own.
func splitSides(from []source.Source, base string) (old, now []source.Source, err error) {
	saved := slices.IndexFunc(from, func(s source.Source) bool { return !s.Live() })
	switch {
	case base != "":
		return []source.Source{source.Parse(base)}, from, nil
	case len(from) == 2 && (saved == 0 || from[1].Kind != source.Configured):
		return from[:1], from[1:], nil
	case saved < 0:
		return nil, from, nil
	}
	return nil, nil, exit.Usagef("compare %q with what? name two SOURCEs, the old one first, or the old one with --base", from[saved])
}

// pairs brings the two sides together: by the server's name, or one with one.
func (o DiffOptions) pairs(ctx context.Context, p host.Process, f *fleet.Fleet, old, now []source.Source) ([]Pair, error) {
	switch {
	case o.Ref != "":
		return rebuilt(ctx, p, f, o.Ref, o.Build, now)
	case o.Versions > 0:
		return history(ctx, p, f, o.Versions, now)
	case o.Upgrade:
		return upgrades(ctx, p, f, now)
	case o.Locked:
		return keptToLock(ctx, p, f, now)
	}
	if old == nil {
		current, err := f.Survey(ctx, now)
		return withSaved(p, current, f.Config.Project.Snapshots), err
	}
	before, err := f.Survey(ctx, old) // first, so that a wrong --base is found before a server is contacted
	if err != nil {
		return nil, err
	}
	current, err := f.Survey(ctx, now)
	if err != nil {
		return nil, err
	}
	if len(now) == 0 { // what the old side has for other parts is theirs to compare
		before = slices.DeleteFunc(before, func(s fleet.Surface) bool { return !o.Select.Shard.Has(s.Name) })
	}
	return extentOf(old, now, o.Select.Shard.Count > 0).matchByName(before, current), nil
}

// CheckOptions say what is looked at, and what fails.
type CheckOptions struct {
	Scope
	FailOn  string // as --fail-on; empty = as configured, else warning
	Against string // a file that says what the one server is, or declared.Auto; empty = none

	Records string        // recorded calls that rules on usage look at, as UsageOptions.Records; empty = none
	Since   time.Duration // how far back they count; 0 = as configured, else 30 days
}

// Check is what is wrong with what servers offer.
func Check(ctx context.Context, p host.Process, o CheckOptions, from []source.Source) (*report.Report, error) {
	o.Contact.ReadTwice = true
	f, err := o.load(ctx, p, from)
	if err != nil {
		return nil, err
	}
	policy, err := Policy(f.Config.Project.Policy.CheckPolicy(), o.FailOn)
	if err != nil {
		return nil, err
	}
	evidence, err := UsageOptions{Records: o.Records, Since: o.Since}.recorded(p, f.Config)
	if err != nil {
		return nil, err
	}
	surfaces, err := f.Survey(ctx, from)
	if err != nil {
		return nil, err
	}
	refuse(surfaces)
	subjects, err := subjectsOf(surfaces, f.Config.Project)
	if err != nil {
		return nil, err
	}
	for i := range subjects {
		subjects[i].Recorded = calledOf(subjects[i], evidence(subjects[i].Name))
	}
	if o.Against != "" {
		if len(subjects) != 1 {
			return nil, exit.Usagef("--against holds a file to one server, and these are %d: name the one that it is about", len(subjects))
		}
		if subjects[0].Declared, err = declared.Load(p.Dir, o.Against); err != nil {
			return nil, exit.Misuse(err)
		}
	}
	budgets, part := f.Config.Project.Budgets, f.Part()
	found, members, err := check.Each(ctx, subjects, check.Options{Budgets: budgets, Timeout: f.Limit(), Steps: share(check.DefaultSteps, len(subjects))})
	unfinished(surfaces, err, f.Limit()) // any other error is the end of ctx, which the report tells
	seen, partial := seenOf(withThemselves(surfaces))
	scope := scopeOf(f.Config, check.Rules(), seen, partial)
	if part == nil {
		found = append(found, check.Together(members, budgets)...)
	} else {
		scope.Rules = slices.DeleteFunc(scope.Rules, func(id string) bool { return slices.Contains(check.TogetherRules(), id) })
		part.Members = members
	}
	unknownOverrides(p, f.Config, scope)
	r := fleet.Report("check", surfaces)
	r.InPart(part, scope.Partial)
	r.FailOn, r.Servers = policy.FailOn, ownThresholds(r.Servers, policy)
	r.Findings = policy.Apply(found, scope, p.Now)
	if r.Status == exit.OK && policy.Fails(r.Findings) {
		r.Status = exit.Findings
	}
	return r, nil
}

// subjectsOf are surfaces as the rules look at them; live ones with what was saved of them, if anything was.
func subjectsOf(surfaces []fleet.Surface, project config.Project) ([]check.Subject, error) {
	var subjects []check.Subject
	for _, s := range surfaces {
		if s.Interrupted { // it was asked for its lists once at most
			continue
		}
		one := check.Subject{Name: s.Name, Variant: project.Variants[s.Name], Snapshot: s.Snapshot, Observed: observed(s)}
		if s.Transport != "" {
			saved, err := savedOf(s.Name, project.Snapshots)
			if err != nil {
				return nil, err
			}
			one.Saved = saved
		}
		subjects = append(subjects, one)
	}
	return subjects, nil
}

// savedOf is the saved snapshot of a server; nil when there is none.
func savedOf(name, folder string) (*snapshot.Snapshot, error) {
	saved, err := source.ReadFile(SavedFile(folder, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return saved.Snapshot, err
}

// observed is what the probe saw beside the surface.
func observed(s fleet.Surface) check.Observed {
	seen := check.Observed{Transport: s.Transport, Noise: s.NoiseText, Again: s.SecondRead}
	for _, n := range s.Notices {
		seen.Notices = append(seen.Notices, check.Notice{Code: n.Code, Message: n.Message})
	}
	return seen
}

// withThemselves are surfaces that are compared with nothing: whole when they are.
func withThemselves(surfaces []fleet.Surface) []Pair {
	var pairs []Pair
	for _, s := range surfaces {
		if s.State != report.Disabled {
			pairs = append(pairs, Pair{Old: s, New: s})
		}
	}
	return pairs
}

// Policy is what mcpctl.yaml decides about findings. failOn, as --fail-on has it, beats its threshold for every server.
func Policy(policy finding.Policy, failOn string) (finding.Policy, error) {
	if failOn == "" {
		policy.FailOn = cmp.Or(policy.FailOn, finding.FailOnBreaking)
		return policy, nil
	}
	threshold, err := finding.ParseThreshold(failOn)
	if err != nil {
		return policy, exit.Usagef("--fail-on: %w", err)
	}
	policy.FailOn, policy.Overrides = threshold, maps.Clone(policy.Overrides)
	for name, o := range policy.Overrides {
		policy.Overrides[name] = finding.Override{Rules: o.Rules}
	}
	return policy, nil
}

// ownThresholds are servers that carry a threshold of their own where the policy has one for them.
func ownThresholds(servers []report.Server, policy finding.Policy) []report.Server {
	for i, s := range servers {
		if own := policy.Threshold(s.Name); own != policy.FailOn {
			servers[i].FailOn = own
		}
	}
	return servers
}

// seenOf are the servers of pairs that were looked at in full, and those that were not.
func seenOf(pairs []Pair) (seen, partial []string) {
	for _, p := range pairs {
		if p.whole() {
			seen = append(seen, p.New.Name)
		} else {
			partial = append(partial, p.New.Name)
		}
	}
	return seen, partial
}

// scopeOf is what a run by applied rules looked at.
func scopeOf(cfg *config.Config, applied []finding.Rule, seen, partial []string) finding.Scope {
	scope := finding.Scope{Rules: rules.IDs(applied), Seen: seen, Partial: partial}
	for _, id := range rules.IDs(rules.All()) {
		if !slices.Contains(scope.Rules, id) {
			scope.Others = append(scope.Others, id)
		}
	}
	asked := map[string]bool{}
	for _, name := range slices.Concat(seen, partial) {
		asked[name] = true
	}
	for _, e := range cfg.Entries {
		if !asked[e.Server.Name] {
			scope.Absent = append(scope.Absent, e.Server.Name)
		}
	}
	return scope
}

// unknownOverrides remarks on the names under overrides that neither the configuration nor this run knows: what stands
// there has no effect.
func unknownOverrides(p host.Process, cfg *config.Config, scope finding.Scope) {
	known := slices.Concat(scope.Seen, scope.Partial, scope.Absent)
	for _, e := range cfg.Entries {
		known = append(known, e.Names()...)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Project.Overrides)) {
		if !slices.Contains(known, name) {
			p.Note("%s: overrides names %q, and no server is called that%s", cfg.Project.File, name, match.DidYouMean(name, known))
		}
	}
}
