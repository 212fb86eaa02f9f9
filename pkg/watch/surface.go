package watch

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surface is what is known of a server. It is never changed, only replaced.
type surface struct {
	shot   *snapshot.Snapshot // nil = nothing yet. A list that is not whole never arrived whole
	digest string             // empty unless the snapshot is complete
	stale  []snapshot.Kind    // lists whose last reading failed
}

// with is the surface after a reading: the lists that arrived whole are new, the others stay as they are known best.
func (s surface) with(r reading) surface {
	next := surface{shot: &snapshot.Snapshot{}}
	*next.shot = *r.hello
	for _, kind := range snapshot.Kinds() {
		list, asked := r.list(kind)
		failed := asked && !list.Whole()
		switch {
		case s.shot == nil && !asked:
			list = snapshot.NewPart(kind, nil, "not asked for yet")
		case s.shot != nil && (!asked || failed && s.shot.List(kind).Whole()):
			list = s.shot.List(kind)
		}
		next.shot.SetList(list)
		if failed || !asked && slices.Contains(s.stale, kind) {
			next.stale = append(next.stale, kind)
		}
	}
	next.digest = next.shot.Digest()
	return next
}

// before is s as the old side of a comparison with next: a list that becomes known is not one that was added.
func (s surface) before(next surface) *snapshot.Snapshot {
	old := *s.shot
	for _, list := range s.shot.Incomplete() {
		old.SetList(next.shot.List(list.Kind))
	}
	return &old
}

// same tells whether nothing can have changed.
func (s surface) same(next surface) bool { return s.digest != "" && s.digest == next.digest }
