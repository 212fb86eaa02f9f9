package trust

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/manifest"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/terminal"
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
	default:
		p.Message = "not trusted: nobody named this file, and it would " + effect(e)
	}
	return &p
}

func agreeHint(cfg *config.Config, e config.Entry) string {
	name := "--config " + e.File
	if e.Found == config.Searched {
		name = "--config " + strings.Join(cfg.Searched, " --config ")
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
	store, _ := g.Store() // without one nothing was agreed to
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

// Ask asks a person, once for all of them, about the entries of a run that nobody agreed to, and keeps every yes.
// Without a terminal nobody is asked, and each entry tells that it is not trusted.
func (g Gate) Ask(ctx context.Context, cfg *config.Config, entries []config.Entry) error {
	doubtful := lists.Filter(entries, func(e config.Entry) bool { return g.Deny(cfg, e) != nil })
	if len(doubtful) == 0 {
		return nil
	}
	t, err := terminal.Open(g.Process)
	if err != nil {
		return nil
	}
	defer t.Close()
	return g.ask(ctx, t, doubtful)
}

func (g Gate) ask(ctx context.Context, t *terminal.Terminal, entries []config.Entry) error {
	err := g.askAll(ctx, t, entries)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, terminal.ErrClosed):
		t.Printf("\n")
		return nil
	}
	return err
}

// Agree records agreements: one for all that are the user's own, if own is set, and one for each of the others.
func (g Gate) Agree(entries []config.Entry, own bool) error {
	store, err := g.Store()
	for _, e := range entries {
		about := subjectOf(e)
		if own && e.Own() {
			about = Own()
		}
		if err == nil {
			err = store.Agree(about, g.Process.Now)
		}
	}
	if err != nil {
		return fmt.Errorf("%w: mend that, or run once with --yes", err)
	}
	return nil
}

// askAll shows what entries do, and keeps what a person agrees to.
func (g Gate) askAll(ctx context.Context, t *terminal.Terminal, entries []config.Entry) error {
	t.Printf("mcpctl: nobody agreed yet to what was found here:\n\n%s\n", g.question(entries))
	question := "Trust it, and remember that until it changes? [y]es, [N]o, [?] details: "
	if len(entries) > 1 {
		question = fmt.Sprintf("Trust all %d, and remember that until they change? [y]es, [N]o, [c]hoose one by one, [?] details: ", len(entries))
	}
	for {
		answer, err := t.Choose(ctx, question, "yes", "no", "choose", "?")
		switch {
		case err != nil:
			return fmt.Errorf("asking whether to trust: %w", err)
		case answer == "yes":
			return g.Agree(entries, true)
		case answer == "?":
			g.show(t, entries)
			t.Printf("\n")
			continue
		case answer == "choose" && len(entries) > 1:
			return g.askEach(ctx, t, entries)
		}
		return nil
	}
}

// askEach asks about one entry after the other, with all that each can do.
func (g Gate) askEach(ctx context.Context, t *terminal.Terminal, entries []config.Entry) error {
	for _, e := range entries {
		t.Printf("\n")
		g.show(t, []config.Entry{e})
		answer, err := t.Choose(ctx, fmt.Sprintf("Trust %s? [y]es, [N]o: ", report.Visible(e.Server.Name)), "yes", "no")
		if err != nil {
			return fmt.Errorf("asking whether to trust: %w", err)
		}
		if answer == "yes" {
			if err := g.Agree([]config.Entry{e}, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// question is a line for each entry, more for what is unusual or changed, and totals, fit for a terminal.
func (g Gate) question(entries []config.Entry) string {
	var all strings.Builder
	widest := 0
	for _, e := range entries {
		widest = max(widest, min(len(e.Server.Name), 24))
	}
	programs, own, marked := 0, 0, 0
	var secrets []string
	for _, e := range entries {
		m := e.Manifest()
		text, unusual := m.Brief()
		fmt.Fprintf(&all, "  %-*s  %s\n", widest, report.Visible(e.Server.Name), report.Visible(text))
		if len(m.Starts) > 0 {
			programs++
		}
		if e.Own() {
			own++
		}
		added, gone := g.changes(e)
		for _, line := range added {
			fmt.Fprintf(&all, "      + %s\n", report.Visible(line))
		}
		for _, line := range gone {
			fmt.Fprintf(&all, "      - %s\n", report.Visible(line))
		}
		for _, l := range unusual {
			marked++
			if !slices.Contains(added, l.String()) && l.What != "starts" {
				fmt.Fprintf(&all, "      ! %s (%s)\n", report.Visible(l.String()), l.Unusual)
			} else {
				fmt.Fprintf(&all, "      ! %s\n", l.Unusual)
			}
		}
		for _, f := range m.Gives {
			if !slices.Contains(secrets, f.From.String()) {
				secrets = append(secrets, f.From.String())
			}
		}
	}
	fmt.Fprintf(&all, "\n%s: %s, %s; %s of yours handed on", match.Counted(len(entries), "server"), match.Counted(programs, "program"),
		match.Counted(len(entries)-programs, "address", "es"), match.Counted(len(secrets), "value"))
	if marked > 0 {
		fmt.Fprintf(&all, "; %s to look at (!)", match.Counted(marked, "line"))
	}
	all.WriteByte('\n')
	if own > 0 {
		fmt.Fprintf(&all, "%s of your own applications, in files that only you can write: yes is for all that these files have, now and later\n", match.Counted(own, "server"))
	}
	return all.String()
}

// show writes all that entries can do to the terminal, as mcpctl trust does.
func (g Gate) show(t *terminal.Terminal, entries []config.Entry) {
	r := &report.Report{Command: "trust"}
	for _, e := range entries {
		r.Servers = append(r.Servers, g.proposed(e))
	}
	var text bytes.Buffer
	_ = report.Write(&text, "table", r, report.Options{Width: t.Width()}) // a buffer takes everything
	t.Printf("%s", text.String())
}

// proposed is an entry as a person decides about it, whatever else it may lack.
func (g Gate) proposed(e config.Entry) report.Server {
	s := g.Describe(e)
	s.State, s.Error, s.MoreErrors = report.OK, nil, nil
	return s
}
