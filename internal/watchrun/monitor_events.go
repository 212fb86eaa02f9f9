package watchrun

import (
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Limits of clients that listen to events.
const (
	heartbeat  = 15 * time.Second // between signs of life
	patience   = 10 * time.Second // for a client to take what it is sent
	maxClients = 64
	maxWaiting = 256 // events that one client may lag behind
)

// clientEvent is an event for clients.
type clientEvent struct {
	kind string
	line []byte // JSON with a line end
}

// hub hands events to clients. It never waits for one: a client that lags behind too far is dropped.
type hub struct {
	mu      sync.Mutex
	clients map[chan clientEvent]bool
	closed  bool
}

// publish hands an event to every client, and drops a client whose channel is full.
func (h *hub) publish(m clientEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for client := range h.clients {
		select {
		case client <- m:
		default:
			h.remove(client)
		}
	}
}

// join adds a client; ok is false if there are too many or serving ends.
func (h *hub) join() (client chan clientEvent, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.clients) >= maxClients {
		return nil, false
	}
	client = make(chan clientEvent, maxWaiting)
	h.clients[client] = true
	return client, true
}

func (h *hub) size() float64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return float64(len(h.clients))
}

func (h *hub) leave(client chan clientEvent) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(client)
}

// remove ends what a client receives; the caller holds the lock.
func (h *hub) remove(client chan clientEvent) {
	if h.clients[client] {
		delete(h.clients, client)
		close(client)
	}
}

// close ends what every client receives. No client can join afterwards.
func (h *hub) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for client := range h.clients {
		h.remove(client)
	}
}

// follow sends events as they come, from now on (HTML standard, server-sent events). It ends when the client
// leaves, when it is too slow, or with the last event.
func (m *monitor) follow(w http.ResponseWriter, r *http.Request) {
	client, ok := m.events.join()
	if !ok {
		w.Header().Set("Retry-After", "10")
		refuse(w, http.StatusServiceUnavailable, "%d clients listen to events already", maxClients)
		return
	}
	defer m.events.leave(client)
	w.Header().Set("Content-Type", "text/event-stream")
	stream := http.NewResponseController(w)
	_ = stream.SetReadDeadline(time.Time{}) // what follows has no end
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	next := ": open\n\n"
	for {
		_ = stream.SetWriteDeadline(time.Now().Add(patience))
		if _, err := fmt.Fprint(w, next); err != nil || stream.Flush() != nil {
			return
		}
		select {
		case e, more := <-client:
			if !more {
				return
			}
			next = fmt.Sprintf("event: %s\ndata: %s\n", e.kind, e.line)
		case <-beat.C:
			next = ":\n\n"
		case <-r.Context().Done():
			return
		}
	}
}
