package compare

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surfaceOf is a server that offers tools with descriptions.
func surfaceOf(t *testing.T, name string, descriptions ...string) fleet.Surface {
	t.Helper()
	var list []string
	for i, text := range descriptions {
		list = append(list, fmt.Sprintf(`{"name":"t%d","description":%q,"inputSchema":{"type":"object"}}`, i, text))
	}
	s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + strings.Join(list, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return fleet.Surface{Server: report.Server{Name: name, State: report.OK}, Snapshot: s}
}

// TestTooLargeAlone: what is too much for a server is a failure of that server alone, with what to do.
func TestTooLargeAlone(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	failed := map[string]string{}
	for name, sides := range map[string][2]fleet.Surface{
		"large":     {surfaceOf(t, "large", half, half), surfaceOf(t, "large")},
		"same":      {surfaceOf(t, "same", half, half, half), surfaceOf(t, "same", half, half, half)},
		"too large": {surfaceOf(t, "too large", half, half, half), surfaceOf(t, "too large")},
		"small":     {surfaceOf(t, "small", "a"), surfaceOf(t, "small", "b")},
	} {
		p := Pair{Old: sides[0], New: sides[1]}
		found, _ := p.judge(t.Context(), diff.Options{}, finding.Policy{})
		if s := p.result(); s.State == report.Failed {
			failed[name] = s.Error.Message + " → " + s.Error.Hint
		}
		if name == "small" && len(found) == 0 {
			t.Error("the small one got no answer")
		}
	}
	if why := failed["too large"]; len(failed) != 1 || !strings.Contains(why, "what changed is 12.0 MiB on both sides, of which 8 MiB are compared at most → no model can be shown that much") {
		t.Error(failed)
	}
}

// TestLargeServersTakeTurns: a second large server waits for the first one, a small one does not.
func TestLargeServersTakeTurns(t *testing.T) {
	done := turnFor(maxSmall + 1)
	turnFor(maxSmall)()
	if largeServers.TryLock() {
		t.Error("two large servers may be judged at once")
	}
	done()
	turnFor(maxSmall + 1)()
}

// TestStepsOfARun: few servers have all the work that one has, many share that of a run, and none has less than real changes need. What
// a server has depends on the configuration alone, so that a part of a divided run judges as the whole does.
func TestStepsOfARun(t *testing.T) {
	for servers, want := range map[int]int{0: 500_000, 1: 500_000, 20: 500_000, 100: 100_000, 200: 50_000, 10_000: 50_000} {
		if got := stepsFor(servers); got != want {
			t.Errorf("%d servers: %d, not %d", servers, got, want)
		}
	}
}

// TestUndecidedInTime: a server whose comparison takes longer than it may is undecided.
func TestUndecidedInTime(t *testing.T) {
	c := Pair{Old: surfaceOf(t, "s", "a"), New: surfaceOf(t, "s", "b")}.within(t.Context(), time.Nanosecond, diff.Options{}, finding.Policy{})
	if s := c.server; c == nil || len(c.found) != 0 || s.State != report.Failed || s.Error.Message != "undecided after 1ns" || !strings.Contains(s.Error.Hint, "--timeout") || c.whole {
		t.Errorf("%+v, %+v", c, s.Error)
	}
}

// TestSameFile: two sides that are one file, byte for byte, are not compared, and keep what is told of them.
func TestSameFile(t *testing.T) {
	now := surfaceOf(t, "s", "a")
	data, err := now.Snapshot.Encode()
	if err != nil {
		t.Fatal(err)
	}
	old := surfaceOf(t, "s", "a")
	old.Raw = data
	ended, cancel := context.WithCancel(t.Context())
	cancel() // in which nothing can be compared
	pair := Pair{Old: old, New: now}
	if found, err := pair.judge(ended, diff.Options{}, finding.Policy{}); err != nil || len(found) > 0 {
		t.Errorf("%v, %v", found, err)
	}
	c, err := pair.compare(t.Context(), diff.Options{}, finding.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	if s := c.server; !c.whole || len(c.found) != 0 || s.State != report.OK || s.Tokens == nil || *s.Tokens != *s.BaseTokens || c.versions == nil {
		t.Errorf("%+v, %+v", c, s)
	}
}
