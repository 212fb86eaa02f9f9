package compare

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/usage"
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

func nobody(string, ...string) *usage.Evidence { return nil }

// TestRunTakesWhatFits: what is too much for a server or for a run is a failure of that server alone, with what to do.
func TestRunTakesWhatFits(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	pairs := []Pair{
		{Old: surfaceOf(t, "large", half, half), New: surfaceOf(t, "large")},
		{Old: surfaceOf(t, "same", half, half, half), New: surfaceOf(t, "same", half, half, half)},
		{Old: surfaceOf(t, "too large", half, half, half), New: surfaceOf(t, "too large")},
		{Old: surfaceOf(t, "small", "a"), New: surfaceOf(t, "small", "b")},
	}
	for i := range 3 {
		name := fmt.Sprintf("half%d", i)
		pairs = append(pairs, Pair{Old: surfaceOf(t, name, half), New: surfaceOf(t, name)})
	}
	found, done := findings(t.Context(), pairs, diff.Options{}, finding.Policy{}, nobody, 0)
	failed := map[string]string{}
	for _, p := range done {
		if s := p.result(); s.State == report.Failed {
			failed[s.Name] = s.Error.Message + " → " + s.Error.Hint
		}
	}
	if len(done) != len(pairs) || len(failed) != 2 {
		t.Errorf("%d of %d are told, failed: %v", len(done), len(pairs), failed)
	}
	if why := failed["too large"]; !strings.Contains(why, "what changed is 12.0 MiB on both sides, of which 8 MiB are compared at most → no model can be shown that much") {
		t.Error(why)
	}
	if why := failed["large"]; !strings.Contains(why, "a run compares changes of 16 MiB at most, of the smallest servers first → name fewer servers, or divide the run: --shard") {
		t.Error(why, failed)
	}
	if !slices.ContainsFunc(found, func(f finding.Finding) bool { return f.Server == "small" }) {
		t.Error("the small one got no answer")
	}
}

// TestUndecidedInTime: a server whose comparison takes longer than it may is undecided, and the others are not.
func TestUndecidedInTime(t *testing.T) {
	found, done := findings(t.Context(), []Pair{{Old: surfaceOf(t, "s", "a"), New: surfaceOf(t, "s", "b")}}, diff.Options{}, finding.Policy{}, nobody, time.Nanosecond)
	if len(found) != 0 || len(done) != 1 {
		t.Fatalf("%d findings of %d servers", len(found), len(done))
	}
	if s := done[0].result(); s.State != report.Failed || s.Error.Message != "undecided after 1ns" || !strings.Contains(s.Error.Hint, "--timeout") || done[0].whole() {
		t.Errorf("%+v", s.Error)
	}
}

// TestShare: servers of a run have equal parts of its steps, and none more than it would have alone.
func TestShare(t *testing.T) {
	for servers, want := range map[int]int{0: 500_000, 1: 500_000, 16: 500_000, 80: 100_000} {
		if got := share(diff.DefaultSteps, servers); got != want {
			t.Errorf("%d servers: %d steps, not %d", servers, got, want)
		}
	}
}
