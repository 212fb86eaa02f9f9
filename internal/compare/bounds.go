package compare

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/usage"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// What one run may take, the same on every machine: bytes are what reading takes time and memory by, steps what deciding does.
const (
	mostChecked = 4 << 20   // bytes of a server; all of it is held at once to be looked at from every side
	mostOfRun   = 16 << 20  // bytes of all servers of a run, for diff of what changed
	stepsOfRun  = 8_000_000 // on the schemas of all servers
	leastMemory = 256 << 20 // bytes, however little is compared
)

// share is the work on the schemas of each of several servers: what one alone would get, or an equal part of the run's.
func share(alone, servers int) int { return min(alone, stepsOfRun/max(servers, 1)) }

// affordable tells which servers of these sizes a run has room for: the smallest first, so that no large one takes the place of many.
func affordable(sizes []int) []bool {
	order, fits, left := make([]int, len(sizes)), make([]bool, len(sizes)), mostOfRun
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sizes[a], sizes[b]) })
	for _, i := range order {
		left -= sizes[i]
		fits[i] = left >= 0
	}
	return fits
}

// undecided lets a server fail of which the analysis was not done, or not to its end: nothing is known of it.
func undecided(s *fleet.Surface, stage, why, hint string) {
	s.State, s.Snapshot = report.Failed, nil
	s.Fail(report.Failure{Stage: stage, Message: why, Hint: hint})
}

const (
	offerLess   = "no model can be shown that much: let it offer less; mcpctl list shows what is large"
	fewerOfThem = "name fewer servers, or divide the run: --shard 1/2"
	takeLonger  = "give it longer with --timeout, where 0 is no limit; mcpctl list shows what is large"
)

// noRoom says why a server is left out of a run.
func noRoom(what string) string {
	return fmt.Sprintf("it is left out, since a run %s of %d MiB at most, of the smallest servers first", what, mostOfRun>>20)
}

// tooLong says that the time for a server was over.
func tooLong(limit time.Duration) string { return fmt.Sprintf("undecided after %s", limit) }

// refuse lets servers fail that offer too much to be checked, or more than a run has room for.
func refuse(surfaces []fleet.Surface) {
	sizes := make([]int, len(surfaces))
	for i, s := range surfaces {
		if sizes[i] = sizeOf(s.Snapshot); sizes[i] > mostChecked {
			why := fmt.Sprintf("its items are %.1f MiB, of which %d MiB are checked at most", float64(sizes[i])/(1<<20), mostChecked>>20)
			undecided(&surfaces[i], "checking", why, offerLess+", and diff compares what changed")
			sizes[i] = 0
		}
	}
	for i, fits := range affordable(sizes) {
		if !fits {
			undecided(&surfaces[i], "checking", noRoom("checks servers"), fewerOfThem)
		}
	}
}

// unfinished lets the servers fail that a check did not come to the end with.
func unfinished(surfaces []fleet.Surface, err error, limit time.Duration) {
	var cut *check.UnfinishedError
	if !errors.As(err, &cut) {
		return
	}
	for i, s := range surfaces {
		if slices.Contains(cut.Servers, s.Name) {
			undecided(&surfaces[i], "checking", tooLong(limit), takeLonger)
		}
	}
}

// findings is what changed from the old to the new side of all pairs, and the pairs that were compared before the context
// ended: all of them, as a rule. What is too much to be compared, or takes longer than the limit, is a failure of its server.
func findings(ctx context.Context, pairs []Pair, options diff.Options, policy finding.Policy, recorded func(server string, names ...string) *usage.Evidence, limit time.Duration) ([]finding.Finding, []Pair) {
	sizes, changed := make([]int, len(pairs)), 0
	for i, p := range pairs {
		if sizes[i] = diff.Size(p.Old.Snapshot, p.New.Snapshot); sizes[i] > diff.MostBytes {
			sizes[i] = 0 // it is refused
		} else if sizes[i] > 0 {
			changed++
		}
	}
	limitMemory(pairs, sizes)
	options.Steps = share(diff.DefaultSteps, changed)
	var found []finding.Finding
	var done []Pair
	for i, fits := range affordable(sizes) {
		p := pairs[i]
		options.Recorded = nil
		if calls := recorded(p.New.Name, p.Old.Name); calls != nil {
			options.Recorded = calls
		}
		of, err := []finding.Finding(nil), error(nil)
		if fits {
			of, err = p.within(ctx, limit, options, policy)
		}
		var large *diff.TooLargeError
		switch {
		case ctx.Err() != nil:
			continue
		case !fits:
			undecided(&p.New, "comparing", noRoom("compares changes"), fewerOfThem)
		case errors.As(err, &large):
			undecided(&p.New, "comparing", large.Error(), offerLess)
		case err != nil:
			undecided(&p.New, "comparing", tooLong(limit), takeLonger)
		}
		found, done = append(found, of...), append(done, p)
	}
	return found, done
}

// within is Findings with a limit of time; 0 is none.
func (p Pair) within(ctx context.Context, limit time.Duration, options diff.Options, policy finding.Policy) ([]finding.Finding, error) {
	if limit > 0 {
		limited, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		ctx = limited
	}
	return host.Await(ctx, func() ([]finding.Finding, error) { return p.Findings(ctx, options, policy) })
}

// wastefulGC lets the heap grow to four times what lives before it is collected, as far as the limit goes: a fifth of a costly
// comparison was spent on collecting megabytes that nobody lacks.
const wastefulGC = 300

// limitMemory asks the garbage collector to keep to a multiple of what is held and of the most that is compared at once. It works
// harder only near that.
func limitMemory(pairs []Pair, changed []int) {
	held := 0
	for _, p := range pairs {
		held += sizeOf(p.Old.Snapshot) + sizeOf(p.New.Snapshot)
	}
	debug.SetGCPercent(wastefulGC)
	debug.SetMemoryLimit(int64(max(leastMemory, 3*held+64*slices.Max(append(changed, 0)))))
}

// sizeOf is the size of a snapshot, if there is one.
func sizeOf(s *snapshot.Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Size()
}
