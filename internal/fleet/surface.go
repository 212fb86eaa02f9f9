package fleet

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Surface is what one server offers, live or saved, with what a report says about it; or why it is not known.
type Surface struct {
	seen.Server
	Snapshot   *snapshot.Snapshot // nil when nothing arrived, and after LetGo
	Raw        []byte             // of a saved one, the file; nil = there is none
	SecondRead []snapshot.List    // the lists once more, with Contact.ReadTwice
	// of a live one as its command line names it, of a saved one as locked; nil = none, or unknown
	Package *packages.Package
	// of a saved one, the file of the current tree that holds it; empty = there is none
	File string

	PingMs float64 // milliseconds to the response to ping
	// the names of the variables that a server over stdio was started with; nil = not known
	Given         []string
	Misconfigured bool // it failed because of the configuration: nothing was contacted
	Interrupted   bool // a signal ended the run before the server had answered in full
	arrived       bool // there was a snapshot before LetGo

	admitted *trust.Approved // what may be contacted; nil = nothing
	declared *config.Entry   // what must not be contacted; nil = it is admitted or saved
}

// Unseen returns the surface of a server without any document, with what a report says about it.
func Unseen(s seen.Server) Surface { return Surface{Server: s} }

// entry returns how the server was declared; the zero Entry for a saved one.
func (s *Surface) entry() config.Entry {
	switch {
	case s.admitted != nil:
		return s.admitted.Entry()
	case s.declared != nil:
		return *s.declared
	}
	return config.Entry{}
}

// LetGo drops the documents of the surface; Whole and Known still answer.
func (s *Surface) LetGo() {
	s.arrived = s.arrived || s.Snapshot != nil
	s.Snapshot, s.Raw, s.SecondRead = nil, nil, nil
}

// Bounds of what a run holds, in bytes of lists.
const (
	mostHeld    = 256 << 20 // to its end, over all servers
	largeServer = 4 << 20   // a server that is alone while it is visited
)

// bytes returns the size of the lists that the surface holds.
func (s *Surface) bytes() (n int) {
	for _, kind := range snapshot.Kinds() {
		for _, raw := range *s.Items(kind) {
			n += len(raw)
		}
		if s.Snapshot != nil {
			for _, item := range s.Snapshot.List(kind).Items() {
				n += len(item.Raw)
			}
		}
	}
	return n
}

// Whole reports whether everything that the server offers arrived.
func (s Surface) Whole() bool {
	if s.Snapshot != nil {
		return s.State == seen.OK && s.Snapshot.Complete()
	}
	return s.State == seen.OK && s.arrived && len(s.PartialLists) == 0
}

// Known reports whether there is something to compare, or certainly no server.
func (s Surface) Known() bool { return s.Snapshot != nil || s.arrived || s.State == seen.Absent }

// Incomplete reports whether the server did not answer in full.
func (s Surface) Incomplete() bool { return s.State == seen.Failed || s.State == seen.Partial }

// TokenCost estimates what the server costs in a prompt; nil when its tools are not known.
func (s Surface) TokenCost() *int {
	if s.Snapshot == nil || !s.Snapshot.Tools.Whole() {
		return nil
	}
	return new(check.Tokens(s.Snapshot))
}

// TakeLonger is what to do where the time for a server was over.
const TakeLonger = "give it longer with --timeout (0: no limit); see what is large with mcpctl list"

// TooLong returns the message for an analysis that was stopped.
func TooLong(limit time.Duration) string { return fmt.Sprintf("undecided after %s", limit) }

// Absent returns the surface of a server that certainly does not exist.
func Absent(name string) Surface { return Unseen(seen.Server{Name: name, State: seen.Absent}) }

// FromSaved returns the surface of a saved snapshot.
func FromSaved(saved source.Saved) Surface {
	s := Unseen(seen.Server{Name: saved.Name, State: seen.OK, Source: saved.Origin})
	s.Snapshot, s.Raw, s.Package, s.File = saved.Snapshot, saved.Raw, saved.Package, saved.File
	s.count()
	return s
}

