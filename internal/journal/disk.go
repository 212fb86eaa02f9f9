package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// Bounds of the file.
const (
	rotateAt  = 64 << 20        // bytes; the file before is kept beside it
	mostBusy  = KeptEvents      // records that may wait for the disk
	closeTime = 1 * time.Second // for the disk at the end
	storeTime = 5 * time.Second // for a store
)

// version is that of the lines.
const version = 1

// record is what goes into the file: an event, with the surface that it led to if it did, or how far an output has got.
type record struct {
	entry   Entry
	surface []byte // nil = none
	output  string
	number  int
}

// line is a record in the file. Events have many keys beside these.
type line struct {
	Mcpctl   int             `json:"mcpctl"`
	ID       string          `json:"id,omitempty"` // of "surface": that of the event after it
	Event    string          `json:"event"`
	Server   string          `json:"server,omitempty"`
	Sequence int             `json:"sequence,omitempty"`
	Change   int             `json:"change,omitempty"`
	Output   string          `json:"output,omitempty"` // of "passed"
	Number   int             `json:"number,omitempty"`
	Surface  json.RawMessage `json:"surface,omitempty"` // of "surface"
}

// number is the number in an id.
func (l line) number() int {
	_, text, _ := strings.Cut(l.ID, "-")
	n, _ := strconv.Atoi(text)
	return n
}

// known is what a new file must say of a server.
type known struct {
	sequence, change int
	from, length     int64 // the line with its surface in the file; 0 = there is none
}

// disk writes records into a file in the background.
type disk struct {
	path    string
	name    string    // as it was named
	stored  *segments // what is written goes there, too; nil = nowhere else
	limit   int64     // bytes, after which a new file is begun
	note    func(format string, args ...any)
	written func(events int)
	lock    *flock.Flock
	ended   chan struct{}

	mu      sync.Mutex
	queue   []record
	some    *sync.Cond
	closing bool
	stuck   bool  // too much waited: nothing is written any more
	failure error // the first one

	// What follows belongs to the goroutine that writes.
	file    *os.File
	size    int64 // what is whole
	least   int64 // bytes that the file began with
	servers map[string]*known
	outputs map[string]int
}

// Open is the journal in a file, which is made if need be; surfaces are those that servers had last. No two runs may have the same
// one. The line that a run was writing when it was killed is dropped.
func Open(path string, note func(format string, args ...any)) (_ *Journal, surfaces map[string][]byte, err error) {
	return open(path, rotateAt, note)
}

func open(path string, limit int64, note func(string, ...any)) (*Journal, map[string][]byte, error) {
	d := &disk{path: path, name: path, limit: limit, note: note, lock: flock.New(path+".lock", flock.SetFlag(files.LockFlags)), ended: make(chan struct{}), servers: map[string]*known{}, outputs: map[string]int{}}
	d.some = sync.NewCond(&d.mu)
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return nil, nil, errors.New("it is no regular file")
	}
	if ok, err := d.lock.TryLock(); err != nil || !ok {
		return nil, nil, fmt.Errorf("another mcpctl writes it, or its lock %s.lock cannot be had (%v): give each run a journal of its own", path, err)
	}
	j := New()
	surfaces, err := j.load(d)
	if err == nil {
		d.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	}
	if err == nil {
		err = d.file.Truncate(d.size)
	}
	if err != nil {
		_ = d.lock.Unlock()
		return nil, nil, err
	}
	j.disk, d.written = d, j.written
	go d.run()
	return j, surfaces, nil
}

// add hands a record over; false = nothing is written any more.
func (d *disk) add(r record) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.queue) >= mostBusy && !d.stuck {
		d.stuck = true
		d.failure = fmt.Errorf("events are missing in --journal %s: the disk did not take them", d.name)
	}
	if d.stuck || d.closing {
		return false
	}
	d.queue = append(d.queue, r)
	d.some.Signal()
	return true
}

// run writes what is handed over, and lets readers see events once they are written.
func (d *disk) run() {
	defer close(d.ended)
	for {
		batch, ok := d.next()
		if !ok {
			_ = d.file.Sync()
			_ = d.file.Close()
			_ = d.lock.Unlock()
			if d.stored != nil {
				_ = os.RemoveAll(filepath.Dir(d.path))
			}
			return
		}
		if err := d.write(batch); err != nil {
			d.fail(err)
		}
		events := 0
		for _, r := range batch {
			if r.entry.Line != nil {
				events++
			}
		}
		d.written(events)
	}
}

func (d *disk) next() ([]record, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for len(d.queue) == 0 && !d.closing {
		d.some.Wait()
	}
	batch := d.queue
	d.queue = nil
	return batch, len(batch) > 0
}

func (d *disk) fail(err error) {
	d.mu.Lock()
	first := d.failure == nil
	if first {
		d.failure = fmt.Errorf("events are missing in --journal %s: %w", d.name, err)
	}
	d.mu.Unlock()
	if first { // nobody waits for whoever reads this
		d.note("writing --journal %s: %v: events are missing there", d.name, err)
	}
}

