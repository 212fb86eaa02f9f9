//go:build soak

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// soakEvent is what matters of an event.
type soakEvent struct {
	Event, Server, State string
	Time                 time.Time
	Findings             []struct{ Rule, Item string }
	Servers              []struct{ Watch map[string]int }
}

// soakJudge holds what is reported against what happened.
type soakJudge struct {
	field *soakField

	mu      sync.Mutex
	reached map[string]bool
	last    []int // the version of each server that was reported last
	told    int
	late    []time.Duration // from change to event, of servers without faults
	counts  map[string]int
	wrong   []string
}

func newSoakJudge(f *soakField) *soakJudge {
	return &soakJudge{field: f, reached: map[string]bool{}, last: make([]int, len(f.plots)), counts: map[string]int{}}
}

func (j *soakJudge) complain(format string, args ...any) {
	j.wrong = append(j.wrong, fmt.Sprintf(format, args...))
}

// take judges one event: a change is from the version that was reported last to one that came after it, and nothing else.
func (j *soakJudge) take(e soakEvent) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, s := range e.Servers { // of the summary
		for name, n := range s.Watch {
			j.counts[name] += n
		}
	}
	j.counts["event "+e.Event]++
	if e.State == "live" {
		j.reached[e.Server] = true
	}
	i, _ := strconv.Atoi(strings.TrimPrefix(e.Server, "plot-"))
	if len(e.Findings) == 0 {
		return
	}
	from, to := -1, -1
	for _, f := range e.Findings {
		n, err := strconv.Atoi(strings.TrimPrefix(f.Item, "tool/v"))
		switch {
		case err == nil && f.Rule == "tool-added" && to < 0:
			to = n
		case err == nil && f.Rule == "tool-removed" && from < 0:
			from = n
		default:
			j.complain("%s: invented: %s %s", e.Server, f.Rule, f.Item)
		}
	}
	came := j.field.plots[i].came(to)
	if from != j.last[i] || to <= from || came.IsZero() || e.Time.Before(came.Truncate(time.Millisecond)) {
		j.complain("%s: told as version %d after %d, when %d was told last", e.Server, to, from, j.last[i])
	}
	j.last[i] = max(to, j.last[i])
	if j.told++; j.field.plots[i].kind == soakCalm {
		j.late = append(j.late, e.Time.Sub(came))
	}
}

func (j *soakJudge) connected() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.reached)
}

// missing are the servers whose newest version was not reported yet.
func (j *soakJudge) missing() (all []string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i := range j.field.plots {
		if n := j.field.plots[i].version(); n != j.last[i] {
			all = append(all, fmt.Sprintf("%s: version %d is in effect, version %d was told last", soakName(i), n, j.last[i]))
		}
	}
	return all
}

func (j *soakJudge) verdict(t *testing.T) (told int, late []time.Duration) {
	for _, one := range append(j.missing(), j.wrong...) {
		t.Error(one)
	}
	if len(j.late) == 0 {
		t.Fatal("nothing changed")
	}
	return j.told, sorted(j.late)
}

// soakReceiver takes posts, refuses some of them, and is slow now and then.
type soakReceiver struct {
	mu     sync.Mutex
	last   map[string]time.Time // of the last change of each server
	counts map[string]int
	wrong  []string
}

func (r *soakReceiver) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, _ := io.ReadAll(request.Body)
	n := rand.IntN(200)
	if n == 1 {
		<-time.After(time.Second)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.last == nil {
		r.last, r.counts = map[string]time.Time{}, map[string]int{}
	}
	if n < 1 {
		r.counts["refused"]++
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var e soakEvent
	if err := json.Unmarshal(body, &e); err != nil {
		r.wrong = append(r.wrong, err.Error())
	}
	switch before := r.last[e.Server]; {
	case e.Time.Equal(before): // the answer to the one before came too late
		r.counts["repeated"]++
		return
	case e.Time.Before(before):
		r.wrong = append(r.wrong, fmt.Sprintf("%s: the change of %v was posted after that of %v", e.Server, e.Time, before))
	}
	r.last[e.Server] = e.Time
	r.counts["taken"]++
}

// verdict wants every change that was reported to be posted, in order, but for those of which the program said that it could not.
func (r *soakReceiver) verdict(t *testing.T, told, undelivered int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, one := range r.wrong {
		t.Error(one)
	}
	if taken := r.counts["taken"]; taken > told || taken+undelivered < told {
		t.Errorf("%d changes were told, %d posted, %d said to be missing", told, r.counts["taken"], undelivered)
	}
}
