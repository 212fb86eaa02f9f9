package watchrun

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// stateFolder holds the last known snapshot of each server for the next run. Only one run writes it. The
// methods of a nil *stateFolder do nothing.
type stateFolder struct {
	process host.Process
	path    string
	lock    *flock.Flock
}

// openState opens a directory, which it creates if necessary, and locks it; nil for no directory.
func openState(p host.Process, path string) (*stateFolder, error) {
	if path == "" {
		return nil, nil
	}
	if err := os.MkdirAll(path, 0o777); err != nil {
		return nil, exit.Usagef("--state: %w", err)
	}
	lock := flock.New(filepath.Join(path, ".lock"), flock.SetFlag(files.LockFlags))
	s := &stateFolder{process: p, path: path, lock: lock}
	locked, err := s.lock.TryLock()
	switch {
	case err != nil:
		return nil, exit.Usagef("--state: locking %s: %w", path, err)
	case !locked:
		return nil, errStateInUse(path)
	}
	files.SweepOf(path, func(name string) bool {
		return strings.HasSuffix(name, ".json") || isLagFile(name)
	})
	return s, nil
}

func (s *stateFolder) close() {
	if s != nil {
		_ = s.lock.Unlock() // the end of the process unlocks it in any case
	}
}

// last returns the last known snapshot of a server; nil if there is none.
func (s *stateFolder) last(ctx context.Context, server string) *snapshot.Snapshot {
	if s == nil {
		return nil
	}
	saved, err := source.ReadFile(ctx, compare.SavedFile(s.path, server))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && !saved.Snapshot.Complete():
		err = errors.New("it is incomplete")
	}
	if err != nil {
		s.process.Note("--state: the changes of %s since the last run are unknown: %v",
			printable.Message(server), err)
		return nil
	}
	return saved.Snapshot
}

// printing notes that an event is about to be printed which leads from one surface of a server to the last of
// others. If the run is killed, the next one cannot know whether it was.
func (s *stateFolder) printing(server string, from *snapshot.Snapshot, others ...*snapshot.Snapshot) {
	if from == nil || !from.Complete() || !others[len(others)-1].Complete() {
		return
	}
	all := append([]*snapshot.Snapshot{from}, recent(others)...)
	if err := s.writeLag(s.lagPath(server, stdoutSuffix), all); err != nil {
		s.process.Note("--state: keeping what is printed of %s: %v", printable.Message(server), err)
	}
}

// save replaces the snapshot of a server, and reports whether that worked. It is called after the events
// about the snapshot were printed, so a run that is killed in between leads to a repeated event, not to a
// lost one.
func (s *stateFolder) save(server string, surface *snapshot.Snapshot) bool {
	data, err := surface.Encode()
	if err == nil {
		err = files.Replace(compare.SavedFile(s.path, server), data)
	}
	if err == nil {
		err = s.writeLag(s.lagPath(server, stdoutSuffix), nil)
	}
	if err != nil {
		s.process.Note("--state: saving %s: %v; the next run reports its changes again",
			printable.Message(server), err)
	}
	return err == nil
}
