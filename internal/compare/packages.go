package compare

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"

	"golang.org/x/sync/errgroup"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

func readLock(f *fleet.Fleet) (packages.Lock, error) {
	lock, err := packages.ReadLock(filepath.Join(f.Config.Project.Snapshots, packages.LockFile))
	return lock, exit.Misuse(err)
}

// relock writes down which packages the saved surfaces of servers come from, if that is news. A package that
// its registry does not describe is not locked.
func relock(ctx context.Context, p host.Process, f *fleet.Fleet, saved []fleet.Surface) error {
	lock, err := readLock(f)
	if err != nil {
		return err
	}
	launcher, err := f.Packages()
	if err != nil {
		return err
	}
	entries := make([]packages.Package, len(saved)) // one without a name = none
	var lookups errgroup.Group
	lookups.SetLimit(maxLookups)
	for i, s := range saved {
		switch {
		case s.Package == nil:
		case s.Package.Exact() && lock[s.Name].Ref == s.Package.Ref:
			entries[i] = lock[s.Name]
		default:
			lookups.Go(func() error {
				found, err := launcher.Describe(ctx, s.Package.Ref)
				if err != nil {
					p.Note("%s is not locked: %s", report.Visible(s.Name), report.Visible(err.Error()))
					return nil
				}
				entries[i] = found
				return nil
			})
		}
	}
	_ = lookups.Wait() // which only notes
	before := maps.Clone(lock)
	for i, s := range saved {
		if delete(lock, s.Name); entries[i].Name != "" {
			lock[s.Name] = entries[i]
		}
	}
	if reflect.DeepEqual(before, lock) {
		return nil
	}
	data, err := lock.Encode()
	if err != nil {
		return err
	}
	return replace(ctx, p, filepath.Join(f.Config.Project.Snapshots, packages.LockFile), data)
}

// maxLookups is how many packages are looked up at once.
const maxLookups = 4

// explain looks up the package of the new side, if the old side has a locked one that may differ.
func (p *Pair) explain(ctx context.Context, process host.Process, f *fleet.Fleet) {
	old, now := p.Old.Package, p.New.Package
	if old == nil || now == nil || old.Integrity == "" || now.Integrity != "" ||
		old.Ref == now.Ref && now.Exact() {
		return
	}
	launcher, err := f.Packages()
	if err == nil {
		var found packages.Package
		if found, err = launcher.Describe(ctx, now.Ref); err == nil {
			p.New.Package = &found
		}
	}
	if err != nil && ctx.Err() == nil {
		process.Note("why %s changed is unknown: %s", report.Visible(p.New.Name), report.Visible(err.Error()))
	}
}

// cause returns what differs in the package of a server from when its old side was made; empty when that is
// not known.
func (p Pair) cause(changed bool) string {
	old, now := p.Old.Package, p.New.Package
	if old == nil || now == nil {
		return ""
	}
	if why := now.Since(*old); why != "" || !changed {
		return why
	}
	return fmt.Sprintf("%s is the same release as before", now.Ref)
}

// keptToLock compares servers with what is saved, and contacts none that would start another package than
// what was locked. The others start exactly what is locked.
func keptToLock(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source) ([]Pair, error) {
	lock, err := readLock(f)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	launcher, err := f.Packages()
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	targets = fleet.Hold(targets, func(t fleet.Target) *report.Failure {
		version, why := offLock(ctx, launcher, lock, t)
		if versions[t.Name()] = version; why == "" {
			return nil
		}
		return &report.Failure{Stage: "comparing", Message: "--locked: " + why,
			Hint: "show what changes with mcpctl diff, and lock it with mcpctl snapshot"}
	})
	if targets, err = fleet.AtVersion(f, targets, versions); err != nil {
		return nil, err
	}
	current, err := f.Collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	for i, s := range current {
		if locked, known := lock[s.Name]; known && s.Package != nil {
			current[i].Package = &locked
		}
	}
	return withSaved(ctx, p, current, f.Config.Project.Snapshots), nil
}

