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
	if o.Calls == "-" {
		return nil, exit.Usagef("replay reads --calls once per server: name a file, not standard input")
	}
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
			problem = NoCalls(r.options.Calls, kit.SortedKeys(r.counts))
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
	places map[string]*unexpected      // by tool, place and kind
}

// unexpected is a finding that is collected.
type unexpected struct {
	finding.Finding
	tool  string
	says  string // a sentence without a full stop
	count int
	line  int // of the first call
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
	names := []string{t.Name(), snapshot.Item{Raw: s.caller.Hello().Server}.Text("name")}
	err := s.sendRecorded(ctx, names)
	if err == nil {
		err = s.sendExpected(ctx, names)
	}
	if err != nil && !errors.Is(err, errLost) {
		s.fail(report.Failure{Stage: "replaying", Message: err.Error()})
	}
	for _, key := range kit.SortedKeys(s.rows) {
		s.surface.Replayed = append(s.surface.Replayed, *s.rows[key])
	}
	return s
}

// errLost ends the calls of a server whose connection is gone, which is reported already.
var errLost = errors.New("the connection is lost")

// sendRecorded sends the calls of the file again.
func (s *replayed) sendRecorded(ctx context.Context, names []string) error {
	if s.options.Calls == "" {
		return nil
	}
	in, err := Open(s.process, s.options.Calls)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	var running sync.WaitGroup
	defer running.Wait()
	slots := make(chan struct{}, s.options.Contact.Parallel)
	return Each(ctx, in, s.options.Calls, func(c Call) error {
		item, offered := s.tools[c.Tool]
		if !slices.Contains(names, c.Server) && (c.Server != "" || !offered) {
			return nil
		}
		if s.caller.Lost() != nil {
			return errLost
		}
		s.met = true
		if !s.wanted(ctx, c.Tool, item, offered, c.Arguments) {
			s.row(c.Tool, nil).NotSent++
			return ctx.Err()
		}
		c.Arguments, c.Result = bytes.Clone(c.Arguments), bytes.Clone(c.Result)
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			s.sendAgain(ctx, c, item, offered)
		})
		return ctx.Err()
	})
}

// wanted reports whether a call is sent: the user named its tool, the tool only reads, or the user confirms
// it.
func (s *replayed) wanted(ctx context.Context, name string, tool snapshot.Item, offered bool,
	arguments json.RawMessage) bool {
	switch {
	case arguments == nil: // of traces that do not record them
		return false
	case !offered || invoke.ReadOnly(tool) || s.options.Select.Yes || slices.Contains(s.options.Tools, name):
		return true
	}
	agreed, asked := s.consent[name]
	if !asked {
		s.asking.Lock()
		defer s.asking.Unlock()
		err := host.Confirm(ctx, s.process, fmt.Sprintf("send calls of a tool that may change something\n"+
			"  server   %s\n  tool     %s\n  such as  %s\n", report.Visible(s.surface.Name),
			report.Visible(name), report.OneLine(arguments)), "Send them?",
			host.ErrNoTerminal, host.ErrNoAnswer)
		agreed = err == nil
		s.consent[name] = agreed
		if errors.Is(err, host.ErrNoTerminal) {
			s.process.Note("%s: calls of %s are not sent, since it may change something: "+
				"--tool %s sends them",
				report.Visible(s.surface.Name), report.Visible(name), report.Visible(name))
		}
	}
	return agreed
}

// sendAgain sends a recorded call and compares the result with the recorded one.
func (s *replayed) sendAgain(ctx context.Context, c Call, tool snapshot.Item, offered bool) {
	result, refused, ok := s.send(ctx, c, tool, offered)
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.rowLocked(c.Tool, nil)
	if !ok {
		row.NotSent++
		return
	}
	row.Calls++
	s.sent = s.sent || offered
	var differences []difference
	switch {
	case refused != "":
		s.unexpected(c, difference{}, refused)
		return
	case c.Result != nil:
		differences = s.comparer.compare(c.Result, result.Raw)
	default:
		row.Unrecorded++
		return
	}
	for _, d := range differences {
		s.unexpected(c, d, d.say())
	}
	if len(differences) == 0 {
		row.Same++
	}
}

// send sends a call. refused says why the server gives no result; ok is false where it could not be asked.
func (s *replayed) send(ctx context.Context, c Call, tool snapshot.Item, offered bool) (result call.Result,
	refused string, ok bool) {
	if !offered {
		return result, "The tool is no longer offered", true
	}
	result, err := s.caller.Call(ctx, tool, c.Arguments)
	answer, isAnswer := errors.AsType[*probe.RPCError](err)
	switch {
	case err == nil:
		return result, "", true
	case isAnswer:
		return result, fmt.Sprintf("The call is refused with error %d: %s", answer.Code, answer.Message), true
	case ctx.Err() != nil:
		return result, "", false
	}
	failure := report.Failure{Stage: string(probe.Calling), Message: err.Error()}
	for _, f := range probe.Failures(err) {
		failure = report.Failure{
			Stage: string(f.Stage), Message: f.Err.Error(), Hint: f.Hint, Stderr: f.Stderr,
		}
	}
	failure.Message = c.Tool + ": " + failure.Message
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail(failure)
	return result, "", false
}

// fail adds a failure of the server, unless there are many.
func (s *replayed) fail(f report.Failure) {
	if s.surface.State = report.Partial; len(s.surface.MoreErrors) < maxDifferences {
		s.surface.Fail(f)
	}
}

