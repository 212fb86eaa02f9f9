package report

import (
	"github.com/mcpctl/mcpctl/internal/seen"
)

// bodyNamed returns an empty body for a command, as the commands have it.
func bodyNamed(command string) Body {
	return map[string]Body{"list": &Listing{}, "show": &Show{}, "ping": &Ping{}, "snapshot": &Save{}, "accept": &Accept{}, "diff": &Diff{},
		"check": &Check{}, "replay": &Replay{}, "config": &Configuration{}, "trust": &Trust{}, "login": &Logins{}, "logout": &Logins{},
		"rules": &Rules{}}[command]
}

// diffOf returns a report of diff.
func diffOf(status int, found seen.Findings, servers ...DiffServer) *Report {
	return &Report{Command: "diff", Status: status, Body: &Diff{Servers: servers, Assessed: Assessed{Findings: found}}}
}

// listOf returns a report of list.
func listOf(servers ...Server) *Report {
	return &Report{Command: "list", Body: &Listing{Servers: servers}}
}

// showOf returns a report of show.
func showOf(servers ...Server) *Report {
	return &Report{Command: "show", Body: &Show{Servers: servers}}
}
