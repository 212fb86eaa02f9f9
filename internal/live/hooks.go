package live

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Bounds of what changes set off. None of it ever keeps a server from being watched.
const (
	atOnce        = 4 // deliveries of one output
	commandTime   = time.Minute
	firstPause    = 500 * time.Millisecond // before a second try; it doubles
	longestPause  = time.Minute            // between tries, while the journal still has the change
	lastTries     = 3                      // until failing is told; once watching has ended there are no more
	finishTime    = 30 * time.Second       // for what is still to be passed on at the end
	shownOfOutput = 2 << 10
)

// follower passes a journal's changes on to one output, a server's one after the other, several servers' at once. It has its
// own place there, and holds up nobody.
type follower struct {
	name    string // as messages have it, and the journal's file
	journal *journal.Journal
	note    func(format string, args ...any)
	dropped func(output, server string, changes int) // counts them
	send    func(context.Context, journal.Entry) error

	ctx     context.Context // of deliveries
	cancel  context.CancelFunc
	places  chan struct{}
	ending  chan struct{} // closed when only what is there is still passed on
	freed   chan struct{} // something was passed on
	ended   chan struct{}
	running sync.WaitGroup

	mu      sync.Mutex
	place   int // all up to here is done
	done    map[int]bool
	busy    map[string]bool // servers of which a change is under way
	given   map[string]bool // servers of which one was given up at the end, and with it those after it
	gaps    *journal.Gaps
	missed  map[string]int // changes of each server that the output does not get, and nobody was told of
	failing bool           // nothing got through since the last try
}

// temporaryError is one after which a delivery is worth another try.
type temporaryError struct {
	error
	wait time.Duration // that the receiver asks for
}

// followers pass changes on to the outputs that the options name. The end of ctx breaks off what is under way.
func (o Options) followers(ctx context.Context, p host.Process, j *journal.Journal, dropped func(string, string, int)) []*follower {
	var all []*follower
	if o.Exec != "" {
		all = append(all, follow(ctx, "--exec", j, p.Note, dropped, command(p, o.Exec)))
	}
	if o.Post.URL != "" {
		all = append(all, follow(ctx, "--webhook", j, p.Note, dropped, o.Post.sender(p)))
	}
	return all
}

// follow begins where the output ended in the run before this one, if the journal knows, or else with what is added now.
func follow(ctx context.Context, name string, j *journal.Journal, note func(string, ...any), dropped func(string, string, int), send func(context.Context, journal.Entry) error) *follower {
	f := &follower{
		name: name, journal: j, note: note, dropped: dropped, send: send, places: make(chan struct{}, atOnce),
		ending: make(chan struct{}), freed: make(chan struct{}, 1), ended: make(chan struct{}),
		done: map[int]bool{}, busy: map[string]bool{}, given: map[string]bool{}, missed: map[string]int{},
	}
	f.ctx, f.cancel = context.WithCancel(ctx)
	var before bool
	if f.place, before = j.Passed(name); !before {
		f.place, _ = j.Last()
		j.Pass(name, f.place)
	} else if f.place < j.Oldest()-1 {
		note("%s: changes of the last run may be missing there: the journal does not reach back to them", name)
	}
	f.gaps = j.Gaps(f.place, true)
	go f.run()
	return f
}

// run passes changes on until there will be no more, or ctx ends.
func (f *follower) run() {
	defer close(f.ended)
	defer f.running.Wait()
	ending := f.ending
	for over := false; ; {
		more, idle := f.begin()
		if over && idle {
			return
		}
		select {
		case <-more:
		case <-f.freed:
		case <-ending:
			over, ending = true, nil
		case <-f.ctx.Done():
			return
		}
	}
}

// begin begins all deliveries that may be under way now; idle = there is none, and nothing waits.
func (f *follower) begin() (more <-chan struct{}, idle bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		e, found, next := f.journal.Find(f.place, func(e journal.Entry) bool { return f.left(e) && !f.busy[e.Server] && !f.given[e.Server] })
		if more = next; !found {
			return more, len(f.busy) == 0
		}
		select {
		case f.places <- struct{}{}:
		default:
			return more, false
		}
		f.miss(e.Server, f.gaps.Before(e))
		f.busy[e.Server] = true
		f.running.Go(func() { f.deliver(e) })
	}
}

// left tells whether an event is still to be passed on; the caller holds the lock.
func (f *follower) left(e journal.Entry) bool { return e.Change > 0 && !f.done[e.Number] }

