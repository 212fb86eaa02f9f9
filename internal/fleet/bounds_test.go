package fleet

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestRunHoldsBounded contacts no further server once a run holds 256 MiB of lists, and keeps nothing of those that
// were under way.
func TestRunHoldsBounded(t *testing.T) {
	f := &Fleet{held: new(atomic.Int64)}
	servers := f.withinBounds([]probe.Server{{Name: "a"}})
	f.held.Store(256 << 20)
	if err := servers[0].Verify(); err != nil {
		t.Errorf("at the bound: %v", err)
	}
	f.held.Add(1)
	if err := servers[0].Verify(); err == nil || err.Error() != "the run holds more than 256 MiB of lists" {
		t.Errorf("above the bound: %v", err)
	}
	s := f.arrived(Target{server: &servers[0]}, probe.Result{Snapshot: &snapshot.Snapshot{}})
	if s.State != "failed" || s.Snapshot != nil || !strings.Contains(s.Error.Message, "more than 256 MiB") ||
		!strings.Contains(s.Error.Hint, "--only") {
		t.Errorf("one that was under way: %v %v", s.State, s.Error)
	}
}

// TestKeptItemsAreCompact keeps of an item its own bytes, not the reply that it came in.
func TestKeptItemsAreCompact(t *testing.T) {
	reply := []byte(`[ {"name": "a",  "n": 1.0, "u": "\u00e9"}` + strings.Repeat(" ", 1000) + `]`)
	kept := compact(json.RawMessage(reply[2 : bytes.IndexByte(reply, '}')+1]))
	if string(kept) != `{"name":"a","n":1.0,"u":"\u00e9"}` || cap(kept) > 64 {
		t.Errorf("%s, of %d bytes", kept, cap(kept))
	}
}
