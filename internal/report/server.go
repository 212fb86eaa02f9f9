package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// Server is all that a run knows of one server: what every command reports, and sections that only some
// commands fill and report, see reportedBy.
type Server struct {
	Name       string             `json:"name"`             // configured name
	State      State              `json:"state"`            // how far it answered
	Source     string             `json:"source,omitempty"` // "FILE:LINE" of its configuration, or its file
	Places     []config.Place     `json:"places,omitempty"` // where applications have it, if discovered
	Error      *Failure           `json:"error,omitempty"`  // the first failure
	MoreErrors []Failure          `json:"moreErrors,omitempty"`
	Tolerated  *finding.Tolerance `json:"tolerated,omitempty"` // why its failure does not count

	// the tools that applications give to their models; nil = all of them, or unknown
	Clients *check.ClientTools `json:"clientTools,omitempty"`

	Answer
	Offer
	Comparison
	Definition
	FailOn   finding.Threshold `json:"failOn,omitempty"`   // this server's own; empty = Report.FailOn
	PingMs   float64           `json:"pingMs,omitempty"`   // milliseconds to the response
	Saved    *Saved            `json:"saved,omitempty"`    // what became of the file
	Login    *LoginStatus      `json:"login,omitempty"`    // of login and logout
	Since    string            `json:"since,omitempty"`    // the day of the decision to trust it
	Replayed []Replayed        `json:"replayed,omitempty"` // by tool or expectation

	Expensive []ToolCost `json:"expensive,omitempty"` // the ten tools with the most tokens

	// the file of the current tree whose lines findings point at; empty = Base, if that is a file
	BaseFile string `json:"-"`
}

// reportedBy returns what a command reports of the server in JSON.
func (s *Server) reportedBy(command string) *Server {
	out := &Server{Name: s.Name, State: s.State, Source: s.Source, Places: s.Places, Error: s.Error,
		MoreErrors: s.MoreErrors, Tolerated: s.Tolerated}
	switch command {
	case "list", "show":
		out.Answer, out.Offer, out.Clients = s.Answer, s.Offer, s.Clients
	case "ping":
		out.Answer, out.PingMs = s.Answer, s.PingMs
	case "snapshot":
		out.Answer, out.Saved = s.Answer, s.Saved
	case "accept":
		out.Answer, out.Comparison, out.Saved = s.Answer, s.Comparison, s.Saved
	case "diff":
		out.Answer, out.Comparison, out.FailOn = s.Answer, s.Comparison, s.FailOn
		out.Clients = s.Clients
	case "check":
		out.Answer, out.FailOn, out.Expensive = s.Answer, s.FailOn, s.Expensive
		out.Clients = s.Clients
	case "replay":
		out.Answer, out.FailOn, out.Replayed = s.Answer, s.FailOn, s.Replayed
	case "config":
		out.Connection, out.Definition = s.Connection, s.Definition
	case "trust":
		out.Connection, out.Definition, out.Since = s.Connection, s.Definition, s.Since
	case "login", "logout":
		out.URL, out.Login = s.URL, s.Login
	}
	return out
}

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

// Comparison is what a server was compared with.
type Comparison struct {
	Base       string            `json:"base,omitempty"`       // the old side, such as a snapshot file
	Unsaved    bool              `json:"unsaved,omitempty"`    // nothing was saved to compare with
	Movable    bool              `json:"movable,omitempty"`    // Base is the saved snapshot that accept moves
	BaseTokens *int              `json:"baseTokens,omitempty"` // Answer.Tokens of the old side
	Changed    []SignatureChange `json:"changed,omitempty"`    // items with other signatures than before
	// what changed in the package that the server is in, such as "zod 3.25.76 → 4.1.5"
	Cause string `json:"cause,omitempty"`
}

// Definition is how a server is configured, and whether it is trusted.
type Definition struct {
	config.Description
	Trust   Trust           `json:"trust,omitempty"`   // empty = it needs no decision
	Effects *config.Effects `json:"effects,omitempty"` // what the server would do
}

// ToolCost is about what a tool costs in a prompt.
type ToolCost struct {
	Tool   string `json:"tool"`
	Tokens int    `json:"tokens"`
}

// mostExpensive is how many tools check names by their cost.
const mostExpensive = 10

