package fleet

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// Upgrade is a configured server that starts a package by a launcher such as npx, as it is configured and in the newest version.
type Upgrade struct {
	Name          string
	From, To      packages.Ref
	Before, After packages.Package // where the versions differ
	before, after config.Entry
}

// Newest tells whether the configured version is the newest one.
func (u Upgrade) Newest() bool { return u.From.Version == u.To.Version }

// Upgrades are those of the configured servers among SOURCEs, none = all, and the two targets of each that is not in its newest
// version. What a configuration leaves open is what locked says, else what the registry gives now. Other servers are told of.
func (f *Fleet) Upgrades(ctx context.Context, from []source.Source, locked packages.Lock) (all []Upgrade, now, newest []Target, err error) {
	entries, err := f.entriesFor(from)
	if err != nil {
		return nil, nil, nil, err
	}
	w, err := warehouseOf(f)
	if err != nil {
		return nil, nil, nil, err
	}
	var before, after []config.Entry
	for _, e := range f.gate.Guard(f.Config, entries) {
		if e.Disabled {
			continue
		}
		launch, ok := launchOf(e)
		if !ok {
			f.process.Note("%s is not compared: it starts no package by npx, docker or another launcher that is known here", report.Visible(e.Server.Name))
			continue
		}
		u, err := w.upgrade(ctx, e, launch, locked[e.Server.Name])
		if err != nil {
			return nil, nil, nil, err
		}
		if all = append(all, u); !u.Newest() {
			before, after = append(before, u.before), append(after, u.after)
		}
	}
	if len(all) == 0 && f.selected.Shard.Count > 0 { // another part may have some
		return nil, nil, nil, nil
	}
	if len(all) == 0 {
		return nil, nil, nil, exit.Usagef("no server starts a package by npx, docker or another launcher that is known here, so there is no version to move to")
	}
	for _, e := range before {
		if now = append(now, targetOf(e)); err == nil {
			err = w.install(ctx, e) // npx would have run its scripts, too
		}
	}
	if err != nil {
		return nil, nil, nil, err
	}
	if newest, err = w.agreed(ctx, after); err != nil {
		return nil, nil, nil, err
	}
	if err := f.contact.prepare(f.process, now); err != nil {
		return nil, nil, nil, err
	}
	return all, now, newest, f.contact.prepare(f.process, newest)
}

// launchOf is what the launcher that an entry starts is told to start.
func launchOf(e config.Entry) (packages.Launch, bool) {
	s := e.Server.Stdio
	if s == nil {
		return packages.Launch{}, false
	}
	return packages.Launched(slices.Concat([]string{s.Command}, s.Args))
}

// upgrade finds the two versions of the package that an entry starts, and fetches them where they differ.
func (w warehouse) upgrade(ctx context.Context, e config.Entry, launch packages.Launch, locked packages.Package) (u Upgrade, err error) {
	u.Name = e.Server.Name
	if u.From, u.To, err = w.store.Upgrade(ctx, launch.Ref, locked); err != nil || u.Newest() {
		return u, err
	}
	if u.Before, err = w.fetch(ctx, u.From); err != nil {
		return u, err
	}
	u.After, err = w.fetch(ctx, u.To)
	u.before, u.after = e.Starting(u.Before, launch), e.Starting(u.After, launch).Published(u.After)
	return u, err
}
