package compare

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

const (
	mostChecked = 4 << 20   // bytes of a server; all of it is held at once to be looked at from every side
	leastMemory = 160 << 20 // bytes, however little is compared
	roomOfLarge = 384 << 20 // bytes, for a server with items of more than large: so much memory saves a third of the time
	large       = 256 << 10
	memoryEach  = 2 << 10 // bytes, for what a report says of each server

	small       = 128 << 10 // bytes that are always judged
	roomOfRun   = 14 << 20  // bytes of larger servers that a run judges at least: with the small ones of a hundred, some 20 s of processor time at worst
	roomForEach = 64 << 10  // bytes that each server adds to that where they are very many
)

// room is what a run has left to judge servers that are not small, the first to come first.
type room struct{ left atomic.Int64 }

func roomFor(servers int) *room {
	r := new(room)
	r.left.Store(int64(max(roomOfRun, servers*roomForEach)))
	return r
}

// has takes the bytes of a server out of the room, if they fit.
func (r *room) has(size int) bool {
	if r == nil || size <= small || r.left.Add(int64(-size)) >= 0 {
		return true
	}
	r.left.Add(int64(size))
	return false
}

const fewerOfThem = "name it alone, or fewer servers, or divide the run: --shard 1/2"

// noRoom says why a large server is left out of a run.
func noRoom(size int) string {
	return fmt.Sprintf("%.1f MiB are more than the run has room for beside the other large servers", float64(size)/(1<<20))
}

// undecided lets a server fail of which the analysis was not done, or not to its end: nothing is known of it.
func undecided(s *fleet.Surface, stage, why, hint string) {
	s.State, s.Snapshot = report.Failed, nil
	s.Fail(report.Failure{Stage: stage, Message: why, Hint: hint})
}

const (
	offerLess  = "no model can be shown that much: let it offer less; mcpctl list shows what is large"
	takeLonger = "give it longer with --timeout, where 0 is no limit; mcpctl list shows what is large"
)

// tooLong says that the time for a server was over.
func tooLong(limit time.Duration) string { return fmt.Sprintf("undecided after %s", limit) }

// refuse lets a server fail that offers too much to be checked, or more than the run has room for.
func refuse(s *fleet.Surface, r *room) {
	switch size := sizeOf(s.Snapshot); {
	case size > mostChecked:
		why := fmt.Sprintf("its items are %.1f MiB, of which %d MiB are checked at most", float64(size)/(1<<20), mostChecked>>20)
		undecided(s, "checking", why, offerLess+", and diff compares what changed")
	case !r.has(size):
		undecided(s, "checking", noRoom(size), fewerOfThem)
	}
}

// judge is what changed in a pair. What is too much to be compared, or takes longer than the limit, is a failure of the server. The
// pair was not judged when the context has ended.
func (p *Pair) judge(ctx context.Context, limit time.Duration, options diff.Options, policy finding.Policy) []finding.Finding {
	if p.same() {
		p.Old.Snapshot = p.New.Snapshot // which says so, and lets the other one go
		return nil
	}
	differing := 0
	if size := sizeOf(p.Old.Snapshot) + sizeOf(p.New.Snapshot); size > small {
		differing = diff.Size(p.Old.Snapshot, p.New.Snapshot)
		makeRoom(size, min(differing, diff.MostBytes))
	}
	if differing <= diff.MostBytes && !p.room.has(differing) {
		undecided(&p.New, "comparing", noRoom(differing), fewerOfThem)
		return nil
	}
	found, err := p.within(ctx, limit, options, policy)
	var large *diff.TooLargeError
	switch {
	case errors.As(err, &large):
		undecided(&p.New, "comparing", large.Error(), offerLess)
	case err != nil:
		undecided(&p.New, "comparing", tooLong(limit), takeLonger)
	}
	return found
}

// same tells whether both sides are one file, byte for byte: most are.
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

func (p Pair) within(ctx context.Context, limit time.Duration, options diff.Options, policy finding.Policy) ([]finding.Finding, error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	return host.Await(ctx, func() ([]finding.Finding, error) { return p.Findings(ctx, options, policy) })
}

// wastefulGC lets the heap grow to four times what lives: a fifth of a costly comparison was spent on collecting.
const wastefulGC = 300

// limitMemory has the collector keep to what a run over so many servers needs; it works harder only near that.
func limitMemory(servers int) {
	debug.SetGCPercent(wastefulGC)
	debug.SetMemoryLimit(int64(leastMemory + servers*memoryEach))
}

// unfinished lets a server fail that a check did not come to the end with.
func unfinished(s *fleet.Surface, err error, limit time.Duration) {
	var cut *check.UnfinishedError
	if errors.As(err, &cut) {
		undecided(s, "checking", tooLong(limit), takeLonger)
	}
}

// makeRoom lets a run have what a large server takes: items of a size, of which so many bytes are judged.
func makeRoom(size, judged int) {
	if size < large {
		return
	}
	roomMutex.Lock()
	defer roomMutex.Unlock()
	debug.SetMemoryLimit(max(debug.SetMemoryLimit(-1), int64(roomOfLarge+3*size+64*judged)))
}

var roomMutex sync.Mutex

// sizeOf is the size of a snapshot, if there is one.
func sizeOf(s *snapshot.Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Size()
}