// ExpensiveTools returns the tools of a snapshot that cost most, the first first.
func ExpensiveTools(s *snapshot.Snapshot) []ToolCost {
	all := kit.Map(s.Tools.Items(),
		func(t snapshot.Item) ToolCost { return ToolCost{t.Key, check.ToolTokens(t)} })
	slices.SortStableFunc(all, func(a, b ToolCost) int { return b.Tokens - a.Tokens })
	return slices.Clip(all[:min(len(all), mostExpensive)])
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

// compared returns both sides of a comparison; of two releases of one package, their versions.
func compared(s Server) string {
	old, isPackage, _ := packages.Parse(s.Base)
	if new, _, _ := packages.Parse(now(s)); isPackage && old.Name == new.Name {
		return cmp.Or(old.Version, "newest") + " → " + cmp.Or(new.Version, "newest")
	}
	return s.Base + " → " + now(s)
}

// published reports whether a SOURCE is a package.
func published(source string) bool {
	_, is, _ := packages.Parse(source)
	return is
}

// now returns what the base was compared with: "now" for a server that was contacted, "absent", or the SOURCE
// of a package or of a snapshot, since these stay as they are.
func now(s Server) string {
	switch {
	case s.Transport != "" && !published(s.Source), // a package stays the same
		s.Source == config.CommandLine:
		return "now"
	case s.State == Absent:
		return "absent"
	}
	return cmp.Or(s.Source, "now")
}

// versionOf returns the version of a package SOURCE, such as npm:NAME@VERSION; empty if it names none.
func versionOf(source string) string {
	ref, _, _ := packages.Parse(source)
	return ref.Version
}

// Trust is the decision about a server that was found in a file.
type Trust string

// The decisions about a server.
const (
	Trusted   Trust = "trusted"
	Changed   Trust = "changed" // trusted as it was before
	Untrusted Trust = "untrusted"
)

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

// LookingUp is the stage of a package that its registry does not describe.
const LookingUp = "looking up"

// Says returns the message after the stage. A server that cannot be reached or started, or is silent, needs
// no stage, and one that exited has the reason that it wrote.
func (f Failure) Says() string {
	says := f.Message
	if f.exited() {
		says = join(": ", says, exitReason(f.Stderr))
	}
	if f.Stage == LookingUp { // the message begins with the package
		return says
	}
	opening := slices.Contains([]string{"starting", "connecting", "handshake"}, f.Stage)
	if opening && (f.exited() || strings.HasPrefix(f.Message, cannotConnect) ||
		strings.HasPrefix(f.Message, "no MCP reply")) {
		return says
	}
	return join(": ", f.Stage, says)
}

// cannotConnect begins the message about a URL that was not reached; the URL, a colon and the cause follow.
const cannotConnect = "cannot connect to "

// exited reports whether the server's program ended.
func (f Failure) exited() bool { return strings.HasPrefix(f.Message, "server exited") }

// Fail adds a failure: the first is Error, those after it MoreErrors.
func (s *Server) Fail(f Failure) {
	if s.Error == nil {
		s.Error = &f
	} else {
		s.MoreErrors = append(s.MoreErrors, f)
	}
}

// failures returns all failures of a server.
func (s *Server) failures() []Failure {
	if s.Error == nil {
		return s.MoreErrors
	}
	return append([]Failure{*s.Error}, s.MoreErrors...)
}

// Oddity is something odd that a server did and that lost nothing.
type Oddity struct {
	Stage   string `json:"stage,omitempty"` // when it was seen
	Code    string `json:"code"`            // kebab-case, permanent
	Message string `json:"message"`         // one sentence
}

// Saved is what became of one server's snapshot file.
type Saved struct {
	Action  Action `json:"action"`
	File    string `json:"file,omitempty"`    // path as shown to people
	Added   int    `json:"added,omitempty"`   // items that were not in the file before
	Removed int    `json:"removed,omitempty"` // items that were removed from it
	Changed int    `json:"changed,omitempty"` // items that differ
	Reason  string `json:"reason,omitempty"`  // why the file was not touched, or what else changed
}

// Action is what was done to a snapshot file.
type Action string

// The actions on a snapshot file.
const (
	Created     Action = "created"
	Updated     Action = "updated"
	WouldUpdate Action = "would update" // accept --dry-run
	Unchanged   Action = "unchanged"
	Skipped     Action = "skipped" // left as it was, since the server did not answer in full
)

// LoginStatus is what is known of the login to a server. Nothing in it is secret.
type LoginStatus struct {
	State   LoginState `json:"state"`
	Issuer  string     `json:"issuer,omitempty"` // the authorization server
	Scopes  []string   `json:"scopes,omitempty"` // granted
	Wanted  []string   `json:"wanted,omitempty"` // scopes that the server asked for since
	Since   time.Time  `json:"since,omitzero"`   // when the user logged in
	Expires time.Time  `json:"expires,omitzero"` // of the access token; zero = unknown
	Renews  bool       `json:"renews,omitempty"` // runs renew the access token themselves
	Store   string     `json:"store,omitempty"`  // where the tokens are: "keyring" or "file"
}

// LoginState is whether a login can be used.
type LoginState string

// The states of a login.
const (
	LoggedIn  LoginState = "logged-in"  // there are tokens
	LoggedOut LoginState = "logged-out" // there are none
	Expired   LoginState = "expired"    // the token ended, and cannot be renewed
	Revoked   LoginState = "revoked"    // the authorization server no longer knows the login
	Itself    LoginState = "by-itself"  // runs get tokens without a person, as configured
)

// roster finds the servers of a report, and their findings, by name.
type roster struct {
	all    []Server
	at     map[string]int               // index in all
	found  map[string][]finding.Finding // by server
	strays []finding.Finding            // of no server, such as those about the whole fleet
}

// roster indexes the servers and findings once, so that finding those of a server takes no search.
func (r *Report) roster() roster {
	known := roster{all: r.Servers, at: map[string]int{}, found: map[string][]finding.Finding{}}
	for i := range r.Servers {
		known.at[r.Servers[i].Name] = i
	}
	for _, f := range r.Findings {
		if _, ok := known.at[f.Server]; !ok {
			known.strays = append(known.strays, f)
		}
		known.found[f.Server] = append(known.found[f.Server], f)
	}
	return known
}

// named returns the server of a name, or one without a name.
func (all roster) named(name string) Server {
	if i, ok := all.at[name]; ok {
		return all.all[i]
	}
	return Server{}
}
