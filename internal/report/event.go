package report

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Event is one thing that watching has to tell, of one server or at the end of all; its JSON is described in docs/watch.md.
type Event struct {
	Mcpctl   int       `json:"mcpctl"` // version of this form; WriteEvent sets it
	Time     time.Time `json:"time"`
	ID       string    `json:"id,omitempty"`        // no other event has it; one that is told again keeps it
	Sequence int       `json:"sequence,omitempty"`  // among the events of its server, from 1
	Change   int       `json:"change,omitempty"`    // among the changes of its server, from 1: those that --exec and --webhook get
	Event    string    `json:"event"`               // "state", "changed", "silent", "unchanged", "stale", "recovered", "reload", "build" or "summary"
	Server   string    `json:"server,omitempty"`    // configured name
	State    string    `json:"state,omitempty"`     // the state in effect
	Previous string    `json:"previous,omitempty"`  // state: the one before
	Cause    string    `json:"cause,omitempty"`     // what made the lists be read
	Note     string    `json:"note,omitempty"`      // one remark for a person
	Files    []string  `json:"files,omitempty"`     // reload: those that changed, or some of them
	Elapsed  *int64    `json:"elapsedMs,omitempty"` // build: how long it took
	Counts   *Counts   `json:"counts,omitempty"`    // state: how many items of each kind are known
	Error    *Failure  `json:"error,omitempty"`     // why
	Findings Findings  `json:"findings,omitzero"`   // changed and recovered: what changed

	Trouble    string     `json:"trouble,omitempty"`    // which kind of trouble it is
	From       string     `json:"from,omitempty"`       // changed, silent and recovered: digest of the surface before
	To         string     `json:"to,omitempty"`         // and of this one
	Announced  *bool      `json:"announced,omitempty"`  // the server had announced it
	Confirmed  *bool      `json:"confirmed,omitempty"`  // lists of several pages came twice as they are
	VerifiedAt *time.Time `json:"verifiedAt,omitempty"` // when the whole surface last arrived
	Connected  *bool      `json:"connected,omitempty"`  // a connection stands
	Listening  *bool      `json:"listening,omitempty"`  // what the server announces arrives

	Status  *int      `json:"status,omitempty"`  // summary: exit status of the run
	Verdict Verdict   `json:"verdict,omitempty"` // summary: the status in one word
	Servers []Watched `json:"servers,omitempty"` // summary: in the order of the configuration
	Summary *Summary  `json:"summary,omitempty"` // summary: findings that were told, by level
}

// Watched is what became of one server.
type Watched struct {
	Name      string `json:"name"`
	State     string `json:"state"`               // the last one before watching ended
	Tolerated bool   `json:"tolerated,omitempty"` // it may fail, as mcpctl.yaml says
	Unsaved   bool   `json:"unsaved,omitempty"`   // nothing was saved to compare with
	Watch     any    `json:"watch,omitempty"`     // numbers of readings, changes and the like
}

// EventFormats are the names that WriteEvent knows.
func EventFormats() []string { return []string{"table", "ndjson"} }

// WriteEvent writes an event: as lines for people, or with the format "ndjson" as one line of JSON.
func WriteEvent(w io.Writer, format string, e Event, o Options) error {
	e.Mcpctl = Version
	if format == "ndjson" {
		e.Time = e.Time.UTC().Truncate(time.Millisecond)
		raw, err := rawjson.Encode(e)
		if err != nil {
			return err
		}
		_, err = io.WriteString(w, printable.Spaced(raw)+"\n")
		return err
	}
	p := &page{Options: o}
	writeEventLines(p, e)
	_, err := io.WriteString(printable.Guard(w, printable.SpelledOut), p.String())
	return err
}

// ReadEvent reads an event back from its line of JSON, and gives the lines for people as well.
func ReadEvent(line []byte, o Options) (e Event, text string, err error) {
	if err := json.Unmarshal(line, &e); err != nil {
		return e, "", err
	}
	var lines strings.Builder
	err = WriteEvent(&lines, "table", e, o)
	return e, lines.String(), err
}

// writeEventLines writes one line, and what belongs to it below.
func writeEventLines(p *page, e Event) {
	head := []span{{e.Time.Format(time.TimeOnly), dim}, {"  ", plain}}
	if e.Event == "summary" {
		p.text(0, 2, append(head, summed(p, e)...)...)
		return
	}
	head = append(head, span{e.Server, bold}, span{"  ", plain}, e.word())
	for _, remark := range e.remarks() {
		head = append(head, span{"  " + remark, dim})
	}
	p.text(0, 2, head...)
	if e.Error != nil {
		writeTrouble(p, *e.Error)
	}
	writeCauses(p, 2, roster{}, p.causes(finding.Groups(e.Findings)))
}

func (e Event) word() span {
	inks := map[string]style{
		"live": green, "polling": green, "recovered": green, "changed": yellow, "stale": red, "failed": red,
		"degraded": yellow, "reconnecting": yellow,
	}
	word := e.Event
	switch {
	case word == "state":
		word = e.State
	case word == "build" && e.Error != nil:
		return span{"build failed", red}
	}
	return span{word, inks[word]}
}

// remarks are what else is to be said on the line.
func (e Event) remarks() []string {
	cause, took := "", ""
	if e.Cause != "" {
		cause = "by " + e.Cause
	}
	if e.Elapsed != nil {
		took = fmt.Sprintf("%.1f s", float64(*e.Elapsed)/1000)
	}
	return lists.Filter([]string{e.counted(), cause, strings.Join(e.Files, ", "), took, e.odd(), e.Note}, func(remark string) bool { return remark != "" })
}

// odd is what is worth a remark of how it came about.
func (e Event) odd() string {
	switch {
	case e.Trouble == "notification-lost":
		return "and an announcement of it may have got lost"
	case e.Trouble == "announced-unreadable" && e.Event == "state":
		return "an announced change cannot be read"
	case e.Trouble == "hung" && e.Event == "state":
		return "not even a ping is answered"
	case e.Event == "silent":
		return "a change that was told before was never announced"
	case e.Event == "unchanged" && e.Cause != "reload":
		return "although the server announced a change"
	case e.Event == "changed" && len(e.Findings) == 0:
		return "as saved again"
	}
	return ""
}

func (e Event) counted() string {
	var words []string
	counted := &Server{Counts: e.Counts}
	for _, kind := range snapshot.Kinds() {
		if n := counted.Count(kind); n != nil {
			words = append(words, quantity(*n, kind.Word()))
		}
	}
	return strings.Join(words, ", ")
}

func writeTrouble(p *page, f Failure) {
	for i, l := range lines(f.Message) {
		if i == 0 && f.Stage != "" {
			l = f.Stage + ": " + l
		}
		p.text(4, 2, span{l, plain})
	}
	p.hint(4, f.Hint)
	writeStderr(p, f.Stderr)
}

// summed is the last line: how often what was told, and how the servers were at the end.
func summed(p *page, e Event) []span {
	states := lists.Map(e.Servers, func(s Watched) string { return s.State })
	line := fmt.Sprintf("watching has ended: %d breaking, %d warning, %d info", e.Summary.Breaking, e.Summary.Warning, e.Summary.Info)
	if e.Summary.Waived > 0 {
		line += fmt.Sprintf(", %d waived", e.Summary.Waived)
	}
	return []span{{line, bold}, {"  servers: " + tally(states), dim}}
}
