package watchrun

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// monitoredServer is a server as HTTP clients see it.
type monitoredServer struct {
	name      string
	transport string              // "stdio" or "http"; empty = not known
	status    func() watch.Status // the current state
	refresh   chan<- struct{}     // takes a request to read it; nil = it is not watched
	trouble   *seen.Failure       // why it is not watched
}

// serverState is the JSON of one server. Version and surface are absent from the list of all.
type serverState struct {
	Mcpctl          int             `json:"mcpctl,omitempty"`
	Name            string          `json:"name"`
	State           watch.State     `json:"state"`
	Since           *time.Time      `json:"since,omitempty"`      // when the state began
	Current         bool            `json:"current"`              // the surface is known to be the server's
	VerifiedAt      *time.Time      `json:"verifiedAt,omitempty"` // when the complete surface last arrived
	Transport       string          `json:"transport,omitempty"`
	ProtocolVersion string          `json:"protocolVersion,omitempty"`
	Counts          seen.Counts     `json:"counts,omitzero"`
	Unknown         []snapshot.Kind `json:"unknown,omitempty"` // lists that never arrived completely
	Tokens          *int            `json:"tokens,omitempty"`
	Error           *seen.Failure   `json:"error,omitempty"`
	Watch           *watch.Counts   `json:"watch,omitempty"`
	Surface         json.RawMessage `json:"surface,omitempty"` // the last good one, as in a snapshot file
}

// listServers answers with the state of every server, without the surfaces, which can be large.
func (m *monitor) listServers(w http.ResponseWriter, _ *http.Request) {
	states := kit.Map(*m.servers.Load(), func(s monitoredServer) serverState {
		state, _ := m.stateOf(s)
		return state
	})
	writeJSON(w, http.StatusOK, struct {
		Mcpctl  int           `json:"mcpctl"`
		Servers []serverState `json:"servers"`
	}{seen.FormVersion, append([]serverState{}, states...)})
}

// showServer answers with the state of one server and its last good surface.
func (m *monitor) showServer(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	if !ok {
		return
	}
	state, now := m.stateOf(s)
	state.Mcpctl = seen.FormVersion
	if now.Surface != nil {
		state.Surface, _ = now.Surface.EncodeKnown() // absent if it has no JSON form
	}
	writeJSON(w, http.StatusOK, state)
}

// stateOf returns the state of a server, all of it of one moment.
func (m *monitor) stateOf(s monitoredServer) (serverState, watch.Status) {
	now := s.now()
	state := serverState{
		Name: s.name, State: now.State, Since: timeOf(now.Since), Current: now.Current(),
		VerifiedAt: timeOf(now.VerifiedAt), Transport: s.transport, Error: s.trouble,
	}
	if s.refresh != nil {
		state.Watch = &now.Counts
	}
	if now.Err != nil {
		state.Error = fleet.FailureOf(now.Err)
	}
	if now.Surface != nil {
		for _, list := range now.Surface.Incomplete() {
			state.Unknown = append(state.Unknown, list.Kind)
		}
		state.ProtocolVersion, state.Counts = now.Surface.Protocol, seen.CountsOf(now.Surface)
		if now.Surface.Tools.Whole() {
			tokens := check.Tokens(now.Surface)
			state.Tokens = &tokens
		}
	}
	return state, now
}

// now returns the status of a server. One that watching has not begun with is about to be connected to.
func (s monitoredServer) now() watch.Status {
	now := s.status()
	now.State = cmp.Or(now.State, watch.Connecting)
	return now
}

// timeOf returns a time as events show it; nil if there is none.
func timeOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC().Truncate(time.Millisecond)
	return &t
}

// named returns the server that a request names, or answers with the nearest names.
func (m *monitor) named(w http.ResponseWriter, r *http.Request) (monitoredServer, bool) {
	name, servers := r.PathValue("name"), *m.servers.Load()
	if i := slices.IndexFunc(servers, func(s monitoredServer) bool { return s.name == name }); i >= 0 {
		return servers[i], true
	}
	names := kit.Map(servers, func(s monitoredServer) string { return s.name })
	refuse(w, http.StatusNotFound, "unknown server %q%s", name, kit.DidYouMean(name, names))
	return monitoredServer{}, false
}

// refresh asks for a reading of a server and does not wait for it: the result is an event.
func (m *monitor) refresh(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	if !ok {
		return
	}
	if s.refresh == nil {
		refuse(w, http.StatusConflict, "%s is not watched: its state is %s", s.name, s.now().State)
		return
	}
	signalOnce(s.refresh)
	writeJSON(w, http.StatusAccepted, map[string]string{"server": s.name})
}
