package watchrun

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// eventView turns events into lines for a person: one for the start of all servers, one for a reload, one for
// a lost connection that is back.
type eventView struct {
	developing bool     // the one server is restarted when its files change
	names      []string // of the servers at the start
	width      int      // columns of the longest name
	servers    map[string]*viewedServer
	begun      bool         // the line about the start was written
	held       []WatchEvent // events that wait for that line
}

// viewedServer is what the lines so far said about a server.
type viewedServer struct {
	state    string
	failure  *seen.Failure // of that state
	shown    string        // the message of the failure that was shown last
	stale    bool          // until it recovers
	lost     time.Time     // when the connection was lost; zero = it stands
	reloaded time.Time     // when files changed; zero = that was answered
	files    []string      // that changed
}

// newEventView returns the view for these servers. A single server has no line about the start of all.
func newEventView(names []string, developing bool) *eventView {
	v := &eventView{names: names, developing: developing, begun: len(names) < 2}
	v.servers = map[string]*viewedServer{}
	for _, name := range names {
		v.server(name)
	}
	return v
}

// server returns what was shown of a server. One that is new is connecting.
func (v *eventView) server(name string) *viewedServer {
	s := v.servers[name]
	if s == nil {
		s = &viewedServer{state: string(watch.Connecting)}
		v.servers[name] = s
		v.width = max(v.width, displaywidth.String(printable.Message(name)))
	}
	return s
}

// lines returns the lines of an event. Until all servers are known, events wait for the line about them.
func (v *eventView) lines(e WatchEvent) []seen.EventLine {
	if v.begun {
		return v.after(e)
	}
	s := v.server(e.Server)
	if e.Event == "state" && s.state == string(watch.Connecting) {
		s.state, s.failure = e.State, e.Error
	} else {
		v.held = append(v.held, e)
	}
	waiting := func(name string) bool { return v.server(name).state == string(watch.Connecting) }
	if e.Event != "summary" && slices.ContainsFunc(v.names, waiting) {
		return nil
	}
	return v.begin(e.Time)
}

// begin returns the line about all servers, those about the failed ones, and what waited for them. No line
// has an earlier time than the one before it.
func (v *eventView) begin(now time.Time) []seen.EventLine {
	if v.begun {
		return nil
	}
	v.begun = true
	if len(v.held) > 0 && v.held[0].Time.Before(now) {
		now = v.held[0].Time
	}
	states := map[string][]string{}
	var order []string
	for _, name := range v.names {
		state := v.server(name).state
		if states[state] = append(states[state], printable.Message(name)); len(states[state]) == 1 {
			order = append(order, state)
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return len(states[b]) - len(states[a]) })
	var words []string
	for _, state := range order {
		word := fmt.Sprintf("%d %s", len(states[state]), state)
		if !watch.State(state).Reached() && state != string(watch.Disabled) {
			word += " (" + kit.Some(states[state]) + ")"
		}
		words = append(words, word)
	}
	line := fmt.Sprintf("watching %d servers: %s", len(v.names), strings.Join(words, ", "))
	lines := []seen.EventLine{{Time: now, Word: line}}
	for _, name := range v.names {
		if s := v.server(name); s.failure != nil {
			failed := WatchEvent{Time: now, Server: name, Error: s.failure}
			lines = append(lines, v.trouble(failed, s, s.state))
		}
	}
	for _, e := range v.held {
		lines = append(lines, v.after(e)...)
	}
	v.held = nil
	return lines
}

