package compare

import (
	"cmp"
	"context"
	"maps"
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

// Scope says which servers take part, and how they are reached.
type Scope struct {
	Select  fleet.Selection
	Contact fleet.Contact
}

// load reads the configuration for the servers that are named.
func (s Scope) load(ctx context.Context, p host.Process, from []source.Source) (*fleet.Fleet, error) {
	return fleet.Load(ctx, p, s.Select, s.Contact, from)
}

// Policy is what mcpctl.yaml decides about findings. failOn, as --fail-on has it, beats its threshold for
// every server.
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
	scope := finding.Scope{Rules: report.RuleIDs(applied), Seen: seen, Partial: partial}
	for _, id := range report.AllRuleIDs() {
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

// unknownOverrides remarks on the names under overrides that neither the configuration nor this run knows:
// what stands there has no effect.
func unknownOverrides(p host.Process, cfg *config.Config, scope finding.Scope) {
	known := slices.Concat(scope.Seen, scope.Partial, scope.Absent, cfg.Names())
	for _, name := range kit.SortedKeys(cfg.Project.Overrides) {
		if !slices.Contains(known, name) {
			p.Note("%s: overrides names %q, and no server is called that%s", cfg.Project.File, name,
				kit.DidYouMean(name, known))
		}
	}
}
