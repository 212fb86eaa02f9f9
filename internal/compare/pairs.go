package compare

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/diff"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// sides is one server on both sides.
type sides struct {
	old, now fleet.Surface
	unsaved  bool // the old side is missing, possibly because nothing was saved
	movable  bool // the old side is the saved snapshot of the new one
}

// pairSet is the servers of a run with both sides. each visits the pairs as soon as both sides are known,
// several at a time; i is the place of a pair in the report.
type pairSet struct {
	n    int
	each func(visit func(i int, p sides) error) error
}

// knownPairs returns pairs whose sides are both known.
func knownPairs(pairs []sides, err error) (pairSet, error) {
	return pairSet{len(pairs), func(visit func(int, sides) error) error {
		for i, p := range pairs {
			if err := visit(i, p); err != nil {
				return err
			}
		}
		return nil
	}}, err
}

// pairsWithSaved returns servers with their saved snapshots, with locked as they start what is locked.
func pairsWithSaved(
	ctx context.Context, p host.Process, f *fleet.Fleet, from []source.Source, locked bool,
) (pairSet, error) {
	targets, err := f.Resolve(ctx, from)
	if err == nil && locked {
		targets, err = lockedTargets(ctx, f, targets)
	}
	if err != nil {
		return pairSet{}, err
	}
	saved := openBaseline(p, f.Config.Project.Snapshots)
	return pairSet{len(targets), func(visit func(int, sides) error) error {
		_, err := f.Each(ctx, targets, func(i int, s *fleet.Surface) error {
			defer s.LetGo()
			if s.State == seen.Disabled {
				return nil
			}
			both := saved.with(ctx, *s)
			if locked && s.Package != nil && both.old.Package != nil {
				both.now.Package = both.old.Package
			}
			return visit(i, both)
		})
		return err
	}}, nil
}

// baseline is the directory of saved snapshots that servers are compared with.
type baseline struct {
	process host.Process
	dir     string
	lock    packages.Lock
}

// openBaseline returns the saved snapshots in a folder. With a lock file that cannot be read, the causes
// of changes are unknown, which is noted.
func openBaseline(p host.Process, dir string) baseline {
	lock, err := packages.ReadLock(filepath.Join(dir, packages.LockFile))
	if err != nil {
		p.Note("causes of changes are unknown: %v", err)
		if hint := exit.HintOf(err); hint != "" {
			p.Note("hint: %s", hint)
		}
	}
	return baseline{p, dir, lock}
}

// with pairs a surface with its saved snapshot. A file that cannot be read fails its own server alone.
func (b baseline) with(ctx context.Context, s fleet.Surface) sides {
	file := SavedFile(b.dir, s.Name)
	saved, err := source.ReadFile(ctx, file)
	old := fleet.Unseen(seen.Server{Source: file})
	switch {
	case err == nil:
		old = fleet.FromSaved(saved)
	case errors.Is(err, fs.ErrNotExist):
		old.Source = ""
	default:
		failSaved(&old, "comparing", err, false)
	}
	old.Source = b.process.Rel(old.Source)
	if locked, known := b.lock[s.Name]; known {
		old.Package = &locked
	}
	return sides{old: old, now: s, unsaved: errors.Is(err, fs.ErrNotExist), movable: err == nil}
}

// SavedFile returns the file of a server's snapshot in a directory.
func SavedFile(dir, server string) string { return filepath.Join(dir, config.FileName(server)) }

// failSaved makes a server fail whose saved snapshot cannot be read or written. It may be in a file that the
// user named, beside the directory of snapshots.
func failSaved(s *fleet.Surface, stage string, err error, named bool) {
	hint := "restore the file from version control, or delete it and run mcpctl snapshot"
	var where *fs.PathError
	_, interrupted := errors.AsType[exit.Interrupted](err)
	switch {
	case exit.HintOf(err) != "":
		hint = exit.HintOf(err)
	case interrupted:
		hint = ""
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		hint = "make room on the disk, and try again"
	case errors.As(err, &where) && (named || errors.Is(err, syscall.EFBIG) || errors.Is(err, syscall.EIO)):
		hint = "" // the error says it
	case errors.As(err, &where):
		hint = "the snapshots directory must be readable and writable: name another with --snapshots"
	}
	s.State, s.Error = seen.Failed, &seen.Failure{Stage: stage, Message: err.Error(), Hint: hint}
}

