package calls

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/invoke"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// ReplayOptions say which calls are sent, and how their results are compared.
type ReplayOptions struct {
	Select    fleet.Selection
	Contact   fleet.Contact
	Calls     string   // file of recorded calls; empty = the calls that mcpctl.yaml expects results of
	Tools     []string // tools that are called without a confirmation
	Structure bool     // types and keys are compared only
	FailOn    string   // as --fail-on; empty = as configured, else breaking
}

// Replay sends calls to servers and reports the results that are not as recorded, or as mcpctl.yaml expects.
func Replay(
	ctx context.Context, p host.Process, o ReplayOptions, from []source.Source,
) (*report.Report, error) {
	o.Contact.Parallel = max(o.Contact.Parallel, 1)
	f, err := fleet.Load(ctx, p, o.Select, o.Contact, from)
	if err != nil {
		return nil, err
	}
	project := f.Config.Project
	policy, err := project.Policy.WithFailOn(o.FailOn)
	if err != nil {
		return nil, exit.Usagef("--fail-on: %w", err)
	}
	r := &replay{process: p, options: o, fleet: f, expect: project.Calls.Expect,
		comparer: newComparer(project.Calls.Ignore, o.Structure)}
	if err := r.prepare(ctx, project); err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	if len(from) == 0 {
		targets = kit.Filter(targets, func(t fleet.Target) bool { return r.concerns(t.Name()) })
	}
	if saved := slices.IndexFunc(targets, fleet.Target.Saved); saved >= 0 {
		return nil, exit.Usagef("%s is a saved snapshot: calls are sent to live servers only",
			report.Visible(targets[saved].Name()))
	}
	done := make([]*replayed, len(targets))
	kit.Parallel(ctx, len(targets), func(i int) { done[i] = r.server(ctx, targets[i]) })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return r.report(done, policy)
}

// replay is one run of Replay.
type replay struct {
	process  host.Process
	options  ReplayOptions
	fleet    *fleet.Fleet
	comparer comparer
	counts   Counts // of the file
	expect   []config.Expectation
	asking   sync.Mutex // one question at a time
}

// prepare reads what is to be sent, and asks about expectations in a file that was only found.
func (r *replay) prepare(ctx context.Context, project config.Project) error {
	switch {
	case r.options.Calls != "":
		var err error
		r.counts, err = Count(ctx, r.process, r.options.Calls)
		r.expect = nil
		return err
	case len(r.expect) == 0:
		return exit.Misuse(exit.Advise("name recorded calls with --calls FILE, or list calls under "+
			"calls.expect in mcpctl.yaml", "no calls to send"))
	case project.Found == config.Named || r.options.Select.Trust:
		return nil
	}
	about := fmt.Sprintf("send the calls of %s, which was only found\n", report.Visible(project.File))
	for i, e := range r.expect {
		if i == maxDifferences {
			about += fmt.Sprintf("  … and %d more\n", len(r.expect)-i)
			break
		}
		about += fmt.Sprintf("  %s  %s  %s\n", report.Visible(e.Server), report.Visible(e.Tool),
			report.OneLine(e.Arguments))
	}
	hint := fmt.Sprintf("review its calls, then use --config %s, or --trust for this run", project.File)
	return host.Confirm(ctx, r.process, about, "Send them?",
		exit.Misuse(exit.Advise(hint, "%s was only found, and its calls are not trusted", project.File)),
		exit.Usagef("canceled"))
}

// concerns reports whether there are calls for a configured server.
func (r *replay) concerns(name string) bool {
	return len(r.counts[name])+len(r.counts[""]) > 0 ||
		slices.ContainsFunc(r.expect, func(e config.Expectation) bool { return e.Server == name })
}

