package monitor

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// odd is a name that has to be escaped everywhere.
const odd = `a/b c?%41"..`

// status is how it stands with a server that has two tools and no prompts.
func status(state watch.State) watch.Status {
	shot := &snapshot.Snapshot{Protocol: "2025-11-25", Server: json.RawMessage(`{"name":"<x>","version":"1"}`), Capabilities: json.RawMessage(`{}`)}
	shot.Tools = snapshot.NewList(snapshot.Tools, []json.RawMessage{
		json.RawMessage(`{"name":"one","inputSchema":{"type":"object","maximum":1.0e2}}`), json.RawMessage(`{"name":"two","inputSchema":{"type":"object"}}`)})
	return watch.Status{State: state, Since: time.Now().Add(-time.Minute), VerifiedAt: time.Now().Add(-time.Minute), Surface: shot, Counts: watch.Counts{Connections: 3, Announcements: 5}}
}

// viewOf is a view of a status that does not change.
func viewOf(now watch.Status) func() watch.Status { return func() watch.Status { return now } }

// five are a server that is well, one in trouble with a part of its surface, one that is not known yet, and two that are
// not watched.
func five() []Server {
	trouble := status(watch.Degraded)
	trouble.Err = errors.New("no")
	trouble.Surface = &snapshot.Snapshot{Protocol: "2025-11-25", Tools: snapshot.NewPart(snapshot.Tools, nil, "no")}
	return []Server{
		{Name: odd, Transport: "stdio", Status: viewOf(status(watch.Live)), Refresh: make(chan struct{}, 1)},
		{Name: "trouble", Transport: "http", Status: viewOf(trouble), Refresh: make(chan struct{}, 1)},
		{Name: "new", Transport: "http", Status: viewOf(watch.Status{}), Refresh: make(chan struct{}, 1)},
		{Name: "off", Status: viewOf(watch.Status{State: watch.Disabled})},
		{Name: "wrong", Status: viewOf(watch.Status{State: watch.Failed}), Trouble: &report.Failure{Stage: "configuration", Message: "both", Hint: "one"}},
	}
}

// monitorOf is a Monitor that knows some servers, and has told and counted something of the first.
func monitorOf(o Options, servers ...Server) *Monitor {
	m := New(o)
	m.Watch(servers)
	for _, a := range []watch.Attempt{
		{Outcome: watch.Failure, Took: time.Second}, {Outcome: watch.Connected, Took: time.Second},
		{Cause: watch.Poll, Outcome: watch.Different, Took: 30 * time.Millisecond}, {Cause: watch.Poll, Outcome: watch.Different, Took: time.Hour},
	} {
		m.Attempt(servers[0].Name, a)
	}
	m.Dropped("--webhook", servers[0].Name, 1)
	tell(m, report.Event{Time: time.Now(), Event: "state", Server: servers[0].Name, State: "connecting"})
	tell(m, change(servers[0].Name))
	return m
}

// tell tells an event as watching does.
func tell(m *Monitor, e report.Event) {
	m.Count(e)
	m.events.Add(e.Server, e.Event, e.Findings != nil, nil, func(at journal.Place) []byte {
		var line bytes.Buffer
		e.ID, e.Sequence, e.Change = at.ID, at.Sequence, at.Change
		_ = report.WriteEvent(&line, "ndjson", e, report.Options{})
		return bytes.TrimSpace(line.Bytes())
	})
}

func change(server string) report.Event {
	return report.Event{Time: time.Now(), Event: "changed", Server: server, State: "live", Cause: "poll", Findings: report.Findings{
		{Rule: "tool-removed", Level: finding.Breaking, Server: server, Item: "tool/x/y", Message: "gone"},
		{Rule: "instructions-changed", Level: finding.Warning, Server: server, Message: "other", Waiver: &finding.Waiver{Reason: "so"}},
	}}
}

// ask makes a request and gives the response with its body.
func ask(t *testing.T, h http.Handler, method, path, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, "http://localhost:9464"+path, strings.NewReader(body))
	for _, header := range headers {
		key, value, _ := strings.Cut(header, ": ")
		if r.Header.Set(key, value); key == "Host" {
			r.Host = value
		}
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	got, err := io.ReadAll(w.Result().Body)
	if err != nil {
		t.Fatal(err)
	}
	return w.Result(), string(got)
}
