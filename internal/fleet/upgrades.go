package fleet

import (
	"context"
	"slices"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// Upgrade is a configured server that starts a package by a launcher such as npx, as it is configured and in the newest version.
type Upgrade struct {
	Name          string
	From, To      packages.Ref
	before, after config.Entry // where the versions differ
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
	var before, after []config.Entry
	for _, e := range f.gate.Guard(f.Config, entries) {
		if e.Disabled {
			continue
		}
		launch, ok := launchOf(e)
		if !ok {
			f.process.Note("%s is not compared: it starts no package by npx or another launcher that is known here", report.Visible(e.Server.Name))
			continue
		}
		u, err := upgrade(ctx, f.process, e, launch, locked[e.Server.Name])
		if err != nil {
			return nil, nil, nil, err
		}
		if all = append(all, u); !u.Newest() {
			before, after = append(before, u.before), append(after, u.after)
		}
	}
	if len(all) == 0 {
		return nil, nil, nil, exit.Usagef("no server starts a package by npx or another launcher that is known here, so there is no version to move to")
	}
	for _, e := range before {
		now = append(now, targetOf(e))
	}
	if newest, err = f.agreed(ctx, after); err != nil {
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
func upgrade(ctx context.Context, p host.Process, e config.Entry, launch packages.Launch, locked packages.Package) (Upgrade, error) {
	store, err := PackageStore(p)
	if err != nil {
		return Upgrade{}, exit.Misuse(err)
	}
	u := Upgrade{Name: e.Server.Name, From: launch.Ref, To: launch.Ref}
	if locked.Name == launch.Ref.Name && !launch.Ref.Exact() {
		u.From.Version = locked.Version
	}
	u.To.Version = ""
	if u.From, err = store.Resolve(ctx, u.From); err != nil {
		return u, err
	}
	if u.To, err = store.Resolve(ctx, u.To); err != nil || u.Newest() {
		return u, err
	}
	before, err := fetch(ctx, p, u.From)
	if err != nil {
		return u, err
	}
	after, err := fetch(ctx, p, u.To)
	u.before, u.after = e.Starting(before, launch.Args), e.Starting(after, launch.Args).Published(after)
	return u, err
}
