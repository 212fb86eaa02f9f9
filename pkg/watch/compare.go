package watch

import (
	"maps"

	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// compare finds what is to be told of the next surface, and whether there is something to tell: what changed since the
// last good surface, or the distance from what is saved, when that is another one.
func (w *watcher) compare(next surface) (found []finding.Finding, changed bool) {
	if w.source.Saved != nil {
		return w.distance(next)
	}
	if w.good.shot == nil || w.good.same(next) {
		return nil, false
	}
	found = w.options.Judge(diff.Compare(w.good.before(next), next.shot, w.options.Diff))
	return found, len(found) > 0
}

func (w *watcher) distance(next surface) (found []finding.Finding, changed bool) {
	if saved := w.source.Saved(); saved != nil {
		found = w.options.Judge(diff.Compare(saved, next.shot, w.options.Diff))
	}
	now := map[string]bool{}
	for _, f := range found {
		now[f.Fingerprint()] = true
	}
	if maps.Equal(now, w.told) {
		return nil, false
	}
	w.told = now
	return found, true
}
