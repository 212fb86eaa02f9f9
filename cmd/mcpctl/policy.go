package main

import (
	"cmp"
	"maps"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
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
