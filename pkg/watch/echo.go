package watch

import (
	"fmt"
	"time"
)

// echo is how often in a row a server announced a change because it was read, or for no reason.
type echo struct {
	streak    int
	notBefore time.Time // when its announcements are heeded again
}

// tolerated is how long such a streak may be without a consequence.
const tolerated = 3

// firstBrake is the least time between readings of a server that announces too much; it doubles.
const firstBrake = time.Second

// judge tells an announcement that came to nothing from one that was heeded early, and slows a server down that goes on
// so. The note says when that begins.
func (w *watcher) judge(session Session, r reading, changed bool) (needless bool, note string) {
	w.catch(session)
	needless = r.notified && !changed && r.since.Sub(w.changedAt) >= w.options.patience()
	switch {
	case needless, r.notified && w.dirty:
		w.echo.streak++
	case changed:
		w.echo.streak = 0
	}
	over := w.echo.streak - tolerated
	if over <= 0 {
		return needless, ""
	}
	brake := min(firstBrake<<min(over-1, 16), w.options.Interval)
	w.echo.notBefore = time.Now().Add(brake)
	if over == 1 {
		note = fmt.Sprintf("announces a change with every reading: read after %s at the earliest from now on, and less often if it goes on", brake)
	}
	return needless, note
}

// catch takes a signal that is there already, so that its news are heeded next.
func (w *watcher) catch(session Session) {
	select {
	case <-session.Signal():
		w.dirty = true
	default:
	}
}

// hears gives a server that announces changes a moment to announce the one that a poll has found.
func (w *watcher) hears(session Session) bool {
	w.catch(session)
	if w.dirty {
		return true
	}
	timer := time.NewTimer(w.options.Quiet)
	defer timer.Stop()
	select {
	case <-session.Signal():
		w.dirty = true
	case <-session.Done():
	case <-timer.C:
	}
	return w.dirty
}