// failLookup makes a server fail whose package the registry does not describe.
func failLookup(s *fleet.Surface, err error) {
	s.State, s.Error = seen.Failed, failedLookup(err)
}

// matchByName pairs targets with the servers of the old side that have their names. A single server on each
// side is a pair even if the names differ. What only the old side has comes last. It was removed if the old
// side is a directory of snapshots, and the new one another or all configured servers; where servers are
// named on the new side, the others of a directory are not compared.
func matchByName(
	ctx context.Context, f *fleet.Fleet, old, current []source.Source, sharded bool,
	before, targets []fleet.Target,
) pairSet {
	isDir := func(side []source.Source) bool { return len(side) == 1 && side[0].Whole() }
	configured := len(current) == 0
	complete := isDir(old) && (isDir(current) || configured)
	single := len(before) == 1 && len(targets) == 1 && !complete && !(sharded && configured)
	byName := map[string]*fleet.Target{}
	for i, t := range before {
		byName[t.Name()] = &before[i]
	}
	olds := make([]*fleet.Target, len(targets))
	for i, t := range targets {
		olds[i] = byName[t.Name()]
		delete(byName, t.Name())
	}
	var left []fleet.Target // in their order
	chosen := isDir(old) && !complete
	for _, t := range before {
		if byName[t.Name()] != nil && !single && !chosen {
			left = append(left, t)
		}
	}
	if single {
		olds[0] = &before[0]
	}
	return pairSet{len(targets) + len(left), func(visit func(int, sides) error) error {
		_, err := f.Each(ctx, targets, func(i int, s *fleet.Surface) error {
			defer s.LetGo()
			switch {
			case s.State == seen.Disabled && !single:
				return nil
			case olds[i] == nil && isDir(old) && isDir(current):
				return visit(i, sides{old: fleet.Absent(s.Name), now: *s})
			case olds[i] == nil && isDir(old):
				return visit(i, sides{now: *s, unsaved: true})
			case olds[i] == nil: // saving it would not help
				failed := fleet.Absent(s.Name)
				failed.State, failed.Error = seen.Failed, failedPair("new", "old")
				return visit(i, sides{old: failed, now: *s})
			}
			saved, err := olds[i].Read()
			if err != nil {
				return err
			}
			side := "on the old side"
			if saved.Name != s.Name {
				side += ", " + saved.Name
			}
			failWith(&saved, side)
			return visit(i, sides{old: saved, now: *s})
		})
		if err != nil {
			return err
		}
		for i, t := range left {
			saved, err := t.Read()
			if err != nil {
				return err
			}
			now := fleet.Absent(saved.Name)
			if !complete {
				now.State, now.Error = seen.Failed, failedPair("old", "new")
			}
			if err := visit(len(targets)+i, sides{old: saved, now: now}); err != nil {
				return err
			}
		}
		return nil
	}}
}

// comparison is what a run keeps of a pair.
type comparison struct {
	server   Server // without its documents
	found    []finding.Finding
	complete bool // everything of both sides was compared
	unsaved  bool
}

// compare compares a pair within the time limit of a server. It returns nil if ctx ended.
func (p sides) compare(
	ctx context.Context, process host.Process, f *fleet.Fleet, o diff.Options, policy finding.Policy,
) *comparison {
	defer turnFor(sizeOf(p.old.Snapshot) + sizeOf(p.now.Snapshot))()
	p.findPackage(ctx, process, f)
	found, err := p.findings(ctx, f.Limit(), o, policy)
	if err != nil {
		return nil
	}
	s := p.result()
	s.Cause = p.cause(len(found) > 0)
	s.BaseTokens, s.Tokens = p.old.TokenCost(), p.now.TokenCost()
	if p.old.Snapshot != p.now.Snapshot {
		s.Changed = seen.SignatureChanges(p.old.Snapshot, p.now.Snapshot)
	}
	if s.BaseFile == "" && p.old.Transport != "" { // findings point at the saved snapshot if there is one
		s.BaseFile = process.Rel(SavedFile(f.Config.Project.Snapshots, s.Name))
	}
	s.LetGo()
	return &comparison{s, found, p.complete(), p.unsaved}
}

