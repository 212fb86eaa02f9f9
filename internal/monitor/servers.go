package monitor

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// fleet is the answer about all servers.
type fleet struct {
	Mcpctl      int         `json:"mcpctl"`
	LastEventID string      `json:"lastEventId"` // listening to events from here on misses nothing
	Servers     []oneServer `json:"servers"`
}

// oneServer is how it stands with one server; the surface is left out where all are told of.
type oneServer struct {
	Mcpctl          int             `json:"mcpctl,omitempty"`
	Name            string          `json:"name"`
	State           watch.State     `json:"state"`
	Since           *time.Time      `json:"since,omitempty"` // when the state began
	Current         bool            `json:"current"`         // the surface is known to be the server's
	Transport       string          `json:"transport,omitempty"`
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	Counts          *report.Counts  `json:"counts,omitempty"`
	Unknown         []snapshot.Kind `json:"unknown,omitempty"` // lists that never arrived whole
	Tokens          *int            `json:"tokens,omitempty"`
	Connected       bool            `json:"connected"`            // a connection stands
	Listening       bool            `json:"listening"`            // what the server announces arrives
	VerifiedAt      *time.Time      `json:"verifiedAt,omitempty"` // when the whole surface last arrived
	Seen            *time.Time      `json:"seen,omitempty"`       // the same, by an older name
	AgeSeconds      *int64          `json:"ageSeconds,omitempty"` // since then
	Trouble         watch.Trouble   `json:"trouble,omitempty"`    // what the error is
	Error           *report.Failure `json:"error,omitempty"`
	Watch           *watch.Counts   `json:"watch,omitempty"`
	LatencyMs       []int           `json:"latencyMs,omitempty"`      // that the newest readings took, the newest last
	ChangesPerHour  []int           `json:"changesPerHour,omitempty"` // of the last 24 hours, the newest last
	Digest          string          `json:"digest,omitempty"`         // of the surface
	Surface         json.RawMessage `json:"surface,omitempty"`        // the last good one, as a snapshot file; showServer writes it out of what is shared
}

func (m *Monitor) listServers(w http.ResponseWriter, r *http.Request) {
	_, last := m.events.Last()
	all := fleet{Mcpctl: report.Version, LastEventID: last, Servers: []oneServer{}}
	for _, s := range *m.servers.Load() {
		one, _ := m.describe(s)
		all.Servers = append(all.Servers, one)
	}
	writeJSON(w, r, encode(all))
}

// showServer tells of one server, with its surface. The ETag is that of everything but times and numbers.
func (m *Monitor) showServer(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	if !ok {
		return
	}
	one, now := m.describe(s)
	one.Mcpctl = report.Version
	surface, done := m.shared.take(r.Context(), now.Surface, func() ([]byte, string) { return surfaceFile(now.Surface) })
	defer done()
	if surface == nil {
		return
	}
	one.Digest = surface.digest
	lasting := one
	lasting.VerifiedAt, lasting.Seen, lasting.AgeSeconds, lasting.Watch, lasting.LatencyMs, lasting.ChangesPerHour = nil, nil, nil, nil, nil, nil
	w.Header().Set("ETag", fmt.Sprintf(`W/"%x"`, sha256.Sum256(encode(lasting))))
	w.Header().Set("Cache-Control", "no-cache")
	whole := encode(one)
	if surface.text == nil {
		writeJSON(w, r, whole)
		return
	}
	writeJSON(w, r, bytes.TrimSuffix(whole, []byte("}\n")), []byte(`,"surface":`), surface.text, []byte("}\n"))
}

// surfaceFile is what a snapshot file would hold, without white space, and the digest of the file; nil when nothing is known.
func surfaceFile(s *snapshot.Snapshot) (text []byte, digest string) {
	if s == nil {
		return nil, ""
	}
	file, err := s.EncodeKnown()
	if err != nil {
		return nil, ""
	}
	return bytes.TrimSpace(encode(json.RawMessage(file))), fmt.Sprintf("sha256:%x", sha256.Sum256(file))
}