// row returns the row of a tool, or of an expectation.
func (s *replayed) row(tool string, at *finding.Location) *report.Replayed {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.rowLocked(tool, at)
}

func (s *replayed) rowLocked(tool string, at *finding.Location) *report.Replayed {
	key := tool
	if at != nil {
		key = fmt.Sprintf("%s\x00%09d", tool, at.Line)
	}
	if s.rows[key] == nil {
		s.rows[key] = &report.Replayed{Tool: tool, Expectation: at}
	}
	return s.rows[key]
}

// unexpected collects a result that is not as recorded. The caller holds the lock.
func (s *replayed) unexpected(c Call, d difference, says string) {
	kind := says
	if d.length {
		kind = "length"
	}
	key := strings.Join([]string{c.Tool, d.pointer, kind}, "\x00")
	u := s.places[key]
	if u == nil && len(s.places) >= maxNames {
		return
	}
	if u == nil {
		u = &unexpected{tool: c.Tool, line: c.Line + 1}
		s.places[key] = u
	}
	if u.count++; c.Line < u.line {
		u.line, u.says = c.Line, says
		u.Finding = finding.Finding{
			Rule: finding.ResultRule, Level: finding.Breaking, Verdict: finding.ByRule,
			Server: s.surface.Name, Item: "tool/" + c.Tool, Path: "/result" + d.pointer,
			Old: d.old, New: d.new,
		}
		if d.length {
			u.Level = finding.Info
		}
		if len(c.Arguments) <= maxExample {
			u.Calls = &finding.Calls{Example: masked(c.Arguments)}
		} else {
			u.Calls = &finding.Calls{}
		}
	}
}

// findings returns what is not as recorded or expected.
func (s *replayed) findings() []finding.Finding {
	var all []finding.Finding
	for _, key := range kit.SortedKeys(s.places) {
		u := s.places[key]
		f := u.Finding
		if f.Location == nil {
			total := s.rows[u.tool].Calls
			f.Cause, f.Message = u.says, u.says+"."
			f.Calls.Total, f.Calls.Failing = total, u.count
		}
		all = append(all, f)
	}
	kept, _ := finding.Limit(all)
	return kept
}

// sendExpected sends the calls of mcpctl.yaml and checks their results.
func (s *replayed) sendExpected(ctx context.Context, names []string) error {
	for _, e := range s.expect {
		if !slices.Contains(names, e.Server) {
			continue
		}
		if s.caller.Lost() != nil {
			return errLost
		}
		s.met = true
		tool, offered := s.tools[e.Tool]
		row := s.row(e.Tool, &e.Source)
		if !s.wanted(ctx, e.Tool, tool, offered, e.Arguments) {
			row.NotSent++
			continue
		}
		c := Call{Tool: e.Tool, Arguments: e.Arguments, Line: e.Source.Line}
		result, refused, ok := s.send(ctx, c, tool, offered)
		if !ok {
			row.NotSent++
			continue
		}
		row.Calls++
		s.sent = s.sent || offered
		if refused == "" {
			refused = strings.Join(unmet(e, result), "; ")
		}
		if refused == "" {
			row.Same++
			continue
		}
		f := finding.Finding{Rule: finding.ResultRule, Level: finding.Breaking, Verdict: finding.ByRule,
			Server: s.surface.Name, Item: "tool/" + e.Tool, Path: "/result", Location: &e.Source,
			Message: refused + ".", New: expectedAndGot(e, result),
			Calls: &finding.Calls{Total: 1, Failing: 1, Example: masked(e.Arguments)}}
		s.places[fmt.Sprintf("\x00%09d", e.Source.Line)] = &unexpected{Finding: f}
	}
	return nil
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
	if raw := shownJSON(r.Raw); r.Raw != nil && raw != nil {
		both["result"] = raw
	}
	raw, err := rawjson.Encode(both)
	if err != nil {
		return nil
	}
	return raw
}

// unmet returns what a result lacks of an expectation.
func unmet(e config.Expectation, r call.Result) (all []string) {
	if r.Failed != e.IsError {
		return []string{either(r.Failed, "The call fails", "The call does not fail")}
	}
	texts := strings.Join(kit.Map(r.Pieces, func(p call.Content) string { return p.Text }), "\n")
	value := cmp.Or(string(r.Structured), jsonIn(texts))
	if e.Contains != "" && !strings.Contains(texts+string(r.Structured), e.Contains) {
		all = append(all, fmt.Sprintf("The result does not contain %q", e.Contains))
	}
	switch {
	case (e.Matches != nil || e.Equals != nil) && value == "":
		return append(all, "The result has no structured content and no JSON text")
	case e.Equals != nil && !sameJSON(e.Equals, json.RawMessage(value)):
		all = append(all, "The result is not the expected one")
	}
	if e.Matches == nil {
		return all
	}
	problems, sure := call.Check(e.Matches, json.RawMessage(value))
	for _, p := range problems {
		text := "The result does not match: " + strings.TrimSpace(p.Path+" "+p.Message)
		all = append(all, strings.TrimSpace(text))
	}
	if !sure {
		all = append(all, "The result could not be checked against the schema")
	}
	return all
}

// jsonIn returns a text that is one JSON value; empty for any other.
func jsonIn(text string) string {
	if json.Valid([]byte(text)) {
		return text
	}
	return ""
}

func either(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}
