package compare

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestAcceptingASumIsAcceptingWhatItStandsFor: whoever accepts what is told of many findings at once accepts those, and no others.
func TestAcceptingASumIsAcceptingWhatItStandsFor(t *testing.T) {
	surface := func(tools int) fleet.Surface {
		var list []string
		for i := range tools {
			list = append(list, fmt.Sprintf(`{"name":"t%d","inputSchema":{"type":"object"}}`, i))
		}
		s, err := snapshot.Parse([]byte(`{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"tools":[` + strings.Join(list, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		return fleet.Surface{Server: report.Server{Name: "s", State: report.OK}, Snapshot: s}
	}
	o := AcceptOptions{}
	one, err := o.candidate(t.Context(), host.Process{}, Pair{Old: surface(2500), New: surface(0)}, 0, finding.Policy{})
	if err != nil {
		t.Fatal(err)
	}
	candidates := []candidate{one}
	var sum string
	for _, f := range candidates[0].told {
		if strings.HasPrefix(f.Message, "1500 further") {
			sum = f.Fingerprint()
		}
	}
	o.Fingerprints = []string{sum}
	if err := o.choose(candidates); err != nil || len(candidates[0].told) != 1001 || len(candidates[0].chosen) != 1500 {
		t.Errorf("%v, %d are told, %d are chosen", err, len(candidates[0].told), len(candidates[0].chosen))
	}
}

// TestAcceptingWhatCannotBeCompared: nothing is accepted of what is too large to be compared, or is not compared in time; it is a failure of the server.
func TestAcceptingWhatCannotBeCompared(t *testing.T) {
	half := strings.Repeat("a", diff.MostBytes/2-1000)
	for why, c := range map[string]struct {
		pair  Pair
		limit time.Duration
	}{
		"what changed is 12.0 MiB": {pair: Pair{Old: surfaceOf(t, "s", half, half, half), New: surfaceOf(t, "s")}},
		"undecided after 1ns":      {pair: Pair{Old: surfaceOf(t, "s", "a"), New: surfaceOf(t, "s", "b")}, limit: time.Nanosecond},
	} {
		o := AcceptOptions{All: true}
		one, err := o.candidate(t.Context(), host.Process{}, c.pair, c.limit, finding.Policy{})
		if err != nil {
			t.Fatal(err)
		}
		next, err := o.move(t.Context(), one)
		if s := one.New; err != nil || next.data != nil || s.State != report.Failed || !strings.HasPrefix(s.Error.Message, why) || len(one.found) != 0 {
			t.Errorf("%s: %v, %d bytes, %q, %+v", why, err, len(next.data), s.State, s.Error)
		}
	}
}
