package trust

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/manifest"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Gate stands before every server: what was found and not named needs a person's agreement.
type Gate struct {
	Process host.Process
	Yes     bool // everything is agreed to, this once
}

// Store is the user's store of agreements.
func (g Gate) Store() (Store, error) {
	state, err := g.Process.StateDir()
	if err != nil {
		return Store{}, fmt.Errorf("finding the folder of what was agreed to: %w", err)
	}
	return Store{Folder: filepath.Join(state, "trust")}, nil
}

// Guard is entries, each that nobody agreed to with the problem that keeps it from being started or contacted.
func (g Gate) Guard(cfg *config.Config, entries []config.Entry) []config.Entry {
	guarded := slices.Clone(entries)
	for i, e := range guarded {
		if denied := g.Deny(cfg, e); denied != nil {
			guarded[i].Problems = append([]config.Problem{*denied}, e.Problems...)
		}
	}
	return guarded
}

// Deny says why an entry must not be started or contacted; nil = it may be.
func (g Gate) Deny(cfg *config.Config, e config.Entry) *config.Problem {
	if cannot := e.Err() != nil && len(e.Asks()) == 0; cannot || g.Yes || !e.NeedsTrust() {
		return nil
	}
	state, err := g.state(e)
	p := config.Problem{File: e.File, Line: e.Line, Server: e.Server.Name, Hint: agreeHint(cfg, e)}
	switch {
	case err != nil:
		p.Message = fmt.Sprintf("not trusted: %v", err)
	case state == Agreed:
		return nil
	case state == Changed:
		p.Message = "changed since it was trusted: it would now " + effect(e)
		if added, _ := g.changes(e); len(added) > 0 {
			p.Message += "; new: " + strings.Join(added, "; ")
		}
	case e.Found == config.Published:
		p.Message = "not trusted: nobody agreed to it yet, and it would " + effect(e)
	default:
		p.Message = "not trusted: nobody named this file, and it would " + effect(e)
	}
	return &p
}

// agreeHint tells how to agree.
func agreeHint(cfg *config.Config, e config.Entry) string {
	if e.Found == config.Published {
		return "agree to it in a terminal, which is remembered for this version, or run it once with --yes"
	}
	name := "--config " + e.File
	if files := cfg.Searched; len(files) > 0 && e.Found == config.Searched {
		name = "--config " + strings.Join(files, " --config ")
	}
	agree := "mcpctl trust"
	if e.Found == config.Discovered {
		agree += " --discover"
	}
	return fmt.Sprintf("look at it and agree with %s, or run it once with --yes, or name the file: %s", agree, name)
}

// effect is what an entry would do, with secrets masked.
func effect(e config.Entry) string {
	m := e.Manifest()
	switch {
	case e.Found == config.Published:
		return "start the program in " + e.File
	case len(m.Contacts) == 0:
		return fmt.Sprintf("start %q", m.Lines()[0].Text)
	case len(m.Runs) > 0:
		return fmt.Sprintf("run %q and contact %s", m.Runs[0], m.Contacts[0].URL)
	}
	return "contact " + m.Contacts[0].URL.String()
}

// state is what the user's store says about an entry.
func (g Gate) state(e config.Entry) (State, error) {
	store, err := g.Store()
	if err != nil {
		return Unknown, err
	}
	if e.Own() {
		if state, err := store.State(Own()); state == Agreed || err != nil {
			return state, err
		}
	}
	return store.State(subjectOf(e))
}

// changes are what a changed entry can do that it could not when it was agreed to, and what it no longer can.
func (g Gate) changes(e config.Entry) (added, gone []string) {
	store, err := g.Store()
	if err != nil {
		return nil, nil
	}
	file, server, _ := e.Subject()
	earlier := store.Earlier(file, server)
	if earlier == nil {
		return nil, nil
	}
	return manifest.Compare(earlier, e.Manifest().Strings())
}

func subjectOf(e config.Entry) Subject {
	file, server, parts := e.Subject()
	return Subject{File: file, Server: server, Essence: parts, Shown: e.Manifest().Strings()}
}

// Describe is a configured server in a report, with what would be run; secrets are masked.
func (g Gate) Describe(e config.Entry) report.Server {
	s := e.Describe()
	switch s.State = report.OK; {
	case e.Disabled:
		s.State = report.Disabled
	case e.Err() != nil:
		misconfigured(&s, e.Problems)
	}
	m := e.Manifest()
	s.Manifest = &m
	if s.Trust = g.told(e); s.Trust == report.Changed {
		s.Added, s.Gone = g.changes(e)
	}
	return s
}

// told is the state of an entry as reports have it; empty when it needs no trust.
func (g Gate) told(e config.Entry) report.Trust {
	if !e.NeedsTrust() {
		return ""
	}
	switch state, _ := g.state(e); state {
	case Agreed:
		return report.Trusted
	case Changed:
		return report.Changed
	}
	return report.Untrusted
}

// Misconfigured is the report of a server that cannot be tried because of the configuration.
func Misconfigured(name, source string, problems []config.Problem) report.Server {
	s := report.Server{Name: name, Source: source}
	misconfigured(&s, problems)
	return s
}

func misconfigured(s *report.Server, problems []config.Problem) {
	s.State = report.Failed
	for _, p := range problems {
		s.Fail(report.Failure{Stage: "configuration", Message: p.Error(), Hint: p.Hint})
	}
}
