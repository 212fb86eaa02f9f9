package compare

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestAcceptSum accepts the finding that stands for many, and with it exactly those.
func TestAcceptSum(t *testing.T) {
	names := make([]string, 2500)
	both := pair{old: surfaceOf(t, "s", names...), now: surfaceOf(t, "s")}
	o := AcceptOptions{}
	o.Every = true
	c, err := o.candidate(t.Context(), host.Process{}, both, 0, finding.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	o.Fingerprints = slices.Collect(maps.Keys(c.hidden))
	err = o.choose([]*candidate{c})
	if err != nil || len(c.shown) != 1001 || len(c.chosen) != 1500 {
		t.Errorf("%v, %d are shown, %d are chosen", err, len(c.shown), len(c.chosen))
	}
}

// TestAcceptUndecided accepts nothing of a server that is too large to be compared, or not compared in time.
func TestAcceptUndecided(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	for message, c := range map[string]struct {
		both  pair
		limit time.Duration
	}{
		"12.0 MiB changed on both sides": {
			both: pair{old: surfaceOf(t, "s", half, half, half), now: surfaceOf(t, "s")},
		},
		"undecided after 1ns": {
			both: pair{old: surfaceOf(t, "s", "a"), now: surfaceOf(t, "s", "b")}, limit: time.Nanosecond,
		},
	} {
		o := AcceptOptions{All: true}
		one, err := o.candidate(t.Context(), host.Process{}, c.both, c.limit, finding.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		next, err := o.move(t.Context(), *one)
		if s := one.now; err != nil || next.data != nil || s.State != report.Failed ||
			!strings.HasPrefix(s.Error.Message, message) || len(one.found) != 0 {
			t.Errorf("%s: %v, %d bytes, %q, %+v", message, err, len(next.data), s.State, s.Error)
		}
	}
}
