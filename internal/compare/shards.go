package compare

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// ShardResult is the result of one shard as its report has it, and the file that it was read from.
type ShardResult struct {
	File     string
	Command  string // for messages
	Stopped  bool   // the run was interrupted
	Shard    *seen.Shard
	FailOn   finding.Threshold
	Servers  []seen.Server
	Findings []finding.Finding // nil = the command judges nothing
}

// MergeResult is what one run over all servers would have found.
type MergeResult struct {
	Status   int               // without the findings
	Findings []finding.Finding // nil = the command judges nothing
	// compares names of servers by their order in the configuration
	Order func(a, b string) int
}

// Judging is how the command of the shards judges.
type Judging struct {
	Rules    []finding.Rule
	Policy   func(finding.Policy) finding.Policy
	Together bool // there are rules about all servers, which shards leave to merge
}

// JudgingChanges returns how diff judges.
func JudgingChanges() Judging {
	return Judging{Rules: diff.Rules(), Policy: func(p finding.Policy) finding.Policy { return p }}
}

// JudgingServers returns how check judges.
func JudgingServers() Judging {
	return Judging{Rules: check.Rules(), Policy: finding.Policy.CheckPolicy, Together: true}
}

// MergeShards returns what one run over all servers would have found; there is at least one shard. It adds
// what no shard can judge: budgets of all servers, names that they share, and unused waivers.
func MergeShards(
	ctx context.Context, p host.Process, s fleet.Selection, shards []ShardResult, how Judging,
) (*MergeResult, error) {
	if err := fitTogether(shards); err != nil {
		return nil, err
	}
	first := shards[0]
	cfg, err := fleet.Read(ctx, p, s)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	if fleet.Digest(cfg) != first.Shard.Of {
		return nil, fmt.Errorf("%s: the configuration here is not the one of that run: merge in the "+
			"directory that the shards ran in, or name their configuration with --config", first.File)
	}
	whole := &MergeResult{Status: statusOf(shards), Order: inOrderOf(cfg)}
	for _, shard := range shards {
		if seen.FindingsDigest(shard.Findings, shard.Servers) != shard.Shard.Findings {
			return nil, fmt.Errorf("%s: the findings of %s were changed after the run: run it again",
				shard.File, shard.Shard)
		}
	}
	if slices.ContainsFunc(shards, func(shard ShardResult) bool { return shard.Findings != nil }) {
		whole.Findings = judgeTogether(p, cfg, shards, how)
	}
	return whole, nil
}

// judgeTogether returns the findings of all shards and those about all servers, under the policy.
func judgeTogether(
	p host.Process, cfg *config.Config, shards []ShardResult, how Judging,
) []finding.Finding {
	var servers []seen.Server
	var found []finding.Finding
	var members []check.Member
	var read, partial []string
	for _, shard := range shards {
		servers = append(servers, shard.Servers...)
		members, partial = append(members, shard.Shard.Members...), append(partial, shard.Shard.Partial...)
		for _, f := range shard.Findings {
			if f.Waiver = nil; !strings.HasPrefix(f.Item, "waiver/") { // the policy adds both again
				found = append(found, f)
			}
		}
	}
	byPlace := inOrderOf(cfg)
	slices.SortStableFunc(servers, func(a, b seen.Server) int { return byPlace(a.Name, b.Name) })
	for _, s := range servers {
		if s.State != seen.Disabled && !slices.Contains(partial, s.Name) {
			read = append(read, s.Name)
		}
	}
	if how.Together {
		slices.SortStableFunc(members, func(a, b check.Member) int { return byPlace(a.Name, b.Name) })
		found = append(found, check.Together(members, cfg.Project.Budgets)...)
	}
	fleet.AddOff(servers, found)
	return how.Policy(cfg.Project.Policy).Apply(found,
		fleet.ScopeOf(cfg, seen.RuleIDs(how.Rules), read, partial), p.Now)
}

