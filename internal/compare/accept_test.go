package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
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
