package watch

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// TestUndecidedInTime: a comparison that does not end within the time for a reading says so, and not that a
// deadline was exceeded.
func TestUndecidedInTime(t *testing.T) {
	one := &snapshot.Snapshot{Tools: snapshot.NewList(snapshot.Tools, []json.RawMessage{json.RawMessage(`{"name": "a"}`)})}
	s := &state{source: Source{Saved: func() *snapshot.Snapshot { return one }}, options: &Options{Timeout: 1}}
	if _, _, err := s.compare(t.Context(), surface{shot: &snapshot.Snapshot{}}, nil); err == nil ||
		!strings.HasSuffix(err.Error(), "comparing: undecided after 1ns") {
		t.Errorf("%v", err)
	}
}

// slowSession takes a second to say why it was lost.
type slowSession struct {
	Session
	done chan struct{}
	said bool
}

func (s *slowSession) Done() <-chan struct{} { return s.done }

func (s *slowSession) Lost() error {
	time.Sleep(time.Second)
	s.said = true
	return nil
}

// TestNothingRunsAfterAReading: release waits for a session that is still asked.
func TestNothingRunsAfterAReading(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		session := &slowSession{done: make(chan struct{})}
		_, release := whileConnected(t.Context(), session)
		close(session.done)
		synctest.Wait()
		if release(); !session.said {
			t.Error("the session is still in use")
		}
	})
}
