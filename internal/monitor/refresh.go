package monitor

import (
	"mime"
	"net/http"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/report"
)

// refreshed is the answer to a request to read a server.
type refreshed struct {
	Mcpctl    int    `json:"mcpctl"`
	Server    string `json:"server"`
	Coalesced bool   `json:"coalesced"` // one that was asked for before, and has not begun, is the answer to this as well
}

// refresh asks for a reading of a server, and does not wait for it: what comes of it is an event.
func (m *Monitor) refresh(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	switch {
	case !ok:
	case m.ending.Load():
		refuse(w, http.StatusServiceUnavailable, "watching has ended")
	case s.Refresh == nil:
		refuse(w, http.StatusConflict, "%s is not watched: its state is %s", s.Name, s.now().State)
	case !emptyOrJSON(r):
		refuse(w, http.StatusUnsupportedMediaType, "a refresh needs no body; one that is JSON is ignored")
	default:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_, _ = w.Write(encode(refreshed{report.Version, s.Name, m.asking.ask(s)})) // the client has gone if it fails
	}
}

func emptyOrJSON(r *http.Request) bool {
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return r.ContentLength == 0 || kind == "application/json"
}

// refreshEvery is how often a server is read at most because clients ask for it.
const refreshEvery = time.Second

// asking keeps clients from making servers be read without a pause. The zero value is ready.
type asking struct {
	mu   sync.Mutex
	next map[string]time.Time // when a server may be asked again
}

// ask asks for a reading, now or as soon as that may be, and tells whether one was asked for already.
func (a *asking) ask(s Server) (coalesced bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.next == nil {
		a.next = map[string]time.Time{}
	}
	wait := time.Until(a.next[s.Name])
	switch {
	case len(s.Refresh) > 0, wait > refreshEvery: // the next one is on its way
		return true
	case wait > 0:
		a.next[s.Name] = a.next[s.Name].Add(refreshEvery)
		time.AfterFunc(wait, func() { signal(s.Refresh) })
		return false
	}
	a.next[s.Name] = time.Now().Add(refreshEvery)
	return !signal(s.Refresh)
}

// forget lets a server go.
func (a *asking) forget(name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.next, name)
}

// signal asks, unless somebody has asked already.
func signal(c chan<- struct{}) bool {
	select {
	case c <- struct{}{}:
		return true
	default:
		return false
	}
}
