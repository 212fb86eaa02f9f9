package report_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/watchrun"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

func noon() time.Time { return time.Date(2026, 6, 30, 12, 0, 0, 123456789, time.UTC) }

// TestEventJSON shows each kind of event as programs read it.
func TestEventJSON(t *testing.T) {
	status := 1
	removed := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/a\x1b", Message: "It is gone."}
	for name, c := range map[string]struct {
		event watchrun.WatchEvent
		want  string
	}{
		"state": {
			watchrun.WatchEvent{Event: "state", Server: "s", State: "live", Previous: "connecting", Counts: seen.Counts{snapshot.Tools: 2}},
			`"event": "state", "server": "s", "state": "live", "previous": "connecting", "counts": {"tools": 2}`,
		},
		"changed": {
			watchrun.WatchEvent{Event: "changed", Server: "s", State: "live", Cause: "poll", Findings: seen.Findings{removed}, Dropped: 3},
			`"event": "changed", "server": "s", "state": "live", "cause": "poll", "findings": [{"rule": "tool-removed", ` +
				`"level": "breaking", "server": "s", "item": "tool/a\u001b", "message": "It is gone.", ` +
				`"fingerprint": "` + removed.Fingerprint() + `"}], "dropped": 3`,
		},
		"reload": {
			watchrun.WatchEvent{Event: "reload", Server: "s", State: "live", Files: []string{"a.go", "b\x1b.go"}, Note: "and 3 more"},
			`"event": "reload", "server": "s", "state": "live", "note": "and 3 more", "files": ["a.go", "b\u001b.go"]`,
		},
		"summary": {
			watchrun.WatchEvent{Event: "summary", Status: &status, Verdict: exit.Fail, Summary: &seen.Summary{Breaking: 1, Waived: 2},
				Servers: []watchrun.Watched{{Name: "s", State: "live"}}},
			`"event": "summary", "status": 1, "verdict": "fail", "servers": [{"name": "s", "state": "live"}], ` +
				`"summary": {"breaking": 1, "warning": 0, "info": 0, "waived": 2, "unknown": 0, "failed": 0}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.event.Time = noon()
			line := string(c.event.JSON())
			want := `{"mcpctl": 1, "time": "2026-06-30T12:00:00.123Z", ` + c.want + "}\n"
			if diff := cmp.Diff(want, line); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if !json.Valid([]byte(line)) || strings.Count(line, "\n") != 1 {
				t.Errorf("not one line of JSON: %q", line)
			}
		})
	}
}

// TestEventLine shows lines as people see them: aligned, the server's own error first, the hint last.
func TestEventLine(t *testing.T) {
	removed := finding.Finding{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/a\x1b", Message: "It is gone."}
	crash := "node:internal/modules\nsrc/index.ts:35:51: ERROR: Expected \")\"\n\n    at node:internal/main\n"
	for name, c := range map[string]struct {
		line seen.EventLine
		want string
	}{
		"aligned":      {seen.EventLine{Server: "s", Width: 4, Word: "live", Remark: "2 tools"}, "12:00:00  s     live  2 tools\n"},
		"all servers":  {seen.EventLine{Word: "watching 2 servers: 2 live"}, "12:00:00  watching 2 servers: 2 live\n"},
		"hostile name": {seen.EventLine{Server: "s\n\x1b[2J", Word: "live"}, "12:00:00  s\\n\\x1b[2J  live\n"},
		"crash": {
			seen.EventLine{Server: "s", Word: "failed to start", Error: &seen.Failure{
				Stage: "starting", Message: "the server ended", Stderr: crash, Hint: "waiting for the next save"}},
			"12:00:00  s  failed to start\n            src/index.ts:35:51: ERROR: Expected \")\"\n" +
				"            node:internal/modules\n            hint: waiting for the next save\n",
		},
		"findings": {
			seen.EventLine{Server: "s", Word: "changed", Remark: "1 breaking", Findings: seen.Findings{removed}},
			"12:00:00  s  changed  1 breaking\n            breaking  It is gone  tool-removed  " + removed.Fingerprint() + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			c.line.Time = noon()
			if diff := cmp.Diff(c.want, report.EventText(c.line, report.Options{})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	stale := seen.EventLine{Time: noon(), Server: "s", Word: "stale"}
	if got, want := report.EventText(stale, report.Options{Color: true}),
		"\x1b[2m12:00:00\x1b[0m  \x1b[1ms\x1b[0m  \x1b[31mstale\x1b[0m\n"; got != want {
		t.Errorf("in colours %q, want %q", got, want)
	}
}
