package check

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Recorded is what the calls that agents really made say of the tools of a server.
type Recorded struct {
	Days  int                       // how long the window is
	Calls int                       // of all tools of the server; 0 = nothing is known
	Tools map[string]finding.Called // by name
}

// usageRules are about what agents do with the tools. They are silent where no calls are recorded.
var usageRules = map[string]look{
	"tool-never-called":    neverCalled,
	"tool-calls-fail":      ofCalls(callsFail),
	"argument-often-wrong": ofCalls(oftenWrong),
	"argument-never-given": ofCalls(func(s *server, _ tool, called finding.Called, at spot) {
		if len(called.NeverGiven) > 0 {
			at.in("inputSchema", "properties").say("", encoded(called.NeverGiven), "No call gave these arguments in %d days, of %d in all: %s.", s.Recorded.Days, called.Calls, match.Some(called.NeverGiven))
		}
	}),
	"argument-value-not-used": ofCalls(neverSent),
}

// Fewer calls that fail, or a smaller part of all, are nothing to speak of.
const (
	leastFailed = 3
	failedPart  = 10 // one of so many
)

func ofCalls(f func(s *server, t tool, called finding.Called, at spot)) look {
	return func(s *server, report tell) {
		if s.Recorded != nil && s.Recorded.Calls > 0 {
			ofTools(func(t tool, at spot) { f(s, t, s.Recorded.Tools[t.Key], at) })(s, report)
		}
	}
}

// neverCalled tells all tools at once that nobody calls, the most expensive first.
func neverCalled(s *server, report tell) {
	cost, total := map[string]int{}, 0
	ofCalls(func(_ *server, t tool, called finding.Called, _ spot) {
		if called.Calls == 0 {
			cost[t.Key] = ToolTokens(t.Item)
			total += cost[t.Key]
		}
	})(s, report)
	if len(cost) == 0 {
		return
	}
	names := slices.SortedFunc(maps.Keys(cost), func(a, b string) int { return cmp.Or(cost[b]-cost[a], cmp.Compare(a, b)) })
	report(finding.Finding{Path: "/tools", New: encoded(slices.Sorted(slices.Values(names))),
		Message: fmt.Sprintf("Nobody called these tools in %d days, %d of %d, with %d calls of the others; every conversation pays %d tokens for them: %s.",
			s.Recorded.Days, len(names), len(s.tools), s.Recorded.Calls, total, match.Some(names))})
}

func callsFail(s *server, _ tool, called finding.Called, at spot) {
	if called.Failed < leastFailed || called.Failed*failedPart < called.Calls {
		return
	}
	reason := ""
	if called.Fault != "" {
		reason = fmt.Sprintf("; what its schema refuses most often: %s", called.Fault)
	}
	at.say("", nil, "%d of %d calls in %d days failed, made by %s%s.", called.Failed, called.Calls, s.Recorded.Days, called.Failing, reason)
}

// oftenWrong speaks at the text that an agent had to go by.
func oftenWrong(s *server, t tool, called finding.Called, at spot) {
	if called.WrongCalls < leastFailed || called.WrongCalls*failedPart < called.Calls {
		return
	}
	schema, _ := t.fields["inputSchema"].(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	property, declared := properties[called.Wrong].(map[string]any)
	description, _ := property["description"].(string)
	at = at.in("inputSchema", "properties")
	says := "there is no such argument"
	switch {
	case description != "":
		at, says = at.in(called.Wrong, "description"), fmt.Sprintf("its description says %q", clip(description))
	case declared:
		at, says = at.in(called.Wrong), "it has no description"
	}
	at.say("", rawjson.Quote(called.Wrong), "%d of %d calls in %d days give `%s` wrongly, most often: %s; %s.", called.WrongCalls, called.Calls, s.Recorded.Days, called.Wrong, called.WrongFault, says)
}

func neverSent(s *server, _ tool, called finding.Called, at spot) {
	for _, name := range lists.SortedKeys(called.NeverSent) {
		if choices := called.NeverSent[name]; len(choices) > 0 {
			at.in("inputSchema", "properties", name).say("", json.RawMessage("["+strings.Join(choices, ",")+"]"), "No call sent these values of `%s` in %d days, of %d in all: %s.", name, s.Recorded.Days, called.Calls, match.Some(choices))
		}
	}
}
