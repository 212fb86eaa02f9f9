package monitor

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"strings"
	"sync"

	"github.com/mcpctl/mcpctl/internal/report"
)

// Bounds of the events that are kept for clients that come back.
const (
	keptEvents = 1024
	keptBytes  = 4 << 20
)

// stream keeps the newest events, so that clients can read them at their own pace.
type stream struct {
	run    string // tells the events of this run from those of others
	events int
	bytes  int

	mu    sync.Mutex
	kept  []told        // the newest last
	size  int           // bytes of kept
	count int           // events there have been
	more  chan struct{} // closed when there is something new
	ended bool
}

// told is an event as clients get it.
type told struct {
	number int // from 1
	kind   string
	line   []byte // JSON without a line break
}

func newStream(events, bytes int) *stream {
	return &stream{run: rand.Text()[:8], events: events, bytes: bytes, more: make(chan struct{})}
}

// add tells an event; after the end nothing is told any more.
func (s *stream) add(e report.Event) {
	var line bytes.Buffer
	if report.WriteEvent(&line, "ndjson", e, report.Options{}) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return
	}
	s.count++
	s.kept = append(s.kept, told{s.count, e.Event, bytes.TrimSuffix(line.Bytes(), []byte("\n"))})
	s.size += line.Len()
	for len(s.kept) > s.events || s.size > s.bytes && len(s.kept) > 1 {
		s.size -= len(s.kept[0].line) + 1
		s.kept[0].line = nil
		s.kept = s.kept[1:]
	}
	s.wake()
}

// end says that there will be no more events.
func (s *stream) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = true
	s.wake()
}

func (s *stream) wake() {
	close(s.more)
	s.more = make(chan struct{})
}

// page is what there is to tell after some event.
type page struct {
	events []told
	missed int             // events that are not kept any more
	more   <-chan struct{} // closed when there is something new
	ended  bool            // there will never be
}

// after are the events after the one with a number; 0 = all that are kept.
func (s *stream) after(number int) page {
	s.mu.Lock()
	defer s.mu.Unlock()
	oldest := s.count - len(s.kept) + 1
	p := page{more: s.more, ended: s.ended, missed: max(oldest-number-1, 0)}
	p.events = append(p.events, s.kept[max(number+1-oldest, 0):]...)
	return p
}

// oldest is the number of the oldest event that is kept.
func (s *stream) oldest() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.count - len(s.kept) + 1
}

// last is the id of the newest event.
func (s *stream) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id(s.count)
}

func (s *stream) id(number int) string { return s.run + "-" + strconv.Itoa(number) }

// number is the event that an id names; false when it is none of this run, so that nobody knows how many were missed.
func (s *stream) number(id string) (int, bool) {
	run, text, _ := strings.Cut(id, "-")
	n, err := strconv.Atoi(text)
	s.mu.Lock()
	defer s.mu.Unlock()
	return n, err == nil && run == s.run && n >= 0 && n <= s.count
}
