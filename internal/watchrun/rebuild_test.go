package watchrun

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
)

// TestReloadPauses: files that change shortly after a build wait ever longer, others do not.
func TestReloadPauses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reloads := make(chan time.Time, 1)
		b := &rebuilder{
			emit:  func(report.Event) { reloads <- time.Now() },
			asked: make(chan struct{}, 1), restart: make(chan struct{}, 1),
		}
		changes := make(chan fileChange)
		go b.run(t.Context(), changes)
		var got []time.Duration
		for _, wait := range []time.Duration{time.Minute, time.Second, time.Second, time.Second, time.Minute} {
			time.Sleep(wait)
			began := time.Now()
			changes <- fileChange{Files: []string{"made"}, Noticed: began}
			got = append(got, (<-reloads).Sub(began))
		}
		want := []time.Duration{0, time.Second, 2 * time.Second, 4 * time.Second, 0}
		if !slices.Equal(got, want) {
			t.Errorf("pauses %v, want %v", got, want)
		}
	})
}
