package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

func noon() time.Time { return time.Date(2026, 6, 30, 12, 0, 0, 123456789, time.UTC) }

// TestEventLines shows each kind of event as people and as programs see it.
func TestEventLines(t *testing.T) {
	two, status, took := 2, 1, int64(1300)
	removed := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/a\x1b", Message: "It is gone."}
	for name, c := range map[string]struct {
		event       report.Event
		lines, json string
	}{
		"state": {
			report.Event{Event: "state", Server: "s", State: "live", Previous: "connecting", Counts: &report.Counts{Tools: &two}},
			"12:00:00  s  live  2 tools\n",
			`"event": "state", "server": "s", "state": "live", "previous": "connecting", "counts": {"tools": 2}`,
		},
		"trouble": {
			report.Event{Event: "state", Server: "s\n", State: "reconnecting", Error: &report.Failure{Stage: "watching", Message: "it ended", Hint: "look", Stderr: "oh\n"}},
			"12:00:00  s\\n  reconnecting\n    watching: it ended\n    → look\n  stderr:\n    oh\n",
			`"event": "state", "server": "s\n", "state": "reconnecting", "error": {"stage": "watching", "message": "it ended", "hint": "look", "stderr": "oh\n"}`,
		},
		"changed": {
			report.Event{Event: "changed", Server: "s", State: "live", Cause: "poll", Findings: report.Findings{removed}},
			"12:00:00  s  changed  by poll\n  breaking  It is gone  tool-removed  " + removed.Fingerprint() + "\n    tool/a\\x1b\n",
			`"event": "changed", "server": "s", "state": "live", "cause": "poll", "findings": [{"rule": "tool-removed", "level": "breaking", "server": "s", "item": "tool/a\u001b", "message": "It is gone.", "fingerprint": "` + removed.Fingerprint() + `"}]`,
		},
		"silent": {
			report.Event{Event: "silent", Server: "s", State: "live", Cause: "poll", Trouble: "changed-silently", From: "1", To: "2"},
			"12:00:00  s  silent  by poll  a change that was told before was never announced\n",
			`"event": "silent", "server": "s", "state": "live", "cause": "poll", "trouble": "changed-silently", "from": "1", "to": "2"`,
		},
		"as saved": {
			report.Event{Event: "changed", Server: "s", State: "live", Cause: "poll", Findings: report.Findings{}},
			"12:00:00  s  changed  by poll  as saved again\n",
			`"event": "changed", "server": "s", "state": "live", "cause": "poll", "findings": []`,
		},
		"unchanged": {
			report.Event{Event: "unchanged", Server: "s", State: "live", Cause: "notification", Note: "slowed"},
			"12:00:00  s  unchanged  by notification  although the server announced a change  slowed\n",
			`"event": "unchanged", "server": "s", "state": "live", "cause": "notification", "note": "slowed"`,
		},
		"unchanged by a reload": {
			report.Event{Event: "unchanged", Server: "s", State: "live", Cause: "reload"},
			"12:00:00  s  unchanged  by reload\n",
			`"event": "unchanged", "server": "s", "state": "live", "cause": "reload"`,
		},
		"reload": {
			report.Event{Event: "reload", Server: "s", State: "live", Files: []string{"a.go", "b\x1b.go"}, Note: "and 3 more"},
			"12:00:00  s  reload  a.go, b\\x1b.go  and 3 more\n",
			`"event": "reload", "server": "s", "state": "live", "note": "and 3 more", "files": ["a.go", "b\u001b.go"]`,
		},
		"build": {
			report.Event{Event: "build", Server: "s", State: "live", Elapsed: &took},
			"12:00:00  s  build  1.3 s\n",
			`"event": "build", "server": "s", "state": "live", "elapsedMs": 1300`,
		},
		"build that failed": {
			report.Event{Event: "build", Server: "s", State: "live", Elapsed: &took, Error: &report.Failure{Stage: "building", Message: "exit status 2", Hint: "look", Stderr: "oh\n"}},
			"12:00:00  s  build failed  1.3 s\n    building: exit status 2\n    → look\n  stderr:\n    oh\n",
			`"event": "build", "server": "s", "state": "live", "elapsedMs": 1300, "error": {"stage": "building", "message": "exit status 2", "hint": "look", "stderr": "oh\n"}`,
		},
		"summary": {
			report.Event{Event: "summary", Status: &status, Verdict: report.Fail, Summary: &report.Summary{Breaking: 1, Waived: 2},
				Servers: []report.Watched{{Name: "s", State: "live"}, {Name: "t", State: "failed"}, {Name: "u", State: "live"}}},
			"12:00:00  watching has ended: 1 breaking, 0 warning, 0 info, 2 waived  servers: 2 live, 1 failed\n",
			`"event": "summary", "status": 1, "verdict": "fail", "servers": [{"name": "s", "state": "live"}, {"name": "t", "state": "failed"}, {"name": "u", "state": "live"}], "summary": {"breaking": 1, "warning": 0, "info": 0, "waived": 2, "unknown": 0, "failed": 0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.event.Time = noon()
			if diff := cmp.Diff(c.lines, written(t, "table", c.event, report.Options{})); diff != "" {
				t.Errorf("for people (-want +got):\n%s", diff)
			}
			line := written(t, "ndjson", c.event, report.Options{Color: true})
			want := `{"mcpctl": 1, "time": "2026-06-30T12:00:00.123Z", ` + c.json + "}\n"
			if diff := cmp.Diff(want, line); diff != "" {
				t.Errorf("for programs (-want +got):\n%s", diff)
			}
			if !json.Valid([]byte(line)) || strings.Count(line, "\n") != 1 {
				t.Errorf("not one line of JSON: %q", line)
			}
		})
	}
}

// TestEventColours are on the words that tell, and nowhere else.
func TestEventColours(t *testing.T) {
	e := report.Event{Time: noon(), Event: "stale", Server: "s", State: "degraded"}
	want := "\x1b[2m12:00:00\x1b[0m  \x1b[1ms\x1b[0m  \x1b[31mstale\x1b[0m\n"
	if diff := cmp.Diff(want, written(t, "table", e, report.Options{Color: true})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func written(t *testing.T, format string, e report.Event, o report.Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.WriteEvent(&b, format, e, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
