package compare

import (
	"sync"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// maxChecked is the largest server in bytes that is checked, since the rules need all of it at once. A
// comparison has a limit of its own, diff.MostBytes of what changed.
const maxChecked = 4 << 20

// maxSmall is the size in bytes up to which several servers are judged at once. Larger ones take turns, so
// that the memory of a run does not grow with the number of processors.
const maxSmall = 128 << 10

// largeServers is held while a server larger than maxSmall is judged.
var largeServers sync.Mutex

// turnFor waits until a server of a size may be judged, and returns the function to call afterwards.
func turnFor(size int) (done func()) {
	if size <= maxSmall {
		return func() {}
	}
	largeServers.Lock()
	return largeServers.Unlock
}

// failAnalysis makes a server fail that was not analyzed, or not completely.
func failAnalysis(s *fleet.Surface, stage, message, hint string) {
	s.State, s.Snapshot = report.Failed, nil
	s.Fail(report.Failure{Stage: stage, Message: message, Hint: hint})
}

// offerLess is the advice for a server that is too large.
const offerLess = "no model can read that much: offer less; mcpctl list shows what is large"

// sizeOf returns the size of a snapshot in bytes, 0 for none.
func sizeOf(s *snapshot.Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Size()
}
