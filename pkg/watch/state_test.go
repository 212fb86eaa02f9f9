package watch

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestUndecidedInTime: a comparison that does not end within the time for a reading says so, and not that a
// deadline was exceeded.
func TestUndecidedInTime(t *testing.T) {
	one := &snapshot.Snapshot{Tools: snapshot.NewList(snapshot.Tools, []json.RawMessage{json.RawMessage(`{"name": "a"}`)})}
	s := &state{source: Source{Saved: func() *snapshot.Snapshot { return one }}, options: &Options{Timeout: 1}}
	if _, _, err := s.findings(t.Context(), surface{shot: &snapshot.Snapshot{}}); err == nil || !strings.HasSuffix(err.Error(), "comparing: undecided after 1ns") {
		t.Errorf("%v", err)
	}
}