// report puts the results of all servers together.
func (r *replay) report(done []*replayed, policy finding.Policy) (*report.Report, error) {
	var surfaces []fleet.Surface
	var found []finding.Finding
	scope := finding.Scope{Rules: []string{finding.ResultRule}}
	for _, id := range report.AllRuleIDs() {
		if id != finding.ResultRule {
			scope.Others = append(scope.Others, id)
		}
	}
	sent := false
	for _, s := range done {
		surfaces, found, sent = append(surfaces, s.surface), append(found, s.findings()...), sent || s.sent
		if s.surface.Whole() {
			scope.Seen = append(scope.Seen, s.surface.Name)
		} else {
			scope.Partial = append(scope.Partial, s.surface.Name)
		}
	}
	out := fleet.Report("replay", surfaces)
	out.FailOn, out.Findings = policy.FailOn, policy.Apply(found, scope, r.process.Now)
	for i, server := range out.Servers {
		if own := policy.Threshold(server.Name); own != policy.FailOn {
			out.Servers[i].FailOn = own
		}
	}
	switch {
	case !sent && len(found) == 0 && out.Status == exit.OK:
		problem := errors.New("no call was sent")
		if r.options.Calls != "" && !slices.ContainsFunc(done, func(s *replayed) bool { return s.met }) {
			problem = r.counts.NoCalls(r.options.Calls)
		}
		out.Problems, out.Status = append(out.Problems, problem.Error()), exit.Incomplete
	case out.Status == exit.OK && policy.Fails(out.Findings):
		out.Status = exit.Findings
	}
	return out, nil
}

// replayed is what is known of one server.
type replayed struct {
	*replay
	surface fleet.Surface
	caller  *invoke.Caller
	tools   map[string]snapshot.Item
	consent map[string]bool // by tool
	sent    bool            // a call was sent
	met     bool            // there is a call for the server

	mu     sync.Mutex
	rows   map[string]*report.Replayed // by tool, or by the place of the expectation
	places map[string]*unexpected      // by tool, place and kind; or by the place of the expectation
}

// unexpected is a finding that is collected.
type unexpected struct {
	finding.Finding
	row     *report.Replayed
	message string // without a full stop
	line    int    // of the first call
}

// server sends the calls of one server.
func (r *replay) server(ctx context.Context, t fleet.Target) *replayed {
	s := &replayed{replay: r, surface: t.Known(), tools: map[string]snapshot.Item{},
		consent: map[string]bool{}, rows: map[string]*report.Replayed{}, places: map[string]*unexpected{}}
	if !t.Live() {
		return s
	}
	result := probe.Result{Server: probe.Server{Name: t.Name(), Source: t.Source()}, Attempts: 1}
	s.caller, result.Err = invoke.Open(ctx, r.process, r.fleet, t)
	if result.Err == nil {
		defer s.caller.Close()
		var tools []snapshot.Item
		tools, result.Err = s.caller.Tools(ctx)
		for _, item := range tools {
			s.tools[item.Key] = item
		}
		result.Snapshot, result.Transport = s.caller.Hello(), s.caller.Transport()
	}
	s.surface = fleet.FromResult(result)
	if result.Err != nil {
		return s
	}
	running := new(errgroup.Group)
	running.SetLimit(r.options.Contact.Parallel)
	err := s.each(ctx, []string{t.Name(), snapshot.Item{Raw: s.caller.Hello().Server}.Text("name")},
		func(c Call, expected *config.Expectation) error {
			if err := cmp.Or(s.caller.Lost(), ctx.Err()); err != nil {
				return errLost // which is reported already
			}
			s.met = true
			tool, offered := s.tools[c.Tool]
			if !s.wanted(ctx, c, tool, offered) {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.row(c, expected).NotSent++
				return nil
			}
			c.Arguments, c.Result = bytes.Clone(c.Arguments), bytes.Clone(c.Result)
			running.Go(func() error {
				s.send(ctx, c, expected, tool, offered)
				return nil
			})
			return nil
		})
	_ = running.Wait()
	if err != nil && !errors.Is(err, errLost) {
		s.fail(report.Failure{Stage: "replaying", Message: err.Error()})
	}
	for _, key := range kit.SortedKeys(s.rows) {
		s.surface.Replayed = append(s.surface.Replayed, *s.rows[key])
	}
	return s
}

// errLost ends the reading of recorded calls once the connection is lost, which is reported already.
var errLost = errors.New("the connection is lost")

