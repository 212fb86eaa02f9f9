package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// guard is entries, each that nobody agreed to with the problem that keeps it from being started or contacted. Every
// command comes through here on its way from the configuration to a server, see plan.
func (inv *invocation) guard(cfg *config.Config, entries []config.Entry) []config.Entry {
	guarded := slices.Clone(entries)
	for i, e := range guarded {
		if refusal := inv.refusal(cfg, e); refusal != nil {
			guarded[i].Problems = append([]config.Problem{*refusal}, e.Problems...)
		}
	}
	return guarded
}

// refusal says why an entry must not be started or contacted; nil = it may be.
func (inv *invocation) refusal(cfg *config.Config, e config.Entry) *config.Problem {
	if cannot := e.Err() != nil && len(e.Asks()) == 0; cannot || inv.yes || !e.NeedsTrust() {
		return nil
	}
	standing, err := inv.standing(e)
	p := config.Problem{File: e.File, Line: e.Line, Server: e.Server.Name, Hint: agreeHint(cfg, e)}
	switch {
	case err != nil:
		p.Message = fmt.Sprintf("not trusted: %v", err)
	case standing == trust.Agreed:
		return nil
	case standing == trust.Changed:
		p.Message = "changed since it was trusted: it would now " + deed(e)
	default:
		p.Message = "not trusted: nobody named this file, and it would " + deed(e)
	}
	return &p
}

// agreeHint tells how to agree.
func agreeHint(cfg *config.Config, e config.Entry) string {
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

// deed is what an entry would do, with secrets masked.
func deed(e config.Entry) string {
	d := e.Describe()
	switch {
	case d.URL == "":
		return fmt.Sprintf("start %q", strings.Join(d.Command, " "))
	case d.Helper != "":
		return fmt.Sprintf("run %q and contact %s", d.Helper, d.URL)
	}
	return "contact " + d.URL
}

// standing is what the user's store says about an entry.
func (inv *invocation) standing(e config.Entry) (trust.State, error) {
	store, err := inv.agreements()
	if err != nil {
		return trust.Unknown, err
	}
	return store.State(subject(e))
}

// agreements is the store of the user.
func (inv *invocation) agreements() (trust.Store, error) {
	return trust.Gate{Process: inv.Process}.Store()
}

func subject(e config.Entry) trust.Subject {
	file, server, parts := e.Subject()
	return trust.Subject{File: file, Server: server, Essence: parts}
}

// trustOf is the standing of an entry as reports have it; empty when it needs no trust.
func (inv *invocation) trustOf(e config.Entry) report.Trust {
	if !e.NeedsTrust() {
		return ""
	}
	switch standing, _ := inv.standing(e); standing {
	case trust.Agreed:
		return report.Trusted
	case trust.Changed:
		return report.Changed
	}
	return report.Untrusted
}
