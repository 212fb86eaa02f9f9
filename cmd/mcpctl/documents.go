package main

import (
	"slices"

	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// Results become documents here and nowhere else: a command returns what it found, and each format writes the
// document.

// documentKind is how a document is shown, and how merge judges those of shards.
type documentKind struct {
	report.Kind
	judging compare.Judging
}

// documentKinds returns the kinds of documents by the command that saved reports name.
func documentKinds() map[string]documentKind {
	return map[string]documentKind{
		"list":     {Kind: report.Listing()},
		"show":     {Kind: report.Page()},
		"snapshot": {Kind: report.Saves()},
		"accept":   {Kind: report.Accepts()},
		"config":   {Kind: report.Configuration()},
		"ping":     {Kind: report.Pings()},
		"trust":    {Kind: report.Trusts()},
		"login":    {Kind: report.Logins()},
		"logout":   {Kind: report.Logins()},
		"rules":    {Kind: report.Catalogue()},
		"diff":     {report.Changes(), compare.JudgingChanges()},
		"check":    {report.Checks(), compare.JudgingServers()},
		"replay":   {Kind: report.Replays()},
	}
}

func kindOf(command string) report.Kind { return documentKinds()[command].Kind }

// ofServers returns the document of a command that shows servers.
func ofServers(command string, status int, servers []seen.Server) *report.Report {
	return &report.Report{Command: command, Kind: kindOf(command), Status: status,
		Servers: kit.Map(servers, func(s seen.Server) report.Server { return report.Server{Server: s} })}
}

// ofTrust returns the document of a command about trust.
func ofTrust(command string, all *trust.Result) *report.Report {
	return &report.Report{Command: command, Kind: kindOf(command), Status: all.Status, Problems: all.Problems,
		Servers: kit.Map(all.Servers, func(s trust.Server) report.Server {
			return report.Server{Server: s.Server, Definition: s.Definition, Since: s.Since}
		})}
}

// ofLogins returns the document of a command about logins.
func ofLogins(command string, all *login.Result) *report.Report {
	return &report.Report{Command: command, Kind: kindOf(command), Status: all.Status, Problems: all.Problems,
		Servers: kit.Map(all.Servers, func(s login.Server) report.Server {
			return report.Server{Server: s.Server, Login: &s.Login,
				Definition: config.Definition{Description: config.Description{URL: s.URL}}}
		})}
}

// ofSave returns the document of snapshot.
func ofSave(all *compare.SaveResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return &report.Report{Command: "snapshot", Kind: report.Saves(), Status: all.Status,
		Problems: all.Problems, Shard: all.Shard,
		Servers: kit.Map(all.Servers, func(s compare.SavedServer) report.Server {
			return report.Server{Server: s.Server, Saved: s.Saved}
		})}, nil
}

// ofAccept returns the document of accept.
func ofAccept(all *compare.AcceptResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return &report.Report{Command: "accept", Kind: report.Accepts(), Status: all.Status,
		Findings: all.Findings,
		Servers: kit.Map(all.Servers, func(s compare.AcceptedServer) report.Server {
			return report.Server{Server: s.Server.Server, Comparison: s.Comparison, BaseFile: s.BaseFile,
				Saved: s.Saved}
		})}, nil
}

// ofDiff returns the document of diff.
func ofDiff(all *compare.Result, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return judged("diff", all.Assessment, all.Shard, kit.Map(all.Servers,
		func(s compare.Server) report.Server {
			return report.Server{Server: s.Server, Comparison: s.Comparison, BaseFile: s.BaseFile}
		})), nil
}

// ofCheck returns the document of check.
func ofCheck(all *compare.CheckResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return judged("check", all.Assessment, all.Shard, kit.Map(all.Servers,
		func(s compare.CheckedServer) report.Server {
			return report.Server{Server: s.Server, Expensive: s.Expensive}
		})), nil
}

// ofReplay returns the document of replay.
func ofReplay(all *call.ReplayResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return judged("replay", all.Assessment, nil, kit.Map(all.Servers,
		func(s call.ReplayedServer) report.Server {
			return report.Server{Server: s.Server, Replayed: s.Replayed}
		})), nil
}

// judged returns the document of a command that judges servers.
func judged(
	command string, j fleet.Assessment, shard *seen.Shard, servers []report.Server,
) *report.Report {
	r := &report.Report{Command: command, Kind: kindOf(command), Status: j.Exit(),
		FailOn: j.Policy.FailOn, Findings: j.Findings,
		Servers: servers, Shard: shard}
	for i, s := range servers {
		if threshold := j.Policy.Threshold(s.Name); threshold != j.Policy.FailOn {
			servers[i].FailOn = threshold
		}
	}
	if j.Problem != nil {
		r.Problems = []string{j.Problem.Error()}
	}
	return r
}

// ofMerge returns the document of all shards.
func ofMerge(all *compare.MergeResult, shards []*report.Report) *report.Report {
	first := shards[0]
	r := &report.Report{Command: first.Command, Kind: first.Kind, FailOn: first.FailOn, Status: all.Status,
		Findings: all.Findings}
	for _, shard := range shards {
		r.Servers, r.Problems = append(r.Servers, shard.Servers...), append(r.Problems, shard.Problems...)
	}
	slices.SortStableFunc(r.Servers, func(a, b report.Server) int { return all.Order(a.Name, b.Name) })
	if r.Fails() && (r.Status == exit.OK || r.Status == exit.NoBaseline) {
		r.Status = exit.Findings
	}
	return r
}
