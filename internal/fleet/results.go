package fleet

import (
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
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
	Surfaces []Surface // without their documents
	Found    []finding.Finding
	Partial  []string // names of servers that were not examined completely
	whole    []string // names of those that were
	unsaved  bool     // a server has no saved snapshot
}

// Add adds a server and what was found in it. A disabled server was not examined at all.
func (r *Results) Add(s Surface, found []finding.Finding, complete, unsaved bool) {
	s.addOff(found)
	r.Surfaces, r.Found = append(r.Surfaces, s), append(r.Found, found...)
	r.unsaved = r.unsaved || unsaved && s.Tolerated == nil
	switch {
	case s.State == seen.Disabled:
	case complete:
		r.whole = append(r.whole, s.Name)
	default:
		r.Partial = append(r.Partial, s.Name)
	}
}

// Status returns the exit status without findings.
func (r *Results) Status() int {
	if status := Status(r.Surfaces); status != exit.OK || !r.unsaved {
		return status
	}
	return exit.NoBaseline
}

// judged returns the findings of the run as the policy sees them.
func (r *Results) judged(
	p host.Process, cfg *config.Config, policy finding.Policy, rules []string,
) []finding.Finding {
	scope := ScopeOf(cfg, rules, r.whole, r.Partial)
	run := slices.Concat(scope.Seen, scope.Partial)
	configured := kit.Set(cfg.Names())
	if slices.ContainsFunc(run, func(name string) bool { return !configured[name] }) {
		for _, line := range unknownNames(cfg, run) { // else they were noted when the configuration was read
			p.Note("%s", line)
		}
	}
	NoteEnds(p, cfg)
	AddOff(kit.Map(r.Surfaces, func(s Surface) seen.Server { return s.Server }), r.Found)
	return policy.Apply(r.Found, scope, p.Now)
}

// Assessment is what a run that judges servers found.
type Assessment struct {
	Policy   finding.Policy
	Findings []finding.Finding // as the policy sees them
	Partial  []string          // servers that did not answer in full
	Status   int               // without the findings
	Problem  error             // what keeps the run from being complete; nil = nothing
}

// Judge returns what the run found under the policy. rules are the ids of those that were applied.
func (r *Results) Judge(
	p host.Process, cfg *config.Config, policy finding.Policy, rules []string,
) Assessment {
	return Assessment{Policy: policy, Findings: r.judged(p, cfg, policy, rules), Partial: r.Partial,
		Status: r.Status()}
}

// Exit returns the exit status with the findings.
func (j Assessment) Exit() int {
	status := j.Status
	if j.Policy.Fails(j.Findings) && (status == exit.OK || status == exit.NoBaseline) {
		status = exit.Findings
	}
	if j.Problem != nil && status != exit.Usage && status <= exit.NoBaseline {
		status = exit.Incomplete
	}
	return status
}

// ScopeOf returns what a run by these rules examined, so that a waiver is reported as unused only if it could
// have been used.
func ScopeOf(cfg *config.Config, rules, whole, partial []string) finding.Scope {
	scope := finding.Scope{Rules: rules, Seen: whole, Partial: partial}
	applied, asked := kit.Set(rules), kit.Set(slices.Concat(whole, partial))
	scope.Others = kit.Filter(seen.AllRuleIDs(), func(id string) bool { return !applied[id] })
	for _, e := range cfg.Entries {
		if !asked[e.Server.Name] {
			scope.Absent = append(scope.Absent, e.Server.Name)
		}
	}
	return scope
}

// unknownNames returns a line for each name of a server in mcpctl.yaml that neither the configuration nor
// this run knows. A list of allowed servers may name those of other projects, so that there only a name near
// to a known one counts.
func unknownNames(cfg *config.Config, run []string) (lines []string) {
	known := slices.Concat(run, cfg.Names())
	add := func(where, name string) {
		if !slices.Contains(known, name) {
			lines = append(lines, fmt.Sprintf("%s names %q, and no server is called that%s", where, name,
				kit.DidYouMean(name, known)))
		}
	}
	project := cfg.Project
	for _, name := range kit.SortedKeys(project.Overrides) {
		add(project.File+": overrides", name)
	}
	for _, t := range project.Tolerate {
		add(t.Source.String()+": tolerate", t.Server)
	}
	for _, w := range project.Policy.Waivers {
		if w.Server != "" && !kit.IsGlob(w.Server) { // the others take no patterns
			add(w.Source.String()+": a waiver", w.Server)
		}
	}
	for _, name := range project.Allow.Names {
		if len(kit.Nearest(name, known)) > 0 {
			add(fmt.Sprintf("%s:%d: allow", project.Allow.File, project.Allow.Line), name)
		}
	}
	return lines
}

// NoteEnds notes the waivers and tolerances that end within 14 days.
func NoteEnds(p host.Process, cfg *config.Config) {
	note := func(what string, day finding.Day) {
		if day.Near(p.Now) {
			p.Note("%s ends on %s", what, day)
		}
	}
	for _, w := range cfg.Project.Policy.Waivers {
		note(w.String(), w.Expires)
	}
	for _, t := range cfg.Project.Tolerate {
		note(t.String(), t.Expires)
	}
}
