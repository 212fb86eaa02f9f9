package monitor

import (
	"net/http"

	"github.com/mcpctl/mcpctl/pkg/watch"
)

// healthy is the answer about health, and says nothing that is not for everybody.
type healthy struct {
	Status  string `json:"status"` // "ok", "ready", "waiting" or "ending"
	Servers *int   `json:"servers,omitempty"`
	Waiting *int   `json:"waiting,omitempty"` // servers whose first outcome is not known
}

// health tells that the process answers; how it stands with servers is no matter of it.
func (m *Monitor) health(w http.ResponseWriter, r *http.Request) {
	writeJSON(w, r, encode(healthy{Status: "ok"}))
}

// readiness tells whether every server has had its first outcome, good or bad. Once that is so it stays, whatever becomes
// of servers, until the end.
func (m *Monitor) readiness(w http.ResponseWriter, r *http.Request) {
	servers, waiting := *m.servers.Load(), 0
	for _, s := range servers {
		if s.now().State == watch.Connecting {
			waiting++
		}
	}
	count := len(servers)
	switch {
	case m.ending.Load():
		unready(w, healthy{Status: "ending", Servers: &count})
	case !m.ready.Load() && (waiting > 0 || count == 0):
		unready(w, healthy{Status: "waiting", Servers: &count, Waiting: &waiting})
	default:
		m.ready.Store(true)
		writeJSON(w, r, encode(healthy{Status: "ready", Servers: &count, Waiting: &waiting}))
	}
}

func unready(w http.ResponseWriter, h healthy) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Retry-After", "1")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = w.Write(encode(h)) // the client has gone if it fails
}
