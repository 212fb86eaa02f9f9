package main

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// policyOf is what mcpctl.yaml decides about findings. --fail-on beats its threshold, for every server.
func policyOf(policy finding.Policy, failOn string) (finding.Policy, error) {
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

// failOn are servers that carry a threshold of their own where the policy has one for them.
func failOn(servers []report.Server, policy finding.Policy) []report.Server {
	for i, s := range servers {
		if own := policy.Threshold(s.Name); own != policy.FailOn {
			servers[i].FailOn = own
		}
	}
	return servers
}

// scopeOf is what a run over pairs by applied rules looked at.
func scopeOf(cfg *config.Config, pairs []pair, applied []finding.Rule) finding.Scope {
	scope := finding.Scope{Rules: idsOf(applied)}
	for _, id := range ruleIDs() {
		if !slices.Contains(scope.Rules, id) {
			scope.Others = append(scope.Others, id)
		}
	}
	for _, p := range pairs {
		if p.whole() {
			scope.Seen = append(scope.Seen, p.now.Name)
		} else {
			scope.Partial = append(scope.Partial, p.now.Name)
		}
	}
	for _, e := range cfg.Entries {
		if !slices.ContainsFunc(pairs, func(p pair) bool { return p.now.Name == e.Server.Name }) {
			scope.Absent = append(scope.Absent, e.Server.Name)
		}
	}
	return scope
}

// doubtOverrides remarks on the names under overrides that neither the configuration nor this run knows: what stands
// there has no effect.
func (inv *invocation) doubtOverrides(cfg *config.Config, scope finding.Scope) {
	known := slices.Concat(scope.Seen, scope.Partial, scope.Absent)
	for _, e := range cfg.Entries {
		known = append(known, e.Names()...)
	}
	for _, name := range slices.Sorted(maps.Keys(cfg.Project.Overrides)) {
		if !slices.Contains(known, name) {
			inv.Note("%s: overrides names %q, and no server is called that%s", cfg.Project.File, name, match.DidYouMean(name, known))
		}
	}
}

// whole tells whether everything of both sides is there to be compared.
func (p pair) whole() bool {
	settled := func(s surface) bool { return s.whole() || s.State == report.Absent }
	return !p.missing && settled(p.old) && settled(p.now)
}

// tolerate marks the servers that failed and may, as mcpctl.yaml says. What is wrong with the configuration itself is
// never tolerated.
func (inv *invocation) tolerate(surfaces []surface, project config.Project) {
	for i, s := range surfaces {
		if s.incomplete() && !s.config {
			surfaces[i].Tolerated = finding.Tolerated(project.Tolerate, project.Names(s.Name), inv.Now)
		}
	}
}

// incomplete tells whether the server could not be asked in full.
func (s surface) incomplete() bool { return s.State == report.Failed || s.State == report.Partial }
