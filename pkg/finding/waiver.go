package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Waiver accepts findings for a while, with a reason. Rule, Server, Item and Path are patterns, in which *
// stands for any characters and ? for one; an empty one matches everything. A finding that is waived stays in
// reports and fails nothing.
type Waiver struct {
	Rule   string `json:"-"` // id of the rule; never empty
	Server string `json:"-"`
	Item   string `json:"-"` // such as "tool/create_*"
	Path   string `json:"-"` // matches Finding.Path or Finding.Pointer

	// of the one finding or the Group that is meant; empty = all that the patterns match
	Fingerprint string `json:"-"`

	Reason  string   `json:"reason"`
	Owner   string   `json:"owner,omitempty"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it holds; empty = it holds for ever
	Source  Location `json:"-"`                 // where it is written
}

// Covers reports whether the patterns match a finding, expired or not.
func (w Waiver) Covers(f Finding) bool {
	return w.about(f.Rule, f.Server) && (w.Item == "" || kit.Glob(w.Item, f.Item)) &&
		(w.Path == "" || kit.Glob(w.Path, f.Path) || kit.Glob(w.Path, f.Pointer()))
}

func (w Waiver) about(rule, server string) bool {
	return kit.Glob(w.Rule, rule) && (w.Server == "" || kit.Glob(w.Server, server))
}

// String says in words what the waiver is about.
func (w Waiver) String() string {
	about := "the waiver of " + w.Rule
	if w.Fingerprint != "" {
		about += " with the fingerprint " + w.Fingerprint
	}
	if w.Item != "" {
		about += " for " + w.Item
	}
	if w.Path != "" {
		about += " at " + w.Path
	}
	if w.Server != "" {
		about += " of server " + w.Server
	}
	if w.Source.File != "" {
		about += fmt.Sprintf(" (%s)", w.Source)
	}
	return about
}

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
			Title: "A waiver has expired",
			Doc: "The last day on which the waiver holds is over (UTC). What it waived counts again, " +
				"and the waiver itself fails the run until somebody renews or deletes it, so that no " +
				"exception lives on unseen.",
			Example: `expires: 2026-06-30, and it is July`,
			Instead: "Delete the waiver from mcpctl.yaml, or give it a later day after asking its owner.",
		},
		{
			ID: waiverUnused, Level: Warning,
			Title: "A waiver matches nothing",
			Doc: "Every server and rule that the waiver can be about was looked at in full, and no " +
				"finding was one that it covers. What it excused is over, or its patterns have a mistake " +
				"in them. A pattern that rules of diff and of check match is told as info by whichever of " +
				"the two it is of no use to.",
			Example: `{rule: tool-removed, item: tool/old} after tool/old was accepted`,
			Instead: "Delete the waiver from mcpctl.yaml, or mend its patterns.",
		},
	}
}

// finding is what there is to say about the waiver itself; ok is false when it is in order, or cannot be
// judged.
func (w Waiver) finding(used bool, scope Scope, now time.Time) (f Finding, ok bool) {
	switch {
	case !w.meets(scope.Rules, slices.Concat(scope.Seen, scope.Partial)):
		return f, false
	case w.Expires.Over(now):
		f = w.speak(waiverExpired, Breaking, fmt.Sprintf("expired on %s.", w.Expires))
		f.Hint = "delete it from mcpctl.yaml, or give it a later day"
	case used || w.meets(scope.Rules, slices.Concat(scope.Partial, scope.Absent)):
		return f, false
	case w.meets(scope.Others, scope.Seen):
		f = w.speak(waiverUnused, Info,
			"matches nothing here; it may still match what another command finds.")
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
	f := Finding{Rule: rule, Level: level, Verdict: ByRule, Item: "waiver/" + w.Rule,
		Message: "T" + w.String()[1:] + " " + says}
	if !kit.IsGlob(w.Server) {
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
		Named  string `json:"fingerprint,omitempty"`
		Waiver
	}{w.Rule, w.Server, w.Item, w.Path, w.Fingerprint, w})
	return f
}

// Tolerance lets a server be unreachable for a while: the report says that it failed, the exit status does
// not.
type Tolerance struct {
	Server  string   `json:"-"` // its name
	Reason  string   `json:"reason"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it holds; empty = it holds for ever
	Source  Location `json:"-"`                 // where it is written
}

// Tolerated returns what lets a server fail at a moment; nil when nothing does.
func Tolerated(tolerances []Tolerance, name string, now time.Time) *Tolerance {
	for i, t := range tolerances {
		if t.Server == name && !t.Expires.Over(now) {
			return &tolerances[i]
		}
	}
	return nil
}

// Day is a calendar day in UTC, written as 2026-12-31. The zero value is no day.
type Day string

// ParseDay reads a day such as 2026-12-31.
func ParseDay(text string) (Day, error) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", fmt.Errorf("%.40q is not a day such as 2026-12-31", text)
	}
	return Day(text), nil
}

// Over tells whether the day has ended at a moment. No day never ends.
func (d Day) Over(now time.Time) bool {
	return d != "" && now.UTC().Format(time.DateOnly) > string(d)
}