// describe tells how it stands with a server, all of it at one moment.
func (m *Monitor) describe(s Server) (oneServer, watch.Status) {
	now := s.now()
	one := oneServer{
		Name: s.Name, State: now.State, Transport: s.Transport, Current: now.Current(), Connected: now.Connected, Listening: now.Listening,
		Since: at(now.Since), VerifiedAt: at(now.VerifiedAt), Seen: at(now.VerifiedAt), Error: s.Trouble, Trouble: now.Trouble,
	}
	if s.Refresh != nil {
		one.Watch = &now.Counts
		one.LatencyMs, one.ChangesPerHour = m.past.tell(s.Name)
	}
	if now.Stale {
		one.Trouble = cmp.Or(now.Trouble, watch.Unverified)
	}
	if now.Err != nil {
		one.Error = m.options.Explain(now.Err)
	}
	if one.Seen != nil {
		age := int64(time.Since(now.VerifiedAt) / time.Second)
		one.AgeSeconds = &age
	}
	if now.Surface != nil {
		for _, list := range now.Surface.Incomplete() {
			one.Unknown = append(one.Unknown, list.Kind)
		}
		one.ProtocolVersion, one.Counts = now.Surface.Protocol, report.CountsOf(now.Surface)
		one.Tokens = m.meter.measure(s.Name, now).tokens
	}
	return one, now
}

// at is a time in the form of events; nil when there is none.
func at(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}

// named finds the server that a request is about, or says which there are.
func (m *Monitor) named(w http.ResponseWriter, r *http.Request) (Server, bool) {
	name, servers := r.PathValue("name"), *m.servers.Load()
	if i := slices.IndexFunc(servers, func(s Server) bool { return s.Name == name }); i >= 0 {
		return servers[i], true
	}
	names := lists.Map(servers, func(s Server) string { return s.Name })
	writeProblem(w, problem{
		Status: http.StatusNotFound, Detail: fmt.Sprintf("no server is called %q: see /v1/servers", name), Nearest: match.Nearest(name, names),
	})
	return Server{}, false
}

// healthy is the answer about health, and says nothing that is not for everybody.
type healthy struct {
	Status  string `json:"status"` // "ok", "ready", "waiting" or "ending"
	Servers *int   `json:"servers,omitempty"`
	Waiting *int   `json:"waiting,omitempty"` // servers whose first outcome is not known
}

// readiness tells whether every server has had its first outcome. Then it stays so until the end.
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
	case !m.ready.Load() && (waiting > 0 || servers == nil):
		unready(w, healthy{Status: "waiting", Servers: &count, Waiting: &waiting})
	default:
		m.ready.Store(true)
		writeJSON(w, r, encode(healthy{Status: "ready", Servers: &count, Waiting: &waiting}))
	}
}

func unready(w http.ResponseWriter, h healthy) {
	w.Header().Set("Retry-After", "1")
	writeStatus(w, http.StatusServiceUnavailable, "application/json", h)
}

// refreshed is the answer to a request to read a server.
type refreshed struct {
	Mcpctl    int    `json:"mcpctl"`
	Server    string `json:"server"`
	Coalesced bool   `json:"coalesced"` // one that was asked for before, and has not begun, is the answer to this as well
}

// refresh asks for a reading of a server, and does not wait for it: what comes of it is an event.
func (m *Monitor) refresh(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case !ok:
	case m.ending.Load():
		refuse(w, http.StatusServiceUnavailable, "watching has ended")
	case s.Refresh == nil:
		refuse(w, http.StatusConflict, "%s is not watched: its state is %s", s.Name, s.now().State)
	case r.ContentLength != 0 && kind != "application/json":
		refuse(w, http.StatusUnsupportedMediaType, "a refresh needs no body; one that is JSON is ignored")
	default:
		writeStatus(w, http.StatusAccepted, "application/json", refreshed{report.Version, s.Name, m.asking.ask(s)})
	}
}

// refreshEvery is how often a server is read at most because clients ask for it.
const refreshEvery = time.Second

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