// deliver passes a change on, and tries until that works, the output refuses it, or it is too late.
func (f *follower) deliver(e journal.Entry) {
	pauses := &backoff.ExponentialBackOff{InitialInterval: firstPause, Multiplier: 2, RandomizationFactor: 0.25, MaxInterval: longestPause}
	pauses.Reset()
	for try := 1; ; try++ {
		err := f.send(f.ctx, e)
		<-f.places
		again, temporary := errors.AsType[temporaryError](err)
		switch {
		case err != nil && f.ctx.Err() != nil: // it is as it was
			f.note("%v", err)
			return
		case !temporary:
			if err != nil {
				f.note("%v", err)
				f.dropped(f.name, e.Server, 1)
			}
			f.outage(nil)
			f.tellMissed("the journal had no room for them until it was their turn")
			f.finished(e)
			return
		}
		if try >= lastTries {
			f.outage(again)
		}
		if !f.pause(max(pauses.NextBackOff(), min(again.wait, longestPause)), try) {
			f.giveUp(e.Server)
			return
		}
		if e.Number < f.journal.Oldest() {
			f.mu.Lock()
			f.miss(e.Server, 1)
			f.mu.Unlock()
			f.finished(e)
			return
		}
		select {
		case f.places <- struct{}{}:
		case <-f.ctx.Done():
			return
		}
	}
}

// pause waits for another try; false = there is none any more.
func (f *follower) pause(d time.Duration, tries int) bool {
	ending := f.ending
	for timer := time.After(d); ; {
		select {
		case <-timer:
			return true
		case <-ending:
			if ending = nil; tries >= lastTries {
				return false
			}
		case <-f.ctx.Done():
			return false
		}
	}
}

// outage tells that nothing gets through any more, or that something does again; nil = it does.
func (f *follower) outage(err error) {
	f.mu.Lock()
	changed := f.failing != (err != nil)
	f.failing = err != nil
	f.mu.Unlock()
	switch {
	case changed && err != nil:
		f.note("%v", err)
	case changed:
		f.note("%s works again", f.name)
	}
}

// finished notes that there is nothing more to do about a change.
func (f *follower) finished(e journal.Entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.done[e.Number] = true
	delete(f.busy, e.Server)
	if first, ok, _ := f.journal.Find(f.place, f.left); ok {
		f.place = first.Number - 1
	} else {
		f.place, _ = f.journal.Last()
	}
	maps.DeleteFunc(f.done, func(number int, _ bool) bool { return number <= f.place })
	f.journal.Pass(f.name, f.place)
	offer(f.freed)
}

// giveUp leaves a change, and those of its server that come after it, to the next run.
func (f *follower) giveUp(server string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.busy, server)
	f.given[server] = true
	offer(f.freed)
}

// miss counts changes that the output does not get; the caller holds the lock.
func (f *follower) miss(server string, changes int) {
	if changes > 0 {
		f.missed[server] += changes
		f.dropped(f.name, server, changes)
	}
}

// tellMissed tells of the changes that were missed since it did so last.
func (f *follower) tellMissed(why string) {
	f.mu.Lock()
	missed := f.missed
	f.missed = map[string]int{}
	f.mu.Unlock()
	for _, server := range lists.SortedKeys(missed) {
		f.note("%s: not passed on: %d of the changes of %s: %s", f.name, missed[server], report.Visible(server), why)
	}
}

// finish ends outputs, all within the same time.
func finish(outputs []*follower) {
	var ending sync.WaitGroup
	for _, f := range outputs {
		ending.Go(f.finish)
	}
	ending.Wait()
}

// finish passes on what is in the journal, within its time; what is left then stays there.
func (f *follower) finish() {
	f.journal.Settle(f.ctx)
	close(f.ending)
	late := time.AfterFunc(finishTime, f.cancel)
	<-f.ended
	late.Stop()
	f.cancel()
	f.leave()
	why := "watching has ended"
	if f.journal.OnDisk() {
		why += ", and the next run with this journal passes them on"
	}
	f.tellMissed(why)
}

func (f *follower) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for server, changes := range f.gaps.Unseen() {
		f.miss(server, changes)
	}
	for _, seen := range []map[string]bool{f.busy, f.given} { // and not done
		for server := range seen {
			f.miss(server, 1)
		}
	}
}

// command runs a shell command with the event on its standard input, once: one that fails may have done half of its work.
func command(p host.Process, line string) func(context.Context, journal.Entry) error {
	return func(ctx context.Context, e journal.Entry) error {
		said := process.Tail{Limit: shownOfOutput}
		environ := append(p.Environ[:len(p.Environ):len(p.Environ)], "MCPCTL_DELIVERY="+e.ID, "MCPCTL_SEQUENCE="+strconv.Itoa(e.Change))
		command := process.ShellCommand{Line: line, Env: environ, Stdin: withNewline(e.Line), Limit: commandTime}
		if err := command.Run(ctx, &said, &said); err != nil {
			return fmt.Errorf("running --exec: %w%s", err, process.Quoted(said.String()))
		}
		return nil
	}
}

func withNewline(line []byte) []byte { return append(line[:len(line):len(line)], '\n') }
