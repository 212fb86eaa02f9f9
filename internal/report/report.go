// Package report turns what a command found into bytes: a table for people, JSON and YAML for programs.
//
// A command fills one Report and gives it to Write. The JSON form is described by docs/report.schema.json; every other
// format is a view of the same value. Text that servers sent never reaches a terminal as it is: what cannot be seen is
// spelled out.
package report

import (
	"encoding/json"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Version is the number of the JSON form that this package writes.
const Version = 1

// Report is everything one run of one command has to say.
type Report struct {
	Mcpctl   int               `json:"mcpctl"`             // version of this form; Write sets it
	Command  string            `json:"command"`            // "list", "show", "snapshot", "diff", "config", …
	Status   int               `json:"status"`             // exit status of the run
	Verdict  Verdict           `json:"verdict"`            // Status in one word; empty = VerdictOf(Status), set by Write
	Servers  []Server          `json:"servers"`            // in configuration order
	Findings Findings          `json:"findings,omitzero"`  // nil = the command does not judge; empty = nothing found
	FailOn   finding.Threshold `json:"failOn,omitempty"`   // from this level on a finding fails the run; empty = breaking
	Rules    []finding.Rule    `json:"rules,omitempty"`    // rules: the catalogue, or the rules that were asked for
	Files    []File            `json:"files,omitempty"`    // config --discover: the files of applications that were looked at
	Problems []string          `json:"problems,omitempty"` // what is wrong but belongs to no server, such as an unreadable file
	Summary  Summary           `json:"summary"`            // how many of what; Write sets it
}

// Verdict is the exit status in one word.
type Verdict string

// The verdicts of a run.
const (
	Pass        Verdict = "pass"        // 0: nothing at or above the threshold
	Fail        Verdict = "fail"        // 1: findings at or above the threshold
	Invalid     Verdict = "error"       // 2: wrong usage or configuration
	Incomplete  Verdict = "incomplete"  // 3: could not find out
	Unsaved     Verdict = "unsaved"     // 4: nothing saved to compare with
	Interrupted Verdict = "interrupted" // 130 and 143
)

// VerdictOf is the word for an exit status.
func VerdictOf(status int) Verdict {
	words := map[int]Verdict{0: Pass, 1: Fail, 3: Incomplete, 4: Unsaved, 130: Interrupted, 143: Interrupted}
	if word, ok := words[status]; ok {
		return word
	}
	return Invalid
}

// Summary counts findings by level, and servers that could not be asked in full.
type Summary struct {
	Breaking int `json:"breaking"`
	Warning  int `json:"warning"`
	Info     int `json:"info"`
	Waived   int `json:"waived"`  // findings that a waiver excuses; they are counted nowhere else
	Unknown  int `json:"unknown"` // findings, of any level, whose verdict is "unproven"
	Failed   int `json:"failed"`  // servers whose state is "failed" or "partial"
}

// Options are the ways to write a report. The zero value writes plain text of unlimited width.
type Options struct {
	Width int  // columns of the terminal; 0 = unlimited
	Color bool // whether to colour
	Items bool // table of list: a row per item even when there are several servers
	Fleet bool // table of list: a row per server even when there is one, unless Items is set
	Raw   bool // table of show: the raw JSON of every item as well

	Waived bool // those that people read: findings that are waived as well

	Limit   int            // markdown: the most bytes it may have; 0 = as many as GitHub takes in a comment
	Rules   []finding.Rule // sarif, html: what is known of the rules that findings name
	Version string         // sarif: version of the program that writes
}

// Elapsed is a duration in the unit of Server.ElapsedMs, rounded.
func Elapsed(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }

// Items are raw items of one kind, each exactly as the server sent it. Nil = not shown or not offered; empty = none.
type Items = []json.RawMessage
