package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// step is one surface of a run: known already, or to be had from a server.
type step struct {
	known   surface
	contact *probe.Server // nil = known
}

// name is the server that a step is about.
func (s step) name() string {
	if s.contact != nil {
		return s.contact.Name
	}
	return s.known.Name
}

// survey is the surfaces that the words of a command line name, and the configuration they come from.
func (inv *invocation) survey(ctx context.Context, words []string) ([]surface, *config.Config, error) {
	targets, err := inv.targets(words)
	if err != nil {
		return nil, nil, err
	}
	cfg, err := inv.load(ctx, targets)
	if err != nil {
		return nil, nil, err
	}
	surfaces, err := inv.gather(ctx, cfg, targets)
	return surfaces, cfg, err
}

// gather is the surfaces that targets name, in their order; no targets = every configured server.
func (inv *invocation) gather(ctx context.Context, cfg *config.Config, targets []target) ([]surface, error) {
	steps, err := inv.plan(cfg, targets)
	if err != nil {
		return nil, err
	}
	return inv.reach(ctx, cfg, steps)
}

// reach contacts the servers of steps, and gives the surfaces of all.
func (inv *invocation) reach(ctx context.Context, cfg *config.Config, steps []step) (_ []surface, err error) {
	var servers []probe.Server
	for _, s := range steps {
		if s.contact != nil {
			servers = append(servers, *s.contact)
		}
	}
	if servers, err = inv.flagged(servers); err != nil {
		return nil, err
	}
	probed, err := inv.probeAll(ctx, servers)
	if err != nil {
		return nil, err
	}
	inv.elaborate(cfg.Files, probed)
	surfaces := make([]surface, len(steps))
	for i, s := range steps {
		if surfaces[i] = s.known; s.contact != nil {
			surfaces[i], probed = probed[0], probed[1:]
		}
	}
	inv.tolerate(surfaces, cfg.Project)
	locate(surfaces, cfg.Entries)
	return surfaces, nil
}

// locate tells of servers that were discovered which applications have them.
func locate(surfaces []surface, entries []config.Entry) {
	at := map[string][]report.Place{}
	for _, e := range entries {
		at[e.Server.Source+" "+e.Server.Name] = placesOf(e)
	}
	for i, s := range surfaces {
		surfaces[i].Places = at[s.Source+" "+s.Name]
	}
}

// plan turns targets into steps. Names of configured servers keep the order of the configuration.
func (inv *invocation) plan(cfg *config.Config, targets []target) ([]step, error) {
	var steps []step
	entries, err := inv.meant(cfg, targets)
	if err != nil {
		return nil, err
	}
	if entries != nil {
		inv.warn(entries)
		steps = configuredSteps(inv.guard(cfg, entries), cfg)
	}
	for _, t := range targets {
		more, err := inv.stepsFor(t, cfg)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	if steps, err = inv.only.steps(cfg, steps); err != nil {
		return nil, err
	}
	tellApart(steps)
	return steps, inv.signIn(steps, cfg)
}

// meant are the entries that targets name; nil = none, for another source was named.
func (inv *invocation) meant(cfg *config.Config, targets []target) ([]config.Entry, error) {
	var names []string
	for _, t := range targets {
		if t.kind == byName {
			names = append(names, t.word)
		}
	}
	if len(targets) > 0 && len(names) == 0 {
		return nil, nil
	}
	return inv.configured(cfg, names)
}

// warn tells what should be mended about servers that are contacted all the same.
func (inv *invocation) warn(entries []config.Entry) {
	for _, e := range entries {
		for _, w := range e.Warnings {
			if !e.Disabled && e.Err() == nil {
				inv.Note("%v: %s", w, w.Hint)
			}
		}
	}
}

// tellApart numbers ad-hoc servers that would have the name of an earlier one, such as two URLs of one host.
func tellApart(steps []step) {
	seen := map[string]bool{}
	for _, s := range steps {
		if s.contact == nil {
			continue
		}
		name := s.contact.Name
		for i := 2; seen[s.contact.Name]; i++ {
			s.contact.Name = fmt.Sprintf("%s-%d", name, i)
		}
		seen[s.contact.Name] = true
	}
}

// configured are the entries with these names, all of them without names, cut to the shard of this run.
func (inv *invocation) configured(cfg *config.Config, names []string) ([]config.Entry, error) {
	if len(cfg.Entries) == 0 {
		return nil, noServers(cfg, names)
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return nil, exit.Misuse(withHint(err))
	}
	if entries, err = inv.only.entries(cfg, entries); err != nil || len(names) > 0 {
		return entries, err
	}
	var part []config.Entry
	for i, e := range entries {
		if inv.shard.has(i) {
			part = append(part, e)
		}
	}
	return part, nil
}

func noServers(cfg *config.Config, names []string) error {
	where := "no configuration was found from this folder up to the repository's root"
	switch {
	case len(cfg.Files) > 0:
		where = "the configuration names no server"
	case len(cfg.Looked) > 0:
		where = "no configuration of an application names one"
	}
	if len(names) > 0 {
		return exit.Usagef("there is no server %q: %s", names[0], where)
	}
	return exit.Usagef(`there is no server to contact: %s
write one into .mcp.json, look at those of other applications with --discover, or name one: a URL, or -- and the command that starts it`, where)
}

// configuredSteps are the steps for configured servers; what cannot or must not be contacted is known to have failed.
func configuredSteps(entries []config.Entry, cfg *config.Config) []step {
	steps := make([]step, 0, len(entries))
	for _, e := range entries {
		switch {
		case e.Disabled:
			steps = append(steps, step{known: surface{Server: report.Server{Name: e.Server.Name, State: report.Disabled, Source: e.Server.Source}}})
		case e.Err() != nil:
			steps = append(steps, step{known: misconfigured(e.Server.Name, e.Server.Source, e.Problems)})
		default:
			steps = append(steps, step{contact: &e.Server})
		}
	}
	return steps
}

// allowed is the step that contacts server, unless the project's allow list refuses it.
func allowed(server probe.Server, cfg *config.Config) step {
	if refusal := cfg.Project.Allow.Refusal(server.Name); refusal != nil {
		return step{known: misconfigured(server.Name, server.Source, []config.Problem{*refusal})}
	}
	return step{contact: &server}
}

// stepsFor are the steps of one target that is not a configured server.
func (inv *invocation) stepsFor(t target, cfg *config.Config) ([]step, error) {
	var server probe.Server
	var err error
	switch t.kind {
	case byName:
		return nil, nil
	case byURL:
		server, err = config.FromURL(t.word)
	case byCommand:
		server, err = config.FromCommand(inv.command)
	default:
		saved, err := inv.readSaved(t, cfg.Project.Snapshots)
		return knownSteps(saved), err
	}
	if err != nil {
		return nil, exit.Misuse(withHint(err))
	}
	return []step{allowed(server, cfg)}, nil
}

func knownSteps(surfaces []surface) []step {
	steps := make([]step, len(surfaces))
	for i, s := range surfaces {
		steps[i].known = s
	}
	return steps
}

// nothingContacted tells whether the configuration alone kept every server from being tried.
func nothingContacted(surfaces []surface) bool {
	return len(surfaces) > 0 && !slices.ContainsFunc(surfaces, func(s surface) bool { return !s.config && s.State != report.Disabled }) &&
		slices.ContainsFunc(surfaces, func(s surface) bool { return s.config })
}