// write writes records behind what is whole; of those that cannot be written nothing stays.
func (d *disk) write(batch []record) error {
	var text bytes.Buffer
	var lines []placed
	for _, r := range batch {
		r.lines(func(l line, raw []byte) {
			lines = append(lines, placed{l, d.size + int64(text.Len()), int64(len(raw) + 1)})
			text.Write(raw)
			text.WriteByte('\n')
		})
	}
	if d.takenAway() {
		return errors.New("somebody else removed or shortened it")
	}
	if err := d.append(text.Bytes()); err != nil {
		return err
	}
	for _, l := range lines {
		d.remember(l)
	}
	if d.stored != nil {
		if err := d.stored.write(text.Bytes(), d.givenUp); err != nil {
			return err
		}
	}
	if d.size > max(d.limit, 2*d.least) || d.stored != nil && d.stored.last >= d.stored.due {
		return d.renew()
	}
	return nil
}

// takenAway tells whether the file is not where it was any more, or not what it was: nobody would find what is written there. Where a
// store has all of it, that does not matter.
func (d *disk) takenAway() bool {
	info, err := os.Stat(d.path)
	return d.stored == nil && (err != nil || info.Size() < d.size)
}

// givenUp tells whether there is no use in waiting for a store any longer.
func (d *disk) givenUp() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.closing || d.stuck
}

func (d *disk) append(text []byte) error {
	if _, err := d.file.WriteAt(text, d.size); err != nil {
		return errors.Join(err, d.file.Truncate(d.size))
	}
	d.size += int64(len(text))
	return nil
}

// lines puts the lines of a record: a surface, and then its event, so that no change is told twice nor lost.
func (r record) lines(put func(line, []byte)) {
	own := func(l line) {
		raw, _ := rawjson.Encode(l) // of our own, and a surface that was encoded before
		put(l, raw)
	}
	e := r.entry
	switch {
	case r.output != "":
		own(line{Mcpctl: version, Event: "passed", Output: r.output, Number: r.number})
		return
	case r.surface != nil:
		own(line{Mcpctl: version, ID: e.ID, Event: "surface", Server: e.Server, Surface: r.surface})
	}
	put(line{Mcpctl: version, ID: e.ID, Event: e.Kind, Server: e.Server, Sequence: e.Sequence, Change: e.Change}, e.Line)
}

// remember keeps what a new file has to begin with.
func (d *disk) remember(l placed) {
	if l.Event == "passed" {
		d.outputs[l.Output] = l.Number
		return
	}
	if l.Server == "" {
		return
	}
	s := d.servers[l.Server]
	if s == nil {
		s = &known{}
		d.servers[l.Server] = s
	}
	s.sequence, s.change = max(s.sequence, l.Sequence), max(s.change, l.Change)
	if l.Event == "surface" && l.Surface != nil {
		s.from, s.length = l.from, l.length
	}
}

// renew begins a new file with all that is known, and keeps the old one beside it. Where that does not work, the old one grows. The error
// is that there is none any more.
func (d *disk) renew() error {
	next, err := d.beginFile()
	if err == nil {
		_ = d.file.Close() // Windows renames no open file
		err = d.replaceBy(next)
		var lost error
		if d.file, lost = os.OpenFile(d.path, os.O_CREATE|os.O_RDWR, 0o600); lost != nil {
			return errors.Join(err, lost)
		}
	}
	if err == nil && d.stored != nil {
		err = d.stored.rebase(d.path)
	}
	if err != nil {
		if next != nil {
			_ = os.Remove(d.path + ".new")
		}
		d.least = d.size // not at once again
		d.note("--journal %s: no new file could be begun, and it goes on in the same file, which grows: %v", d.name, err)
	}
	return nil
}

// replaceBy puts a new file in place of the old one. Whenever this is killed, one of them is there.
func (d *disk) replaceBy(next *disk) error {
	if err := os.Rename(d.path, d.path+".1"); err != nil {
		return err
	}
	if err := os.Rename(d.path+".new", d.path); err != nil {
		return errors.Join(err, os.Rename(d.path+".1", d.path))
	}
	d.size, d.least, d.servers, d.outputs = next.size, next.size, next.servers, next.outputs
	return nil
}

// beginFile is the new file, with what is known of servers and outputs.
func (d *disk) beginFile() (*disk, error) {
	file, err := os.OpenFile(d.path+".new", os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	next := &disk{file: file, servers: map[string]*known{}, outputs: map[string]int{}}
	if err = d.tell(next); err == nil {
		err = file.Sync()
	}
	return next, errors.Join(err, file.Close())
}

// tell writes what is known of servers and outputs into the file of next.
func (d *disk) tell(next *disk) error {
	for server, s := range d.servers {
		l := line{Mcpctl: version, Event: "surface", Server: server, Sequence: s.sequence, Change: s.change}
		if s.length > 0 {
			raw := make([]byte, s.length)
			if _, err := d.file.ReadAt(raw, s.from); err != nil {
				return err
			}
			var old line
			if err := json.Unmarshal(raw, &old); err != nil {
				return err
			}
			l.Surface = old.Surface
		}
		if err := next.begin(l); err != nil {
			return err
		}
	}
	for output, number := range d.outputs {
		if err := next.begin(line{Mcpctl: version, Event: "passed", Output: output, Number: number}); err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) begin(l line) error {
	raw, err := rawjson.Encode(l)
	if err != nil {
		return err
	}
	d.remember(placed{l, d.size, int64(len(raw) + 1)})
	return d.append(append(raw, '\n'))
}

// close writes what waits, and gives up on a disk that takes too long.
func (d *disk) close() error {
	d.mu.Lock()
	d.closing = true
	wait := closeTime
	if d.stored != nil {
		wait = storeTime
	}
	d.some.Signal()
	d.mu.Unlock()
	select {
	case <-d.ended:
	case <-time.After(wait):
		d.fail(fmt.Errorf("it was not written within %s", wait))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failure
}
