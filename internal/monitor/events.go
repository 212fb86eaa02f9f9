package monitor

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
)

// Times and limits of clients that listen to events.
const (
	heartbeat      = 15 * time.Second // between signs of life
	patience       = 10 * time.Second // for a client to take what it is sent
	maxSubscribers = 64
	reconnectAfter = time.Second // what clients are told to wait before they come back
)

// missed tells a client that there were events which it can no longer get.
type missed struct {
	Mcpctl int    `json:"mcpctl"`
	Event  string `json:"event"`
	Count  int    `json:"count,omitempty"` // absent = not known, for they were of an earlier run
}

// follow sends events as they come, from the one after Last-Event-ID or from now on (HTML standard, server-sent events).
func (m *Monitor) follow(w http.ResponseWriter, r *http.Request) {
	if m.meter.subscribers.Add(1) > maxSubscribers {
		m.meter.subscribers.Add(-1)
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "%d clients listen to events already", maxSubscribers)
		return
	}
	defer m.meter.subscribers.Add(-1)
	s := subscriber{w: w, control: http.NewResponseController(w), stream: m.events, patient: m.patient}
	w.Header().Set("Content-Type", "text/event-stream")
	_ = s.control.SetReadDeadline(time.Time{}) // the request was read; what follows has no end
	err := s.start(r.Header.Get("Last-Event-ID"), r.Method == http.MethodHead)
	if err == nil && r.Method != http.MethodHead {
		err = s.follow(r)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		m.meter.dropped.Add(1)
	}
}

// subscriber is a client that listens to events.
type subscriber struct {
	w       http.ResponseWriter
	control *http.ResponseController
	stream  *stream
	patient time.Duration
	seen    int // number of the event that was sent last
}

// start says hello, and finds where to go on from.
func (s *subscriber) start(lastID string, head bool) error {
	number, known := s.stream.number(lastID)
	switch {
	case head:
		return nil
	case lastID == "":
		s.seen, _ = s.stream.number(s.stream.last())
	case known:
		s.seen = number
	default:
		s.seen = s.stream.oldest() - 1
		if err := s.send("event: missed\ndata: %s\n", encode(missed{Mcpctl: report.Version, Event: "missed"})); err != nil {
			return err
		}
	}
	return s.send("retry: %d\n\n", reconnectAfter.Milliseconds())
}

// follow sends until the client leaves, the events end, or the client is too slow to take them.
func (s *subscriber) follow(r *http.Request) error {
	for {
		page := s.stream.after(s.seen)
		if err := s.tell(page); err != nil || page.ended {
			return err
		}
		select {
		case <-page.more:
		case <-time.After(heartbeat):
			if err := s.send(":\n\n"); err != nil {
				return err
			}
		case <-r.Context().Done():
			return nil
		}
	}
}

// tell sends events, and before them how many are lost to this client.
func (s *subscriber) tell(p page) error {
	if p.missed > 0 {
		if err := s.send("event: missed\ndata: %s\n", encode(missed{report.Version, "missed", p.missed})); err != nil {
			return err
		}
	}
	for _, e := range p.events {
		if err := s.send("id: %s\nevent: %s\ndata: %s\n\n", s.stream.id(e.number), e.kind, e.line); err != nil {
			return err
		}
		s.seen = e.number
	}
	return nil
}

// send writes within the time that a client has.
func (s *subscriber) send(format string, args ...any) error {
	_ = s.control.SetWriteDeadline(time.Now().Add(s.patient)) // a recorder has none
	if _, err := fmt.Fprintf(s.w, format, args...); err != nil {
		return err
	}
	return s.control.Flush()
}

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
