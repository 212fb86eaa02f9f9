package watchrun

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// viewed returns the lines of events that come a second apart.
func viewed(v *eventView, events ...WatchEvent) string {
	var text strings.Builder
	for i, e := range events {
		e.Time = time.Date(2026, 6, 30, 12, 0, i, 0, time.UTC)
		for _, line := range v.lines(e) {
			text.WriteString(report.EventText(line, report.Options{}))
		}
	}
	return text.String()
}

func state(server, state string, failure ...string) WatchEvent {
	e := WatchEvent{Event: "state", Server: server, State: state, Counts: seen.Counts{snapshot.Tools: 1}}
	if len(failure) > 0 {
		e.Error, e.Counts = &seen.Failure{Message: failure[0], Hint: "look"}, nil
	}
	return e
}

// TestStartOfManyServers is one line, with what failed below it and what happened meanwhile after it.
func TestStartOfManyServers(t *testing.T) {
	var names []string
	var events []WatchEvent
	for n := range 40 {
		names = append(names, fmt.Sprint("server-", n))
		events = append(events, state(names[n], "connecting"))
	}
	for n := range 38 {
		events = append(events, state(names[n], "live"))
	}
	events = append(events, state(names[38], "reconnecting", "refused"),
		WatchEvent{Event: "changed", Server: names[0], Cause: "start", Findings: seen.Findings{}},
		state(names[39], "failed", "no licence"), state(names[39], "closed"))
	want := `12:01:19  watching 40 servers: 38 live, 1 reconnecting (server-38), 1 failed (server-39)
12:01:19  server-38  reconnecting
            refused
            hint: look
12:01:19  server-39  failed
            no licence
            hint: look
12:01:19  server-0   changed  same as saved
`
	if diff := cmp.Diff(want, viewed(newEventView(names, false), events...)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestSlowStart: servers that are slow do not keep the line about the others.
func TestSlowStart(t *testing.T) {
	v := newEventView([]string{"a", "slow"}, false)
	viewed(v, state("a", "connecting"), state("a", "live"))
	line := v.begin(time.Time{})[0]
	if want := "watching 2 servers: 1 live, 1 connecting (slow)"; line.Word != want {
		t.Errorf("%q, want %q", line.Word, want)
	}
	if got := viewed(v, state("slow", "live")); got != "12:00:00  slow  live  1 tool\n" {
		t.Errorf("then %q", got)
	}
}

// TestOneLinePerSave: a reload has one line, and a crash shows what the server wrote.
func TestOneLinePerSave(t *testing.T) {
	v := newEventView([]string{"todo"}, true)
	crash := state("todo", "failed", "the server ended")
	crash.Error.Stderr = "src/index.ts:35:51: ERROR: Expected \")\"\n"
	reload := WatchEvent{Event: "reload", Server: "todo", Files: []string{"src/tools.ts"}}
	removed := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "todo", Item: "tool/a",
		Message: "Tool a was removed."}
	got := viewed(v, state("todo", "connecting"), state("todo", "live"),
		reload, state("todo", "reconnecting"), state("todo", "live"),
		WatchEvent{Event: "unchanged", Server: "todo", Cause: "reload"},
		reload, state("todo", "reconnecting"), crash,
		reload, state("todo", "reconnecting"), state("todo", "live"),
		WatchEvent{Event: "changed", Server: "todo", Cause: "reload", Findings: seen.Findings{removed}},
		state("todo", "closed"))
	want := `12:00:01  todo  live  1 tool
12:00:05  todo  reloaded in 3.0s (src/tools.ts), unchanged
12:00:08  todo  failed to start
            src/index.ts:35:51: ERROR: Expected ")"
            hint: waiting for the next save
12:00:12  todo  reloaded in 3.0s (src/tools.ts)  1 breaking
            breaking  Tool a was removed  tool-removed  ` + removed.Fingerprint() + `
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestLostConnection has a line with its reason, and one when it is back.
func TestLostConnection(t *testing.T) {
	v := newEventView([]string{"files"}, false)
	stale := WatchEvent{Event: "stale", Server: "files", State: "reconnecting", Error: &seen.Failure{Message: "refused"}}
	got := viewed(v, state("files", "live"), state("files", "reconnecting", "refused"), state("files", "live"),
		WatchEvent{Event: "unchanged", Server: "files", Cause: "reconnection"},
		state("files", "reconnecting", "refused"), stale, state("files", "polling"),
		WatchEvent{Event: "recovered", Server: "files", Cause: "poll"},
		WatchEvent{Event: "unchanged", Server: "files", Cause: "notification"})
	want := `12:00:00  files  live  1 tool
12:00:01  files  reconnecting
            refused
            hint: look
12:00:03  files  reconnected after 2s, unchanged
12:00:04  files  reconnecting
            refused
            hint: look
12:00:05  files  stale
12:00:07  files  recovered
12:00:08  files  unchanged  although a change was announced
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
