package finding

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Usage is what recorded calls of a tool say of a finding about it.
type Usage struct {
	Recorded  int             `json:"recorded"`            // calls of all tools of the server, in the window
	Calls     int             `json:"calls"`               // calls of the tool that were accepted before
	Refused   int             `json:"refused"`             // those of them that would be refused now because of the finding
	Undecided int             `json:"undecided"`           // those of them of which the records do not tell
	Consumers []string        `json:"consumers,omitempty"` // agents that made the refused ones; all of the tool's when none is refused
	Projects  []string        `json:"projects,omitempty"`  // where they did, as far as that is known
	Days      int             `json:"days"`                // how long the window is
	Since     string          `json:"since"`               // its first day
	Last      string          `json:"last,omitempty"`      // day of the last call of the tool
	Example   json.RawMessage `json:"example,omitempty"`   // arguments of a refused call; what is not kept is told in angle brackets
}

// Unaffected tells whether it is certain that no recorded call is refused because of the finding.
func (u *Usage) Unaffected() bool {
	return u != nil && u.Recorded > 0 && u.Refused == 0 && u.Undecided == 0
}

// String says it in one sentence without a full stop.
func (u *Usage) String() string {
	window := fmt.Sprintf("in %d days", u.Days)
	open := ""
	if u.Undecided > 0 {
		open = fmt.Sprintf(", and of %d it cannot be decided", u.Undecided)
	}
	switch {
	case u.Recorded == 0:
		return "no call of this server is recorded " + window
	case u.Refused > 0 && u.Refused == u.Calls:
		return fmt.Sprintf("%s by %s %s would be refused, the last one of %s", counted(u.Calls, "recorded call"), u.Callers(), window, u.Last)
	case u.Refused > 0:
		return fmt.Sprintf("%d of %s by %s %s would be refused%s", u.Refused, counted(u.Calls, "recorded call"), u.Callers(), window, open)
	case u.Undecided > 0:
		return fmt.Sprintf("cannot be decided from these records: %d of %s %s", u.Undecided, counted(u.Calls, "recorded call"), window)
	}
	return fmt.Sprintf("no recorded call is affected: %d of this tool, %d of this server %s", u.Calls, u.Recorded, window)
}

// Callers says who called, such as "2 agents (cron, codex) in 1 project (shop)".
func (u *Usage) Callers() string {
	text := counted(len(u.Consumers), "agent") + named(u.Consumers)
	if len(u.Projects) > 0 {
		text += " in " + counted(len(u.Projects), "project") + named(u.Projects)
	}
	return text
}

// named lists some names in brackets; most of them if they are many.
func named(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf(" (%s, …)", strings.Join(names[:most], ", "))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// UsagePolicy lowers findings that touch no recorded call. The zero value lowers none.
type UsagePolicy struct {
	Unused   Level // what such a finding is lowered to; Off = it is not
	MinCalls int   // how many calls of the server must be recorded
}

// Lower is the findings with the levels that the records give reason for. Those that were lowered say so in Was.
func (p UsagePolicy) Lower(findings []Finding) []Finding {
	if p.Unused == Off {
		return findings
	}
	for i := range findings {
		f := &findings[i]
		if f.Usage.Unaffected() && f.Usage.Recorded >= p.MinCalls && f.Level > p.Unused && f.Waiver == nil {
			f.Was, f.Level = f.Level, p.Unused
		}
	}
	return findings
}
