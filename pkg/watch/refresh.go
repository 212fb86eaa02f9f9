package watch

import (
	"context"
	"time"

	"github.com/mcpctl/mcpctl/pkg/finding"
)

// refresh reads what next names, if it is time for a trial, and takes what came.
func (w *watcher) refresh(ctx context.Context, session Session, next reading) {
	var got reading
	tried, err := w.trials.try(ctx, func() (err error) {
		got, err = w.read(ctx, session, next)
		return err
	})
	switch {
	case ctx.Err() != nil: // lost or ended: the next session reads everything
	case !tried && time.Until(w.pollAt) <= 0: // an announcement must not put the next trial off
		w.schedule()
	case !tried:
	default:
		w.take(session, got, err)
	}
}

// take makes what was read the good surface and tells what became of it. Lists that failed stay as they were.
func (w *watcher) take(session Session, r reading, err error) {
	next := w.good.with(r)
	found, changed := w.compare(next)
	first := w.good.shot == nil
	w.good, w.status.Surface = next, next.shot
	o := outcome{findings: found, changed: changed}
	o.silent = changed && !first && r.cause == Poll && !r.notified && w.covered && !w.hears(session)
	o.needless, o.note = w.judge(session, r, changed)
	w.count(o)
	w.options.Observe(Attempt{Cause: r.cause, Outcome: o.word(err), Took: r.took})
	w.floor = session.Floor()
	w.settle(err)
	w.report(r.cause, o, err)
	if err != nil && !first {
		w.giveUp(err)
	}
	if r.whole() || err != nil {
		w.schedule()
	}
	w.publish()
}

// outcome is what a reading came to.
type outcome struct {
	findings []finding.Finding
	changed  bool
	silent   bool // the change was not announced, and should have been
	needless bool // a change was announced, and there is none
	note     string
}

func (w *watcher) count(o outcome) {
	counts := &w.status.Counts
	if o.changed {
		w.changedAt = time.Now()
		counts.Changes++
	}
	if o.silent {
		counts.Silent++
	}
	if o.needless {
		counts.Needless++
	}
}

// settle is the state that a reading leads to.
func (w *watcher) settle(err error) {
	if err != nil {
		w.status.Counts.Failures++
		w.troubled(Degraded, err)
		return
	}
	w.misses = 0
	w.status.Seen = time.Now()
	w.become(w.connected(), nil)
}

// report tells what a reading came to, if that is worth an event.
func (w *watcher) report(cause Cause, o outcome, err error) {
	e := Event{Cause: cause, Findings: o.findings, Silent: o.silent, Note: o.note}
	recovered := err == nil && w.stale
	w.stale = w.stale && !recovered
	if recovered && w.source.Saved != nil { // a distance is nothing that happened meanwhile: it has an event of its own
		w.tell(Event{Kind: Recovered, Cause: cause})
		recovered = false
	}
	switch {
	case recovered:
		e.Kind = Recovered
	case o.changed:
		e.Kind = Changed
	case o.needless, cause == Reload && err == nil:
		e.Kind = Unchanged
	default:
		return
	}
	w.tell(e)
}
