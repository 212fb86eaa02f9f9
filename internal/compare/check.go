package compare

import (
	"context"
	"errors"
	"io/fs"
	"slices"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// CheckOptions say what is looked at, and what fails.
type CheckOptions struct {
	Scope
	Calls   string   // file of recorded calls; empty = none
	FailOn  string   // as --fail-on; empty = as configured, else warning
	Against []string // files and URLs that say what the one server is, or "auto"

}

// Check is what is wrong with what servers offer.
func Check(ctx context.Context, p host.Process, o CheckOptions, from []source.Source) (*report.Report,
	error) {
	o.Contact.ReadTwice = true
	if o.FailOn == string(finding.FailOnUsed) {
		return nil, exit.Usagef("--fail-on %s is for diff", o.FailOn)
	}
	var counts calls.Counts
	if o.Calls != "" {
		var err error
		if counts, err = calls.Count(ctx, p, o.Calls); err != nil {
			return nil, err
		}
	}
	f, err := o.load(ctx, p, from)
	if err != nil {
		return nil, err
	}
	policy, err := Policy(f.Config.Project.Policy.CheckPolicy(), o.FailOn)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	if len(o.Against) > 0 && len(targets) != 1 {
		return nil, exit.Usagef("--against holds a file to one server, and these are %d: name the one that "+
			"it is about", len(targets))
	}
	budgets, shard := check.Budgets(f.Config.Project.Budgets), f.ShardReport()
	looked := make([]judged, len(targets))
	surfaces, err := f.Each(ctx, targets, func(i int, s *fleet.Surface) error {
		defer s.LetGo()
		refuseLarge(s)
		defer turnFor(sizeOf(s.Snapshot))()
		subject, err := o.subjectOf(ctx, p, s, f.Config.Project)
		subject.Called = calledTools(counts, s.Name, s.Snapshot)
		if err != nil || s.Interrupted { // it was asked for its lists once at most
			return err
		}
		looked[i], err = judge(ctx, subject, check.Options{Budgets: budgets, Timeout: f.Limit()})
		looked[i].called = subject.Called != nil && subject.Called.Total > 0
		unfinished(s, err, f.Limit()) // any other error is the end of ctx, which the report tells
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found []finding.Finding
	var members []check.Member
	for _, l := range looked {
		found, members = append(found, l.found...), append(members, l.members...)
	}
	seen, partial := seenOf(surfaces)
	scope := scopeOf(f.Config, check.Rules(), seen, partial)
	if shard == nil {
		found = append(found, check.Together(members, budgets)...)
	} else {
		scope.Rules = slices.DeleteFunc(scope.Rules,
			func(id string) bool { return slices.Contains(check.TogetherRules(), id) })
		shard.Members = members
	}
	unknownOverrides(p, f.Config, scope)
	r := fleet.Report("check", surfaces)
	r.SetShard(shard, scope.Partial)
	r.FailOn, r.Servers = policy.FailOn, ownThresholds(r.Servers, policy)
	r.Findings = policy.Apply(found, scope, p.Now)
	if r.Status == exit.OK && policy.Fails(r.Findings) {
		r.Status = exit.Findings
	}
	if counts != nil && !slices.ContainsFunc(looked, func(l judged) bool { return l.called }) {
		unanswered(r, calls.NoCalls(o.Calls, kit.SortedKeys(counts)))
	}
	return r, nil
}

// judged is what is kept of a server that was looked at.
type judged struct {
	found   []finding.Finding
	members []check.Member
	called  bool // a call of it is recorded
}

// judge returns what the rules find in a server.
func judge(ctx context.Context, subject check.Subject, options check.Options) (j judged, err error) {
	j.found, j.members, err = check.Each(ctx, []check.Subject{subject}, options)
	return j, err
}

// declare adds what files say of the one server.
func (o CheckOptions) declare(ctx context.Context, p host.Process, s *check.Subject) error {
	if len(o.Against) == 0 {
		return nil
	}
	trusted, err := o.Contact.Certificates()
	if err != nil {
		return err
	}
	files := declaredReader{Folder: p.Dir, CACert: trusted}
	if s.Declared, err = files.Load(ctx, o.Against); err != nil {
		return exit.Misuse(err)
	}
	return nil
}

// subjectOf returns a surface as the rules look at it; a live one with its saved snapshot, if there is one.
func (o CheckOptions) subjectOf(ctx context.Context, p host.Process, s *fleet.Surface,
	project config.Project) (check.Subject, error) {
	one := check.Subject{Name: s.Name, Snapshot: s.Snapshot, Observed: observed(*s)}
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
		seen.Package = &check.DeclaredPackage{Type: check.Said{Text: p.Registry},
			Name: check.Said{Text: p.Name}, Version: check.Said{Text: p.Version}}
	}
	for _, n := range s.Notices {
		seen.Notices = append(seen.Notices, check.Notice{Code: n.Code, Message: n.Message})
	}
	return seen
}
