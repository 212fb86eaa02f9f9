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
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// PartReport is the report of a run over a part of the servers, and the file that it was read from.
type PartReport struct {
	File string
	*report.Report
}

// MergeParts is, of one part at least, the report that one run over all servers would have made, of the
// reports of its parts. What only the whole can tell is judged here: the budgets of all servers, how their
// names go together, and waivers that no part has a use for.
func MergeParts(ctx context.Context, p host.Process, s fleet.Selection, parts []PartReport) (*report.Report,
	error) {
	if err := fitTogether(parts); err != nil {
		return nil, err
	}
	first := parts[0]
	cfg, err := fleet.Read(ctx, p, s)
	if err != nil {
		return nil, exit.Misuse(config.Explain(err))
	}
	if fleet.Digest(cfg) != first.Part.Fleet {
		return nil, fmt.Errorf("%s: the configuration here is not the one of that run: merge in the folder "+
			"that the parts ran in, or name what they read with --config", first.File)
	}
	if err := haveAll(cfg, s, parts); err != nil {
		return nil, err
	}
	whole := &report.Report{Command: first.Command, FailOn: first.FailOn, Status: statusOf(parts)}
	for _, part := range parts {
		whole.Servers, whole.Problems = append(whole.Servers, part.Servers...),
			append(whole.Problems, part.Problems...)
	}
	byPlace := inOrderOf(cfg)
	slices.SortStableFunc(whole.Servers, func(a, b report.Server) int { return byPlace(a.Name, b.Name) })
	if slices.ContainsFunc(parts, func(part PartReport) bool { return part.Findings != nil }) {
		whole.Findings = judgedAgain(p, cfg, whole, parts)
	}
	if whole.Fails() && (whole.Status == exit.OK || whole.Status == exit.NoBaseline) {
		whole.Status = exit.Findings
	}
	return whole, nil
}

// haveAll says of which servers a part tells nothing, or something that another part has to tell: a report
// that somebody cut or mixed is no whole one, and what it leaves out was not found to be right.
func haveAll(cfg *config.Config, s fleet.Selection, parts []PartReport) error {
	s.Only = parts[0].Part.Only
	chosen, err := fleet.Choose(cfg, s, nil)
	if err != nil {
		return err
	}
	told, err := toldBy(parts)
	// not every server starts a package that may be newer
	if err != nil || slices.Contains(parts[0].Part.With, upgradeFlag) {
		return err
	}
	missing := make([][]string, len(parts)+1) // by the number of the part
	for _, e := range chosen {
		if name := e.Server.Name; !told[name] && !e.Disabled { // which diff has no row for
			belongs := fleet.PartOf(name, len(parts))
			missing[belongs] = append(missing[belongs], name)
		}
	}
	for _, part := range parts {
		if names := missing[part.Part.Index]; len(names) > 0 {
			return fmt.Errorf("%s: part %d of %d tells nothing of %s: run it again", part.File,
				part.Part.Index, len(parts), kit.Some(names))
		}
	}
	return nil
}

// toldBy are the servers that parts tell of, each a part that they belong to.
func toldBy(parts []PartReport) (map[string]bool, error) {
	told := map[string]bool{}
	for _, part := range parts {
		for _, server := range part.Servers {
			if belongs := fleet.PartOf(server.Name, len(parts)); belongs != part.Part.Index {
				return nil,
					fmt.Errorf("%s: part %d of %d tells of %q, which belongs to part %d: run it again",
						part.File, part.Part.Index, len(parts), server.Name, belongs)
			}
			if told[server.Name] {
				return nil, fmt.Errorf("%s: part %d of %d names the server %q twice: run it again",
					part.File, part.Part.Index, len(parts), server.Name)
			}
			told[server.Name] = true
		}
	}
	return told, nil
}

// judgedAgain are the findings of all parts, and those on the whole, as the policy sees them together.
func judgedAgain(p host.Process, cfg *config.Config, whole *report.Report,
	parts []PartReport) []finding.Finding {
	var found []finding.Finding
	var members []check.Member
	var partial []string
	for _, part := range parts {
		found, members, partial = append(found, asFound(part.Findings)...),
			append(members, part.Part.Members...), append(partial, part.Part.Partial...)
	}
	var seen []string
	for _, s := range whole.Servers {
		if s.State != report.Disabled && !slices.Contains(partial, s.Name) {
			seen = append(seen, s.Name)
		}
	}
	applied, policy := diff.Rules(), cfg.Project.Policy
	if whole.Command == "check" {
		applied, policy = check.Rules(), policy.CheckPolicy()
		byPlace := inOrderOf(cfg)
		slices.SortStableFunc(members, func(a, b check.Member) int { return byPlace(a.Name, b.Name) })
		found = append(found, check.Together(members, check.Budgets(cfg.Project.Budgets))...)
	}
	return policy.Apply(found, scopeOf(cfg, applied, seen, partial), p.Now)
}

