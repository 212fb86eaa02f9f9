// Package check reports problems in what MCP servers offer, without comparing them with an older state.
//
// Each problem is a finding of one rule at one place. Rules returns the rules: on the protocol, schemas, how
// well models can use a server, its cost, security, files about a server, and several servers together. No
// rule calls a tool or contacts anything.
//
//	found, err := check.Run(ctx, []check.Subject{{Name: "github", Snapshot: s}}, check.Options{})
//
// Rule ids are permanent, and the change log names each rule that becomes stricter. New rules may be added at
// any time, so programs should act on the id or the level of a finding.
package check

import (
	"cmp"
	"context"
	_ "embed" // the texts of the rules
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Subject is a server to check.
type Subject struct {
	Name     string             // configured name
	Snapshot *snapshot.Snapshot // what it offers; nil = unknown, and not checked
	Saved    *snapshot.Snapshot // its saved snapshot; nil = none
	Observed Observed
	Declared []Declared   // files about it
	Called   *Called      // its recorded calls; nil = unknown
	Clients  *ClientTools // what applications give to their models; nil = all tools
}

// Observed is what a probe saw of a server besides its lists. It is zero for a saved snapshot.
type Observed struct {
	Transport string          // "stdio", "streamable-http" or "sse"
	Noise     []string        // text on stdout that is not part of the protocol
	Notices   []Deviation     // deviations from the protocol
	Again     []snapshot.List // the lists, read a second time, in the order as sent; nil = not read again

	Package *DeclaredPackage // that the server was started from; nil = none or unknown
	// the names of environment variables that the server got besides the common ones; nil = unknown
	Given []string
}

// Deviation is a deviation from the protocol, with a code of the package probe.
type Deviation struct{ Code, Message string }

// Options configure a check. The zero value has no budgets.
type Options struct {
	Budgets finding.Budgets
	Timeout time.Duration // for each server; 0 = none
}

// UnfinishedError names the servers that took longer than Options.Timeout. They have no findings.
type UnfinishedError struct{ Servers []string }

// Error returns the names of the servers.
func (e *UnfinishedError) Error() string {
	return "check timed out: " + strings.Join(e.Servers, ", ")
}

// Run returns the findings of all rules, sorted as by finding.Sort. No input makes it panic; a nil ctx never
// ends. When ctx ends early, the error is its cause and the findings are incomplete; an UnfinishedError names
// servers that Options.Timeout cut off.
func Run(ctx context.Context, subjects []Subject, options Options) ([]finding.Finding, error) {
	ctx = cmp.Or(ctx, context.Background())
	found, members, err := Each(ctx, subjects, options)
	if ctx.Err() != nil {
		return found, err
	}
	found = append(found, Together(members, options.Budgets)...)
	finding.Sort(found)
	return found, err
}

// Each applies the rules on single servers. The members are what Together needs of the servers that have a
// snapshot, in their order.
func Each(ctx context.Context, subjects []Subject, options Options) ([]finding.Finding, []Member, error) {
	type result struct {
		found    []finding.Finding
		member   Member
		timedOut bool
	}
	results := make([]result, len(subjects))
	ctx = cmp.Or(ctx, context.Background())
	kit.Parallel(ctx, len(subjects), func(i int) {
		if subjects[i].Snapshot == nil {
			return
		}
		r, err := host.Within(ctx, options.Timeout, func(ctx context.Context) (result, error) {
			s := newServer(ctx, subjects[i], options)
			return result{found: s.check(), member: memberOf(s)}, nil
		})
		r.timedOut = err != nil
		results[i] = r
	})
	var found []finding.Finding
	var members []Member
	var unfinished UnfinishedError
	for i, r := range results {
		switch {
		case r.timedOut:
			unfinished.Servers = append(unfinished.Servers, subjects[i].Name)
		case subjects[i].Snapshot != nil:
			found, members = append(found, r.found...), append(members, r.member)
		}
	}
	finding.Sort(found)
	if ctx.Err() == nil && len(unfinished.Servers) > 0 {
		return found, members, &unfinished
	}
	return found, members, context.Cause(ctx)
}

// Together applies the rules on all servers of one client: common budgets and conflicting names.
func Together(members []Member, budgets finding.Budgets) []finding.Finding {
	var found []finding.Finding
	all := newFleet(members, budgets)
	for _, r := range rules() {
		if r.together != nil {
			found = append(found, r.findings(func(report reporter) { r.together(all, report) })...)
		}
	}
	return finding.Limit(found, finding.Unlimited)
}

// TogetherRules returns the ids of the rules that Together applies.
func TogetherRules() []string { return kit.SortedKeys(fleetRules) }

// reporter takes a finding of a rule; fields that are the same for all findings of the rule may be empty.
type reporter func(finding.Finding)

// rule reports one kind of problem of a server, fleetRule of several servers.
type (
	rule      func(s *server, report reporter)
	fleetRule func(f *fleet, report reporter)
)

// row is a row of rules.json with its function.
type row struct {
	finding.Rule
	// of rules whose findings are mostly a habit of a server: its findings are one, whose message is their
	// number and the cause, such as "12 arguments have no description"
	Cause  string
	Change bool // findings that the saved snapshot has as well are info, since they were accepted with it

	alone    rule
	together fleetRule
}

//go:embed rules.json
var rulesJSON []byte

// rules returns all rules, in the order in which they are applied.
var rules = sync.OnceValue(func() []*row {
	var file struct{ Rules []*row }
	if err := json.Unmarshal(rulesJSON, &file); err != nil {
		panic(fmt.Sprintf("check: rules.json: %v", err)) // tests read it
	}
	alone := map[string]rule{}
	for _, family := range []map[string]rule{protocolRules, schemaRules, providerRules, qualityRules,
		appRules, textRules, costRules, securityRules, declaredRules, clientRules} {
		maps.Copy(alone, family)
	}
	for _, r := range file.Rules {
		r.alone, r.together = alone[r.ID], fleetRules[r.ID]
	}
	return file.Rules
})

// Rules returns all rules of a check, sorted by id.
func Rules() []finding.Rule {
	all := kit.Map(rules(), func(r *row) finding.Rule { return r.Rule })
	slices.SortFunc(all, func(a, b finding.Rule) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// check applies the rules on single servers.
func (s *server) check() (found []finding.Finding) {
	for _, r := range rules() {
		if r.alone != nil && !s.stopped() {
			found = append(found, r.check(s)...)
		}
	}
	return finding.Limit(found, finding.Room(s.Snapshot.Size()))
}

// check applies the rule to a server and lowers what its saved snapshot has as well to info.
func (r *row) check(s *server) []finding.Finding {
	apply := func(s *server) []finding.Finding {
		return r.findings(func(report reporter) {
			r.alone(s, func(f finding.Finding) {
				f.Server, f.New = s.Name, s.asSent(f)
				report(f)
			})
		})
	}
	found := apply(s)
	if !r.Change || s.Saved == nil || len(found) == 0 {
		return found
	}
	accepted := map[string]bool{}
	for _, f := range apply(newServer(s.ctx, Subject{Name: s.Name, Snapshot: s.Saved}, s.options)) {
		accepted[f.Fingerprint()] = true
	}
	for i, f := range found {
		if accepted[f.Fingerprint()] {
			found[i] = lowered(found[i], alreadyAccepted)
			found[i].Message += " The saved snapshot has it as well."
		}
	}
	return found
}

// findings completes what a rule reports and joins the findings of one server with the same cause.
func (r *row) findings(apply func(report reporter)) []finding.Finding {
	var all []finding.Finding
	apply(func(f finding.Finding) {
		f = r.ranked(f)
		f.Verdict, f.Cause = cmp.Or(f.Verdict, finding.ByRule), cmp.Or(f.Cause, r.Cause)
		f.Message, f.Hint = cmp.Or(f.Message, r.Title+"."), cmp.Or(f.Hint, r.Instead)
		all = append(all, f)
	})
	finding.Sort(all)
	joined := kit.Filter(all, func(f finding.Finding) bool { return f.Cause == "" })
	caused := kit.Filter(all, func(f finding.Finding) bool { return f.Cause != "" })
	for _, same := range kit.Group(caused, func(f finding.Finding) [2]string {
		return [2]string{f.Server, f.Cause}
	}) {
		joined = append(joined, join(same))
	}
	return joined
}

// join makes one finding of several with the same cause.
func join(found []finding.Finding) finding.Finding {
	if len(found) == 1 {
		return found[0]
	}
	all := found[0]
	var names, pointers []string
	arguments := map[string][]string{} // by name
	for _, f := range found {
		pointers = append(pointers, strings.TrimSpace(f.Item+" "+f.Pointer()))
		name, argument := f.Place(), ""
		if call, isArgument := strings.CutSuffix(name, ")"); isArgument {
			name, argument, _ = strings.Cut(call, "(")
			arguments[name] = append(arguments[name], argument)
		}
		names = append(names, name)
		if f.Item != all.Item {
			all.Item = ""
		}
	}
	all.Places = kit.Map(kit.Distinct(names), func(name string) string {
		if list := strings.Join(kit.Distinct(arguments[name]), ", "); list != "" {
			name += "(" + list + ")"
		}
		return name
	})
	all.Path, all.Member, all.Old, all.New = "", "", nil, encoded(pointers)
	if all.Item == "" {
		all.Path = "/tools"
	}
	all.Message = fmt.Sprintf("%d %s: %s.", len(found), strings.ToLower(all.Cause[:1])+all.Cause[1:],
		kit.Some(all.Places))
	return all
}
