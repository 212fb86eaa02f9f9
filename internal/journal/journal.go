// Package journal keeps the events of a watch in order, in memory and if wanted in a file, for any number of readers that go on at
// their own pace. Who adds an event waits for nobody: neither for a reader nor for the disk.
package journal

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"
)

// Bounds of what is kept in memory: how far back a reader can go.
const (
	KeptEvents = 4096
	KeptBytes  = 8 << 20
)

// Place is where an event stands.
type Place struct {
	Number   int    // in the journal, from 1
	ID       string // no other event has it, whatever becomes of the journal
	Sequence int    // among the events of its server, from 1; 0 = it is of no server
	Change   int    // among the changes of its server, from 1; 0 = it is none
}

// Entry is one event, and is never changed.
type Entry struct {
	Place
	Server string
	Kind   string // as "changed"
	Line   []byte // JSON without a line break
}

// Journal is the events of a watch. Its methods may be called at the same time.
type Journal struct {
	run  string // tells the events of this run from those of others
	disk *disk  // nil = in memory alone

	events, bytes int // bounds

	mu      sync.Mutex
	kept    []Entry // the newest last
	size    int     // bytes of kept
	number  int     // of the newest that readers see
	last    string  // its id
	waiting []Entry // not on the disk yet; readers see them once they are
	servers map[string]*Place
	passed  map[string]int // how far each output has got, by its name
	more    chan struct{}  // closed when there is something new
	ended   bool
}

// New is an empty journal in memory.
func New() *Journal { return Bounded(KeptEvents, KeptBytes) }

// Bounded is a journal in memory that keeps as many events, and as many bytes of them, but the newest at least.
func Bounded(events, bytes int) *Journal {
	j := &Journal{run: rand.Text()[:8], events: events, bytes: bytes, servers: map[string]*Place{}, passed: map[string]int{}, more: make(chan struct{})}
	j.last = j.run + "-0"
	return j
}

// Add adds an event of a server ("" = of all of them); line is its JSON once its place is known, and surface that of the server from then
// on as a snapshot file has it, which is kept on the disk alone, with the event or not at all; nil = it is as it was. After the end it
// adds nothing.
func (j *Journal) Add(server, kind string, change bool, surface []byte, line func(Place) []byte) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.ended {
		return
	}
	at := Place{Number: j.number + len(j.waiting) + 1}
	at.ID = j.run + "-" + strconv.Itoa(at.Number)
	if server != "" {
		counts := j.of(server)
		if counts.Sequence++; change {
			counts.Change++
			at.Change = counts.Change
		}
		at.Sequence = counts.Sequence
	}
	e := Entry{Place: at, Server: server, Kind: kind, Line: line(at)}
	if j.waiting = append(j.waiting, e); j.disk == nil || !j.disk.add(record{entry: e, surface: surface}) {
		j.publish(len(j.waiting))
	}
}

func (j *Journal) of(server string) *Place {
	if j.servers[server] == nil {
		j.servers[server] = &Place{}
	}
	return j.servers[server]
}

// written lets readers see the next n events.
func (j *Journal) written(n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.publish(min(n, len(j.waiting)))
}

// publish lets readers see the next n events; the caller holds the lock.
func (j *Journal) publish(n int) {
	for _, e := range j.waiting[:n] {
		j.keep(e)
	}
	if j.waiting = j.waiting[n:]; len(j.waiting) == 0 {
		j.waiting = nil
	}
	j.wake()
}

func (j *Journal) keep(e Entry) {
	j.number, j.last = e.Number, e.ID
	j.kept = append(j.kept, e)
	j.size += len(e.Line)
	for len(j.kept) > j.events || j.size > j.bytes && len(j.kept) > 1 {
		j.size -= len(j.kept[0].Line)
		j.kept[0] = Entry{}
		j.kept = j.kept[1:]
	}
}

func (j *Journal) wake() {
	close(j.more)
	j.more = make(chan struct{})
}

