// Package seen holds what was seen of a server: what it offered, or why that is not known. It is what reports
// show of the last of three states: declared (config.Entry), admitted (trust.Approved), seen (fleet.Surface).
package seen

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// FormVersion is the number of the JSON form of reports, in which servers are.
const FormVersion = 1

// Server is what was seen of one server.
type Server struct {
	Name       string             `json:"name"`             // configured name
	State      State              `json:"state"`            // how far it answered
	Source     string             `json:"source,omitempty"` // "FILE:LINE" of its configuration, or its file
	Places     []clients.Place    `json:"places,omitempty"` // where applications have it, if discovered
	Error      *Failure           `json:"error,omitempty"`  // the first failure
	MoreErrors []Failure          `json:"moreErrors,omitempty"`
	Tolerated  *finding.Tolerance `json:"tolerated,omitempty"` // why its failure does not count

	// the tools that applications give to their models; nil = all of them, or unknown
	Clients *check.ClientTools `json:"clientTools,omitempty"`

	Answer
	Offer
}

// Fail adds a failure: the first is Error, those after it MoreErrors.
func (s *Server) Fail(f Failure) {
	if s.Error == nil {
		s.Error = &f
	} else {
		s.MoreErrors = append(s.MoreErrors, f)
	}
}

// Failures returns all failures of a server.
func (s *Server) Failures() []Failure {
	if s.Error == nil {
		return s.MoreErrors
	}
	return append([]Failure{*s.Error}, s.MoreErrors...)
}

// State is how far a server answered.
type State string

// The states of a server.
const (
	OK       State = "ok"       // everything it offers arrived
	Partial  State = "partial"  // some of it arrived
	Failed   State = "failed"   // nothing arrived
	Disabled State = "disabled" // not contacted, as configured
	Absent   State = "absent"   // diff: only the old side has it
)

// Connection is how a server is reached.
type Connection struct {
	Transport string `json:"transport,omitempty"` // "stdio", "streamable-http" or "sse"
	Intended  string `json:"-"`                   // the configured transport of a server that was not reached
	// negotiated, such as "2025-11-25"; of config the pinned one
	ProtocolVersion string `json:"protocolVersion,omitempty"`
}

// Answer is how a server answered when it was contacted.
type Answer struct {
	Connection
	// what was declared to the server, such as "roots"; nil = a saved snapshot
	ClientCapabilities []string      `json:"clientCapabilities,omitempty"`
	ElapsedMs          int64         `json:"elapsedMs,omitempty"`  // to the last answer; see Elapsed
	Attempts           int           `json:"attempts,omitempty"`   // 1 + the retries that were used
	Counts             Counts        `json:"counts,omitzero"`      // number of items of each kind
	PartialLists       []PartialList `json:"incomplete,omitempty"` // lists that are not whole
	Tokens             *int          `json:"tokens,omitempty"`     // list, diff: estimated cost in a prompt
	Noise              *int          `json:"noise,omitempty"`      // pieces of stdout outside the protocol
	NoiseText          []string      `json:"noiseText,omitempty"`  // the first bytes of each piece
	Notices            []Oddity      `json:"notices,omitempty"`    // oddities that lost nothing
}

// Offer is what a server offers, as it sent it.
type Offer struct {
	ServerInfo        json.RawMessage `json:"serverInfo,omitempty"`
	Capabilities      json.RawMessage `json:"capabilities,omitempty"`
	Instructions      string          `json:"instructions,omitempty"`      // text for the model
	SupportedVersions []string        `json:"supportedVersions,omitempty"` // as server/discover lists them
	// of show: members of a snapshot that this program has no word for
	Unknown           map[string]json.RawMessage `json:"-"`
	Tools             Items                      `json:"tools,omitzero"`
	Prompts           Items                      `json:"prompts,omitzero"`
	Resources         Items                      `json:"resources,omitzero"`
	ResourceTemplates Items                      `json:"resourceTemplates,omitzero"`
	Skills            Items                      `json:"skills,omitzero"`
}

// Items are raw items of one kind, each as the server sent it. Nil = not shown or not offered; empty = none.
type Items = []json.RawMessage

// Counts are numbers of items by kind. A kind is absent if it is not offered or nothing of its list arrived.
type Counts map[snapshot.Kind]int

// CountsOf returns the numbers of items of a snapshot that arrived.
func CountsOf(s *snapshot.Snapshot) Counts {
	counts := Counts{}
	for _, kind := range snapshot.Kinds() {
		if list := s.List(kind); list.State != snapshot.NotOffered && list.State != snapshot.Unread {
			counts[kind] = len(list.Items())
		}
	}
	return counts
}

// Items returns how many items of each kind there are, such as "7 tools, 1 prompt".
func (c Counts) Items() string {
	var words []string
	for _, kind := range snapshot.Kinds() {
		if n, known := c[kind]; known && (n > 0 || kind == snapshot.Tools) {
			words = append(words, kit.Counted(n, kind.Word()))
		}
	}
	return strings.Join(words, ", ")
}

// Items returns the place of the items of a kind.
func (o *Offer) Items(kind snapshot.Kind) *Items {
	return map[snapshot.Kind]*Items{snapshot.Tools: &o.Tools, snapshot.Prompts: &o.Prompts,
		snapshot.Resources: &o.Resources, snapshot.Templates: &o.ResourceTemplates,
		snapshot.Skills: &o.Skills}[kind]
}

// PartialList is a list that arrived in part.
type PartialList struct {
	Kind snapshot.Kind `json:"list"`
	// "truncated": Counts has the number of what arrived; "unread": nothing did
	State   string `json:"state"`
	Problem string `json:"problem"`
}

// Failure is one thing that went wrong with one server. It holds no secrets.
type Failure struct {
	Stage   string `json:"stage"`            // such as "listing prompts"
	Message string `json:"message"`          // the cause, without the server's name and the stage
	Hint    string `json:"hint,omitempty"`   // what to do next
	Stderr  string `json:"stderr,omitempty"` // the end of what the server wrote to stderr
}

// Stages that no probe has: of a server whose configuration is wrong or not trusted, which was not contacted,
// and of a package that its registry does not describe.
const (
	Configuration = "configuration"
	LookingUp     = "looking up"
)

// Oddity is something odd that a server did and that lost nothing.
type Oddity struct {
	Stage   string `json:"stage,omitempty"` // when it was seen
	Code    string `json:"code"`            // kebab-case, permanent
	Message string `json:"message"`         // one sentence
}

// Elapsed returns a duration in the unit of Answer.ElapsedMs, rounded.
func Elapsed(d time.Duration) int64 { return d.Round(time.Millisecond).Milliseconds() }
