package monitor

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/mcpctl/mcpctl/internal/journal"
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
	s := subscriber{w: w, control: http.NewResponseController(w), journal: m.events, patient: m.patient}
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
	journal *journal.Journal
	patient time.Duration
	seen    int // number of the event that was sent last
}

// start says hello, and finds where to go on from.
func (s *subscriber) start(lastID string, head bool) error {
	number, known := s.journal.NumberOf(lastID)
	switch {
	case head:
		return nil
	case lastID == "":
		s.seen, _ = s.journal.Last()
	case known:
		s.seen = number
	default:
		s.seen = s.journal.Oldest() - 1
		if err := s.send("event: missed\ndata: %s\n", encode(missed{Mcpctl: report.Version, Event: "missed"})); err != nil {
			return err
		}
	}
	return s.send("retry: %d\n\n", reconnectAfter.Milliseconds())
}

// follow sends until the client leaves, the events end, or the client is too slow to take them.
func (s *subscriber) follow(r *http.Request) error {
	for {
		page := s.journal.After(s.seen)
		if err := s.tell(page); err != nil || page.Ended {
			return err
		}
		select {
		case <-page.More:
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
func (s *subscriber) tell(p journal.Page) error {
	if p.Missed > 0 {
		if err := s.send("event: missed\ndata: %s\n", encode(missed{report.Version, "missed", p.Missed})); err != nil {
			return err
		}
	}
	for _, e := range p.Entries {
		if err := s.send("id: %s\nevent: %s\ndata: %s\n\n", e.ID, e.Kind, e.Line); err != nil {
			return err
		}
		s.seen = e.Number
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
