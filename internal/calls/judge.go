package calls

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/schema"
)

// Judge counts the recorded calls that findings affect. The findings of all servers are collected first
// (Server, Count), and one pass over the file counts the calls of all of them (Read).
type Judge struct {
	mu      sync.Mutex
	closed  bool // the file is read: comparisons that were given up must not add findings
	servers []*Server
	byName  map[string][]*Server
}

// Server is a compared server.
type Server struct {
	judge   *Judge
	offered map[string]bool // its tools on either side
	tools   map[string]*tool
	whole   []*question
	total   int // recorded calls
}

// tool is a tool with findings.
type tool struct {
	questions []*question
	invalid   int // calls that were not valid before
	known     map[uint64]judgement
	seed      maphash.Seed
}

// judgement is what is decided about one call.
type judgement struct {
	invalid  bool      // it was not valid before
	verdicts []outcome // of each question
}

// question is a finding whose calls are counted.
type question struct {
	diff.Evidence
	counts  *finding.Calls
	clients map[string]bool
	last    time.Time
}

const (
	maxClients = 1000    // names of clients in one finding
	maxExample = 4 << 10 // bytes of the arguments shown with one finding
	maxKnown   = 1 << 20 // decisions of a tool that are remembered
)

// Server adds a server whose calls are recorded under any of some names; tools are those of either side.
func (j *Judge) Server(names, tools []string) *Server {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &Server{judge: j, offered: kit.Set(tools), tools: map[string]*tool{}}
	j.servers = append(j.servers, s)
	if j.byName == nil {
		j.byName = map[string][]*Server{}
	}
	for _, name := range kit.Distinct(names) {
		if name != "" {
			j.byName[name] = append(j.byName[name], s)
		}
	}
	return s
}

// Count returns the counts of a finding, which Read fills in. It is diff.Options.Recorded.
func (s *Server) Count(e diff.Evidence) *finding.Calls {
	s.judge.mu.Lock()
	defer s.judge.mu.Unlock()
	q := &question{Evidence: e, counts: &finding.Calls{}, clients: map[string]bool{}}
	switch {
	case s.judge.closed:
		return q.counts
	case e.Tool == "":
		s.whole = append(s.whole, q)
		return q.counts
	}
	if s.tools[e.Tool] == nil {
		s.tools[e.Tool] = &tool{}
	}
	s.tools[e.Tool].questions = append(s.tools[e.Tool].questions, q)
	return q.counts
}

// Read counts the calls of a file. With examples each finding keeps the arguments of a failing call. found
// reports whether the file has a call of a compared server; if not, recorded are the servers in the file.
func (j *Judge) Read(ctx context.Context, p host.Process, name string, examples bool) (found bool,
	recorded []string, err error) {
	r, err := Open(p, name)
	if err != nil {
		return false, nil, err
	}
	defer func() { _ = r.Close() }()
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	others := map[string]bool{}
	err = Each(ctx, r, name, func(c Call) error {
		servers := j.byName[c.Server]
		if c.Server == "" {
			servers = kit.Filter(j.servers, func(s *Server) bool { return s.offered[c.Tool] })
		}
		for _, s := range servers {
			s.add(c, examples)
			found = true
		}
		if !found && len(others) < maxNames {
			others[c.Server] = true
		}
		return nil
	})
	if err != nil {
		return false, nil, exit.Misuse(err)
	}
	for _, s := range j.servers {
		s.finish()
	}
	return found, slices.Sorted(maps.Keys(others)), nil
}

// NoCalls returns the error for a file without a call of any compared server.
func NoCalls(name string, recorded []string) error {
	if len(recorded) == 0 {
		return fmt.Errorf("%s has no recorded calls", name)
	}
	return exit.Advise(`a call's "server" is the name of the server in the configuration`,
		"%s has no call of a compared server, only of %s", name, kit.Some(recorded))
}

// add counts one call.
func (s *Server) add(c Call, examples bool) {
	s.total++
	for _, q := range s.whole {
		q.add(fails(q.Removed), c, examples)
	}
	t := s.tools[c.Tool]
	if t == nil {
		return
	}
	j := t.judge(c.Arguments)
	if j.invalid {
		t.invalid++
		return
	}
	for i, q := range t.questions {
		q.add(j.verdicts[i], c, examples)
	}
}

