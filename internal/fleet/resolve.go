package fleet

import (
	"context"
	"fmt"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Resolve returns the targets that SOURCEs name; without SOURCEs all configured servers, in their order. What
// is declared, in files or on the command line, passes the trust gate, and what that admits gets the flags of
// the run. What is saved needs neither.
func (f *Fleet) Resolve(ctx context.Context, from []source.Source) ([]Target, error) {
	configured, err := f.entriesFor(from)
	if err != nil {
		return nil, err
	}
	var targets []Target
	for i := range configured {
		targets = append(targets, declared(&configured[i]))
	}
	for _, s := range from {
		more, err := f.named(ctx, s)
		if err != nil {
			return nil, err
		}
		targets = append(targets, more...)
	}
	if targets, err = f.selected.only(targets); err != nil {
		return nil, err
	}
	entries := make([]config.Entry, 0, len(targets))
	var places []int // of entries among targets
	names := map[string]bool{}
	for i, t := range targets {
		if t.known.declared != nil && t.known.State == "" {
			entries, places = append(entries, renamed(*t.known.declared, names)), append(places, i)
		}
	}
	admitted, refused := f.gate.Admit(f.Config, entries)
	for i, r := range refused {
		targets[places[r.Index]] = withheld(&refused[i])
	}
	o, err := f.overrides(admitted)
	if err != nil {
		return nil, err
	}
	for i, a := range admitted {
		targets[places[a.Index]] = o.target(&admitted[i], nil)
	}
	return targets, nil
}

// named returns the targets of a SOURCE that is not a configured server: one that is declared here, or what
// needs no admission.
func (f *Fleet) named(ctx context.Context, s source.Source) ([]Target, error) {
	var server probe.Server
	var err error
	switch s.Kind {
	case source.Configured:
		return nil, nil
	case source.Package:
		t, err := packageTarget(f, s)
		return []Target{t}, err
	case source.URL:
		server, err = config.FromURL(s.Word)
	case source.Command:
		server, err = config.FromCommand(f.process.Dir, s.Args)
	default:
		saved, err := s.Find(ctx, f.process, f.Config.Project.Snapshots)
		return kit.Map(saved, func(s source.Saved) Target {
			return Target{known: FromSaved(s), later: s.Later}
		}), err
	}
	e := config.Declare(server, f.Config.Project.Allow)
	return []Target{declared(&e)}, exit.Misuse(err)
}

// renamed returns an entry with a number behind its name if that is taken, as by another URL of its host, and
// takes the name.
func renamed(e config.Entry, taken map[string]bool) config.Entry {
	name := e.Server.Name
	for i := 2; taken[e.Server.Name]; i++ {
		e.Server.Name = fmt.Sprintf("%s-%d", name, i)
	}
	taken[e.Server.Name] = true
	return e
}

// One returns the only live server that a SOURCE names.
func (f *Fleet) One(ctx context.Context, from source.Source) (Target, error) {
	targets, err := f.Resolve(ctx, []source.Source{from})
	switch {
	case err != nil:
		return Target{}, err
	case !from.Live():
		return Target{}, errSaved(from.Word)
	case len(targets) != 1:
		return Target{}, errOneServer
	case targets[0].Live():
		return targets[0], nil
	}
	known := targets[0].Known()
	if known.Error == nil {
		return Target{}, errDisabled(from.Word, known.Source)
	}
	return Target{}, errUnusable(known.Name, known.Error)
}

// entriesFor returns the configured servers that SOURCEs name.
func (f *Fleet) entriesFor(from []source.Source) ([]config.Entry, error) {
	var names []string
	for _, s := range from {
		if s.Kind == source.Configured {
			names = append(names, s.Word)
		}
	}
	if len(from) > 0 && len(names) == 0 {
		return nil, nil
	}
	if len(f.Config.Entries) == 0 {
		return nil, NoServers(f.Config, names, f.selected.Takes)
	}
	entries, err := Choose(f.Config, f.selected, names)
	if err != nil || len(names) > 0 {
		return entries, err
	}
	return kit.Filter(entries, func(e config.Entry) bool { return f.selected.Shard.Has(e.Server.Name) }), nil
}

// Choose returns the configured servers with these names, or all of them, within a selection.
func Choose(cfg *config.Config, s Selection, names []string) ([]config.Entry, error) {
	entries, err := cfg.Select(names)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	known := cfg.Names()
	for _, pattern := range s.Only {
		if !slices.ContainsFunc(known, func(name string) bool { return kit.Glob(pattern, name) }) {
			return nil, errOnly(pattern, known)
		}
	}
	chosen := kit.Filter(entries, func(e config.Entry) bool { return s.takes(e.Server.Name) })
	if len(chosen) == 0 && len(entries) > 0 {
		return nil, errOnlyLeaves(s.Only)
	}
	return chosen, nil
}

// takes reports whether a server with these names may take part in the run.
func (s Selection) takes(name string) bool {
	return len(s.Only) == 0 || slices.ContainsFunc(s.Only,
		func(pattern string) bool { return kit.Glob(pattern, name) })
}

// only returns the targets that --only selects, configured or not.
func (s Selection) only(targets []Target) ([]Target, error) {
	left := kit.Filter(targets, func(t Target) bool { return s.takes(t.Name()) })
	if len(left) == 0 && len(targets) > 0 {
		return nil, errOnlyLeaves(s.Only)
	}
	return left, nil
}
