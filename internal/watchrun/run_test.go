package watchrun

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// TestWaiverEndsWhileWatching: a run of days judges by the day that it is, not by the one on which it began.
func TestWaiverEndsWhileWatching(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := &watchRun{process: host.Process{Now: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}, began: time.Now()}
		r.totals.policy.Waivers = []finding.Waiver{{Rule: "tool-removed", Reason: "planned", Expires: "2026-01-02"}}
		removed := []finding.Finding{{Rule: "tool-removed", Level: finding.Breaking, Server: "s", Item: "tool/a"}}
		if judged := r.judge(removed); judged[0].Waiver == nil {
			t.Errorf("on the first day: %v", judged)
		}
		time.Sleep(48 * time.Hour)
		if judged := r.judge(removed); judged[0].Waiver != nil {
			t.Errorf("two days later: %v", judged)
		}
	})
}