// judge decides all questions about a call. Calls with the same arguments are decided once.
func (t *tool) judge(arguments json.RawMessage) judgement {
	if t.known == nil {
		t.known, t.seed = map[uint64]judgement{}, maphash.MakeSeed()
	}
	key := maphash.Bytes(t.seed, arguments)
	if j, known := t.known[key]; known {
		return j
	}
	d := &decoded{raw: arguments, verdicts: map[*schema.Schema]outcome{}}
	j, explained, rejected := judgement{verdicts: make([]outcome, len(t.questions))}, false, false
	for i, q := range t.questions {
		j.verdicts[i] = q.judge(d)
		if q.Before == nil || len(q.After) == 0 {
			continue
		}
		j.invalid = j.invalid || d.valid(q.Before) == no
		rejected = rejected || d.valid(q.After[0]) != yes
		explained = explained || j.verdicts[i] != no
	}
	for i, q := range t.questions {
		if rejected && !explained && q.After != nil {
			j.verdicts[i] = unknown // only several changes together reject the call
		}
	}
	if len(t.known)*len(t.questions) < maxKnown {
		t.known[key] = j
	}
	return j
}

func (q *question) add(v outcome, c Call, examples bool) {
	switch v {
	case unknown:
		q.counts.Undecided++
	case yes:
		q.counts.Failing++
		if c.Client != "" && len(q.clients) < maxClients {
			q.clients[c.Client] = true
		}
		if c.Time.After(q.last) {
			q.last = c.Time
		}
		if examples && q.counts.Example == nil && len(c.Arguments) <= maxExample {
			q.counts.Example = masked(c.Arguments)
		}
	}
}

// finish completes the counts of every finding about the server.
func (s *Server) finish() {
	finish := func(q *question, invalid int) {
		q.counts.Total = s.total - invalid
		q.counts.Clients = slices.Sorted(maps.Keys(q.clients))
		if !q.last.IsZero() {
			q.counts.Last = q.last.UTC().Format(time.DateOnly)
		}
		q.Evidence = diff.Evidence{} // the schemas are large
	}
	for _, q := range s.whole {
		finish(q, 0)
	}
	for _, t := range s.tools {
		for _, q := range t.questions {
			finish(q, t.invalid)
		}
	}
}

// outcome is a decision that may be open.
type outcome uint8

const (
	unknown outcome = iota // cannot be decided
	no
	yes
)

// fails returns yes for a call that certainly fails, and unknown for others.
func fails(certain bool) outcome {
	if certain {
		return yes
	}
	return unknown
}

// judge decides whether a call fails because of the finding.
func (q *question) judge(arguments *decoded) outcome {
	switch {
	case q.Removed:
		return yes
	case arguments.raw == nil:
		return unknown
	case len(q.Sent) > 0:
		return arguments.sends(q.Sent)
	case len(q.After) == 0:
		return unknown
	}
	v := yes
	for _, s := range q.After {
		switch arguments.valid(s) {
		case yes:
			return no
		case unknown:
			v = unknown
		}
	}
	if arguments.valid(q.Before) == unknown {
		return unknown
	}
	return v
}

// decoded are the arguments of one call.
type decoded struct {
	raw      json.RawMessage
	value    any
	err      error
	parsed   bool
	verdicts map[*schema.Schema]outcome
}

func (d *decoded) get() (any, bool) {
	if !d.parsed {
		d.parsed = true
		d.value, d.err = rawjson.Decode(d.raw)
	}
	return d.value, d.err == nil && d.raw != nil
}

// valid reports whether a schema accepts the arguments.
func (d *decoded) valid(s *schema.Schema) outcome {
	v, known := d.verdicts[s]
	if known {
		return v
	}
	if value, ok := d.get(); ok {
		switch accepted, sure := s.Accepts(value); {
		case !sure:
		case accepted:
			v = yes
		default:
			v = no
		}
	}
	d.verdicts[s] = v
	return v
}

// sends returns unknown where the arguments have something at one of the pointers, and else no: what is sent
// there is ignored now, so that the call succeeds and may do something else.
func (d *decoded) sends(pointers []string) outcome {
	value, ok := d.get()
	if !ok || slices.ContainsFunc(pointers, func(p string) bool { return has(value, rawjson.Split(p)) }) {
		return unknown
	}
	return no
}

// has reports whether a value has something behind the steps of a pointer.
func has(value any, steps []string) bool {
	if len(steps) == 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		if inner, ok := v[steps[0]]; ok && has(inner, steps[1:]) {
			return true
		}
		return strings.Contains(steps[0], "*") && slices.ContainsFunc(slices.Collect(maps.Values(v)),
			func(inner any) bool { return has(inner, steps[1:]) })
	case []any:
		if inner, ok := rawjson.Step(value, steps[0]); ok {
			return has(inner, steps[1:])
		}
		return slices.ContainsFunc(v, func(inner any) bool { return has(inner, steps[1:]) })
	}
	return false
}