// each calls do with the recorded calls of the server that has one of some names, or those of mcpctl.yaml.
func (s *replayed) each(ctx context.Context, names []string, do func(Call, *config.Expectation) error) error {
	if s.options.Calls == "" {
		for i, e := range s.expect {
			if slices.Contains(names, e.Server) {
				c := Call{Tool: e.Tool, Arguments: e.Arguments, Line: e.Source.Line}
				if err := do(c, &s.expect[i]); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return readFile(ctx, s.process, s.options.Calls, func(c Call) error {
		_, offered := s.tools[c.Tool]
		if c.Server == "" && offered || c.Server != "" && slices.Contains(names, c.Server) {
			return do(c, nil)
		}
		return nil
	})
}

// wanted reports whether a call is sent: the user named its tool, the tool only reads, or the user confirms
// it.
func (s *replayed) wanted(ctx context.Context, c Call, tool snapshot.Item, offered bool) bool {
	switch {
	case c.Arguments == nil: // of traces that do not record them
		return false
	case !offered || invoke.ReadOnly(tool) || s.options.Select.Yes,
		slices.Contains(s.options.Tools, c.Tool):
		return true
	}
	agreed, asked := s.consent[c.Tool]
	if !asked {
		s.asking.Lock()
		defer s.asking.Unlock()
		err := host.Confirm(ctx, s.process, fmt.Sprintf("send calls of a tool that may change something\n"+
			"  server   %s\n  tool     %s\n  such as  %s\n", report.Visible(s.surface.Name),
			report.Visible(c.Tool), report.OneLine(c.Arguments)), "Send them?",
			host.ErrNoTerminal, host.ErrNoAnswer)
		agreed = err == nil
		s.consent[c.Tool] = agreed
		if errors.Is(err, host.ErrNoTerminal) {
			s.process.Note("%s: calls of %s are not sent, since it may change something: "+
				"--tool %s sends them",
				report.Visible(s.surface.Name), report.Visible(c.Tool), report.Visible(c.Tool))
		}
	}
	return agreed
}

// send sends a call and compares its result with the recorded or expected one.
func (s *replayed) send(ctx context.Context, c Call, expected *config.Expectation, tool snapshot.Item,
	offered bool) {
	var result call.Result
	var err error
	if offered {
		result, err = s.caller.Call(ctx, tool, c.Arguments)
	}
	var problems []difference
	answer, refused := errors.AsType[*probe.RPCError](err)
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.row(c, expected)
	switch {
	case !offered:
		problems = []difference{{problem: "The tool is no longer offered"}}
	case refused:
		problems = []difference{{problem: fmt.Sprintf("The call is refused with error %d: %s", answer.Code,
			answer.Message)}}
	case err != nil:
		if row.NotSent++; ctx.Err() == nil {
			f := *fleet.FailureOf(err)
			f.Stage, f.Message = string(probe.Calling), c.Tool+": "+f.Message
			s.fail(f)
		}
		return
	case expected != nil:
		if all := unmet(*expected, result); all != nil {
			problems = []difference{{problem: strings.Join(all, "; ")}}
		}
	case c.Result != nil:
		problems = s.comparer.compare(c.Result, result.Raw)
	default:
		row.Unrecorded++
	}
	row.Calls++
	s.sent = s.sent || offered
	if problems == nil && (c.Result != nil || expected != nil) {
		row.Same++
	}
	for _, d := range problems {
		s.unexpected(c, expected, row, d, result)
	}
}

// fail adds a failure of the server, unless there are many.
func (s *replayed) fail(f report.Failure) {
	if s.surface.State = report.Partial; len(s.surface.MoreErrors) < maxDifferences {
		s.surface.Fail(f)
	}
}

// row returns the row of a tool, or of an expectation.
func (s *replayed) row(c Call, expected *config.Expectation) *report.Replayed {
	key, row := c.Tool, &report.Replayed{Tool: c.Tool}
	if expected != nil {
		key, row.Expectation = fmt.Sprintf("%s\x00%09d", c.Tool, c.Line), &expected.Source
	}
	if s.rows[key] == nil {
		s.rows[key] = row
	}
	return s.rows[key]
}

// unexpected collects a result that is not as recorded or expected.
func (s *replayed) unexpected(c Call, expected *config.Expectation, row *report.Replayed, d difference,
	result call.Result) {
	key := strings.Join([]string{c.Tool, d.pointer, string(d.kind), d.problem}, "\x00")
	if expected != nil {
		key = fmt.Sprintf("\x00%09d", c.Line)
	}
	u := s.places[key]
	switch {
	case u == nil && len(s.places) >= maxNames:
		return
	case u == nil:
		u = &unexpected{Finding: finding.Finding{Calls: &finding.Calls{}}, line: c.Line + 1}
		s.places[key] = u
	}
	if u.Calls.Failing++; c.Line >= u.line {
		return
	}
	counted := &finding.Calls{Failing: u.Calls.Failing}
	if len(c.Arguments) <= maxExample {
		counted.Example = masked(c.Arguments)
	}
	*u = unexpected{line: c.Line, row: row, message: d.message(), Finding: finding.Finding{
		Rule: finding.ResultRule, Level: finding.Breaking, Verdict: finding.ByRule, Server: s.surface.Name,
		Item: "tool/" + c.Tool, Path: "/result" + d.pointer, Old: d.old, New: d.new, Calls: counted,
	}}
	if d.kind == length {
		u.Level = finding.Info
	}
	if expected != nil {
		u.Location, u.New = &expected.Source, expectedAndGot(*expected, result)
	}
}

// findings returns what is not as recorded or expected.
func (s *replayed) findings() []finding.Finding {
	var all []finding.Finding
	for _, key := range kit.SortedKeys(s.places) {
		u := s.places[key]
		u.Message, u.Calls.Total = u.message+".", u.row.Calls
		if u.Location == nil {
			u.Cause = u.message
		}
		all = append(all, u.Finding)
	}
	return finding.Limit(all)
}

// expectedAndGot returns an expectation beside the result, as a finding shows it.
func expectedAndGot(e config.Expectation, r call.Result) json.RawMessage {
	expected := map[string]any{"isError": e.IsError}
	if e.Contains != "" {
		expected["contains"] = e.Contains
	}
	if e.Matches != nil {
		expected["matches"] = e.Matches
	}
	if e.Equals != nil {
		expected["equals"] = e.Equals
	}
	both := map[string]any{"expected": expected}
	if r.Raw != nil {
		if raw := shownJSON(r.Raw); raw != nil {
			both["result"] = raw
		}
	}
	raw, _ := rawjson.Encode(both) // made of JSON
	return raw
}

// unmet returns what a result lacks of an expectation.
func unmet(e config.Expectation, r call.Result) (all []string) {
	switch {
	case r.Failed && !e.IsError:
		return []string{"The call fails"}
	case !r.Failed && e.IsError:
		return []string{"The call does not fail"}
	}
	text := strings.Join(kit.Map(r.Pieces, func(p call.Content) string { return p.Text }), "\n")
	if e.Contains != "" && !strings.Contains(text+string(r.Structured), e.Contains) {
		all = append(all, fmt.Sprintf("The result does not contain %q", e.Contains))
	}
	if e.Matches == nil && e.Equals == nil {
		return all
	}
	raw := r.Structured
	if raw == nil {
		raw = json.RawMessage(text)
	}
	value, err := rawjson.Decode(raw)
	if err != nil {
		return append(all, "The result has no structured content and no JSON text")
	}
	if e.Equals != nil {
		if equal, err := rawjson.Decode(e.Equals); err != nil || !rawjson.Same(equal, value) {
			all = append(all, "The result is not the expected one")
		}
	}
	if e.Matches == nil {
		return all
	}
	problems, sure := call.Check(e.Matches, raw)
	for _, p := range problems {
		all = append(all, "The result does not match: "+strings.TrimSpace(p.Path+" "+p.Message))
	}
	if !sure {
		all = append(all, "The result could not be checked against the schema")
	}
	return all
}
