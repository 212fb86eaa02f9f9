package monitor

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"

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
	Seen            *time.Time      `json:"seen,omitempty"`       // when all of the surface was current
	AgeSeconds      *int64          `json:"ageSeconds,omitempty"` // since then
	Error           *report.Failure `json:"error,omitempty"`
	Watch           *watch.Counts   `json:"watch,omitempty"`
	Digest          string          `json:"digest,omitempty"`  // of the surface
	Surface         json.RawMessage `json:"surface,omitempty"` // the last good one, as a snapshot file
}

func (m *Monitor) listServers(w http.ResponseWriter, r *http.Request) {
	all := fleet{Mcpctl: report.Version, LastEventID: m.events.last(), Servers: []oneServer{}}
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
	if file, err := surfaceFile(now.Surface); err == nil {
		one.Surface, one.Digest = file, fmt.Sprintf("sha256:%x", sha256.Sum256(file))
	}
	lasting := one
	lasting.Seen, lasting.AgeSeconds, lasting.Watch = nil, nil, nil
	w.Header().Set("ETag", fmt.Sprintf(`W/"%x"`, sha256.Sum256(encode(lasting))))
	w.Header().Set("Cache-Control", "no-cache")
	writeJSON(w, r, encode(one))
}

// surfaceFile is what a snapshot file would hold; nil when nothing is known.
func surfaceFile(s *snapshot.Snapshot) (json.RawMessage, error) {
	if s == nil {
		return nil, nil
	}
	return s.EncodeKnown()
}

// describe tells how it stands with a server, all of it at one moment.
func (m *Monitor) describe(s Server) (oneServer, watch.Status) {
	now := s.now()
	one := oneServer{
		Name: s.Name, State: now.State, Transport: s.Transport, Current: now.State.Reached(),
		Since: at(now.Since), Seen: at(now.Seen), Error: s.Trouble,
	}
	if s.Refresh != nil {
		one.Watch = &now.Counts
	}
	if now.Err != nil {
		one.Error = m.options.Explain(now.Err)
	}
	if one.Seen != nil {
		age := int64(time.Since(now.Seen) / time.Second)
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
	var names []string
	for _, s := range servers {
		names = append(names, s.Name)
	}
	writeProblem(w, problem{
		Status: http.StatusNotFound, Detail: fmt.Sprintf("no server is called %q: see /v1/servers", name), Nearest: m.options.Nearest(name, names),
	})
	return Server{}, false
}
