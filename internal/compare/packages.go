package compare

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
)

// openLock returns the lock of the snapshots directory, and a launcher for what is locked.
func openLock(f *fleet.Fleet) (packages.Lock, packages.Launcher, error) {
	lock, err := packages.ReadLock(filepath.Join(f.Config.Project.Snapshots, packages.LockFile))
	if err != nil {
		return nil, packages.Launcher{}, exit.Misuse(err)
	}
	launcher, err := f.Packages()
	return lock, launcher, err
}

// maxLookups is how many packages are looked up at once.
const maxLookups = 4

// relock updates the lock with the packages that saved surfaces come from. A package that its registry does
// not describe is not locked.
func relock(ctx context.Context, p host.Process, f *fleet.Fleet, saved []fleet.Surface) error {
	lock, launcher, err := openLock(f)
	if err != nil {
		return err
	}
	entries := make([]packages.Package, len(saved)) // without a name: none
	var lookups errgroup.Group
	lookups.SetLimit(maxLookups)
	for i, s := range saved {
		switch {
		case s.Package == nil:
		case s.Package.Ref.Exact() && lock[s.Name].Ref == s.Package.Ref:
			entries[i] = lock[s.Name]
		default:
			lookups.Go(func() error {
				found, err := launcher.Describe(ctx, s.Package.Ref)
				if err != nil {
					p.Note("%s is not locked: %s", printable.Message(s.Name), printable.Message(err.Error()))
					return nil
				}
				entries[i] = found
				return nil
			})
		}
	}
	_ = lookups.Wait() // the errors were noted
	before := maps.Clone(lock)
	for i, s := range saved {
		if delete(lock, s.Name); entries[i].Ref.Name != "" {
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
	return replaceFile(p, filepath.Join(f.Config.Project.Snapshots, packages.LockFile), data)
}

// findPackage looks up the package of the new side, if the old side has a locked one that may differ.
func (p *sides) findPackage(ctx context.Context, process host.Process, f *fleet.Fleet) {
	old, now := p.old.Package, p.now.Package
	if old == nil || now == nil || old.Integrity == "" || now.Integrity != "" ||
		old.Ref == now.Ref && now.Ref.Exact() {
		return
	}
	launcher, err := f.Packages()
	if err == nil {
		var found packages.Package
		if found, err = launcher.Describe(ctx, now.Ref); err == nil {
			p.now.Package = &found
		}
	}
	if err != nil && ctx.Err() == nil {
		process.Note("the cause of changes in %s is unknown: %s", printable.Message(p.now.Name),
			printable.Message(err.Error()))
	}
}

// cause returns how the package of the new side differs from that of the old one; empty if that is unknown.
func (p *sides) cause(changed bool) string {
	old, now := p.old.Package, p.now.Package
	if old == nil || now == nil {
		return ""
	}
	if why := now.Since(*old); why != "" || !changed {
		return why
	}
	return fmt.Sprintf("%s is the same release as before", now.Ref)
}

// lockedTargets returns targets as they start exactly what is locked. A server that would start another
// package is not contacted.
func lockedTargets(ctx context.Context, f *fleet.Fleet, targets []fleet.Target) ([]fleet.Target, error) {
	lock, launcher, err := openLock(f)
	if err != nil {
		return nil, err
	}
	versions := map[string]string{}
	targets = fleet.Hold(targets, func(t fleet.Target) *seen.Failure {
		version, difference, err := lockedVersion(ctx, launcher, lock, t)
		switch versions[t.Name()] = version; {
		case err != nil:
			return failedLookup(err)
		case difference != "":
			return failedLock(difference)
		}
		return nil
	})
	return fleet.AtVersion(f, targets, versions)
}

// lockedVersion returns the version that a target starts under the lock, or how its package differs from the
// locked one.
func lockedVersion(
	ctx context.Context, launcher packages.Launcher, lock packages.Lock, t fleet.Target,
) (version, difference string, err error) {
	locked, known := lock[t.Name()]
	launch := t.Launch()
	switch {
	case !known && launch == nil:
		return "", "", nil
	case !known:
		return "", fmt.Sprintf("%s is not locked", launch.Ref), nil
	case launch == nil:
		difference = fmt.Sprintf("%s was locked, and the server is not started from a package", locked.Ref)
		return "", difference, nil
	case launch.Ref.Registry == "oci":
		return locked.Integrity, packages.Package{Ref: launch.Ref}.Since(locked), nil
	}
	now, err := launcher.Describe(ctx, launch.Ref)
	if err != nil {
		return "", "", err
	}
	return now.Ref.Version, now.Since(locked), nil
}

// exactly returns SOURCEs in which packages that leave their version open name the one that their registry
// has now, so that a report can name it. A package that the registry does not describe stays as it is.
func exactly(ctx context.Context, f *fleet.Fleet, from []source.Source) []source.Source {
	from = slices.Clone(from)
	var lookups errgroup.Group
	for i, s := range from {
		ref, isPackage, err := packages.Parse(s.Word)
		if s.Kind != source.Package || !isPackage || err != nil || ref.Exact() || ref.Registry == "oci" ||
			f.Config.Project.Allow.Refusal(ref.Name) != nil {
			continue
		}
		lookups.Go(func() error {
			launcher, err := f.Packages()
			if err != nil {
				return nil
			}
			if found, err := launcher.Describe(ctx, ref); err == nil {
				from[i].Word = found.Ref.String()
			}
			return nil
		})
	}
	_ = lookups.Wait() // a package that cannot be looked up fails when it starts
	return from
}

// history returns each of the last n releases of a package with the newest one before it that answered; the
// first with itself.
func history(ctx context.Context, f *fleet.Fleet, n int, from []source.Source) ([]sides, error) {
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
	releases := kit.Map(refs, func(ref packages.Ref) source.Source {
		return source.Source{Kind: source.Package, Word: ref.String(), Args: from[0].Args}
	})
	surfaces, err := f.Survey(ctx, releases)
	if err != nil {
		return nil, err
	}
	var pairs []sides
	var before *fleet.Surface
	for i, s := range surfaces {
		s.Name = refs[i].Name + "@" + refs[i].Version
		release := sides{old: s, now: s}
		if before != nil {
			release.old = *before
		}
		if pairs = append(pairs, release); s.Known() {
			before = &s
		}
	}
	return pairs, nil
}

// upgrades returns servers in the version that is configured and in the newest one; those that have none come
// last. No registry is asked about a server that may not start.
func upgrades(
	ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source, sharded bool,
) ([]sides, error) {
	lock, launcher, err := openLock(f)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	var others []sides
	var upgraded []fleet.Target
	current, newest := map[string]packages.Package{}, map[string]packages.Package{}
	for _, t := range targets {
		launch, known := t.Launch(), t.Known()
		switch {
		case known.State == seen.Disabled:
			continue
		case !t.Live():
			others = append(others, sides{old: known, now: known})
			continue
		case launch == nil:
			p.Note("%s is skipped: it starts no package with npx, uvx, docker or another known launcher",
				printable.Message(t.Name()))
			continue
		}
		old, latest, err := releasesOf(ctx, launcher, launch.Ref, lock[t.Name()])
		if err == nil && old.Ref.Version != latest.Ref.Version {
			current[t.Name()], newest[t.Name()] = old, latest
			upgraded = append(upgraded, t)
			continue
		}
		s := fleet.Unseen(seen.Server{Name: t.Name(), State: seen.OK})
		if err != nil {
			failLookup(&s, err)
		}
		others = append(others, sides{old: ofRelease(s, old), now: ofRelease(s, latest)})
	}
	if len(upgraded)+len(others) == 0 && !sharded { // another shard may have some
		return nil, errPackages
	}
	before, err := collectReleases(ctx, f, upgraded, current)
	if err != nil {
		return nil, err
	}
	after, err := collectReleases(ctx, f, upgraded, newest)
	if err != nil {
		return nil, err
	}
	var pairs []sides
	for i := range upgraded {
		pairs = append(pairs, sides{old: before[i], now: after[i]})
	}
	return append(pairs, others...), nil
}

// collectReleases returns the surfaces of targets whose packages start in these releases, by name.
func collectReleases(
	ctx context.Context, f *fleet.Fleet, targets []fleet.Target, releases map[string]packages.Package,
) ([]fleet.Surface, error) {
	versions := map[string]string{}
	for name, release := range releases {
		versions[name] = release.Ref.Version
	}
	targets, err := fleet.AtVersion(f, targets, versions)
	if err != nil {
		return nil, err
	}
	surfaces, err := f.Collect(ctx, targets)
	for i, s := range surfaces {
		surfaces[i] = ofRelease(s, releases[s.Name])
		failWith(&surfaces[i], surfaces[i].Source)
	}
	return surfaces, err
}

// ofRelease returns a surface that names the release of a package.
func ofRelease(s fleet.Surface, release packages.Package) fleet.Surface {
	s.Package, s.Source = &release, release.Ref.String()
	return s
}

// releasesOf returns the release of a package that a server starts, and the newest one. What a configuration
// leaves open is the locked release, else the one that the registry has now.
func releasesOf(
	ctx context.Context, launcher packages.Launcher, ref packages.Ref, locked packages.Package,
) (old, newest packages.Package, err error) {
	old = packages.Package{Ref: ref}
	if newest, err = launcher.Newest(ctx, ref); err != nil {
		return old, newest, err
	}
	same := locked.Ref.Registry == ref.Registry && locked.Ref.Name == ref.Name && !ref.Exact()
	switch {
	case ref.Registry == "oci" && !newest.Ref.Exact():
	case ref.Registry == "oci":
		if old = newest; same && locked.Integrity != "" {
			old.Ref.Version = locked.Integrity
		}
	case same:
		old = locked
	default:
		old, err = launcher.Describe(ctx, ref)
	}
	return old, newest, err
}
