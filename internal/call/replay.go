package call

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

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/seen"
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
) (*ReplayResult, error) {
	o.Contact.Parallel = max(o.Contact.Parallel, 1)
	f, err := fleet.LoadAsking(ctx, p, o.Select, o.Contact, from)
	if err != nil {
		return nil, err
	}
	project := f.Config.Project
	policy, err := fleet.Policy(project.Policy, o.FailOn)
	if err != nil {
		return nil, err
	}
	r := &replay{process: p, options: o, fleet: f, expect: project.Calls.Expect,
		ignore: kit.Map(project.Calls.Ignore, rawjson.Split)}
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
		return nil, exit.UsageHint("name a live server", "%s is a saved snapshot",
			printable.Message(targets[saved].Name()))
	}
	done := make([]*replayed, len(targets))
	kit.Parallel(ctx, len(targets), func(i int) { done[i] = r.sendAll(ctx, targets[i]) })
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}

	var all fleet.Results
	met, answered := 0, 0
	for _, s := range done {
		all.Add(s.surface, s.findings(), s.surface.Whole(), false)
		for _, row := range s.done {
			met, answered = met+1, answered+row.Calls
		}
	}
	out := &ReplayResult{Assessment: all.Judge(p, f.Config, policy, []string{finding.ResultRule}),
		Servers: kit.Map(done, func(s *replayed) ReplayedServer {
			return ReplayedServer{s.surface, s.done}
		})}
	switch {
	case answered > 0 || out.Exit() != exit.OK:
	case met > 0:
		out.Problem = errors.New("no call was sent")
	default:
		out.Problem = r.counts.NoCalls(o.Calls)
	}
	return out, nil
}

// ReplayResult is what Replay found.
type ReplayResult struct {
	fleet.Assessment
	Servers []ReplayedServer
}

// ReplayedServer is a server with its calls, by tool or expectation.
type ReplayedServer struct {
	fleet.Surface
	Replayed []seen.Replayed
}

// replay is one run of Replay.
type replay struct {
	process host.Process
	options ReplayOptions
	fleet   *fleet.Fleet
	ignore  [][]string   // steps of JSON pointers; "*" stands for any step
	counts  calls.Counts // of the file
	expect  []config.Expectation
	asking  sync.Mutex // one question at a time
}

// ErrNoCalls is the error for a replay without calls.
var ErrNoCalls = exit.UsageHint("name recorded calls with --calls FILE, or list calls under "+
	"calls.expect in mcpctl.yaml", "no calls to send")

// prepare reads what is to be sent, and asks about expectations in a file that was only found.
func (r *replay) prepare(ctx context.Context, project config.Project) error {
	switch {
	case r.options.Calls != "":
		var err error
		r.counts, err = calls.Count(ctx, r.process, r.options.Calls)
		r.expect = nil
		return err
	case len(r.expect) == 0:
		return ErrNoCalls
	case project.Found == config.Named || r.options.Select.Trust:
		return nil
	}
	about := fmt.Sprintf("mcpctl: about to send the calls of %s, which was only found\n",
		printable.Message(project.File))
	for _, e := range r.expect {
		about += fmt.Sprintf("  %s  %s  %s\n", printable.Message(e.Server), printable.Message(e.Tool),
			printable.OneLine(e.Arguments))
	}
	hint := fmt.Sprintf("review its calls, then use --config %s, or --trust for this run", project.File)
	return host.Confirm(ctx, r.process, about, "Send them?",
		exit.UsageHint(hint, "%s was only found, and its calls are not trusted", project.File),
		exit.Usagef("canceled"))
}

// concerns reports whether there are calls for a configured server.
func (r *replay) concerns(name string) bool {
	return len(r.counts[name])+len(r.counts[""]) > 0 ||
		slices.ContainsFunc(r.expect, func(e config.Expectation) bool { return e.Server == name })
}

// replayed is what is known of one server.
type replayed struct {
	*replay
	surface fleet.Surface
	client  *Client
	tools   map[string]snapshot.Item
	consent map[string]bool // by tool

	mu   sync.Mutex
	rows map[string]*replayedRow // by tool, and for an expectation its line
	done []seen.Replayed         // rows, sorted
}

// replayedRow is what is known of the calls of a tool, or of an expectation.
type replayedRow struct {
	seen.Replayed
	differing map[string]unexpected // by place
}

// unexpected is a finding about results that differ at one place.
type unexpected struct {
	finding.Finding
	line int // of the first call
}