// asFound are findings as they were before a policy saw them, without what it had to say of its waivers.
func asFound(findings []finding.Finding) []finding.Finding {
	var found []finding.Finding
	for _, f := range findings {
		if strings.HasPrefix(f.Item, "waiver/") {
			continue
		}
		f.Waiver = nil
		found = append(found, f)
	}
	return found
}

// inOrderOf compares names of servers by where the configuration has them; those that it does not know come
// last, by name.
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

// statusOf is the exit status of all parts without findings; 2 if the configuration kept every server from
// being tried.
func statusOf(parts []PartReport) int {
	var all []int
	for _, part := range parts {
		if slices.ContainsFunc(part.Servers,
			func(s report.Server) bool { return s.State != report.Disabled }) {
			all = append(all, part.Part.Status)
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

// mostNamed is how many missing parts are looked for.
const mostNamed = 10

// longestRun bounds how far apart the parts of one run may begin: reports of the run before are often in the
// same place.
const longestRun = 12 * time.Hour

// fitTogether says why reports are not the parts of one run, each of them once.
func fitTogether(parts []PartReport) error {
	files := map[int]string{}
	for _, part := range parts {
		first := parts[0]
		if part.Part == nil {
			return fmt.Errorf("%s is not of a part of a run: merge takes what runs with --shard I/N "+
				"--format json wrote", part.File)
		}
		if part.Part.Index < 1 || part.Part.Index > part.Part.Count {
			return fmt.Errorf("%s: there is no part %d of %d: run it again", part.File, part.Part.Index,
				part.Part.Count)
		}
		if part.Verdict == report.Interrupted {
			return fmt.Errorf("%s: part %d of %d was interrupted: run it again", part.File, part.Part.Index,
				part.Part.Count)
		}
		if a, b := runOf(first.Report), runOf(part.Report); a != b {
			return fmt.Errorf("%s and %s are of different runs: %s, and %s: give the parts of one run",
				first.File, part.File, a, b)
		}
		if apart := first.Part.Began.Sub(part.Part.Began).Abs(); apart > longestRun {
			return fmt.Errorf("%s and %s began %s apart, in different runs: give the parts of one run",
				first.File, part.File, apart.Round(time.Minute))
		}
		if first.Part.Fleet != part.Part.Fleet {
			return fmt.Errorf("%s and %s are of different configurations: run all parts with the same "+
				"configuration", first.File, part.File)
		}
		if other := files[part.Part.Index]; other != "" {
			return fmt.Errorf("%s and %s are both part %d of %d: leave one of them out", other, part.File,
				part.Part.Index, part.Part.Count)
		}
		files[part.Part.Index] = part.File
	}
	var missing []string
	// whoever wrote the files may have written any count
	for i := 1; i <= parts[0].Part.Count && len(missing) <= mostNamed; i++ {
		if files[i] == "" {
			missing = append(missing, fmt.Sprint(i))
		}
	}
	if len(missing) > 0 {
		return fmt.Errorf("not all parts are there: %s of %d missing: run them, and merge all",
			kit.Some(missing), parts[0].Part.Count)
	}
	return nil
}

// runOf says what the parts of one run have in common, in words.
func runOf(r *report.Report) string {
	words := fmt.Sprintf("%s in %d parts", r.Command, r.Part.Count)
	if len(r.Part.Only) > 0 {
		words += " with --only " + strings.Join(r.Part.Only, ",")
	}
	if len(r.Part.With) > 0 {
		words += " with " + strings.Join(r.Part.With, ", ")
	}
	if r.FailOn != "" {
		words += " failing on " + string(r.FailOn)
	}
	return words
}

// upgradeFlag is the flag that the parts of one run must have in common.
const upgradeFlag = "--upgrade"

type flag struct {
	name  string
	given bool
}

func given(flags ...flag) (names []string) {
	for _, f := range flags {
		if f.given {
			names = append(names, f.name)
		}
	}
	return names
}
