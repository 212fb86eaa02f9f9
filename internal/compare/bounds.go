package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// maxChecked limits the bytes of a server that is checked, since the rules hold all of it at once. A
// comparison has its own limit, diff.MostBytes of what changed.
const maxChecked = 4 << 20

// maxSmall is the size in bytes up to which servers are judged several at a time. Larger ones take their
// turn, so that the memory of a run does not grow with the number of processors.
const maxSmall = 128 << 10

var largeServers sync.Mutex

// turnFor waits until a server of a size may be judged, and returns the function to call afterwards.
func turnFor(size int) (done func()) {
	if size <= maxSmall {
		return func() {}
	}
	largeServers.Lock()
	return largeServers.Unlock
}

// Steps on the schemas of all servers of a run, and of one server at least. No change of a real server needs
// as many.
const (
	stepsOfRun = 10_000_000
	leastSteps = 50_000
)

// stepsFor returns the steps on the schemas of each server in a run of so many servers, in all of its shards.
func stepsFor(servers int) int {
	return max(leastSteps, min(diff.DefaultSteps, stepsOfRun/max(servers, 1)))
}

// undecided makes a server fail whose analysis was not done, or not to its end.
func undecided(s *fleet.Surface, stage, why, hint string) {
	s.State, s.Snapshot = report.Failed, nil
	s.Fail(report.Failure{Stage: stage, Message: why, Hint: hint})
}

const offerLess = "no model can be shown that much: let it offer less; mcpctl list shows what is large"

// refuseLarge makes a server fail that offers too much to be checked.
func refuseLarge(s *fleet.Surface) {
	if size := sizeOf(s.Snapshot); size > maxChecked {
		why := fmt.Sprintf("what it offers is %.1f MiB, of which %d MiB are checked at most",
			float64(size)/(1<<20), maxChecked>>20)
		undecided(s, "checking", why, offerLess+", and diff compares what changed")
	}
}

// judge returns what changed in a pair. What is too much to be compared is a failure of the server; the
// error is that of the context.
func (p *Pair) judge(ctx context.Context, options diff.Options, policy finding.Policy) ([]finding.Finding,
	error) {
	if p.same() {
		p.Old.Snapshot = p.New.Snapshot // which says so, and lets the other one go
		return nil, nil
	}
	found, err := p.Findings(ctx, options, policy)
	if large, is := errors.AsType[*diff.TooLargeError](err); is {
		undecided(&p.New, "comparing", large.Error(), offerLess)
		return nil, nil
	}
	return found, err
}

// same reports whether both sides are one file, byte for byte: most are.
func (p *Pair) same() bool {
	if p.Old.Raw == nil || p.New.Snapshot == nil {
		return false
	}
	now := p.New.Raw
	if now == nil {
		now, _ = p.New.Snapshot.Encode() // what is not whole is no file
	}
	return bytes.Equal(p.Old.Raw, now)
}

// unfinished makes a server fail whose check did not end in time.
func unfinished(s *fleet.Surface, err error, limit time.Duration) {
	if _, cut := errors.AsType[*check.UnfinishedError](err); cut || errors.Is(err, context.DeadlineExceeded) {
		undecided(s, "checking", fleet.TooLong(limit), fleet.TakeLonger)
	}
}

// sizeOf returns the size of a snapshot in bytes, 0 if there is none.
func sizeOf(s *snapshot.Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Size()
}
