package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/match"
)

// The rules about waivers.
const (
	waiverExpired = "waiver-expired"
	waiverUnused  = "waiver-unused"
)

// PolicyRules are the rules about the policy itself, sorted by id.
func PolicyRules() []Rule {
	return []Rule{
		{
			ID: waiverExpired, Level: Breaking,
			Title:   "A waiver has expired",
			Doc:     "The last day on which the waiver holds is over (UTC). What it waived counts again, and the waiver itself fails the run until somebody renews or deletes it, so that no exception lives on unseen.",
			Example: `expires: 2026-06-30, and it is July`,
			Instead: "Delete the waiver from mcpctl.yaml, or give it a later day after asking its owner.",
		},
		{
			ID: waiverUnused, Level: Warning,
			Title:   "A waiver matches nothing",
			Doc:     "Every server and rule that the waiver can be about was looked at in full, and no finding was one that it covers. What it excused is over, or its patterns have a mistake in them.",
			Example: `{rule: tool-removed, item: tool/old} after tool/old was accepted`,
			Instead: "Delete the waiver from mcpctl.yaml, or mend its patterns.",
		},
	}
}

// finding is what there is to say about the waiver itself; ok is false when it is in order, or cannot be judged.
func (w Waiver) finding(used bool, scope Scope, now time.Time) (f Finding, ok bool) {
	switch {
	case !w.meets(scope.Rules, slices.Concat(scope.Seen, scope.Partial)):
		return f, false
	case w.Expires.Over(now):
		f = w.speak(waiverExpired, Breaking, fmt.Sprintf("expired on %s.", w.Expires))
		f.Hint = "delete it from mcpctl.yaml, or give it a later day"
	case used || w.meets(scope.Rules, slices.Concat(scope.Partial, scope.Absent)) || w.meets(scope.Others, scope.Seen):
		return f, false
	default:
		f = w.speak(waiverUnused, Warning, "matches nothing.")
		f.Hint = "delete it from mcpctl.yaml, or mend its patterns"
	}
	return f, true
}

// meets tells whether the waiver can be about one of the rules on one of the servers.
func (w Waiver) meets(rules, servers []string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		return slices.ContainsFunc(servers, func(server string) bool { return w.about(rule, server) })
	})
}

func (w Waiver) speak(rule string, level Level, says string) Finding {
	f := Finding{Rule: rule, Level: level, Verdict: ByRule, Item: "waiver/" + w.Rule, Message: "T" + w.String()[1:] + " " + says}
	if !match.IsGlob(w.Server) {
		f.Server = w.Server
	}
	if w.Source.File != "" {
		f.Location = &w.Source
	}
	f.New, _ = json.Marshal(struct { // strings always encode
		Rule   string `json:"rule"`
		Server string `json:"server,omitempty"`
		Item   string `json:"item,omitempty"`
		Path   string `json:"path,omitempty"`
		Waiver
	}{w.Rule, w.Server, w.Item, w.Path, w})
	return f
}
