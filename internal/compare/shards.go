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
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// ShardReport is the report of one shard, and the file that it was read from.
type ShardReport struct {
	File string
	*report.Report
}

// MergeShards returns the report that one run over all servers would have made; there is at least one shard.
// It adds what no shard can judge: budgets of all servers, names that they share, and unused waivers.
func MergeShards(
	ctx context.Context, p host.Process, s fleet.Selection, shards []ShardReport,
) (*report.Report, error) {
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
	whole := &report.Report{Command: first.Command, FailOn: first.FailOn, Status: statusOf(shards)}
	for _, shard := range shards {
		if shard.FindingsDigest() != shard.Shard.Findings {
			return nil, fmt.Errorf("%s: the findings of %s were changed after the run: run it again",
				shard.File, shard.Shard)
		}
		whole.Servers, whole.Problems = append(whole.Servers, shard.Servers...),
			append(whole.Problems, shard.Problems...)
	}
	byPlace := inOrderOf(cfg)
	slices.SortStableFunc(whole.Servers, func(a, b report.Server) int { return byPlace(a.Name, b.Name) })
	if slices.ContainsFunc(shards, func(shard ShardReport) bool { return shard.Findings != nil }) {
		whole.Findings = judgeTogether(p, cfg, whole, shards)
	}
	if whole.Fails() && (whole.Status == exit.OK || whole.Status == exit.NoBaseline) {
		whole.Status = exit.Findings
	}
	return whole, nil
}

// judgeTogether returns the findings of all shards and those about all servers, under the policy.
func judgeTogether(
	p host.Process, cfg *config.Config, whole *report.Report, shards []ShardReport,
) []finding.Finding {
	var found []finding.Finding
	var members []check.Member
	var read, partial []string
	for _, shard := range shards {
		members, partial = append(members, shard.Shard.Members...), append(partial, shard.Shard.Partial...)
		for _, f := range shard.Findings {
			if f.Waiver = nil; !strings.HasPrefix(f.Item, "waiver/") { // the policy adds both again
				found = append(found, f)
			}
		}
	}
	for _, s := range whole.Servers {
		if s.State != seen.Disabled && !slices.Contains(partial, s.Name) {
			read = append(read, s.Name)
		}
	}
	applied, policy := diff.Rules(), cfg.Project.Policy
	if whole.Command == "check" {
		applied, policy = check.Rules(), policy.CheckPolicy()
		byPlace := inOrderOf(cfg)
		slices.SortStableFunc(members, func(a, b check.Member) int { return byPlace(a.Name, b.Name) })
		found = append(found, check.Together(members, cfg.Project.Budgets)...)
	}
	fleet.AddOff(kit.Map(whole.Servers, func(s report.Server) seen.Server { return s.Server }), found)
	return policy.Apply(found, fleet.ScopeOf(cfg, report.RuleIDs(applied), read, partial), p.Now)
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
func statusOf(shards []ShardReport) int {
	var all []int
	for _, shard := range shards {
		asked := func(s report.Server) bool { return s.State != seen.Disabled }
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
func fitTogether(shards []ShardReport) error {
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
		if shard.Verdict == exit.Stopped {
			return fmt.Errorf("%s: %s was interrupted: run it again", shard.File, shard.Shard)
		}
		if a, b := runOf(first.Report), runOf(shard.Report); a != b {
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
func runOf(r *report.Report) string {
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

// ShardOfRun returns what a report says about the shard of a run with some flags; nil when the run is not
// divided.
func ShardOfRun(p host.Process, f *fleet.Fleet, with ...string) *report.Shard {
	selected := f.Selected()
	if selected.Shard.Count == 0 {
		return nil
	}
	return &report.Shard{
		Index: selected.Shard.Index, Total: selected.Shard.Count, Only: selected.Only, With: with,
		Of: fleet.Digest(f.Config), Began: p.Now.UTC().Truncate(time.Second),
	}
}
