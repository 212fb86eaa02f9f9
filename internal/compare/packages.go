package compare

import (
	"context"
	"fmt"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
)

func readLock(ctx context.Context, p host.Process, f *fleet.Fleet) (packages.Lock, error) {
	lock, err := packages.ReadLock(ctx, p, store.Beside(f.Config.Project.Snapshots, packages.LockFile))
	return lock, exit.Misuse(err)
}

// relock writes down which packages the saved surfaces of servers come from, if that is news.
func relock(ctx context.Context, p host.Process, folder string, saved []fleet.Surface) error {
	file := store.Beside(folder, packages.LockFile)
	return store.Update(ctx, p, file, packages.LockLimit, func(before []byte) ([]byte, error) {
		lock := packages.Lock{}
		if before != nil {
			var err error
			if lock, err = packages.ParseLock(file, before); err != nil {
				return nil, err
			}
		}
		for _, s := range saved {
			if delete(lock, s.Name); s.Package != nil {
				locked := *s.Package
				if s.Snapshot != nil { // else they were kept when it was let go
					locked.Tools = s.Snapshot.Tools.Digests()
				}
				lock[s.Name] = locked
			}
		}
		if before == nil && len(lock) == 0 {
			return nil, nil
		}
		return lock.Encode()
	}, replace)
}

// cause says what is different in the package of a server from when its old side was made; empty when that is not known.
func (p Pair) cause(changed bool) string {
	old, now := p.Old.Package, p.New.Package
	if old == nil || now == nil {
		return ""
	}
	if why := now.Since(*old); why != "" || !changed || now.Integrity == "" {
		return why
	}
	return fmt.Sprintf("%s is as it was, with all that is installed below it", now.Ref)
}

// keptToLock compares servers with what is saved, and contacts none that would start another package than what was locked.
func keptToLock(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source) ([]Pair, error) {
	lock, err := readLock(ctx, p, f)
	if err != nil {
		return nil, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	current, err := f.Collect(ctx, fleet.Hold(targets, func(t fleet.Target) *report.Failure {
		if would := t.Package(p.Environ); would != nil { // what is not installed yet is judged once it is
			return offLock(lock, t.Name(), would)
		}
		return nil
	}))
	if err != nil {
		return nil, err
	}
	for i, s := range current {
		if failure := offLock(lock, s.Name, s.Package); failure != nil && s.State != report.Failed && s.State != report.Disabled {
			current[i].State, current[i].Error, current[i].Snapshot = report.Failed, failure, nil
		}
	}
	return withSaved(ctx, p, current, f.Config.Project.Snapshots), nil
}

// offLock says how the package of a server differs from the locked one; nil = it does not.
func offLock(lock packages.Lock, server string, now *packages.Package) *report.Failure {
	was, known := lock[server]
	failure := &report.Failure{Stage: "comparing", Hint: "see what that changes with mcpctl diff, and lock it with mcpctl snapshot"}
	switch {
	case !known && now == nil:
		return nil
	case !known:
		failure.Message = fmt.Sprintf("--locked: it is not locked, and would start %s", now.Ref)
	case now == nil:
		failure.Message = fmt.Sprintf("--locked: %s was locked, and what starts now is not known to be a package", was.Ref)
	default:
		why := now.Since(was)
		if why == "" {
			return nil
		}
		failure.Message = "--locked: what starts now is not what was locked: " + why
	}
	return failure
}

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
	releases := lists.Map(refs, func(one packages.Ref) source.Source {
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

// upgrades are configured servers in the version that is configured and in the newest one.
func upgrades(ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source) ([]Pair, error) {
	lock, err := readLock(ctx, p, f)
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
			one.Old.Package, one.New.Package = &u.Before, &u.After
		}
		one.Old.Source = u.From.String()
		pairs = append(pairs, one)
	}
	return pairs, nil
}
