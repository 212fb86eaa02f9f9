package main

import (
	"bytes"
	"context"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// tell shows an event and remembers what it means for the end. Servers call it from goroutines of their own.
func (v *vigil) tell(w *watched, e watch.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if e.State != watch.Closed {
		w.last = e.State
	}
	if e.Kind == watch.Changed || e.Kind == watch.Recovered && v.how.against != "saved" { // a distance is told by Changed alone
		v.remember(w, e.Findings)
	}
	shown := v.shown(w, e)
	v.publish(shown, v.servers)
	if e.Kind == watch.Changed || e.Kind == watch.Recovered && len(e.Findings) > 0 {
		v.pass(shown)
	}
}

// publish shows an event to everybody; nil servers means that it is the last one.
func (v *vigil) publish(e report.Event, servers []*watched) {
	v.monitor.Tell(e) // first: whoever reads standard output may be slow
	v.screen.show(e, servers)
}

// pass hands a change on to whoever waits for one.
func (v *vigil) pass(e report.Event) {
	var line bytes.Buffer
	if len(v.hooks.each) > 0 && report.WriteEvent(&line, "ndjson", e, report.Options{}) == nil {
		v.hooks.fire(line.Bytes())
	}
	if v.how.untilChange || v.how.failOn != "" && v.fails {
		v.end(errSeen)
	}
}

// remember judges what was found: all that changed, or the newest distance alone.
func (v *vigil) remember(w *watched, found []finding.Finding) {
	w.found = found
	if v.how.against == "saved" {
		v.recount()
		return
	}
	v.add(found)
}

// recount judges the newest distances of the servers that are watched.
func (v *vigil) recount() {
	v.fails, v.summary = false, report.Summary{}
	for _, each := range v.servers {
		v.add(each.found)
	}
}

func (v *vigil) add(found []finding.Finding) {
	v.fails = v.fails || v.policy.Fails(found)
	sum := report.Summarize(found, nil)
	v.summary.Breaking += sum.Breaking
	v.summary.Warning += sum.Warning
	v.summary.Info += sum.Info
	v.summary.Waived += sum.Waived
	v.summary.Unknown += sum.Unknown
}

// shown is an event as it is written.
func (v *vigil) shown(w *watched, e watch.Event) report.Event {
	shown := report.Event{
		Time: e.Time, Event: string(e.Kind), Server: e.Server, State: string(e.State), Previous: string(e.Previous),
		Cause: string(e.Cause), Silent: e.Silent, Note: e.Note,
	}
	switch e.Kind {
	case watch.StateChanged:
		known := surface{snapshot: w.view.Status().Surface}
		if known.describe(); e.State.Reached() {
			shown.Counts = known.Counts
		}
		if w.server == nil {
			shown.Error = w.Error
		}
	case watch.Changed, watch.Recovered:
		shown.Findings = append(report.Findings{}, e.Findings...)
	}
	if e.Err != nil {
		shown.Error = failureOf(e.Err)
	}
	return shown
}

// failureOf is the first failure in an error, as a report shows it.
func failureOf(err error) *report.Failure {
	var s surface
	s.fail(err)
	return s.Error
}

// sumUp tells how it ended, and gives the status as the command's error.
func (v *vigil) sumUp(ctx context.Context) error {
	e := report.Event{Time: time.Now(), Event: "summary", Summary: &v.summary}
	for _, w := range v.servers {
		if !w.last.Reached() && !w.config {
			w.Tolerated = finding.Tolerated(v.cfg.Project.Tolerate, v.cfg.Project.Names(w.Name), v.Now)
		}
		one := report.Watched{Name: w.Name, State: string(w.last), Unsaved: w.Unsaved, Tolerated: w.Tolerated != nil}
		if w.server != nil {
			one.Watch = w.view.Status().Counts
		}
		e.Servers = append(e.Servers, one)
	}
	status := v.status()
	e.Status, e.Verdict = &status, report.VerdictOf(status)
	v.publish(e, nil)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case status != exit.OK:
		return exit.Code(status)
	}
	return nil
}
