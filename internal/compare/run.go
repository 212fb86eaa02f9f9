package compare

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/declared"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/internal/usage"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Scope says which servers take part, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}

// load reads the configuration for the servers that are named. The store that their snapshots are in must be one that can be reached.
func (s Scope) load(ctx context.Context, p host.Process, from []source.Source) (*fleet.Fleet, error) {
	f, err := fleet.Load(ctx, p, s.Select, s.Contact, from)
	if err == nil && store.Is(f.Config.Project.Snapshots) {
		err = p.Store.Check(f.Config.Project.Snapshots)
	}
	return f, err
}

// DiffOptions say what is compared with what, and how.
type DiffOptions struct {
	UsageOptions // recorded calls by which findings are judged; no Records = as configured, else none
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
		return nil, exit.Usagef("--versions N is how many of the last releases of one package are compared: write mcpctl diff npm:PACKAGE --versions 5")
	}
	old, now, err := splitSides(from, o.Base)
	if err != nil {
		return nil, err
	}
	switch {
	case len(o.kinds()) > 1:
		return nil, exit.Usagef("%s each say what is compared with what: leave one of them out", strings.Join(o.kinds()[:2], " and "))
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
	o.Records = cmp.Or(o.Records, f.Config.Project.Usage.Records)
	evidence, err := o.recorded(ctx, p, f.Config)
	if err != nil {
		return nil, err
	}
	o.Steps = stepsFor(fleet.WholeOf(f, now, pairs.n))
	limitMemory(pairs.n)
	done, room := make([]*compared, pairs.n), roomFor(pairs.n)
	judge := func(i int, pair Pair) {
		options := o.Options
		if calls := evidence(pair.New.Name, pair.Old.Name); calls != nil {
			options.Recorded = calls
		}
		done[i] = pair.within(ctx, f.Limit(), options, policy)
		if done[i] != nil && done[i].server.BaseFile == "" && pair.Old.Transport != "" {
			done[i].server.BaseFile = p.Rel(SavedFile(f.Config.Project.Snapshots, pair.New.Name)) // the lines of which show it, if it is there
		}
	}
	err = pairs.each(func(i int, pair Pair) error {
		size, err := host.Await(ctx, func() (int, error) { return pair.differing(), nil })
		if err != nil {
			return nil // a signal: what was judged before it is told
		}
		return room.take(i, size, diff.MostBytes, func(fits bool) error {
			pair.leftOut = !fits
			judge(i, pair)
			return nil
		})
	})
	if err == nil {
		err = room.close()
	}
	if err != nil {
		return nil, err
	}
	return o.told(p, f, policy, slices.DeleteFunc(done, func(c *compared) bool { return c == nil })), nil
}

func (o DiffOptions) told(p host.Process, f *fleet.Fleet, policy finding.Policy, done []*compared) *report.Report {
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
	r.Findings = f.Config.Project.Usage.Lower(r.Findings) // which version to call it is not asked of callers
	r.Servers, r.Status = ownThresholds(r.Servers, policy), status(all, unsaved, false)
	r.InPart(f.Part(o.sides()...), scope.Partial)
	if policy.Fails(r.Findings) {
		r.Status = status(all, unsaved, true)
	}
	return r
}

// kinds are the flags that say what is compared with what.
func (o DiffOptions) kinds() []string {
	return given(flag{"--base", o.Base != ""}, flag{"--base-ref", o.Ref != ""}, flag{"--versions", o.Versions > 0}, flag{upgradeFlag, o.Upgrade}, flag{"--locked", o.Locked})
}

// sides are kinds with the old side that all parts must have in common. One that may hold a secret is told by its digest.
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
	case len(from) > 2:
		return nil, nil, exit.Usagef("two SOURCEs are compared with each other, and %d are named, of which %q is saved: name two, the old one first, or the old one with --base", len(from), from[saved])
	}
	return nil, nil, exit.Usagef("compare %q with what? name two SOURCEs, the old one first, or the old one with --base", from[saved])
}

