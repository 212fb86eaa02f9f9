package watchrun

import (
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// totals are the reported findings, judged: of all changes, or of the newest differences from saved
// snapshots.
type totals struct {
	policy  finding.Policy
	fails   bool // the run fails
	summary report.Summary
}

// add counts findings by their level, and makes the run fail if the policy says so.
func (t *totals) add(found []finding.Finding) {
	t.fails = t.fails || t.policy.Fails(found)
	sum := report.Summarize(found, nil)
	t.summary.Breaking += sum.Breaking
	t.summary.Warning += sum.Warning
	t.summary.Info += sum.Info
	t.summary.Waived += sum.Waived
	t.summary.Unknown += sum.Unknown
}

// recount judges the newest differences of the servers that are watched.
func (t *totals) recount(servers []*watchedServer) {
	t.fails, t.summary = false, report.Summary{}
	for _, w := range servers {
		t.add(w.found)
	}
}

// shownEvent returns an event of a server as it is written.
func shownEvent(w *watchedServer, e watch.Event) report.Event {
	shown := report.Event{
		Time: e.Time, Event: string(e.Kind), Server: e.Server, State: string(e.State),
		Previous: string(e.Previous), Cause: string(e.Cause),
	}
	switch {
	case e.Kind == watch.Changed:
		shown.Findings = append(report.Findings{}, e.Findings...)
	case e.Kind == watch.StateChanged && !w.target.Live():
		shown.Error = w.target.Known().Error
	case e.Kind == watch.StateChanged && e.State.Reached():
		shown.Counts = report.CountsOf(w.view.Status().Surface)
	}
	if e.Err != nil {
		shown.Error = fleet.FailureOf(e.Err)
	}
	return shown
}
