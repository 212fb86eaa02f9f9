package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

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

// scopeOf is what a run over pairs by applied rules looked at.
func scopeOf(cfg *config.Config, pairs []Pair, applied []finding.Rule) finding.Scope {
	scope := finding.Scope{Rules: rules.IDs(applied)}
	for _, id := range rules.IDs(rules.All()) {
		if !slices.Contains(scope.Rules, id) {
			scope.Others = append(scope.Others, id)
		}
	}
	for _, p := range pairs {
		if p.whole() {
			scope.Seen = append(scope.Seen, p.New.Name)
		} else {
			scope.Partial = append(scope.Partial, p.New.Name)
		}
	}
	for _, e := range cfg.Entries {
		if !slices.ContainsFunc(pairs, func(p Pair) bool { return p.New.Name == e.Server.Name }) {
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
