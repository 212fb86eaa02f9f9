package probe

import (
	"testing"
	"time"
)

// TestOpensOnce reaches a server that refuses initialize after it answered discover.
func TestOpensOnce(t *testing.T) {
	for result := range All(t.Context(), []Server{{Name: "once", Stdio: played("once")}}, Options{Timeout: 20 * time.Second}) {
		if result.Err != nil {
			t.Fatal(result.Err)
		}
		if result.Snapshot.Protocol != "2025-06-18" || len(result.Snapshot.Tools.Items()) != 1 {
			t.Errorf("snapshot %+v", result.Snapshot)
		}
		if len(result.Notices) != 1 || result.Notices[0].Code != NoticeRestarted {
			t.Errorf("notices %v, want one of the restart", result.Notices)
		}
	}
}