// findings returns what changed; nothing if a side is unknown. A comparison that is too large or takes too
// long is a failure of the server. The error is that of ctx.
func (p *sides) findings(
	ctx context.Context, limit time.Duration, o diff.Options, policy finding.Policy,
) ([]finding.Finding, error) {
	switch {
	case p.same():
		p.old.Snapshot = p.now.Snapshot // the other copy is not needed any more
		return nil, nil
	case !p.old.Known(), !p.now.Known(), p.old.Interrupted, p.now.Interrupted:
		return nil, nil
	}
	old, now := p.old.Snapshot, p.now.Snapshot
	o.Server, o.Enable = p.now.Name, policy.Enabled(p.now.Name)
	found, err := host.Within(ctx, limit, func(ctx context.Context) ([]finding.Finding, error) {
		return diff.Compare(ctx, old, now, o)
	})
	large, isLarge := errors.AsType[*diff.TooLargeError](err)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case isLarge:
		failAnalysis(&p.now, "comparing", large.Error(), offerLess)
		return nil, nil
	case err != nil:
		failAnalysis(&p.now, "comparing", fleet.TooLong(limit), fleet.TakeLonger)
		return nil, nil
	}
	return found, nil
}

// same reports whether both sides are one file, byte for byte, as most are.
func (p *sides) same() bool {
	if p.old.Raw == nil || p.now.Snapshot == nil {
		return false
	}
	raw := p.now.Raw
	if raw == nil {
		raw, _ = p.now.Snapshot.Encode() // an incomplete one has no file
	}
	return bytes.Equal(p.old.Raw, raw)
}

// complete reports whether everything of both sides was there to be compared.
func (p *sides) complete() bool {
	known := func(s fleet.Surface) bool { return s.Whole() || s.State == seen.Absent }
	return !p.unsaved && known(p.old) && known(p.now)
}

// result returns the new side, with the failure of the old one if it has none of its own, and what it was
// compared with.
func (p *sides) result() Server {
	s := Server{Surface: p.now, BaseFile: p.old.File, Comparison: seen.Comparison{Base: p.old.Source,
		// of a tolerated one nothing can be saved, as the report says
		Unsaved: p.unsaved && p.now.Tolerated == nil, Movable: p.movable}}
	if p.old.Error != nil && s.Error == nil {
		s.State, s.Error, s.Tolerated = seen.Failed, p.old.Error, p.old.Tolerated
	}
	if s.Base == config.CommandLine {
		s.Base = "the command"
		if p.old.Transport != "stdio" {
			s.Base = "the URL"
		}
	}
	return s
}

// failWith says in the message of a failure what failed, where the name of the server does not.
func failWith(s *fleet.Surface, what string) {
	if s.Error != nil {
		failure := *s.Error
		failure.Message = what + ": " + failure.Message
		s.Error = &failure
	}
}

// maxChecked is the largest server in bytes that is checked, since the rules need all of it at once. A
// comparison has a limit of its own, diff.MostBytes of what changed.
const maxChecked = 4 << 20

// maxSmall is the size in bytes up to which several servers are judged at once. Larger ones take turns, so
// that the memory of a run does not grow with the number of processors.
const maxSmall = 128 << 10

// largeServers is held while a server larger than maxSmall is judged.
var largeServers sync.Mutex

// turnFor waits until a server of a size may be judged, and returns the function to call afterwards.
func turnFor(size int) (done func()) {
	if size <= maxSmall {
		return func() {}
	}
	largeServers.Lock()
	return largeServers.Unlock
}

// failAnalysis makes a server fail that was not analyzed, or not completely.
func failAnalysis(s *fleet.Surface, stage, message, hint string) {
	s.State, s.Snapshot = seen.Failed, nil
	s.Fail(seen.Failure{Stage: stage, Message: message, Hint: hint})
}

// offerLess is the advice for a server that is too large.
const offerLess = "no model can read that much: offer less; see what is large with mcpctl list"

// sizeOf returns the size of a snapshot in bytes, 0 for none.
func sizeOf(s *snapshot.Snapshot) int {
	if s == nil {
		return 0
	}
	return s.Size()
}
