// Package compare carries out the commands that judge servers. Diff compares two sides of each server, Check
// looks at one side, Save writes snapshots, Accept moves them forward by chosen changes, and MergeShards
// joins the reports of shards.
package compare

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Scope says which servers take part in a run, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}

// load reads the configuration for the servers that are named.
func (s Scope) load(ctx context.Context, p host.Process, from []source.Source) (*fleet.Fleet, error) {
	return fleet.Load(ctx, p, s.Select, s.Contact, from)
}

// Policy returns the policy of mcpctl.yaml. failOn, if set, replaces the threshold of every server.
func Policy(policy finding.Policy, failOn string) (finding.Policy, error) {
	judged, err := policy.WithFailOn(failOn)
	if err != nil {
		return policy, exit.Usagef("--fail-on: %w", err)
	}
	return judged, nil
}

// results are what a run keeps of its servers.
type results struct {
	surfaces      []fleet.Surface // without their documents
	found         []finding.Finding
	seen, partial []string // names of servers that were examined completely, and of others
	unsaved       bool     // a server has no saved snapshot
}

// add adds a server and what was found in it. A disabled server was not examined at all.
func (r *results) add(s fleet.Surface, found []finding.Finding, complete, unsaved bool) {
	r.surfaces, r.found, r.unsaved = append(r.surfaces, s), append(r.found, found...), r.unsaved || unsaved
	switch {
	case s.State == report.Disabled:
	case complete:
		r.seen = append(r.seen, s.Name)
	default:
		r.partial = append(r.partial, s.Name)
	}
}

// status returns the exit status without findings.
func (r *results) status() int {
	if status := fleet.Status(r.surfaces); status != exit.OK || !r.unsaved {
		return status
	}
	return exit.NoBaseline
}

// report returns the report of the run, with the findings as the policy sees them. rules are the ids of those
// that were applied.
func (r *results) report(
	p host.Process, cfg *config.Config, command string, policy finding.Policy, rules []string,
	shard *report.Shard,
) *report.Report {
	scope := scopeOf(cfg, rules, r.seen, r.partial)
	noteUnknownOverrides(p, cfg, scope)
	all := &report.Report{Command: command, Status: r.status(), FailOn: policy.FailOn}
	all.Servers = []report.Server{}
	for _, s := range r.surfaces {
		if threshold := policy.Threshold(s.Name); threshold != policy.FailOn {
			s.FailOn = threshold
		}
		all.Servers = append(all.Servers, s.Server)
	}
	all.Findings = policy.Apply(r.found, scope, p.Now)
	all.SetShard(shard, r.partial)
	if policy.Fails(all.Findings) && (all.Status == exit.OK || all.Status == exit.NoBaseline) {
		all.Status = exit.Findings
	}
	return all
}

// scopeOf returns what a run by these rules examined, so that a waiver is reported as unused only if it could
// have been used.
func scopeOf(cfg *config.Config, rules, seen, partial []string) finding.Scope {
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
