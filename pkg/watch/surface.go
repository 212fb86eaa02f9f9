package watch

import (
	"slices"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// surface is what is known of a server. It is never changed, only replaced.
type surface struct {
	shot    *snapshot.Snapshot // nil = nothing yet
	digest  string
	unknown []snapshot.Kind // lists that were never read
	lacking []snapshot.Kind // lists whose last reading failed
}

// with is the surface after a reading: the lists that arrived are new, the others stay.
func (s surface) with(r reading) surface {
	next := surface{shot: &snapshot.Snapshot{}}
	*next.shot = *r.hello
	for _, kind := range snapshot.Kinds() {
		list, arrived := r.lists[kind]
		wanted := slices.Contains(r.kinds, kind)
		if !arrived && s.shot != nil {
			list = s.shot.List(kind)
		}
		next.shot.SetList(kind, list)
		if !arrived && (s.shot == nil || slices.Contains(s.unknown, kind)) {
			next.unknown = append(next.unknown, kind)
		}
		if !arrived && (wanted || slices.Contains(s.lacking, kind)) {
			next.lacking = append(next.lacking, kind)
		}
	}
	next.digest = next.shot.Digest()
	return next
}

// before is s as the old side of a comparison with next: a list that becomes known is not one that was added.
func (s surface) before(next surface) *snapshot.Snapshot {
	old := *s.shot
	for _, kind := range s.unknown {
		old.SetList(kind, next.shot.List(kind))
	}
	return &old
}

// same tells whether nothing can have changed.
func (s surface) same(next surface) bool {
	return s.digest != "" && s.digest == next.digest && len(s.unknown) == len(next.unknown)
}
