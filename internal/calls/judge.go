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

// Counter counts the recorded calls that findings affect. The findings of all servers are collected first
// (Server), and one pass over the file counts the calls of all of them (Read).
type Counter struct {
	mu      sync.Mutex
	closed  bool // the file is read: comparisons that were given up must not add findings
	servers []*comparedServer
}

// comparedServer is a server that was compared, with its tools.
type comparedServer struct {
	names   []string         // under which its calls are recorded
	offered map[string]bool  // its tools on either side
	tools   map[string]*tool // those with findings; "" = findings about every call
	total   int              // recorded calls
}

// tool is a tool with findings.
type tool struct {
	before, after *schema.Schema    // of its arguments, of either side; nil = no finding depends on them
	questions     []*countedFinding // one for each finding
	invalid       int               // calls that were not valid before
}

// countedFinding is a finding whose calls are counted.
type countedFinding struct {
	diff.Evidence
	counts  *finding.Calls
	outcome outcome // of the call that is judged
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
	maxJudged  = 1 << 20 // bytes of arguments that are judged
)

// Server adds a server whose calls are recorded under any of some names; tools are those of either side. It
// returns the function of diff.Options.Counting, whose counts Read fills in.
func (j *Counter) Server(names, tools []string) func(diff.Evidence) *finding.Calls {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := &comparedServer{names: kit.Distinct(names), offered: kit.Set(tools), tools: map[string]*tool{}}
	j.servers = append(j.servers, s)
	return func(e diff.Evidence) *finding.Calls {
		j.mu.Lock()
		defer j.mu.Unlock()
		counts := &finding.Calls{}
		if j.closed {
			return counts
		}
		if s.tools[e.Tool] == nil {
			s.tools[e.Tool] = &tool{}
		}
		t := s.tools[e.Tool]
		t.questions = append(t.questions, &countedFinding{Evidence: e, counts: counts})
		if e.Before != nil { // the findings of a tool share the schemas of its two sides
			t.before, t.after = e.Before, e.After[0]
		}
		return counts
	}
}

// Read counts the calls of a file. With examples each finding keeps the arguments of a failing call. found
// reports whether the file has a call of a compared server.
func (j *Counter) Read(
	ctx context.Context, p host.Process, name string, examples bool,
) (found bool, err error) {
	j.mu.Lock()
	j.closed = true
	j.mu.Unlock()
	byName := map[string][]*comparedServer{}
	for _, s := range j.servers {
		for _, name := range s.names {
			byName[name] = append(byName[name], s)
		}
	}
	err = ReadFile(ctx, p, name, func(c Call) error {
		servers := byName[c.Server]
		if c.Server == "" {
			servers = kit.Filter(j.servers, func(s *comparedServer) bool { return s.offered[c.Tool] })
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
func (s *comparedServer) add(c Call, examples bool) {
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
	recorded := raw != nil && len(raw) <= maxJudged
	before, after := unknown, yes
	var value any
	if recorded {
		value, _ = rawjson.Decode(raw) // they were read before
	}
	if recorded && t.before != nil {
		before, after = accepts(t.before, value), accepts(t.after, value)
	}
	explained := after == yes
	for _, q := range t.questions {
		if q.outcome = q.judge(value, before, after); !recorded && !q.Removed {
			q.outcome = unknown
		}
		explained = explained || q.Before != nil && q.outcome != no
	}
	for _, q := range t.questions {
		if !explained && q.Before != nil {
			q.outcome = unknown // only several changes together reject the call
		}
	}
	return before != no
}

// judge decides whether a call with these arguments fails because of the finding. before and after are
// whether the two sides accept them.
func (q *countedFinding) judge(value any, before, after outcome) outcome {
	switch {
	case q.Removed:
		return yes
	case len(q.Sent) > 0: // what is sent there is ignored now: the call may do something else
		if slices.ContainsFunc(q.Sent, func(p string) bool { return has(value, rawjson.Split(p)) }) {
			return unknown
		}
		return no
	case q.Before == nil:
		return unknown
	case after == yes:
		return no
	}
	for _, s := range q.After[1:] {
		switch accepts(s, value) {
		case yes:
			return no
		case unknown:
			after = unknown
		}
	}
	if before == unknown || after == unknown {
		return unknown
	}
	return yes
}

// accepts reports whether a schema accepts arguments.
func accepts(s *schema.Schema, value any) outcome {
	switch accepted, sure := s.Accepts(value); {
	case !sure:
		return unknown
	case accepted:
		return yes
	}
	return no
}

// add counts a call by the outcome that the tool's judge method set. A call that still works is in the total
// of the server only.
func (q *countedFinding) add(c Call, examples bool) {
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
		if examples && q.counts.Example == nil && c.Arguments != nil {
			q.counts.Example = ShownJSON(c.Arguments)
		}
	}
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