// Answered returns the surface of a target that was contacted.
func (t Target) Answered(r probe.Result) Surface {
	s := t.known
	s.State, s.Snapshot, s.SecondRead = seen.OK, r.Snapshot, r.SecondRead
	s.Transport, s.ElapsedMs, s.Attempts = r.Transport, seen.Elapsed(r.Elapsed), r.Attempts
	switch {
	case t.server.Stdio != nil:
		s.Intended = "stdio"
	case t.server.HTTP != nil:
		s.Intended = cmp.Or(string(t.server.HTTP.Kind), string(probe.StreamableHTTP))
	}
	s.ClientCapabilities = r.Declared
	s.count()
	if r.Transport == "stdio" {
		s.Noise = new(len(r.Noise))
	}
	s.NoiseText = r.Noise
	for _, n := range r.Notices {
		s.Notices = append(s.Notices, seen.Oddity{Stage: string(n.Stage), Code: n.Code, Message: n.Message})
	}
	if len(s.PartialLists) > 0 {
		s.State = seen.Partial
	}
	if r.Err != nil {
		s.fail(r.Err)
	}
	return s
}

// count sets what the report says about the snapshot: its protocol version, numbers of items, and partial
// lists.
func (s *Surface) count() {
	if s.Snapshot == nil {
		return
	}
	s.ProtocolVersion, s.Counts = s.Snapshot.Protocol, seen.CountsOf(s.Snapshot)
	for _, list := range s.Snapshot.Incomplete() {
		s.PartialLists = append(s.PartialLists,
			seen.PartialList{Kind: list.Kind, State: list.State.String(), Problem: list.Problem})
	}
}

// fail records what went wrong: all of it, or a part when some of the surface arrived.
func (s *Surface) fail(err error) {
	s.State = seen.Failed
	if s.Snapshot != nil {
		s.State = seen.Partial
	}
	for _, cause := range probe.Failures(err) {
		s.Fail(seen.FailureOf(cause))
	}
}

// FailureOf returns the first failure in an error of the prober or a watcher, as a report has it.
func FailureOf(err error) *seen.Failure {
	var s Surface
	if s.fail(err); s.Error == nil && err != nil {
		return &seen.Failure{Stage: string(probe.Watching), Message: err.Error()}
	}
	return s.Error
}

// Status returns the exit status of surfaces without findings: wrong usage if the configuration kept every
// server from being tried.
func Status(surfaces []Surface) int {
	tried, misconfigured, incomplete := false, false, false
	for _, s := range surfaces {
		tried = tried || !s.Misconfigured && s.State != seen.Disabled
		misconfigured = misconfigured || s.Misconfigured
		incomplete = incomplete || s.Incomplete() && s.Tolerated == nil
	}
	switch {
	case !tried && misconfigured:
		return exit.Usage
	case incomplete:
		return exit.Incomplete
	}
	return exit.OK
}

// Elaborate writes with --verbose how a server answered.
func Elaborate(p host.Process, s Surface) {
	name := printable.Message(s.Name)
	p.Detail("%s: %s, over %s, protocol %s, %d ms", name, s.State, cmp.Or(s.Transport, s.Intended),
		cmp.Or(s.ProtocolVersion, "unknown"), s.ElapsedMs)
	for _, n := range s.Notices {
		p.Detail("%s: %s", name, printable.Message(n.Message))
	}
	for _, text := range s.NoiseText {
		p.Detail("%s: on stdout, not the protocol: %s", name, printable.Message(text))
	}
}

// NoiseNote returns one line about the servers that write other text than messages to stdout, or nothing.
func NoiseNote(surfaces []Surface) string {
	const longest = 120 // bytes of the text that is quoted
	var names []string
	first := ""
	for _, s := range surfaces {
		if len(s.NoiseText) == 0 {
			continue
		}
		if names = append(names, printable.Message(s.Name)); len(names) == 1 {
			first, _, _ = strings.Cut(strings.TrimSpace(s.NoiseText[0]), "\n")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: wrote to stdout what is not an MCP message: \"%s\"; some clients fail there "+
		"(write logs to stderr)", kit.Some(names), printable.Message(kit.Clip(first, longest)))
}
