package watch

import (
	"fmt"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// news is what the server of a session announced and no reading has answered yet.
type news struct {
	kinds map[snapshot.Kind]bool // announced as changed; true = no reading was tried since
	all   Cause                  // why to read everything: Resumption or Interruption; empty = no reason

	streak    int       // useless announcements in a row
	notBefore time.Time // when announcements are acted on again
}

// add takes what came; heard reports whether notifications arrived until now.
func (n *news) add(got News, heard bool) {
	switch {
	case got.Resumed:
		n.all = Resumption
	case heard && !got.Hears:
		n.all = Interruption
	case got.Hears && n.all == Interruption:
		n.all = ""
	}
	if len(n.kinds) == 0 {
		n.kinds = map[snapshot.Kind]bool{}
	}
	for _, kind := range got.Changed {
		n.kinds[kind] = true
	}
}

// pending reports whether something came that no reading was tried for.
func (n *news) pending() bool {
	for _, untried := range n.kinds {
		if untried {
			return true
		}
	}
	return n.all != ""
}

func (n *news) announced(kind snapshot.Kind) bool {
	_, announced := n.kinds[kind]
	return announced
}

// tried records that a reading of lists begins.
func (n *news) tried(kinds []snapshot.Kind) {
	for _, kind := range kinds {
		if n.announced(kind) {
			n.kinds[kind] = false
		}
	}
	if len(kinds) == len(snapshot.Kinds()) {
		n.all = ""
	}
}

// answered records that a list arrived. What was announced after it was asked for stays.
func (n *news) answered(kind snapshot.Kind) {
	if !n.kinds[kind] {
		delete(n.kinds, kind)
	}
}

// forget drops what another session had to report.
func (n *news) forget() { n.kinds, n.all = nil, "" }

const (
	toleratedStreak = 3           // useless announcements in a row that have no consequence
	firstBrake      = time.Second // between readings of a server that announces too much; it doubles
)

// weighAnnouncements reports whether the server announced a change that did not happen, and slows down
// reading if it does so often. An announcement after a change that was found within Options.Silence is only
// late.
func (w *watcher) weighAnnouncements(r reading, moved bool) (needless bool, note string) {
	n := &w.news
	answered := !slices.ContainsFunc(r.missing(), n.announced)
	empty, later := r.announced && answered && !moved, r.asked.Sub(w.state.changedAt)
	switch {
	case empty && later >= w.options.patience(), r.announced && n.pending():
		n.streak++
	case moved:
		n.streak = 0
	}
	if over := n.streak - toleratedStreak; over > 0 {
		brake := min(firstBrake<<min(over-1, 16), w.options.interval(false))
		n.notBefore = time.Now().Add(brake)
		if over == 1 {
			note = fmt.Sprintf("announces a change with every reading: read at most every %s now", brake)
		}
	}
	return empty && later >= w.options.Silence, note
}
