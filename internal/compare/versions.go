package compare

import (
	"context"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// history is each of the last n releases of a package with the one before it that answered; the first with itself.
func history(ctx context.Context, p host.Process, f *fleet.Fleet, n int, from []source.Source) ([]Pair, error) {
	ref, _, err := packages.Parse(from[0].Word)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	store, err := fleet.PackageStore(p)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	refs, err := store.Versions(ctx, ref, n)
	if err != nil {
		return nil, err
	}
	var releases []source.Source
	for _, one := range refs {
		releases = append(releases, source.Source{Kind: source.Package, Word: one.String(), Args: from[0].Args})
	}
	surfaces, err := f.Survey(ctx, releases)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for i, s := range surfaces {
		s.Name = refs[i].Name + "@" + refs[i].Version
		one := Pair{Old: s, New: s}
		for _, earlier := range pairs {
			if earlier.New.Known() {
				one.Old = earlier.New
			}
		}
		pairs = append(pairs, one)
	}
	return pairs, nil
}

// upgrades are configured servers in the version that is configured and in the newest one.
func upgrades(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source) ([]Pair, error) {
	lock, err := readLock(f)
	if err != nil {
		return nil, err
	}
	all, now, newest, err := f.Upgrades(ctx, from, lock)
	if err != nil {
		return nil, err
	}
	before, err := f.Collect(ctx, now)
	if err != nil {
		return nil, err
	}
	after, err := f.Collect(ctx, newest)
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	for _, u := range all {
		one := Pair{}
		if u.Newest() {
			one.New = fleet.Surface{Server: report.Server{Name: u.Name, State: report.OK, Source: u.To.String()}}
			one.Old = one.New
		} else {
			one.Old, one.New, before, after = before[0], after[0], before[1:], after[1:]
		}
		one.Old.Source = u.From.String()
		pairs = append(pairs, one)
	}
	return pairs, nil
}
