package compare

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/calls"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

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
func (p pair) counted(judge *calls.Judge, options diff.Options) diff.Options {
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
	options.Recorded = judge.Server(names, tools)
	return options
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
