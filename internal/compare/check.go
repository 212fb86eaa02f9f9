package compare

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// CheckOptions say what is checked, and what fails.
type CheckOptions struct {
	Reach
	Calls   string   // file of recorded calls; empty = none
	FailOn  string   // as --fail-on; empty = as configured, else warning
	Against []string // files that describe the one server
	// reads what a text of a name documents of servers; nil = it documents nothing
	Documentation func(file string, text []byte) (Documentation, error)
}

// Documentation is what a file says of servers, as mcpctl writes it there.
type Documentation interface {
	Servers() []string                        // names of the servers that it has marks of
	Describes(server string, adHoc bool) bool // adHoc: the server has no name in the configuration
	// Outdated returns the items that are not as the server offers them.
	Outdated(s seen.Server, adHoc bool) []check.OutdatedItem
}

// Check looks for problems in what servers offer.
func Check(
	ctx context.Context, p host.Process, o CheckOptions, from []source.Source,
) (*CheckResult, error) {
	counts, err := o.counts(ctx, p)
	if err != nil {
		return nil, err
	}

	// The configuration: the servers, and the policy for their findings.
	o.Contact.ReadTwice = true
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, from)
	if err != nil {
		return nil, err
	}
	policy, err := fleet.Policy(f.Config.Project.Policy.CheckPolicy(), o.FailOn)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	names := kit.Map(targets, fleet.Target.Name)
	adHoc := len(from) == 1 && from[0].Kind != source.Configured && len(names) == 1
	configured := kit.Distinct(slices.Concat(names, f.Config.Names()))
	declared, err := o.declared(p, names, configured, adHoc)
	if err != nil {
		return nil, err
	}

	// A probe of each server, then the rules for one server.
	options := check.Options{Budgets: f.Config.Project.Budgets, Timeout: f.Limit()}
	checked := make([]checkedServer, len(targets))
	surfaces, err := f.Each(ctx, targets, func(i int, s *fleet.Surface) (err error) {
		defer s.LetGo()
		subject := check.Subject{Declared: declaredOf(declared, s, configured, adHoc),
			Called: calledTools(counts, s.Name, s.Snapshot)}
		checked[i], err = checkOne(ctx, s, f.Config.Project, subject, options)
		return err
	})
	if err != nil {
		return nil, err
	}
	var all fleet.Results
	var members []check.Member
	result := &CheckResult{}
	for i, s := range surfaces {
		result.Servers = append(result.Servers, CheckedServer{s, checked[i].expensive})
		all.Add(s, checked[i].found, s.Whole(), false)
		members = append(members, checked[i].members...)
	}

	// The rules for all servers together, which merge applies to those of all shards.
	result.Shard = ShardOfRun(p, f, all.Status(), all.Partial)
	found, rules := together(members, options.Budgets, result.Shard)
	all.Found = append(all.Found, found...)

	// The result: levels and waivers by the policy, then the exit status.
	result.Assessment = all.Judge(p, f.Config, policy, rules)
	called := slices.ContainsFunc(checked, func(s checkedServer) bool { return s.called })
	if counts != nil && !called {
		result.Problem = counts.NoCalls(o.Calls)
	}
	return result, nil
}

// together returns the findings about all servers, and the ids of the rules that were applied; those of a
// shard are left to merge.
func together(
	members []check.Member, budgets finding.Budgets, shard *seen.Shard,
) (found []finding.Finding, rules []string) {
	rules = seen.RuleIDs(check.Rules())
	if shard == nil {
		return check.Together(members, budgets), rules
	}
	shard.Members = members
	later := check.TogetherRules()
	return nil, slices.DeleteFunc(rules, func(id string) bool { return slices.Contains(later, id) })
}

// counts returns the recorded calls by server; nil without any.
func (o CheckOptions) counts(ctx context.Context, p host.Process) (calls.Counts, error) {
	switch {
	case o.FailOn == string(finding.FailOnUsed):
		return nil, errFailOnCheck(o.FailOn)
	case o.Calls == "":
		return nil, nil
	}
	return calls.Count(ctx, p, o.Calls)
}

// checkedServer is what a check keeps of one server.
type checkedServer struct {
	found   []finding.Finding
	members []check.Member // what the rules for all servers need to know
	called  bool           // a call of it is recorded

	expensive []seen.ToolCost
}

