package report

import (
	"encoding/json"
	"regexp"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Body is what the document of one kind says beside what all of them say. Each kind has a type of its own
// below, with a type for its servers, so that a command fills no field that its document has not. A new kind
// is a type with a table; Servers has the other methods.
type Body interface {
	table(p *page, r *reported) // writes what people read

	shown() []server                     // its servers, as every format takes them
	encoded() ([]json.RawMessage, error) // each of them in the JSON form
	read(servers json.RawMessage) error  // reads them from it
	join(shards []Body, order func(a, b string) int)
}

// Listing is the body of list: servers, or their items.
type Listing struct {
	Servers[Server] `json:"-"`
	Sharded

	Items   bool           `json:"-"` // a row per item even when there are several servers
	Fleet   bool           `json:"-"` // a row per server, unless Items is set
	None    string         `json:"-"` // says that there are no such items
	Sort    string         `json:"-"` // order of items and servers: "tokens", "name", or empty = as sent
	Pattern *regexp.Regexp `json:"-"` // only the lines of items that match, with their places
}

// Show is the body of show: servers and items in full. Its Markdown documents them.
type Show struct {
	Servers[Server] `json:"-"`

	Raw    bool `json:"-"` // the raw JSON of every item as well
	Chosen bool `json:"-"` // items were chosen, so that nothing is said about their server
	AdHoc  bool `json:"-"` // the server has no name in the configuration, and takes the only marks of a file
}

// Ping is the body of ping: which servers respond.
type Ping struct {
	Servers[PingServer] `json:"-"`
}

// Save is the body of snapshot: what was saved.
type Save struct {
	Servers[SaveServer] `json:"-"`
	Sharded
}

// Accept is the body of accept: the changes that were accepted, at lines that are known already.
type Accept struct {
	Servers[AcceptServer] `json:"-"`
	Findings              seen.Findings `json:"-"`
}

// Diff is the body of diff: what changed between two sides, which accept may take.
type Diff struct {
	Servers[DiffServer] `json:"-"`
	Assessed
	Sharded

	History  bool `json:"-"` // a row for each release of one package, unless Options.Verbose is set
	Upgrades bool `json:"-"` // a row for each package and its newest version, unless there is only one
}

// Check is the body of check: what is wrong with what servers offer.
type Check struct {
	Servers[CheckServer] `json:"-"`
	Assessed
	Sharded
}

// Replay is the body of replay: results of calls that were sent again.
type Replay struct {
	Servers[ReplayServer] `json:"-"`
	Assessed
}

// Configuration is the body of config: what is configured.
type Configuration struct {
	Servers[ConfigServer] `json:"-"`
	Files                 []config.File `json:"files,omitempty"` // of applications that were looked at
}

// Trust is the body of trust: which servers are trusted.
type Trust struct {
	Servers[TrustServer] `json:"-"`
	Nothing              string `json:"-"` // what it says of no server; empty = none needs trust
}

// Logins is the body of login and logout.
type Logins struct {
	Servers[LoginServer] `json:"-"`
	Nothing              string `json:"-"` // what it says of no server
}

// Rules is the body of rules: the catalogue, or the rules that were asked for.
type Rules struct {
	none  `json:"-"`
	Rules []finding.Rule `json:"rules,omitempty"`
}

// none are the servers of a document about other things.
type none = Servers[Server]

// Assessed is what a command found that judges servers.
type Assessed struct {
	Findings seen.Findings `json:"-"` // nil = nothing is judged; empty = nothing was found
	// from this level on a finding fails the run; empty = breaking
	FailOn finding.Threshold `json:"failOn,omitempty"`
}

// Sharded is the shard that a run was over.
type Sharded struct {
	Shard *seen.Shard `json:"-"` // nil = it was over all servers that were chosen
}

func (b *Accept) found() *seen.Findings   { return &b.Findings }
func (j *Assessed) found() *seen.Findings { return &j.Findings }
func (j *Assessed) judging() *Assessed    { return j }
func (s *Sharded) sharded() *Sharded      { return s }

// The types of servers are those of the JSON form.
type (
	// Server is a server of list and show.
	Server struct{ seen.Server }
	// PingServer is a server of ping.
	PingServer struct {
		seen.Server
		PingMs float64 `json:"pingMs,omitempty"` // milliseconds to the response
	}
	// SaveServer is a server of snapshot.
	SaveServer struct {
		seen.Server
		Saved *seen.Saved `json:"saved,omitempty"` // nil = there is no file
	}
	// AcceptServer is a server of accept.
	AcceptServer struct {
		seen.Server
		seen.Comparison
		BaseFile string      `json:"-"` // as of DiffServer
		Saved    *seen.Saved `json:"saved,omitempty"`
	}
	// DiffServer is a server of diff.
	DiffServer struct {
		seen.Server
		seen.Comparison
		// the file of the current tree whose lines findings point at; empty = Base, if that is a file
		BaseFile string            `json:"-"`
		FailOn   finding.Threshold `json:"failOn,omitempty"` // its own; empty = that of all
	}
	// CheckServer is a server of check.
	CheckServer struct {
		seen.Server
		FailOn    finding.Threshold `json:"failOn,omitempty"`    // its own; empty = that of all
		Expensive []seen.ToolCost   `json:"expensive,omitempty"` // the ten tools with the most tokens
	}
	// ReplayServer is a server of replay.
	ReplayServer struct {
		seen.Server
		FailOn   finding.Threshold `json:"failOn,omitempty"`   // its own; empty = that of all
		Replayed []seen.Replayed   `json:"replayed,omitempty"` // by tool or expectation
	}
	// ConfigServer is a server of config.
	ConfigServer struct {
		seen.Server
		config.Definition
	}
	// TrustServer is a server of trust.
	TrustServer struct {
		seen.Server
		config.Definition
		Since string `json:"since,omitempty"` // the day of the decision to trust it
	}
	// LoginServer is a server of login and logout.
	LoginServer struct {
		seen.Server
		URL   string            `json:"url,omitempty"`
		Login *seen.LoginStatus `json:"login,omitempty"` // nil = it could not be looked up
	}
)

// Servers are the servers of a document.
type Servers[S interface {
	shown() server
	form() any // what JSON has of it
}] []S

func (all Servers[S]) shown() []server {
	return kit.Map(all, func(s S) server { return s.shown() })
}

func (all Servers[S]) encoded() ([]json.RawMessage, error) {
	return encodeEach(all, func(s *S) any { return (*s).form() })
}

func (all *Servers[S]) read(servers json.RawMessage) error { return json.Unmarshal(servers, all) }

// join adds the servers of shards, which are of the same kind, in an order of their names.
func (all *Servers[S]) join(shards []Body, order func(a, b string) int) {
	for _, shard := range shards {
		if of, is := shard.(interface{ list() Servers[S] }); is {
			*all = append(*all, of.list()...)
		}
	}
	slices.SortStableFunc(*all, func(a, b S) int { return order(a.shown().Name, b.shown().Name) })
}

func (all Servers[S]) list() Servers[S] { return all }

func (s Server) shown() server       { return server{Server: s.Server} }
func (s PingServer) shown() server   { return server{Server: s.Server} }
func (s SaveServer) shown() server   { return server{Server: s.Server} }
func (s CheckServer) shown() server  { return server{Server: s.Server, FailOn: s.FailOn} }
func (s ReplayServer) shown() server { return server{Server: s.Server, FailOn: s.FailOn} }
func (s ConfigServer) shown() server { return server{Server: s.Server} }
func (s TrustServer) shown() server  { return server{Server: s.Server} }
func (s LoginServer) shown() server  { return server{Server: s.Server} }
func (s DiffServer) shown() server   { return server{s.Server, s.Comparison, s.FailOn, s.BaseFile} }
func (s AcceptServer) shown() server { return server{s.Server, s.Comparison, "", s.BaseFile} }

// The JSON form has no more of a server than what the command asked it.

func (s Server) form() any       { return s }
func (s PingServer) form() any   { s.Server = answerOf(s.Server); return s }
func (s SaveServer) form() any   { s.Server = answerOf(s.Server); return s }
func (s AcceptServer) form() any { s.Server = answerOf(s.Server); return s }
func (s DiffServer) form() any   { s.Offer = seen.Offer{}; return s }
func (s CheckServer) form() any  { s.Offer = seen.Offer{}; return s }
func (s ReplayServer) form() any { s.Server = answerOf(s.Server); return s }
func (s ConfigServer) form() any { s.Server = connectionOf(s.Server); return s }
func (s TrustServer) form() any  { s.Server = connectionOf(s.Server); return s }

func (s LoginServer) form() any {
	s.Clients, s.Answer, s.Offer = nil, seen.Answer{}, seen.Offer{}
	return s
}

// answerOf returns a server without what it offers.
func answerOf(s seen.Server) seen.Server {
	s.Clients, s.Offer = nil, seen.Offer{}
	return s
}

// connectionOf returns a server with no more than how it is reached.
func connectionOf(s seen.Server) seen.Server {
	s.Clients, s.Answer, s.Offer = nil, seen.Answer{Connection: s.Connection}, seen.Offer{}
	return s
}
