package fleet

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Policy returns the policy of mcpctl.yaml. failOn, if set, replaces the threshold of every server.
func Policy(policy finding.Policy, failOn string) (finding.Policy, error) {
	judged, err := policy.WithFailOn(failOn)
	if err != nil {
		return policy, exit.Usagef("--fail-on: %w", err)
	}
	return judged, nil
}

// Results are what a run that judges servers keeps of them.
type Results struct {
	Surfaces      []Surface // without their documents
	Found         []finding.Finding
	seen, partial []string // names of servers that were examined completely, and of others
	unsaved       bool     // a server has no saved snapshot
}

// Add adds a server and what was found in it. A disabled server was not examined at all.
func (r *Results) Add(s Surface, found []finding.Finding, complete, unsaved bool) {
	r.Surfaces, r.Found, r.unsaved = append(r.Surfaces, s), append(r.Found, found...), r.unsaved || unsaved
	switch {
	case s.State == report.Disabled:
	case complete:
		r.seen = append(r.seen, s.Name)
	default:
		r.partial = append(r.partial, s.Name)
	}
}

// Status returns the exit status without findings.
func (r *Results) Status() int {
	if status := Status(r.Surfaces); status != exit.OK || !r.unsaved {
		return status
	}
	return exit.NoBaseline
}

// Report returns the report of the run, with the findings as the policy sees them. rules are the ids of those
// that were applied.
func (r *Results) Report(
	p host.Process, cfg *config.Config, command string, policy finding.Policy, rules []string,
	shard *report.Shard,
) *report.Report {
	scope := ScopeOf(cfg, rules, r.seen, r.partial)
	noteUnknownOverrides(p, cfg, scope)
	all := &report.Report{Command: command, Status: r.Status(), FailOn: policy.FailOn}
	all.Servers = []report.Server{}
	for _, s := range r.Surfaces {
		if threshold := policy.Threshold(s.Name); threshold != policy.FailOn {
			s.FailOn = threshold
		}
		all.Servers = append(all.Servers, s.Server)
	}
	all.Findings = policy.Apply(r.Found, scope, p.Now)
	all.SetShard(shard, r.partial)
	if policy.Fails(all.Findings) && (all.Status == exit.OK || all.Status == exit.NoBaseline) {
		all.Status = exit.Findings
	}
	return all
}

// ScopeOf returns what a run by these rules examined, so that a waiver is reported as unused only if it could
// have been used.
func ScopeOf(cfg *config.Config, rules, seen, partial []string) finding.Scope {
	scope := finding.Scope{Rules: rules, Seen: seen, Partial: partial}
	applied, asked := kit.Set(rules), kit.Set(slices.Concat(seen, partial))
	scope.Others = kit.Filter(report.AllRuleIDs(), func(id string) bool { return !applied[id] })
	for _, e := range cfg.Entries {
		if !asked[e.Server.Name] {
			scope.Absent = append(scope.Absent, e.Server.Name)
		}
	}
	return scope
}

// noteUnknownOverrides notes the names under overrides that neither the configuration nor this run knows.
func noteUnknownOverrides(p host.Process, cfg *config.Config, scope finding.Scope) {
	known := slices.Concat(scope.Seen, scope.Partial, scope.Absent, cfg.Names())
	for _, name := range kit.SortedKeys(cfg.Project.Overrides) {
		if !slices.Contains(known, name) {
			p.Note("%s: overrides names %q, and no server is called that%s", cfg.Project.File, name,
				kit.DidYouMean(name, known))
		}
	}
}

// Unanswered adds a problem to a report, which is incomplete then; nil = none.
func Unanswered(r *report.Report, problem error) {
	if problem == nil {
		return
	}
	r.Problems = append(r.Problems, problem.Error())
	if r.Status <= exit.NoBaseline && r.Status != exit.Usage {
		r.Status = exit.Incomplete
	}
}
