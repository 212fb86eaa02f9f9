package compare

import (
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestAcceptMany accepts very many changes of one rule, of which only the first are shown one by one.
func TestAcceptMany(t *testing.T) {
	both := sides{old: surfaceOf(t, "s", make([]string, 2500)...), now: surfaceOf(t, "s")}
	found, err := both.findings(t.Context(), 0, diff.Options{}, finding.Policy{})
	o := AcceptOptions{Rules: []string{"tool-removed"}}
	chosen, wrong := o.choose([]candidate{{both, found}})
	if n := len(kit.Filter(found, chosen)); err != nil || wrong != nil || n != 1000 || len(found) != 1001 {
		t.Errorf("%v, %v, %d of %d are chosen", err, wrong, n, len(found))
	}
}

// TestAcceptUndecided accepts nothing of a server that is too large to be compared, or not compared in time.
func TestAcceptUndecided(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	for message, c := range map[string]struct {
		both  sides
		limit time.Duration
	}{
		"12.0 MiB changed on both sides": {
			both: sides{old: surfaceOf(t, "s", half, half, half), now: surfaceOf(t, "s")},
		},
		"undecided after 1ns": {
			both: sides{old: surfaceOf(t, "s", "a"), now: surfaceOf(t, "s", "b")}, limit: time.Nanosecond,
		},
	} {
		found, err := c.both.findings(t.Context(), c.limit, diff.Options{}, finding.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		next, err := AcceptOptions{All: true}.move(candidate{c.both, found}, nil, nil)
		if s := c.both.now; err != nil || next.data != nil || s.State != seen.Failed ||
			!strings.HasPrefix(s.Error.Message, message) || len(found) != 0 {
			t.Errorf("%s: %v, %d bytes, %q, %+v", message, err, len(next.data), s.State, s.Error)
		}
	}
}
