package watchrun

import (
	"bytes"
	"regexp"
	"slices"
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

// TestEventsInTheOrderOfTheirTimes: of two servers that report at once, one is later to hand its event on, which then has the
// time of the other's.
func TestEventsInTheOrderOfTheirTimes(t *testing.T) {
	var out bytes.Buffer
	p := host.Process{Out: &out}
	r := &watchRun{process: p, printer: newPrinter(p, nil, nil, false)}
	go r.printer.run()
	for _, second := range []int{5, 3, 7, 6, 8} {
		r.publish(WatchEvent{Event: "state", Time: time.Date(2026, 6, 30, 12, 0, second, 0, time.UTC)})
	}
	if err := r.printer.finish(); err != nil {
		t.Fatal(err)
	}
	got := regexp.MustCompile(`:..Z`).FindAllString(out.String(), -1)
	if want := []string{":05Z", ":05Z", ":07Z", ":07Z", ":08Z"}; !slices.Equal(got, want) {
		t.Errorf("times %q, want %q", got, want)
	}
}