// sentCall is a call to send.
type sentCall struct {
	calls.Call
	expected *config.Expectation // of mcpctl.yaml; nil = a recorded call
}

// sendAll sends the calls of one server.
func (r *replay) sendAll(ctx context.Context, t fleet.Target) *replayed {
	s := &replayed{replay: r, surface: t.Known(), consent: map[string]bool{}, rows: map[string]*replayedRow{}}
	if !t.Live() {
		return s
	}
	var err error
	if s.client, err = Open(ctx, r.process, r.fleet, t); err == nil {
		defer s.client.Close()
		s.tools, err = s.client.Tools(ctx)
	}
	if s.surface = s.client.Surface(err); err != nil {
		return s
	}
	running := new(errgroup.Group)
	running.SetLimit(r.options.Contact.Parallel)
	names := []string{t.Name(), s.client.OwnName()}
	err = s.each(ctx, names, func(c sentCall) error {
		if err := cmp.Or(s.client.Lost(), ctx.Err()); err != nil {
			return err
		}
		if !s.wanted(ctx, c) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.row(c).NotSent++
			return nil
		}
		c.Arguments, c.Result = bytes.Clone(c.Arguments), bytes.Clone(c.Result)
		running.Go(func() error {
			s.send(ctx, c)
			return nil
		})
		return nil
	})
	_ = running.Wait()
	if err != nil && cmp.Or(s.client.Lost(), ctx.Err()) == nil { // else it is reported already
		s.surface.State = seen.Partial
		s.surface.Fail(seen.Failure{Stage: "replaying", Message: err.Error()})
	}
	for _, key := range kit.SortedKeys(s.rows) {
		s.done = append(s.done, s.rows[key].Replayed)
	}
	return s
}

// each calls do with the recorded calls of the server that has one of some names, or those of mcpctl.yaml.
func (s *replayed) each(ctx context.Context, names []string, do func(sentCall) error) error {
	if s.options.Calls != "" {
		return calls.ReadFile(ctx, s.process, s.options.Calls, func(c calls.Call) error {
			_, offered := s.tools[c.Tool]
			if c.Server == "" && offered || c.Server != "" && slices.Contains(names, c.Server) {
				return do(sentCall{Call: c})
			}
			return nil
		})
	}
	var err error
	for _, e := range s.expect {
		if slices.Contains(names, e.Server) && err == nil {
			err = do(sentCall{
				calls.Call{Tool: e.Tool, Arguments: e.Arguments, Line: e.Source.Line}, &e})
		}
	}
	return err
}

// wanted reports whether a call is sent: the user named its tool, the tool only reads, or the user confirms
// it.
func (s *replayed) wanted(ctx context.Context, c sentCall) bool {
	tool, offered := s.tools[c.Tool]
	switch {
	case c.Arguments == nil: // of traces that do not record them
		return false
	case !offered || ReadOnly(tool) || s.options.Select.Yes,
		slices.Contains(s.options.Tools, c.Tool):
		return true
	}
	agreed, asked := s.consent[c.Tool]
	if asked {
		return agreed
	}
	s.asking.Lock()
	defer s.asking.Unlock()
	server, name := printable.Message(s.surface.Name), printable.Message(c.Tool)
	err := host.Confirm(ctx, s.process, fmt.Sprintf(
		"mcpctl: about to send calls of a tool that may change something\n"+
			"  server   %s\n  tool     %s\n  such as  %s\n", server, name, printable.OneLine(c.Arguments)),
		"Send them?", host.ErrNoTerminal, host.ErrNoAnswer)
	if errors.Is(err, host.ErrNoTerminal) {
		s.process.Note("%s: calls of %s are not sent, since it may change something: --tool %s sends them",
			server, name, name)
	}
	s.consent[c.Tool] = err == nil
	return err == nil
}

