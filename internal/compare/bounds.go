package compare

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
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
	memoryEach  = 3 << 10 // bytes, for what a report says of each server

	small       = 128 << 10      // bytes that are always judged
	roomOfRun   = diff.MostBytes // of larger servers that a run judges at least: the largest one alone, or with the small ones of a hundred some 20 s of processor time at worst
	roomForEach = 64 << 10       // bytes that each server adds to that where they are very many
)

// room is what a run has to judge servers that are not small. Who answers first must not decide which of them it has room for: they wait until
// all have come, and the first in the order of the run are judged. One that the others before it leave no room for goes at once, so that
// no more waits than there is room for.
type room struct {
	size int // bytes

	mu      sync.Mutex
	waiting []waiting // in the order of the run
}

type waiting struct {
	place, size int
	judge       func(fits bool) error // nil = it was left out, and still counts
}

func roomFor(servers int) *room { return &room{size: max(roomOfRun, servers*roomForEach)} }

// take has a server judged at its place of the run: now, if it is small or most is less than it has, else once all have come, or left out.
func (r *room) take(place, size, most int, judge func(fits bool) error) error {
	if size <= small || size > most {
		return judge(true)
	}
	return finish(r.leftOut(waiting{place, size, judge}), false)
}

// leftOut are those that one more leaves no room for.
func (r *room) leftOut(one waiting) (out []waiting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, _ := slices.BinarySearchFunc(r.waiting, one.place, func(w waiting, place int) int { return cmp.Compare(w.place, place) })
	r.waiting = slices.Insert(r.waiting, at, one)
	taken := 0
	for i, w := range r.waiting {
		if taken += w.size; taken > r.size && w.judge != nil {
			out, r.waiting[i].judge = append(out, w), nil
		}
	}
	return out
}

// close judges those that waited.
func (r *room) close() error {
	return finish(slices.DeleteFunc(r.waiting, func(w waiting) bool { return w.judge == nil }), true)
}

func finish(servers []waiting, fit bool) error {
	return fleet.Visit(len(servers), func(i int) error { return servers[i].judge(fit) })
}

// Steps on the schemas of all servers of a run, and of one server at least: no change of a real server needs so many.
const (
	stepsOfRun = 10_000_000
	leastSteps = 50_000
)

// stepsFor is the work on the schemas of each server where a run has so many, part of a divided run or not.
func stepsFor(servers int) int {
	return max(leastSteps, min(diff.DefaultSteps, stepsOfRun/max(servers, 1)))
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

const offerLess = "no model can be shown that much: let it offer less; mcpctl list shows what is large"

// refuse lets a server fail that offers too much to be checked, or more than the run has room for.
func refuse(s *fleet.Surface, fits bool) {
	switch size := sizeOf(s.Snapshot); {
	case size > mostChecked:
		why := fmt.Sprintf("what it offers is %.1f MiB, of which %d MiB are checked at most", float64(size)/(1<<20), mostChecked>>20)
		undecided(s, "checking", why, offerLess+", and diff compares what changed")
	case !fits:
		undecided(s, "checking", noRoom(size), fewerOfThem)
	}
}

// judge is what changed in a pair. What is too much to be compared is a failure of the server; the error is that of the context.
func (p *Pair) judge(ctx context.Context, options diff.Options, policy finding.Policy) ([]finding.Finding, error) {
	if p.same() {
		p.Old.Snapshot = p.New.Snapshot // which says so, and lets the other one go
		return nil, nil
	}
	if p.leftOut {
		undecided(&p.New, "comparing", noRoom(p.differing()), fewerOfThem)
		return nil, nil
	}
	makeRoom(sizeOf(p.Old.Snapshot)+sizeOf(p.New.Snapshot), min(p.differing(), diff.MostBytes))
	found, err := p.Findings(ctx, options, policy)
	if large, is := errors.AsType[*diff.TooLargeError](err); is {
		undecided(&p.New, "comparing", large.Error(), offerLess)
		return nil, nil
	}
	return found, err
}

// differing is how many bytes the sides differ in; 0 of small ones.
func (p *Pair) differing() int {
	if p.size == 0 && sizeOf(p.Old.Snapshot)+sizeOf(p.New.Snapshot) > small && !p.same() {
		p.size = diff.Size(p.Old.Snapshot, p.New.Snapshot)
	}
	return p.size
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

// wastefulGC lets the heap grow to four times what lives: a fifth of a costly comparison was spent on collecting.
const wastefulGC = 300

// limitMemory has the collector keep to what a run over so many servers needs; it works harder only near that.
func limitMemory(servers int) {
	debug.SetGCPercent(wastefulGC)
	debug.SetMemoryLimit(int64(leastMemory + servers*memoryEach))
}

// unfinished lets a server fail that a check did not come to the end with.
func unfinished(s *fleet.Surface, err error, limit time.Duration) {
	if _, cut := errors.AsType[*check.UnfinishedError](err); cut || errors.Is(err, context.DeadlineExceeded) {
		undecided(s, "checking", fleet.TooLong(limit), fleet.TakeLonger)
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