// after returns the lines of an event after the start.
func (v *eventView) after(e WatchEvent) []seen.EventLine {
	s := v.server(e.Server)
	var line seen.EventLine
	switch e.Event {
	case "summary":
		line = seen.EventLine{Time: e.Time, Word: "ended", Remark: summed(e)}
	case "reload":
		s.reloaded, s.files = e.Time, e.Files
		if e.Note != "" && len(e.Files) > 0 {
			s.files = append(slices.Clone(e.Files), e.Note)
		}
	case "build":
		if e.Error != nil {
			line = v.trouble(e, s, "build failed")
		}
	case "state":
		line = v.stateLine(e, s)
	case "stale":
		s.stale = true
		line = v.trouble(e, s, "stale")
	case "changed", "unchanged", "recovered":
		line = v.reading(e, s)
	default:
		line = v.line(e, e.Event, e.Note)
	}
	if line.Word == "" {
		return nil
	}
	return []seen.EventLine{line}
}

func (v *eventView) line(e WatchEvent, word, remark string) seen.EventLine {
	return seen.EventLine{Time: e.Time, Server: e.Server, Width: v.width, Word: word, Remark: remark}
}

// trouble returns a line with a failure, unless the same one was just shown.
func (v *eventView) trouble(e WatchEvent, s *viewedServer, word string) seen.EventLine {
	line := v.line(e, word, e.Note)
	if e.Error == nil || e.Error.Message == s.shown {
		return line
	}
	s.shown = e.Error.Message
	failure := *e.Error
	if v.developing {
		failure.Hint = "waiting for the next save"
	}
	line.Error = &failure
	return line
}

// stateLine returns the line of a state. A connection that is back has its line with what it found, and so
// has a server that was stale.
func (v *eventView) stateLine(e WatchEvent, s *viewedServer) seen.EventLine {
	before := watch.State(s.state)
	s.state = e.State
	reached := watch.State(e.State).Reached()
	back := reached && (!s.lost.IsZero() || !s.reloaded.IsZero() || s.stale)
	switch {
	case e.State == string(watch.Connecting), e.State == string(watch.Closed):
		return seen.EventLine{}
	case back && before != watch.Connecting:
		return seen.EventLine{}
	case e.State == string(watch.Reconnecting):
		if s.lost.IsZero() {
			s.lost = e.Time
		}
		if e.Error == nil { // it is restarted
			return seen.EventLine{}
		}
		return v.trouble(e, s, e.State)
	case reached:
		s.shown, s.reloaded = "", time.Time{}
		return v.line(e, e.State, e.Counts.Items())
	case v.developing && e.State == string(watch.Failed):
		return v.trouble(e, s, "failed to start")
	}
	return v.trouble(e, s, e.State)
}

// reading returns the line of a reading: what it found, after a reload or a lost connection, or by itself.
func (v *eventView) reading(e WatchEvent, s *viewedServer) seen.EventLine {
	word, remark := e.Event, e.Findings.Levels()
	if e.Event == "changed" && remark == "" {
		remark = "same as saved"
	}
	switch {
	case e.Cause == string(watch.Reload) && !s.reloaded.IsZero():
		word = fmt.Sprintf("reloaded in %.1fs", e.Time.Sub(s.reloaded).Seconds())
		if len(s.files) > 0 {
			word += " (" + strings.Join(s.files, ", ") + ")"
		}
	case e.Cause == string(watch.Reconnection) && !s.lost.IsZero():
		word = "reconnected after " + e.Time.Sub(s.lost).Round(time.Second).String()
	case e.Event == "unchanged":
		remark = "although a change was announced"
	}
	if word != e.Event && e.Event == "unchanged" {
		word += ", unchanged"
	}
	s.lost, s.reloaded, s.stale, s.shown = time.Time{}, time.Time{}, false, ""
	line := v.line(e, word, remark)
	line.Findings = e.Findings
	return line
}

// summed returns how often what was reported, and the states of servers at the end.
func summed(e WatchEvent) string {
	var states []string
	for _, s := range e.Servers {
		states = append(states, s.State)
	}
	sum := e.Summary
	line := fmt.Sprintf("%d breaking, %d warning, %d info", sum.Breaking, sum.Warning, sum.Info)
	if sum.Waived > 0 {
		line += fmt.Sprintf(", %d waived", sum.Waived)
	}
	return line + "; servers: " + kit.Tally(states)
}