// pairs brings the two sides together: by the server's name, or one with one.
func (o DiffOptions) pairs(ctx context.Context, p host.Process, f *fleet.Fleet, old, now []source.Source) (pairing, error) {
	switch {
	case o.Ref != "":
		return there(rebuilt(ctx, p, f, o.Ref, o.Build, now))
	case o.Versions > 0:
		return there(history(ctx, p, f, o.Versions, now))
	case o.Upgrade:
		return there(upgrades(ctx, p, f, now))
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

// CheckOptions say what is looked at, and what fails.
type CheckOptions struct {
	UsageOptions          // recorded calls that rules on usage look at; no Records = none
	FailOn       string   // as --fail-on; empty = as configured, else warning
	Against      []string // files and URLs that say what the one server is, or declared.Auto
	Fix          bool     // the files of Against are brought in step with the server first

	ReadSkills  bool // the texts of skills are read and looked at, too
	Conformance bool // servers are asked on purpose whether they keep to the specification
}

// Check is what is wrong with what servers offer.
func Check(ctx context.Context, p host.Process, o CheckOptions, from []source.Source) (*report.Report, error) {
	if o.Fix && len(o.Against) == 0 {
		return nil, exit.Usagef("--fix mends the files that --against names; --against auto takes those of this folder")
	}
	o.Contact.ReadTwice = true
	f, err := o.load(ctx, p, from)
	if err != nil {
		return nil, err
	}
	policy, err := Policy(f.Config.Project.Policy.CheckPolicy(), o.FailOn)
	if err != nil {
		return nil, err
	}
	evidence, err := o.recorded(ctx, p, f.Config)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	if len(o.Against) > 0 && len(targets) != 1 {
		return nil, exit.Usagef("--against holds a file to one server, and these are %d: name the one that it is about", len(targets))
	}
	budgets, part := f.Config.Project.Budgets, f.Part(o.asked()...)
	limitMemory(len(targets))
	looked, room := make([]judged, len(targets)), roomFor(len(targets))
	look := func(i int, s *fleet.Surface, fits bool) error {
		defer s.LetGo()
		subject, err := o.subjectOf(ctx, p, s, fits, f.Config.Project)
		if err != nil || s.Interrupted { // it was asked for its lists once at most
			return err
		}
		looked[i], err = judge(ctx, subject, evidence(s.Name), check.Options{Budgets: budgets, Timeout: f.Limit()})
		unfinished(s, err, f.Limit()) // any other error is the end of ctx, which the report tells
		return nil
	}
	surfaces, err := o.collect(ctx, f, targets, func(i int, s *fleet.Surface) error {
		return room.take(i, sizeOf(s.Snapshot), mostChecked, func(fits bool) error { return look(i, s, fits) })
	})
	if err == nil {
		err = room.close()
	}
	if err != nil {
		return nil, err
	}
	var found []finding.Finding
	var members []check.Member
	for _, l := range looked {
		found, members = append(found, l.found...), append(members, l.members...)
	}
	seen, partial := seenOf(surfaces)
	scope := scopeOf(f.Config, rulesOf(o.asked()), seen, partial)
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

// judged is what is kept of a server that was looked at.
type judged struct {
	found   []finding.Finding
	members []check.Member
}

// judge is what the rules say of a server of which calls are recorded.
func judge(ctx context.Context, subject check.Subject, calls *usage.Evidence, options check.Options) (j judged, err error) {
	subject.Recorded, err = host.Within(ctx, options.Timeout, func(context.Context) (*check.Recorded, error) { return calledOf(subject, calls), nil })
	if err == nil {
		j.found, j.members, err = check.Each(ctx, []check.Subject{subject}, options)
	}
	return j, err
}

// collect has look at each surface as it arrives, or once all of them were asked for more.
func (o CheckOptions) collect(ctx context.Context, f *fleet.Fleet, targets []fleet.Target, look func(int, *fleet.Surface) error) ([]fleet.Surface, error) {
	if !o.Conformance && !o.ReadSkills {
		return f.Each(ctx, targets, look)
	}
	surfaces, err := f.Collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	if o.Conformance {
		f.Interview(ctx, targets, surfaces)
	}
	if o.ReadSkills {
		f.ReadSkills(ctx, targets, surfaces)
	}
	return surfaces, fleet.Visit(f.Config.Project.Snapshots, len(surfaces), func(i int) error { return look(i, &surfaces[i]) })
}

// declare adds what files say of the one server, once they are mended with Fix.
func (o CheckOptions) declare(ctx context.Context, p host.Process, s *check.Subject) error {
	if len(o.Against) == 0 {
		return nil
	}
	trusted, err := o.Contact.Certificates()
	if err != nil {
		return err
	}
	files := declared.Reader{Folder: p.Dir, CACert: trusted}
	if s.Declared, err = files.Load(ctx, o.Against); err != nil {
		return exit.Misuse(err)
	}
	if !o.Fix || s.Snapshot == nil {
		return nil
	}
	remarks, err := files.Fix(s.Declared, s.Snapshot, s.Observed.Package)
	for _, r := range remarks {
		p.Note("%s", report.Visible(r))
	}
	if err != nil {
		return exit.Misuse(err)
	}
	if s.Declared, err = files.Load(ctx, o.Against); err != nil {
		return exit.Misuse(err)
	}
	return nil
}

// subjectOf is a surface as the rules look at it; a live one with what was saved of it, if anything was.
func (o CheckOptions) subjectOf(ctx context.Context, p host.Process, s *fleet.Surface, fits bool, project config.Project) (check.Subject, error) {
	refuse(s, fits)
	makeRoom(sizeOf(s.Snapshot), sizeOf(s.Snapshot))
	one := check.Subject{Name: s.Name, Variant: project.Variants[s.Name], Snapshot: s.Snapshot, Observed: observed(*s), Exchanges: s.Exchanges, SkillTexts: s.SkillTexts}
	if s.Transport != "" {
		saved, err := source.ReadFile(ctx, p, SavedFile(project.Snapshots, one.Name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return one, err
		}
		one.Saved = saved.Snapshot
	}
	return one, o.declare(ctx, p, &one)
}

// observed is what the probe saw beside the surface.
func observed(s fleet.Surface) check.Observed {
	seen := check.Observed{Transport: s.Transport, Noise: s.NoiseText, Again: s.SecondRead, Given: s.Given}
	if p := s.Package; p != nil {
		seen.Package = &check.DeclaredPackage{Type: check.Said{Text: p.Registry}, Name: check.Said{Text: p.Name}, Version: check.Said{Text: p.Version}}
	}
	for _, n := range s.Notices {
		seen.Notices = append(seen.Notices, check.Notice{Code: n.Code, Message: n.Message})
	}
	return seen
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

// seenOf are the servers that were looked at in full, and those that were not.
func seenOf(surfaces []fleet.Surface) (seen, partial []string) {
	for _, s := range surfaces {
		switch {
		case s.State == report.Disabled:
		case s.Whole():
			seen = append(seen, s.Name)
		default:
			partial = append(partial, s.Name)
		}
	}
	return seen, partial
}

// scopeOf is what a run by applied rules looked at.
func scopeOf(cfg *config.Config, applied []finding.Rule, seen, partial []string) finding.Scope {
	scope := finding.Scope{Rules: rules.IDs(applied), Seen: seen, Partial: partial}
	for _, id := range rules.AllIDs() {
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
	known := slices.Concat(scope.Seen, scope.Partial, scope.Absent, cfg.Names())
	for _, name := range lists.SortedKeys(cfg.Project.Overrides) {
		if !slices.Contains(known, name) {
			p.Note("%s: overrides names %q, and no server is called that%s", cfg.Project.File, name, match.DidYouMean(name, known))
		}
	}
}