// send sends a call and compares its result with the recorded or expected one.
func (s *replayed) send(ctx context.Context, c sentCall) {
	var result Result
	var err error
	tool, offered := s.tools[c.Tool]
	if offered {
		result, err = s.client.Tool(ctx, tool, c.Arguments)
	}
	answer, refused := errors.AsType[*probe.RPCError](err)
	s.mu.Lock()
	defer s.mu.Unlock()
	row := s.row(c)
	var found []difference
	switch {
	case !offered:
		found = []difference{{message: "The tool is no longer offered"}}
	case refused:
		found = []difference{{message: fmt.Sprintf("The call is refused with error %d: %s", answer.Code,
			answer.Message)}}
	case err != nil:
		row.NotSent++
		s.surface.State = seen.Partial
		if ctx.Err() == nil && len(s.surface.MoreErrors) < maxDifferences {
			f := *fleet.FailureOf(err)
			f.Stage, f.Message = string(probe.Calling), c.Tool+": "+f.Message
			s.surface.Fail(f)
		}
		return
	case c.expected != nil:
		if message := unmet(*c.expected, result); message != "" {
			found = []difference{{message: message}}
		}
	case c.Result == nil:
		row.Unrecorded++
	default:
		found = compare(c.Result, result.Raw, s.ignore, s.options.Structure)
	}
	row.Calls++
	if len(found) == 0 && (c.Result != nil || c.expected != nil) {
		row.Same++
	}
	for _, d := range found {
		if c.expected != nil {
			d.new = expectedAndGot(*c.expected, result)
		}
		s.add(c, d, row)
	}
}

// row returns the row of a call.
func (s *replayed) row(c sentCall) *replayedRow {
	key, new := c.Tool, &replayedRow{seen.Replayed{Tool: c.Tool}, map[string]unexpected{}}
	if c.expected != nil {
		key, new.Expectation = fmt.Sprintf("%s\x00%09d", c.Tool, c.Line), &c.expected.Source
	}
	if s.rows[key] == nil {
		s.rows[key] = new
	}
	return s.rows[key]
}

// add counts a result that differs at a place. The finding shows the first call of the file.
func (s *replayed) add(c sentCall, d difference, row *replayedRow) {
	place := fmt.Sprint(cmp.Or(d.pointer, d.message), d.lengthOnly)
	known, seen := row.differing[place]
	switch {
	case seen && known.line <= c.Line:
		known.Calls.Failing++
		return
	case !seen && len(row.differing) >= maxPlaces:
		return
	case !seen:
		known.Calls = &finding.Calls{}
	}
	level := finding.Breaking
	if d.lengthOnly {
		level = finding.Info
	}
	f := finding.Finding{
		Rule: finding.ResultRule, Level: level, Verdict: finding.ByRule, Server: s.surface.Name,
		Item: "tool/" + c.Tool, Path: "/result" + d.pointer, Old: d.old, New: d.new, Message: d.message + ".",
		Calls: &finding.Calls{Failing: known.Calls.Failing + 1, Example: calls.ShownJSON(c.Arguments)},
	}
	if c.expected == nil {
		f.Cause = d.message
	} else {
		f.Location = &c.expected.Source
	}
	row.differing[place] = unexpected{f, c.Line}
}

// findings returns the results that are not as recorded or expected.
func (s *replayed) findings() []finding.Finding {
	var all []finding.Finding
	for _, key := range kit.SortedKeys(s.rows) {
		for _, u := range s.rows[key].differing {
			u.Calls.Total = s.rows[key].Calls
			all = append(all, u.Finding)
		}
	}
	return finding.Limit(all, finding.Unlimited) // sorted
}

// expectedAndGot returns an expectation beside the result, as a finding shows it.
func expectedAndGot(e config.Expectation, r Result) json.RawMessage {
	both := map[string]any{"expected": e}
	if r.Raw != nil {
		both["result"] = calls.ShownJSON(r.Raw) // null if it is too large
	}
	raw, _ := rawjson.Encode(both) // made of JSON
	return raw
}

// unmet returns how a result is not as expected, as a sentence without a full stop; empty if it is.
func unmet(e config.Expectation, r Result) string {
	text := strings.Join(kit.Map(r.Pieces, func(p Piece) string { return p.Text }), "\n")
	raw := r.Structured
	if raw == nil {
		raw = json.RawMessage(text)
	}
	value, err := rawjson.Decode(raw)
	equal, _ := rawjson.Decode(e.Equals) // which is JSON, if there
	switch {
	case r.Failed && !e.IsError:
		return "The call fails"
	case !r.Failed && e.IsError:
		return "The call does not fail"
	case e.Contains != "" && !strings.Contains(text+string(r.Structured), e.Contains):
		return fmt.Sprintf("The result does not contain %q", e.Contains)
	case e.Matches == nil && e.Equals == nil:
		return ""
	case err != nil:
		return "The result has no structured content and no JSON text"
	case e.Equals != nil && !rawjson.Same(equal, value):
		return "The result is not the expected one"
	case e.Matches == nil:
		return ""
	}
	problems, sure := Check(e.Matches, raw)
	switch {
	case !sure:
		return "The result could not be checked against the schema"
	case len(problems) > 0:
		return "The result does not match: " + problems[0].String()
	}
	return ""
}
