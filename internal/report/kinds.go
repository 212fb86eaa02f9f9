package report

import (
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/check"
	"github.com/mcpctl/mcpctl/pkg/finding"

	"github.com/mcpctl/mcpctl/internal/compare"

	"github.com/mcpctl/mcpctl/internal/call"

	"github.com/mcpctl/mcpctl/internal/clients"
)

// commandKind is what sets the report of a command apart: how people read it, what JSON says of a server, and
// what its findings are about. It is known by the word of the command, since saved reports are written again.
type commandKind struct {
	table  func(*page, *Report)
	server func(serverHead, *Server) any // a type of its own, so that a field it has not is a compile error

	// whether findings are
	changes bool // of two sides, which accept may take
	oneSide bool // about what is offered now
	results bool // about calls that were sent again
	moved   bool // at lines that are known already

	reference bool // its Markdown documents the servers
}

// kindsOf returns the kinds of reports by command.
func kindsOf() map[string]commandKind {
	return map[string]commandKind{
		"list":     {table: writeList, server: listedOf},
		"show":     {table: writeShow, server: listedOf, reference: true},
		"snapshot": {table: writeSaved, server: savedOf},
		"accept":   {table: writeAccepted, server: acceptedOf, moved: true},
		"config":   {table: writeConfig, server: configuredOf},
		"ping":     {table: writeServerList, server: pingedOf},
		"trust":    {table: writeTrust, server: trustedOf},
		"login":    {table: writeLogins, server: loginOf},
		"logout":   {table: writeLogins, server: loginOf},
		"rules":    {table: writeRules},
		"diff":     {table: writeChanges, server: diffedOf, changes: true},
		"check":    {table: writeChecked, server: checkedOf, oneSide: true},
		"replay":   {table: writeReplayed, server: replayedOf, results: true},
	}
}

// kind returns the kind of the report; another program's is a list of findings.
func (r *Report) kind() commandKind {
	if known, ok := kindsOf()[r.Command]; ok {
		return known
	}
	return commandKind{table: writeVerdicts}
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
func (k commandKind) reported(s *Server) any {
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
		Saved *compare.Saved `json:"saved,omitempty"`
	}{head, s.Answer, s.Saved}
}

func acceptedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		compare.Comparison
		Saved *compare.Saved `json:"saved,omitempty"`
	}{head, s.Answer, s.Comparison, s.Saved}
}

func diffedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		Clients *check.ClientTools `json:"clientTools,omitempty"`
		seen.Answer
		compare.Comparison
		FailOn finding.Threshold `json:"failOn,omitempty"`
	}{head, s.Clients, s.Answer, s.Comparison, s.FailOn}
}

func checkedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		Clients *check.ClientTools `json:"clientTools,omitempty"`
		seen.Answer
		FailOn    finding.Threshold  `json:"failOn,omitempty"`
		Expensive []compare.ToolCost `json:"expensive,omitempty"`
	}{head, s.Clients, s.Answer, s.FailOn, s.Expensive}
}

func replayedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Answer
		FailOn   finding.Threshold `json:"failOn,omitempty"`
		Replayed []call.Replayed   `json:"replayed,omitempty"`
	}{head, s.Answer, s.FailOn, s.Replayed}
}

func configuredOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Connection
		trust.Definition
	}{head, s.Connection, s.Definition}
}

func trustedOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		seen.Connection
		trust.Definition
		Since string `json:"since,omitempty"`
	}{head, s.Connection, s.Definition, s.Since}
}

func loginOf(head serverHead, s *Server) any {
	return struct {
		serverHead
		URL   string             `json:"url,omitempty"`
		Login *login.LoginStatus `json:"login,omitempty"`
	}{head, s.URL, s.Login}
}
