package report

import (
	"github.com/mcpctl/mcpctl/internal/clients"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Kind is what sets the document of a command apart: how people read it, what JSON says of a server, and what
// its findings are about. The zero value is a list of findings.
type Kind struct {
	table  func(*page, *Report)
	server func(serverHead, *Server) any // a type of its own, so that a field it has not is a compile error

	// whether findings are
	changes bool // of two sides, which accept may take
	oneSide bool // about what is offered now
	results bool // about calls that were sent again
	moved   bool // at lines that are known already

	reference bool // its Markdown documents the servers
	catalogue bool // it is about rules
}

// Listing returns the kind of a document about servers, or their items.
func Listing() Kind { return Kind{table: writeList, server: listedOf} }

// Page returns the kind of a document about servers and items in full.
func Page() Kind { return Kind{table: writeShow, server: listedOf, reference: true} }

// Saves returns the kind of a document about snapshots that were saved.
func Saves() Kind { return Kind{table: writeSaved, server: savedOf} }

// Accepts returns the kind of a document about changes that were accepted.
func Accepts() Kind { return Kind{table: writeAccepted, server: acceptedOf, moved: true} }

// Configuration returns the kind of a document about what is configured.
func Configuration() Kind { return Kind{table: writeConfig, server: configuredOf} }

// Pings returns the kind of a document about which servers respond.
func Pings() Kind { return Kind{table: writeServerList, server: pingedOf} }

// Trusts returns the kind of a document about which servers are trusted.
func Trusts() Kind { return Kind{table: writeTrust, server: trustedOf} }

// Logins returns the kind of a document about logins.
func Logins() Kind { return Kind{table: writeLogins, server: loginOf} }

// Catalogue returns the kind of a document about rules.
func Catalogue() Kind { return Kind{table: writeRules, catalogue: true} }

// Changes returns the kind of a document about what changed between two sides.
func Changes() Kind { return Kind{table: writeChanges, server: diffedOf, changes: true} }

// Checks returns the kind of a document about what is wrong with what servers offer.
func Checks() Kind { return Kind{table: writeChecked, server: checkedOf, oneSide: true} }

// Replays returns the kind of a document about calls that were sent again.
func Replays() Kind { return Kind{table: writeReplayed, server: replayedOf, results: true} }

// write writes the view of a document that people read.
func (k Kind) write(p *page, r *Report) {
	if k.table == nil {
		k.table = writeVerdicts
	}
	k.table(p, r)
}

// writeChanges writes what changed: a row for each release or package that was compared, else all changes.
func writeChanges(p *page, r *Report) {
	if !p.Options.Verbose && (p.History || p.Upgrades && len(r.Servers) > 1) {
		writeReleases(p, r)
		return
	}
	writeVerdicts(p, r)
}

// serverHead is what every command reports of a server in JSON.
type serverHead struct {
	Name       string             `json:"name"`
	State      seen.State         `json:"state"`
	Source     string             `json:"source,omitempty"`
	Places     []clients.Place    `json:"places,omitempty"`
	Error      *seen.Failure      `json:"error,omitempty"`
	MoreErrors []seen.Failure     `json:"moreErrors,omitempty"`
	Tolerated  *finding.Tolerance `json:"tolerated,omitempty"`
}

// reported returns what a report says of a server in JSON.
func (k Kind) reported(s *Server) any {
	head := serverHead{s.Name, s.State, s.Source, s.Places, s.Error, s.MoreErrors, s.Tolerated}
	if k.server != nil {
		return k.server(head, s)
	}
	return head
}

func listedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		Clients *check.ClientTools `json:"clientTools,omitempty"`
		seen.Answer
		seen.Offer
	}{head, s.Clients, s.Answer, s.Offer}
}

func pingedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		PingMs float64 `json:"pingMs,omitempty"`
	}{head, s.Answer, s.PingMs}
}

func savedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		Saved *seen.Saved `json:"saved,omitempty"`
	}{head, s.Answer, s.Saved}
}

func acceptedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		seen.Comparison
		Saved *seen.Saved `json:"saved,omitempty"`
	}{head, s.Answer, s.Comparison, s.Saved}
}

func diffedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		Clients *check.ClientTools `json:"clientTools,omitempty"`
		seen.Answer
		seen.Comparison
		FailOn finding.Threshold `json:"failOn,omitempty"`
	}{head, s.Clients, s.Answer, s.Comparison, s.FailOn}
}

func checkedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		Clients *check.ClientTools `json:"clientTools,omitempty"`
		seen.Answer
		FailOn    finding.Threshold `json:"failOn,omitempty"`
		Expensive []seen.ToolCost   `json:"expensive,omitempty"`
	}{head, s.Clients, s.Answer, s.FailOn, s.Expensive}
}

func replayedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		FailOn   finding.Threshold `json:"failOn,omitempty"`
		Replayed []seen.Replayed   `json:"replayed,omitempty"`
	}{head, s.Answer, s.FailOn, s.Replayed}
}

func configuredOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Connection
		config.Definition
	}{head, s.Connection, s.Definition}
}

func trustedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Connection
		config.Definition
		Since string `json:"since,omitempty"`
	}{head, s.Connection, s.Definition, s.Since}
}

func loginOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		URL   string            `json:"url,omitempty"`
		Login *seen.LoginStatus `json:"login,omitempty"`
	}{head, s.URL, s.Login}
}