// offLock returns the version that a target starts under the lock, or how its package differs from the locked
// one.
func offLock(ctx context.Context, launcher packages.Launcher, lock packages.Lock, t fleet.Target) (version,
	why string) {
	was, known := lock[t.Name()]
	launch, launches := t.Launch()
	switch {
	case !known && !launches:
		return "", ""
	case !known:
		return "", fmt.Sprintf("%s is not locked", launch.Ref)
	case !launches:
		return "", fmt.Sprintf("%s was locked, and the server is not started from a package", was.Ref)
	case launch.Ref.Registry == "oci":
		return was.Integrity, packages.Package{Ref: launch.Ref}.Since(was)
	}
	now, err := launcher.Describe(ctx, launch.Ref)
	if err != nil {
		return "", err.Error()
	}
	return now.Version, now.Since(was)
}

// history returns each of the last n releases of a package with the one before it that answered; the first
// with itself.
func history(ctx context.Context, f *fleet.Fleet, n int, from []source.Source) ([]Pair, error) {
	ref, _, err := packages.Parse(from[0].Word)
	if err != nil {
		return nil, exit.Misuse(err)
	}
	launcher, err := f.Packages()
	if err != nil {
		return nil, err
	}
	refs, err := launcher.Versions(ctx, ref, n)
	if err != nil {
		return nil, err
	}
	releases := kit.Map(refs, func(one packages.Ref) source.Source {
		return source.Source{Kind: source.Package, Word: one.String(), Args: from[0].Args}
	})
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

// upgrades returns servers in the version that is configured and in the newest one. No registry is asked
// about a server that may not start.
func upgrades(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source, part bool) ([]Pair,
	error) {
	lock, err := readLock(f)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	launcher, err := f.Packages()
	if err != nil {
		return nil, err
	}
	var pairs []Pair
	var moving []fleet.Target
	var places []int // of moving, in pairs
	now, newest := map[string]string{}, map[string]string{}
	for _, t := range targets {
		launch, launches := t.Launch()
		known := t.Known()
		switch {
		case known.State == report.Disabled:
			continue
		case !t.Live():
			pairs = append(pairs, Pair{Old: known, New: known})
			continue
		case !launches:
			p.Note("%s is not compared: it starts no package with npx, uvx, docker or another known launcher",
				report.Visible(t.Name()))
			continue
		}
		old, latest, err := releasesOf(ctx, launcher, launch.Ref, lock[t.Name()])
		one := fleet.Surface{Package: &latest,
			Server: report.Server{Name: t.Name(), State: report.OK, Source: latest.String()}}
		if err != nil {
			spoil(&one, "comparing", err)
		}
		pair := Pair{Old: one, New: one}
		pair.Old.Package, pair.Old.Source = &old, old.String()
		if pairs = append(pairs, pair); err == nil && old.Version != latest.Version {
			moving, places = append(moving, t), append(places, len(pairs)-1)
			now[t.Name()], newest[t.Name()] = old.Version, latest.Version
		}
	}
	if len(pairs) == 0 && !part { // another part may have some
		return nil, exit.Usagef("no server starts a package with npx, uvx, docker or another known launcher")
	}
	for _, side := range []struct {
		versions map[string]string
		of       func(*Pair) *fleet.Surface
	}{{now, func(p *Pair) *fleet.Surface { return &p.Old }},
		{newest, func(p *Pair) *fleet.Surface { return &p.New }}} {
		started, err := fleet.AtVersion(f, moving, side.versions)
		if err != nil {
			return nil, err
		}
		surfaces, err := f.Collect(ctx, started)
		if err != nil {
			return nil, err
		}
		for i, s := range surfaces {
			into := side.of(&pairs[places[i]])
			s.Package, s.Source = into.Package, into.Source
			*into = s
		}
	}
	return pairs, nil
}

// releasesOf returns the release of a package that a server starts, and the newest one. What a configuration
// leaves open is what was locked, else what the registry has now.
func releasesOf(ctx context.Context, launcher packages.Launcher, ref packages.Ref,
	locked packages.Package) (old, newest packages.Package, err error) {
	old = packages.Package{Ref: ref}
	if newest, err = launcher.Newest(ctx, ref); err != nil {
		return old, newest, err
	}
	same := locked.Registry == ref.Registry && locked.Name == ref.Name && !ref.Exact()
	switch {
	case ref.Registry == "oci" && !newest.Exact():
	case ref.Registry == "oci":
		if old = newest; same && locked.Integrity != "" {
			old.Version = locked.Integrity
		}
	case same:
		old = locked
	default:
		old, err = launcher.Describe(ctx, ref)
	}
	return old, newest, err
}
