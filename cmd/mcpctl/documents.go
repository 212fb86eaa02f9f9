package main

import (
	"github.com/mcpctl/mcpctl/internal/call"
	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/finding"
)

// Results become documents here and nowhere else: a command returns what it found, and each format writes the
// document.

// emptyBody returns the body of the documents of a command, empty; nil for a command without documents.
func emptyBody(command string) report.Body {
	return map[string]report.Body{
		"list": new(report.Listing), "show": new(report.Show), "ping": new(report.Ping),
		"snapshot": new(report.Save), "diff": new(report.Diff), "accept": new(report.Accept),
		"check": new(report.Check), "replay": new(report.Replay), "rules": new(report.Rules),
		"config": new(report.Configuration), "trust": &report.Trust{Nothing: "no servers"},
		"login": new(report.Logins), "logout": new(report.Logins),
	}[command]
}

// onlySeen returns the servers of list and show.
func onlySeen(all []fleet.Surface) []report.Server {
	return kit.Map(all, func(s fleet.Surface) report.Server { return report.Server{Server: s.Server} })
}

// ofSurfaces returns the document of a command that contacts servers, with its body.
func ofSurfaces(command string, surfaces []fleet.Surface, body report.Body) *report.Report {
	return &report.Report{Command: command, Status: fleet.Status(surfaces), Body: body}
}

// ofPing returns the document of ping.
func ofPing(surfaces []fleet.Surface) *report.Report {
	return ofSurfaces("ping", surfaces, &report.Ping{Servers: kit.Map(surfaces,
		func(s fleet.Surface) report.PingServer {
			return report.PingServer{Server: s.Server, PingMs: s.PingMs}
		})})
}

// ofConfig returns the document of config: the servers of files, and the files that were looked at.
func ofConfig(status int, all []trust.Server, looked []config.File, problems []string) *report.Report {
	return &report.Report{Command: "config", Status: status, Problems: problems, Body: &report.Configuration{
		Servers: kit.Map(all, func(s trust.Server) report.ConfigServer {
			return report.ConfigServer{Server: s.Server, Definition: s.Definition}
		}), Files: looked}}
}

// ofTrust returns the document of trust. nothing is what it says of no server.
func ofTrust(all *trust.Result, nothing string) *report.Report {
	return &report.Report{Command: "trust", Status: all.Status, Problems: all.Problems, Body: &report.Trust{
		Servers: kit.Map(all.Servers, func(s trust.Server) report.TrustServer {
			return report.TrustServer{Server: s.Server, Definition: s.Definition, Since: s.Since}
		}), Nothing: nothing}}
}

// ofLogins returns the document of login or logout.
func ofLogins(command string, all *login.Result, nothing string) *report.Report {
	return &report.Report{Command: command, Status: all.Status, Problems: all.Problems, Body: &report.Logins{
		Nothing: nothing,
		Servers: kit.Map(all.Servers, func(s login.Server) report.LoginServer {
			return report.LoginServer{Server: s.Server, URL: s.URL, Login: &s.Login}
		})}}
}

// ofSave returns the document of snapshot.
func ofSave(all *compare.SaveResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	body := &report.Save{Servers: kit.Map(all.Servers, func(s compare.SavedServer) report.SaveServer {
		return report.SaveServer{Server: s.Server, Saved: s.Saved}
	})}
	body.Shard = all.Shard
	return &report.Report{Command: "snapshot", Status: all.Status, Problems: all.Problems, Body: body}, nil
}

// ofAccept returns the document of accept.
func ofAccept(all *compare.AcceptResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return &report.Report{Command: "accept", Status: all.Status, Body: &report.Accept{Findings: all.Findings,
		Servers: kit.Map(all.Servers, func(s compare.AcceptedServer) report.AcceptServer {
			return report.AcceptServer{Server: s.Server.Server, Comparison: s.Comparison,
				BaseFile: s.BaseFile, Saved: s.Saved}
		})}}, nil
}

// ofDiff returns the document of diff.
func ofDiff(all *compare.Result, history, upgrades bool, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	body := &report.Diff{Assessed: judged(all.Assessment), History: history, Upgrades: upgrades,
		Servers: kit.Map(all.Servers, func(s compare.Server) report.DiffServer {
			return report.DiffServer{Server: s.Server, Comparison: s.Comparison, BaseFile: s.BaseFile,
				FailOn: ownThreshold(all.Assessment, s.Name)}
		})}
	body.Shard = all.Shard
	return ofAssessment("diff", all.Assessment, body), nil
}

// ofCheck returns the document of check.
func ofCheck(all *compare.CheckResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	body := &report.Check{Assessed: judged(all.Assessment),
		Servers: kit.Map(all.Servers, func(s compare.CheckedServer) report.CheckServer {
			return report.CheckServer{Server: s.Server, Expensive: s.Expensive,
				FailOn: ownThreshold(all.Assessment, s.Name)}
		})}
	body.Shard = all.Shard
	return ofAssessment("check", all.Assessment, body), nil
}

// ofReplay returns the document of replay.
func ofReplay(all *call.ReplayResult, err error) (*report.Report, error) {
	if err != nil {
		return nil, err
	}
	return ofAssessment("replay", all.Assessment, &report.Replay{Assessed: judged(all.Assessment),
		Servers: kit.Map(all.Servers, func(s call.ReplayedServer) report.ReplayServer {
			return report.ReplayServer{Server: s.Server, Replayed: s.Replayed,
				FailOn: ownThreshold(all.Assessment, s.Name)}
		})}), nil
}

// judged returns the findings of a command that judges servers.
func judged(j fleet.Assessment) report.Assessed {
	return report.Assessed{Findings: j.Findings, FailOn: j.Policy.FailOn}
}

// ownThreshold returns the threshold of a server, empty if it is that of all.
func ownThreshold(j fleet.Assessment, server string) finding.Threshold {
	if threshold := j.Policy.Threshold(server); threshold != j.Policy.FailOn {
		return threshold
	}
	return ""
}

// ofAssessment returns the document of a command that judges servers, with its body.
func ofAssessment(command string, j fleet.Assessment, body report.Body) *report.Report {
	r := &report.Report{Command: command, Status: j.Exit(), Body: body}
	if j.Problem != nil {
		r.Problems = []string{j.Problem.Error()}
	}
	return r
}

// ofMerge returns the document of all shards.
func ofMerge(all *compare.MergeResult, shards []*report.Report) *report.Report {
	r := report.Join(shards, emptyBody(shards[0].Command), all.Findings, all.Order)
	if r.Status = all.Status; r.Fails() && (r.Status == exit.OK || r.Status == exit.NoBaseline) {
		r.Status = exit.Findings
	}
	return r
}
