package finding

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
)

// Usage is what recorded calls of a tool say of a finding about it.
type Usage struct {
	Recorded  int             `json:"recorded"`            // calls of all tools of the server, in the window
	Calls     int             `json:"calls"`               // calls of the tool that were accepted before
	Refused   int             `json:"refused"`             // those of them that would be refused now because of the finding
	Undecided int             `json:"undecided"`           // those of them of which the records do not tell
	Member    string          `json:"member,omitempty"`    // of the tool's results, which the finding is about, such as rows[].id
	Answers   int             `json:"answers,omitempty"`   // answers of which it is recorded whether they held the member
	Held      int             `json:"held,omitempty"`      // those of them that did; whether somebody used it is not recorded
	Consumers []string        `json:"consumers,omitempty"` // agents that made the refused ones, or received what held the member; else all of the tool's
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

// enough is how many records speak for it that nobody is affected: those of the server, since agents choose what they call; but of what
// the server chose to answer, the answers.
func (u *Usage) enough() int {
	if u.Answers > 0 {
		return u.Answers
	}
	return u.Recorded
}

// String says it in one sentence without a full stop.
func (u *Usage) String() string {
	window, open := fmt.Sprintf("in %d days", u.Days), ""
	if u.Undecided > 0 {
		open = fmt.Sprintf(", and of %d it cannot be decided", u.Undecided)
	}
	switch {
	case u.Recorded == 0:
		return "no call of this server is recorded " + window
	case u.Refused > 0 && u.Refused == u.Calls:
		return fmt.Sprintf("%s by %s %s would be refused, the last one of %s", match.Counted(u.Calls, "recorded call"), u.Callers(), window, u.Last)
	case u.Refused > 0:
		return fmt.Sprintf("%d of %s by %s %s would be refused%s", u.Refused, match.Counted(u.Calls, "recorded call"), u.Callers(), window, open)
	case u.Held > 0:
		return fmt.Sprintf("%d of %s, received by %s %s, held `%s`; whether they used it no record says", u.Held, match.Counted(u.Answers, "recorded answer"), u.Callers(), window, u.Member)
	case u.Answers > 0 && u.Undecided == 0:
		return fmt.Sprintf("no recorded answer held `%s`, of %d %s", u.Member, u.Answers, window)
	case u.Answers > 0:
		return fmt.Sprintf("no recorded answer held `%s`, of %d %s; what %s got is not recorded", u.Member, u.Answers, window, match.Counted(u.Undecided, "further call"))
	case u.Undecided > 0:
		return fmt.Sprintf("cannot be decided from these records: %d of %s %s", u.Undecided, match.Counted(u.Calls, "recorded call"), window)
	}
	return fmt.Sprintf("no recorded call is affected: %d of this tool, %d of this server %s", u.Calls, u.Recorded, window)
}

// Callers says who called, such as "2 agents (cron, codex) in 1 project (shop)".
func (u *Usage) Callers() string {
	text := match.Counted(len(u.Consumers), "agent") + bracketed(u.Consumers)
	if len(u.Projects) > 0 {
		text += " in " + match.Counted(len(u.Projects), "project") + bracketed(u.Projects)
	}
	return text
}

// bracketed lists some names in brackets; most of them if they are many.
func bracketed(names []string) string {
	const most = 4
	switch {
	case len(names) == 0:
		return ""
	case len(names) > most:
		return fmt.Sprintf(" (%s, …)", strings.Join(names[:most], ", "))
	}
	return " (" + strings.Join(names, ", ") + ")"
}

// Called is what is recorded of the calls of one tool.
type Called struct {
	Server   string   `json:"server"`
	Tool     string   `json:"tool"`
	Calls    int      `json:"calls"`              // in the window
	Failed   int      `json:"failed"`             // those of them that were answered with an error
	Agents   []string `json:"agents"`             // who called
	Projects []string `json:"projects,omitempty"` // where, as far as that is known
	Last     string   `json:"last"`               // day of the last call
	Days     int      `json:"days"`               // how long the window is
	Trend    []int    `json:"trend"`              // calls in equal parts of the window, the oldest first
	Tokens   *int     `json:"tokens,omitempty"`   // what the tool costs every conversation; absent = its definition is not at hand

	// What follows is known where the calls are judged by the tool's schema.
	Refused   int      `json:"refused,omitempty"`   // calls that the tool would refuse now
	Undecided int      `json:"undecided,omitempty"` // calls of which the records do not tell
	Fault     string   `json:"fault,omitempty"`     // what is wrong with the refused ones most often
	Unused    []string `json:"unused,omitempty"`    // arguments that were never given, and choices that were never made as NAME=VALUE

	Failing    string              `json:"failing,omitempty"`    // who made the calls that failed, in words
	Wrong      string              `json:"wrong,omitempty"`      // the argument that is wrong most often
	WrongCalls int                 `json:"wrongCalls,omitempty"` // in how many calls
	WrongFault string              `json:"wrongFault,omitempty"` // what is wrong with it most often
	NeverGiven []string            `json:"neverGiven,omitempty"` // arguments, sorted; none where that is not known
	NeverSent  map[string][]string `json:"neverSent,omitempty"`  // choices as JSON, by the argument that has them
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
		if f.Usage.Unaffected() && f.Usage.enough() >= p.MinCalls && f.Level > p.Unused && f.Waiver == nil {
			f.Was, f.Level = f.Level, p.Unused
		}
	}
	return findings
}