// Settle waits until readers see all that was added, or until ctx ends.
func (j *Journal) Settle(ctx context.Context) {
	for {
		j.mu.Lock()
		left, more := len(j.waiting), j.more
		j.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// End says that nothing is added any more, and waits a moment for the disk. The error is that events are missing there.
func (j *Journal) End() error {
	var err error
	if j.disk != nil {
		err = j.disk.close()
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.ended = true
	j.publish(len(j.waiting))
	return err
}

// Page is what there is to read after some event.
type Page struct {
	Entries []Entry
	Missed  int             // events before them that are not kept any more
	More    <-chan struct{} // closed when there is something new
	Ended   bool            // there never will be
}

// After are the events after the one with a number; 0 = all that are kept.
func (j *Journal) After(number int) Page {
	j.mu.Lock()
	defer j.mu.Unlock()
	oldest := j.oldest()
	p := Page{More: j.more, Ended: j.ended, Missed: max(oldest-number-1, 0)}
	p.Entries = append(p.Entries, j.kept[min(max(number+1-oldest, 0), len(j.kept)):]...)
	return p
}

// Find is the first event after the one with a number that is wanted, or, if there is none, when there is something new.
func (j *Journal) Find(after int, wanted func(Entry) bool) (_ Entry, ok bool, more <-chan struct{}) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, e := range j.kept[min(max(after+1-j.oldest(), 0), len(j.kept)):] {
		if wanted(e) {
			return e, true, j.more
		}
	}
	return Entry{}, false, j.more
}

func (j *Journal) oldest() int { return j.number - len(j.kept) + 1 }

// Oldest is the number of the oldest event that is kept.
func (j *Journal) Oldest() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.oldest()
}

// Last is the number of the newest event, and its id.
func (j *Journal) Last() (int, string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.number, j.last
}

// NumberOf is the number of the event with an id; false when it is not known, so that nobody knows how many came after it.
func (j *Journal) NumberOf(id string) (int, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	run, text, _ := strings.Cut(id, "-")
	if n, err := strconv.Atoi(text); run == j.run {
		return n, err == nil && n >= 0 && n <= j.number
	}
	for _, e := range j.kept { // of a run before this one
		if e.ID == id {
			return e.Number, true
		}
	}
	return 0, false
}

// Gaps finds what a reader missed, for it sees every server's events in order: all of them, or the changes alone.
type Gaps struct {
	journal *Journal
	changes bool
	seen    map[string]int
}

// Gaps are those of a reader that begins after the event with a number.
func (j *Journal) Gaps(after int, changes bool) *Gaps {
	j.mu.Lock()
	defer j.mu.Unlock()
	g := &Gaps{journal: j, changes: changes, seen: map[string]int{}}
	for server, counts := range j.servers {
		g.seen[server] = g.of(*counts)
	}
	for i := len(j.kept) - 1; i >= 0 && j.kept[i].Number > after; i-- {
		if n := g.of(j.kept[i].Place); n > 0 {
			g.seen[j.kept[i].Server] = n - 1
		}
	}
	return g
}

func (g *Gaps) of(p Place) int {
	if g.changes {
		return p.Change
	}
	return p.Sequence
}

// Before is how many events of its server are missing between e and the one that was seen before it.
func (g *Gaps) Before(e Entry) int {
	n := g.of(e.Place)
	if n == 0 {
		return 0
	}
	missing := n - g.seen[e.Server] - 1
	g.seen[e.Server] = n
	return missing
}

// Unseen is how many events of each server the reader has not seen.
func (g *Gaps) Unseen() map[string]int {
	g.journal.mu.Lock()
	defer g.journal.mu.Unlock()
	unseen := map[string]int{}
	for server, counts := range g.journal.servers {
		if n := g.of(*counts) - g.seen[server]; n > 0 {
			unseen[server] = n
		}
	}
	return unseen
}

// Passed is the number up to which an output has passed events on; false = it never was an output.
func (j *Journal) Passed(output string) (int, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	number, known := j.passed[output]
	return number, known
}

// Pass notes that an output has passed on all up to a number: the next run goes on from there.
func (j *Journal) Pass(output string, number int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if before, known := j.passed[output]; known && before >= number {
		return
	}
	if j.passed[output] = number; j.disk != nil {
		j.disk.add(record{output: output, number: number})
	}
}

// OnDisk tells whether there is a file, and whether a run after this one goes on from here.
func (j *Journal) OnDisk() bool { return j.disk != nil }
