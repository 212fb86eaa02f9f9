package compare

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surfaceOf returns a server with tools of these descriptions.
func surfaceOf(t *testing.T, name string, descriptions ...string) fleet.Surface {
	t.Helper()
	var list []string
	for i, text := range descriptions {
		tool := fmt.Sprintf(`{"name":"t%d","description":%q,"inputSchema":{"type":"object"}}`, i, text)
		list = append(list, tool)
	}
	s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` +
		strings.Join(list, ",") + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return fleet.Surface{Server: seen.Server{Name: name, State: seen.OK}, Snapshot: s}
}

// TestTooLarge fails the one server that is too large to be compared.
func TestTooLarge(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	failed := map[string]string{}
	for name, both := range map[string]sides{
		"too large": {old: surfaceOf(t, "too large", half, half, half), now: surfaceOf(t, "too large")},
		"small":     {old: surfaceOf(t, "small", "a"), now: surfaceOf(t, "small", "b")},
	} {
		found, _ := both.findings(t.Context(), 0, diff.Options{}, finding.Policy{})
		if s := both.result(); s.State == seen.Failed {
			failed[name] = s.Error.Message + " → " + s.Error.Hint
		}
		if name == "small" && len(found) == 0 {
			t.Error("the small one has no finding")
		}
	}
	want := "12.0 MiB changed on both sides; at most 8 MiB are compared → " + offerLess
	if len(failed) != 1 || failed["too large"] != want {
		t.Error(failed)
	}
}

// TestLargeServersTakeTurns lets a second large server wait for the first one, but not a small one.
func TestLargeServersTakeTurns(t *testing.T) {
	done := turnFor(maxSmall + 1)
	turnFor(maxSmall)()
	if largeServers.TryLock() {
		t.Error("two large servers may be judged at once")
	}
	done()
	turnFor(maxSmall + 1)()
}

// TestLate fails a server whose comparison takes too long.
func TestLate(t *testing.T) {
	both := sides{old: surfaceOf(t, "s", "a"), now: surfaceOf(t, "s", "b")}
	found, err := both.findings(t.Context(), time.Nanosecond, diff.Options{}, finding.Policy{})
	s := both.result()
	if err != nil || len(found) != 0 || s.State != seen.Failed || s.Error.Message != "undecided after 1ns" ||
		!strings.Contains(s.Error.Hint, "--timeout") || both.complete() {
		t.Errorf("%v, %v, %+v", found, err, s.Error)
	}
}

// TestSameFile compares nothing if both sides are the same file, and keeps tokens.
func TestSameFile(t *testing.T) {
	old, now := surfaceOf(t, "s", "a"), surfaceOf(t, "s", "a")
	var err error
	if old.Raw, err = now.Snapshot.Encode(); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel() // so that nothing can be compared
	both, f := sides{old: old, now: now}, &fleet.Fleet{Config: &config.Config{}}
	c := both.compare(ended, host.Process{}, f, diff.Options{}, finding.Policy{})
	if c == nil || !c.complete || len(c.found) != 0 {
		t.Fatalf("%+v", c)
	}
	if s := c.server; s.State != seen.OK || s.Tokens == nil || *s.Tokens != *s.BaseTokens {
		t.Errorf("%+v", s)
	}
}
