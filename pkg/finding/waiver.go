package finding

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// Waiver accepts findings until a day, with a reason. Rule, Server, Item and Path are patterns in which *
// matches any characters and ? one; an empty one matches everything. Waived findings stay in reports and do
// not fail a run.
type Waiver struct {
	Rule   string `json:"-"` // id of the rule; never empty
	Server string `json:"-"`
	Item   string `json:"-"` // such as "tool/create_*"
	Path   string `json:"-"` // matches Finding.Path or Finding.Pointer

	// of one finding or Group; empty = all that the patterns match
	Fingerprint string `json:"-"`

	Reason  string   `json:"reason"`
	Owner   string   `json:"owner,omitempty"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it is valid; empty = never expires
	Source  Location `json:"-"`                 // where it is written
}

// Covers reports whether the patterns match a finding, expired or not.
func (w Waiver) Covers(f Finding) bool {
	return w.matches(f.Rule, f.Server) && (w.Item == "" || kit.Glob(w.Item, f.Item)) &&
		(w.Path == "" || kit.Glob(w.Path, f.Path) || kit.Glob(w.Path, f.Pointer()))
}

// matches reports whether the waiver is about a rule and a server; its item and path are not looked at.
func (w Waiver) matches(rule, server string) bool {
	return kit.Glob(w.Rule, rule) && (w.Server == "" || kit.Glob(w.Server, server))
}

// String describes the waiver, such as "the waiver of tool-removed for tool/a (mcpctl.yaml:3)".
func (w Waiver) String() string {
	text := "the waiver of " + w.Rule
	for _, part := range [][2]string{{" with the fingerprint ", w.Fingerprint}, {" for ", w.Item},
		{" at ", w.Path}, {" of server ", w.Server}} {
		if part[1] != "" {
			text += part[0] + part[1]
		}
	}
	if w.Source.File != "" {
		text += fmt.Sprintf(" (%s)", w.Source)
	}
	return text
}

// The rules about waivers.
const (
	waiverExpired = "waiver-expired"
	waiverUnused  = "waiver-unused"
)

const fixWaiver = "Remove the waiver from mcpctl.yaml or fix its patterns."

// PolicyRules returns the rules about the policy itself, sorted by id.
func PolicyRules() []Rule {
	return []Rule{
		{
			ID: waiverExpired, Level: Warning,
			Title: "A waiver has expired",
			Doc: "The last day of the waiver is over (UTC), and it covers findings, which count again. One " +
				"that covers none is reported as waiver-unused. From 14 days before its end a note names it.",
			Example: `expires: 2026-06-30, in July`,
			Instead: "Remove the waiver from mcpctl.yaml, or extend it after asking its owner.",
		},
		{
			ID: waiverUnused, Level: Warning,
			Title: "A waiver matches nothing",
			Doc: "Every server and rule that the waiver can match was checked, and it covers no finding. " +
				"The problem is solved, or its patterns are wrong. A pattern for rules of both diff and " +
				"check is reported as info by the command that does not need it.",
			Example: `{rule: tool-removed, item: tool/old} after tool/old was accepted`,
			Instead: fixWaiver,
		},
	}
}

// finding returns the finding about the waiver itself; ok is false when it is valid or cannot be judged.
func (w Waiver) finding(used bool, scope Scope, now time.Time) (f Finding, ok bool) {
	switch {
	case !w.applies(scope.Rules, slices.Concat(scope.Seen, scope.Partial)):
		return f, false
	case used && w.Expires.Over(now):
		f = w.report(waiverExpired, Warning, fmt.Sprintf("expired on %s.", w.Expires))
		f.Hint = "Remove the waiver from mcpctl.yaml or extend it."
	case used || w.applies(scope.Rules, slices.Concat(scope.Partial, scope.Absent)):
		return f, false
	case w.applies(scope.Others, scope.Seen):
		f = w.report(waiverUnused, Info, "matches nothing here, but may match findings of another command.")
	case w.Expires.Over(now):
		f = w.report(waiverUnused, Warning, fmt.Sprintf("matches nothing, and expired on %s.", w.Expires))
		f.Hint = fixWaiver
	default:
		f = w.report(waiverUnused, Warning, "matches nothing.")
		f.Hint = fixWaiver
	}
	return f, true
}

// applies reports whether the waiver matches one of the rules on one of the servers.
func (w Waiver) applies(rules, servers []string) bool {
	return slices.ContainsFunc(rules, func(rule string) bool {
		return slices.ContainsFunc(servers, func(server string) bool { return w.matches(rule, server) })
	})
}

// report returns a finding about the waiver. problem ends its message, after the description of the waiver. A
// pattern of servers is not the name of one, so the finding has no server then.
func (w Waiver) report(rule string, level Level, problem string) Finding {
	f := Finding{Rule: rule, Level: level, Verdict: ByRule, Item: "waiver/" + w.Rule,
		Message: "T" + w.String()[1:] + " " + problem}
	if !kit.IsGlob(w.Server) {
		f.Server = w.Server
	}
	if w.Source.File != "" {
		f.Location = &w.Source
	}
	f.New, _ = json.Marshal(struct { // strings always encode
		Rule        string `json:"rule"`
		Server      string `json:"server,omitempty"`
		Item        string `json:"item,omitempty"`
		Path        string `json:"path,omitempty"`
		Fingerprint string `json:"fingerprint,omitempty"`
		Waiver
	}{w.Rule, w.Server, w.Item, w.Path, w.Fingerprint, w})
	return f
}

// Tolerance lets a server fail without failing the run; the report shows the failure.
type Tolerance struct {
	Server  string   `json:"-"` // its name
	Reason  string   `json:"reason"`
	Expires Day      `json:"expires,omitempty"` // the last day on which it is valid; empty = never expires
	Source  Location `json:"-"`                 // where it is written
}

// Tolerated returns the tolerance for a server at a moment; nil for none.
func Tolerated(tolerances []Tolerance, name string, now time.Time) *Tolerance {
	for i, t := range tolerances {
		if t.Server == name && !t.Expires.Over(now) {
			return &tolerances[i]
		}
	}
	return nil
}

// Ended returns the tolerance for a server that ended last before a moment; nil for none.
func Ended(tolerances []Tolerance, name string, now time.Time) (last *Tolerance) {
	for i, t := range tolerances {
		if t.Server == name && t.Expires.Over(now) && (last == nil || t.Expires > last.Expires) {
			last = &tolerances[i]
		}
	}
	return last
}

// String describes the tolerance, such as "the tolerance of server a (mcpctl.yaml:3)".
func (t Tolerance) String() string {
	text := "the tolerance of server " + t.Server
	if t.Source.File != "" {
		text += fmt.Sprintf(" (%s)", t.Source)
	}
	return text
}

// Day is a calendar day in UTC such as 2026-12-31, or empty for none.
type Day string

// ParseDay parses a day such as 2026-12-31.
func ParseDay(text string) (Day, error) {
	if _, err := time.Parse(time.DateOnly, text); err != nil {
		return "", fmt.Errorf("%.40q is not a day such as 2026-12-31", text)
	}
	return Day(text), nil
}

// noticeDays is how many days before its end a waiver or tolerance is named.
const noticeDays = 14

// Near reports whether the day is one of the next 14, today included. The empty day never is.
func (d Day) Near(now time.Time) bool {
	return d != "" && !d.Over(now) && now.UTC().AddDate(0, 0, noticeDays).Format(time.DateOnly) >= string(d)
}

// Over reports whether the day has ended. The empty day never ends.
func (d Day) Over(now time.Time) bool {
	return d != "" && now.UTC().Format(time.DateOnly) > string(d)
}
