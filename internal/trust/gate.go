// Package trust decides which configured servers may be started or contacted. A server that was only found,
// and not named by the user, needs a decision of the user about its entry as declared: any other digest asks
// again. What was shown, digested and trusted is one value, an Approved, and that value starts.
package trust

import (
	"context"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Gate stands before every configured server.
type Gate struct {
	Process host.Process
	Once    bool // --trust: what was only found starts in this run; nothing is stored
}

// Approved is an entry that may be started or contacted, as it was read and trusted. Only Gate.Admit makes
// one.
type Approved struct {
	Index int // among the entries that were admitted
	entry config.Entry
}

// Entry returns the entry that was approved.
func (a Approved) Entry() config.Entry { return a.entry }

// Refused is an entry that must not be started or contacted. Problems is empty for one that is disabled.
type Refused struct {
	Index    int // among the entries that were admitted
	Entry    config.Entry
	Problems []config.Problem
}

// Store returns the user's store of decisions.
func (g Gate) Store() (Store, error) {
	state, err := g.Process.StateDir()
	if err != nil {
		return Store{}, fmt.Errorf("finding the directory of the trust store: %w", err)
	}
	return OpenStore(state), nil
}

// Admit divides entries into those that may be started or contacted and those that must not: not trusted, not
// valid, or disabled.
func (g Gate) Admit(cfg *config.Config, entries []config.Entry) (approved []Approved, refused []Refused) {
	problem := g.judge(cfg)
	for i, e := range entries {
		var problems []config.Problem
		if untrusted := problem(e); untrusted != nil && !e.Disabled {
			problems = append(problems, *untrusted)
		}
		if !e.Disabled {
			problems = append(problems, e.Problems...)
		}
		if e.Disabled || len(problems) > 0 {
			refused = append(refused, Refused{i, e, problems})
			continue
		}
		approved = append(approved, Approved{i, e})
	}
	return approved, refused
}

// Trusted returns the entries that need no question, and those that do.
func (g Gate) Trusted(cfg *config.Config, entries []config.Entry) (trusted, untrusted []config.Entry) {
	problem := g.judge(cfg)
	for _, e := range entries {
		if problem(e) == nil {
			trusted = append(trusted, e)
		} else {
			untrusted = append(untrusted, e)
		}
	}
	return trusted, untrusted
}

// judge reads the store once and returns the function that says why an entry is not trusted; nil = it is.
func (g Gate) judge(cfg *config.Config) func(config.Entry) *config.Problem {
	store, err := g.Store()
	var known decisions
	if err == nil && !g.Once {
		known, err = store.read()
	}
	return func(e config.Entry) *config.Problem {
		if g.Once || !e.NeedsTrust() {
			return nil
		}
		p := config.Problem{File: e.File, Line: e.Line, Server: e.Server.Name, Hint: trustHint(cfg, e)}
		trusted, before := known.trusts(e)
		switch {
		case err != nil:
			p.Message = fmt.Sprintf("not trusted: %v", err)
		case trusted:
			return nil
		case before:
			p.Message = "changed since it was trusted: it would now " + summary(e)
		default:
			p.Message = "not trusted yet: it would " + summary(e)
		}
		return &p
	}
}

func trustHint(cfg *config.Config, e config.Entry) string {
	name, command := "--config "+e.File, "mcpctl trust"
	if e.Found == config.Searched && len(cfg.Searched) > 0 {
		name = "--config " + strings.Join(cfg.Searched, " --config ")
	}
	if e.Found == config.Discovered {
		command += " --discover"
	}
	return fmt.Sprintf("review it with mcpctl config, then run %s; or use --trust for this run, or name "+
		"the file: %s", command, name)
}

// summary returns what an entry would do, in a few words.
func summary(e config.Entry) string {
	x := report.Effects(e.Effects())
	if len(x.Starts) > 0 {
		return fmt.Sprintf("start %q", x.Lines()[0])
	}
	if len(x.Runs) > 0 {
		return fmt.Sprintf("run %q and contact %s", x.Runs[0], x.Contacts)
	}
	return "contact " + x.Contacts
}

// Describe returns a configured server for a report, with what it would do; secrets are masked.
func (g Gate) Describe(cfg *config.Config, entries []config.Entry) []report.Server {
	var servers []report.Server
	problem := g.judge(cfg)
	for _, e := range entries {
		s := describe(e)
		switch s.State = report.OK; {
		case e.Disabled:
			s.State = report.Disabled
		case e.Err() != nil:
			addProblems(&s, e.Problems)
		}
		x := report.Effects(e.Effects())
		s.Effects = &x
		if e.NeedsTrust() {
			s.Trust = report.Trusted
			if p := problem(e); p != nil {
				s.Trust = report.Untrusted
				if strings.HasPrefix(p.Message, "changed") {
					s.Trust = report.Changed
				}
			}
		}
		servers = append(servers, s)
	}
	return servers
}

// describe returns an entry as reports have it.
func describe(e config.Entry) report.Server {
	d := e.Describe()
	s := report.Server{Name: e.Server.Name, Source: e.Server.Source, Places: Places(e)}
	s.Transport, s.ProtocolVersion = d.Transport, e.Server.Protocol
	s.Definition = report.Definition{Command: d.Command, Dir: d.Dir, Env: d.Env, URL: d.URL,
		Headers: d.Headers, Helper: d.Helper}
	return s
}

// Places returns where applications have an entry, as reports have it; nil = it was not discovered.
func Places(e config.Entry) (places []report.Place) {
	for _, place := range e.Places {
		places = append(places, report.Place(place))
	}
	return places
}

// Misconfigured returns the report of a server that cannot be tried because of the configuration.
func Misconfigured(name, source string, problems []config.Problem) report.Server {
	s := report.Server{Name: name, Source: source}
	addProblems(&s, problems)
	return s
}

func addProblems(s *report.Server, problems []config.Problem) {
	s.State = report.Failed
	for _, p := range problems {
		s.Fail(report.Failure{Stage: "configuration", Message: p.Error(), Hint: p.Hint})
	}
}

// Ask asks the user about the entries that are not trusted, and stores each yes. Without a terminal, or with
// CI set, nothing is asked, and what is not trusted fails.
func (g Gate) Ask(ctx context.Context, cfg *config.Config, entries []config.Entry) error {
	var untrusted []config.Entry
	_, all := g.Trusted(cfg, entries)
	for _, e := range all {
		if e.Err() == nil || len(e.Asks()) > 0 { // what cannot run is not worth a question
			untrusted = append(untrusted, e)
		}
	}
	if len(untrusted) == 0 {
		return nil
	}
	t, err := host.OpenTerminal(g.Process)
	if err != nil {
		return nil
	}
	defer t.Close()
	return g.ask(ctx, t, untrusted)
}