// checkOne applies the rules to one server. One that is too large, or takes too long, fails.
func checkOne(
	ctx context.Context, s *fleet.Surface, project config.Project, subject check.Subject,
	options check.Options,
) (one checkedServer, err error) {
	if size := sizeOf(s.Snapshot); size > maxChecked {
		const mib = 1 << 20
		message := fmt.Sprintf("it offers %.1f MiB; the limit is %d MiB", float64(size)/mib, maxChecked/mib)
		failAnalysis(s, "checking", message, offerLess+", and diff compares only what changed")
	}
	defer turnFor(sizeOf(s.Snapshot))()
	subject.Name, subject.Snapshot, subject.Observed = s.Name, s.Snapshot, observed(*s)
	subject.Clients = s.Clients
	if s.Snapshot != nil {
		one.expensive = seen.ExpensiveTools(s.Snapshot)
	}
	one.called = subject.Called != nil && subject.Called.Total > 0
	if s.Transport != "" { // live: what the saved snapshot has as well is not new
		saved, err := source.ReadFile(ctx, SavedFile(project.Snapshots, s.Name))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return one, err
		}
		subject.Saved = saved.Snapshot
	}
	if s.Interrupted {
		return one, nil
	}
	one.found, one.members, err = check.Each(ctx, []check.Subject{subject}, options)
	for i := range one.members {
		one.members[i].Applications = applicationsOf(s)
	}
	_, unfinished := errors.AsType[*check.UnfinishedError](err)
	if unfinished || errors.Is(err, context.DeadlineExceeded) {
		failAnalysis(s, "checking", fleet.TooLong(options.Timeout), fleet.TakeLonger)
	}
	return one, nil // the report says that ctx ended
}

// applicationsOf returns the applications that load a discovered server.
func applicationsOf(s *fleet.Surface) []string {
	used := kit.Filter(s.Places, func(place clients.Place) bool { return place.State == "" })
	return kit.Distinct(kit.Map(used, func(place clients.Place) string { return place.Application }))
}

// declared returns what files say about some servers, of those that are configured.
func (o CheckOptions) declared(
	p host.Process, servers, configured []string, adHoc bool,
) (all []declaredFile, err error) {
	for _, name := range o.Against {
		d, err := o.readDeclared(p.Dir, name)
		switch {
		case err != nil:
			return nil, exit.Misuse(err)
		case d.Describes && len(servers) != 1:
			return nil, errAgainst(name, len(servers))
		case !d.Describes && !slices.ContainsFunc(servers, func(server string) bool {
			return len(mentionsOf(d.Mentions, server, configured)) > 0 ||
				d.documentation != nil && d.documentation.Describes(server, adHoc)
		}):
			p.Note("%s describes no server, and names no tool of these servers as mcp__SERVER__TOOL%s", name,
				d.marked())
		}
		all = append(all, d)
	}
	return all, nil
}

// declaredOf returns what files say about one of the configured servers. What they document is compared if
// all of the server is known.
func declaredOf(all []declaredFile, s *fleet.Surface, configured []string, adHoc bool) []check.Declared {
	return kit.Map(all, func(d declaredFile) check.Declared {
		d.Mentions = mentionsOf(d.Mentions, s.Name, configured)
		if !s.Whole() {
			return d.Declared
		}
		if d.documentation != nil {
			d.Outdated = d.documentation.Outdated(s.Offered(), adHoc)
		}
		return d.Declared
	})
}

// observed returns what the probe noticed besides the lists.
func observed(s fleet.Surface) check.Observed {
	noticed := check.Observed{Transport: s.Transport, Noise: s.NoiseText, Again: s.SecondRead, Given: s.Given}
	if p := s.Package; p != nil {
		noticed.Package = &check.DeclaredPackage{Type: check.DeclaredText{Text: p.Ref.Registry},
			Name: check.DeclaredText{Text: p.Ref.Name}, Version: check.DeclaredText{Text: p.Ref.Version}}
	}
	for _, n := range s.Notices {
		noticed.Notices = append(noticed.Notices, check.Deviation{Code: n.Code, Message: n.Message})
	}
	return noticed
}

// Recorded names the file of recorded calls that findings are judged by.
type Recorded struct {
	Calls      string // empty = none
	NoExamples bool   // findings show no arguments
}

// check finds mistakes before a server is contacted, and counts the calls in the file.
func (o Recorded) check(ctx context.Context, p host.Process, failOn string) (calls.Counts, error) {
	switch {
	case o.Calls == "" && failOn == string(finding.FailOnUsed):
		return nil, errFailOnCalls(failOn)
	case o.Calls == "" && o.NoExamples:
		return nil, errNoCalls
	case o.Calls == "":
		return nil, nil
	}
	return calls.Count(ctx, p, o.Calls)
}

// counted returns the options of a comparison whose findings are counted by the judge; nil = none is.
func (p sides) counted(judge *calls.Counter, options diff.Options) diff.Options {
	if judge == nil || !p.old.Known() || !p.now.Known() {
		return options
	}
	names := []string{p.now.Name, p.old.Name}
	var tools []string
	for _, s := range []*snapshot.Snapshot{p.old.Snapshot, p.now.Snapshot} {
		if s != nil {
			names = append(names, snapshot.Item{Raw: s.Server}.Text("name"))
			tools = append(tools, kit.Map(s.Tools.Items(), func(i snapshot.Item) string { return i.Key })...)
		}
	}
	return options.Counting(judge.Server(names, tools))
}

// calledTools returns the recorded calls of a server's tools; nil without recorded calls.
func calledTools(counts calls.Counts, name string, s *snapshot.Snapshot) *check.Called {
	if counts == nil || s == nil {
		return nil
	}
	names := []string{name, snapshot.Item{Raw: s.Server}.Text("name")}
	tools := kit.Map(s.Tools.Items(), func(i snapshot.Item) string { return i.Key })
	called := &check.Called{}
	called.Tools, called.Total = counts.Of(names, tools)
	return called
}