// inOrderOf returns the comparison of server names by their order in the configuration. Those that only the
// saved side has come last, by name.
func inOrderOf(cfg *config.Config) func(a, b string) int {
	place := map[string]int{}
	for i, e := range cfg.Entries {
		place[e.Server.Name] = i - len(cfg.Entries)
	}
	return func(a, b string) int {
		if place[a] == 0 && place[b] == 0 {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(place[a], place[b])
	}
}

// statusOf returns the exit status of all shards without findings: 2 if the configuration kept every server
// from being tried.
func statusOf(shards []ShardResult) int {
	var all []int
	for _, shard := range shards {
		asked := func(s seen.Server) bool { return s.State != seen.Disabled }
		if slices.ContainsFunc(shard.Servers, asked) {
			all = append(all, shard.Shard.Status)
		}
	}
	tried := func(status int) bool { return status != exit.Usage }
	switch {
	case slices.Contains(all, exit.Usage) && !slices.ContainsFunc(all, tried):
		return exit.Usage
	case slices.Contains(all, exit.Usage), slices.Contains(all, exit.Incomplete):
		return exit.Incomplete
	case slices.Contains(all, exit.NoBaseline):
		return exit.NoBaseline
	}
	return exit.OK
}

// mostNamed bounds how many missing shards are named.
const mostNamed = 10

// longestRun bounds the time between the starts of two shards of one run: a directory often has reports of
// the run before.
const longestRun = 12 * time.Hour

// fitTogether returns an error unless the reports are all shards of one run, each once, and each server is in
// one of them.
func fitTogether(shards []ShardResult) error {
	files, reported := map[int]string{}, map[string]string{}
	for _, shard := range shards {
		first := shards[0]
		if shard.Shard == nil {
			return fmt.Errorf("%s is not the report of a shard: specify reports of runs with "+
				"--shard I/N --format json", shard.File)
		}
		if shard.Shard.Index < 1 || shard.Shard.Index > shard.Shard.Total {
			return fmt.Errorf("%s: invalid %s: run it again", shard.File, shard.Shard)
		}
		if shard.Stopped {
			return fmt.Errorf("%s: %s was interrupted: run it again", shard.File, shard.Shard)
		}
		if a, b := runOf(first), runOf(shard); a != b {
			return fmt.Errorf("%s and %s are of different runs: %s, and %s: specify the shards of one run",
				first.File, shard.File, a, b)
		}
		if apart := first.Shard.Began.Sub(shard.Shard.Began).Abs(); apart > longestRun {
			return fmt.Errorf("%s and %s began %s apart, in different runs: specify the shards of one run",
				first.File, shard.File, apart.Round(time.Minute))
		}
		if first.Shard.Of != shard.Shard.Of {
			return fmt.Errorf("%s and %s are of different configurations: run all shards with the same "+
				"configuration", first.File, shard.File)
		}
		if other := files[shard.Shard.Index]; other != "" {
			return fmt.Errorf("%s and %s are both %s: remove one of them", other, shard.File, shard.Shard)
		}
		files[shard.Shard.Index] = shard.File
		for _, server := range shard.Servers {
			if other := reported[server.Name]; other != "" {
				return fmt.Errorf("%s and %s both report the server %q: run these shards again", other,
					shard.File, server.Name)
			}
			reported[server.Name] = shard.File
		}
	}
	var missing []string
	for i := 1; i <= shards[0].Shard.Total && len(missing) <= mostNamed; i++ {
		if files[i] == "" {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("missing shards: %s of %d: run them, then merge all",
			kit.Some(missing), shards[0].Shard.Total)
	}
	return nil
}

// runOf describes what the shards of one run have in common.
func runOf(r ShardResult) string {
	words := fmt.Sprintf("%s in %d shards", r.Command, r.Shard.Total)
	if len(r.Shard.Only) > 0 {
		words += " with --only " + strings.Join(r.Shard.Only, ",")
	}
	if len(r.Shard.With) > 0 {
		words += " with " + strings.Join(r.Shard.With, ", ")
	}
	if r.FailOn != "" {
		words += " failing on " + string(r.FailOn)
	}
	return words
}

// ShardOfRun returns the shard that a run with some flags is; nil when it is not divided. status is that
// without findings, partial are the servers that did not answer in full.
func ShardOfRun(p host.Process, f *fleet.Fleet, status int, partial []string, with ...string) *seen.Shard {
	selected := f.Selected()
	if selected.Shard.Count == 0 {
		return nil
	}
	return &seen.Shard{
		Index: selected.Shard.Index, Total: selected.Shard.Count, Only: selected.Only, With: with,
		Of: fleet.Digest(f.Config), Began: p.Now.UTC().Truncate(time.Second),
		Status: status, Partial: partial,
	}
}
