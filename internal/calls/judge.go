package calls

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

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
	offered map[string]bool  // its tools on either side
	tools   map[string]*tool // those with findings; "" = findings about every call
	total   int              // recorded calls
}

// tool is a tool with findings.
type tool struct {
	questions []*question // one for each finding
	invalid   int         // calls that were not valid before
}

// question is a finding whose calls are counted.
type question struct {
	diff.Evidence
	counts  *finding.Calls // what Count returned
	outcome outcome        // of the call that is judged
}

// outcome is whether a call is affected, or accepted.
type outcome uint8

const (
	unknown outcome = iota // cannot be decided
	no
	yes
)

const (
	maxClients = 1000    // names of clients in one finding
	maxExample = 4 << 10 // bytes of the arguments shown with one finding
	maxJudged  = 1 << 20 // bytes of arguments that are judged
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
	q := &question{Evidence: e, counts: &finding.Calls{}}
	if s.judge.closed {
		return q.counts
	}
	if s.tools[e.Tool] == nil {
		s.tools[e.Tool] = &tool{}
	}
	s.tools[e.Tool].questions = append(s.tools[e.Tool].questions, q)
	return q.counts
}

// Read counts the calls of a file. With examples each finding keeps the arguments of a failing call. found
// reports whether the file has a call of a compared server.
func (j *Judge) Read(
	ctx context.Context, p host.Process, name string, examples bool,
) (found bool, err error) {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	err = readFile(ctx, p, name, func(c Call) error {
		servers := j.byName[c.Server]
		if c.Server == "" {
			servers = kit.Filter(j.servers, func(s *Server) bool { return s.offered[c.Tool] })
		}
		for _, s := range servers {
			s.add(c, examples)
			found = true
		}
		return nil
	})
	for _, s := range j.servers {
		for _, t := range s.tools {
			for _, q := range t.questions {
				q.counts.Total = s.total - t.invalid
			}
		}
	}
	return found, err
}

// add counts one call.
func (s *Server) add(c Call, examples bool) {
	s.total++
	for _, t := range []*tool{s.tools[""], s.tools[c.Tool]} {
		switch {
		case t == nil:
		case t.judge(c.Arguments):
			for _, q := range t.questions {
				q.add(c, examples)
			}
		default:
			t.invalid++
		}
	}
}

// judge decides all questions about a call; false for one that was not valid before.
func (t *tool) judge(raw json.RawMessage) bool {
	a := argumentsOf(raw)
	rejected, explained := false, false
	for _, q := range t.questions {
		if q.outcome = q.judge(a); q.Before == nil {
			continue
		}
		if a.accepted(q.Before) == no {
			return false
		}
		rejected = rejected || a.accepted(q.After[0]) != yes
		explained = explained || q.outcome != no
	}
	for _, q := range t.questions {
		if rejected && !explained && q.Before != nil {
			q.outcome = unknown // only several changes together reject the call
		}
	}
	return true
}

// judge decides whether a call fails because of the finding.
func (q *question) judge(a arguments) outcome {
	switch {
	case q.Removed:
		return yes
	case !a.recorded:
		return unknown
	case len(q.Sent) > 0: // what is sent there is ignored now: the call may do something else
		if slices.ContainsFunc(q.Sent, func(p string) bool { return has(a.value, rawjson.Split(p)) }) {
			return unknown
		}
		return no
	case q.Before == nil:
		return unknown
	}
	worst := yes
	for _, s := range q.After {
		switch a.accepted(s) {
		case yes:
			return no
		case unknown:
			worst = unknown
		}
	}
	if a.accepted(q.Before) == unknown {
		return unknown
	}
	return worst
}

// add counts a call by the outcome that the tool's judge method set. A call that still works is in the total
// of the server only.
func (q *question) add(c Call, examples bool) {
	switch q.outcome {
	case unknown:
		q.counts.Undecided++
	case yes:
		q.counts.Failing++
		at, known := slices.BinarySearch(q.counts.Clients, c.Client)
		if !known && c.Client != "" && len(q.counts.Clients) < maxClients {
			q.counts.Clients = slices.Insert(q.counts.Clients, at, c.Client)
		}
		if !c.Time.IsZero() {
			q.counts.Last = max(q.counts.Last, c.Time.UTC().Format(time.DateOnly))
		}
		if examples && q.counts.Example == nil {
			q.counts.Example = masked(c.Arguments, maxExample)
		}
	}
}

// arguments are those of one call.
type arguments struct {
	recorded bool // small enough to be judged
	value    any
	accepts  map[*schema.Schema]outcome // of the schemas that were asked
}

func argumentsOf(raw json.RawMessage) arguments {
	if raw == nil || len(raw) > maxJudged {
		return arguments{}
	}
	value, err := rawjson.Decode(raw)
	return arguments{err == nil, value, map[*schema.Schema]outcome{}}
}

// accepted reports whether a schema accepts the arguments.
func (a arguments) accepted(s *schema.Schema) outcome {
	if !a.recorded {
		return unknown
	}
	known, asked := a.accepts[s]
	if asked {
		return known
	}
	switch accepted, sure := s.Accepts(a.value); {
	case sure && accepted:
		known = yes
	case sure:
		known = no
	}
	a.accepts[s] = known
	return known
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
