package live

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// surfaces keeps what servers offered last: in the journal for the next run with it, in a folder or a store for whoever
// watches them next.
type surfaces struct {
	process host.Process
	journal *journal.Journal
	folder  string // empty = none
	saved   bool   // distances are told, which go on from nowhere

	mu    sync.Mutex
	left  map[string][]byte             // what a run before this one left in the journal
	ended map[string]*snapshot.Snapshot // of servers that this run has stopped to watch
}

// openSurfaces opens the journal, in memory unless it is to be kept, and the folder.
func openSurfaces(ctx context.Context, p host.Process, o Options) (s *surfaces, err error) {
	s = &surfaces{process: p, journal: journal.New(), folder: o.Surfaces, saved: o.Saved, ended: map[string]*snapshot.Snapshot{}}
	if s.folder != "" && !store.Is(s.folder) {
		if err := os.MkdirAll(s.folder, 0o777); err != nil {
			return nil, exit.Usagef("--surfaces: %w", err)
		}
	}
	switch {
	case store.Is(o.Record):
		s.journal, s.left, err = journal.OpenStored(ctx, p.Store, o.Record, p.Note)
	case o.Record != "":
		s.journal, s.left, err = journal.Open(o.Record, p.Note)
	}
	if err != nil {
		return nil, exit.Usagef("--journal %s: %w", o.Record, err)
	}
	return s, nil
}

// last is what was seen of a server last, in the folder by whoever watched it; nil = that is not known.
func (s *surfaces) last(ctx context.Context, server string) *snapshot.Snapshot {
	if s.saved {
		return nil
	}
	s.mu.Lock()
	file, known := s.left[server]
	ended := s.ended[server]
	delete(s.left, server)
	delete(s.ended, server)
	s.mu.Unlock()
	where, err := "--journal", error(nil)
	if s.folder != "" {
		shared, wrong := store.Read(ctx, s.process, compare.SavedFile(s.folder, server), source.MaxSize)
		if !errors.Is(wrong, fs.ErrNotExist) {
			where, file, known, err = "--surfaces", shared, true, wrong
		}
	}
	if !known {
		return ended
	}
	last := (*snapshot.Snapshot)(nil)
	if err == nil {
		last, err = snapshot.Parse(file)
	}
	if err != nil || !last.Complete() {
		s.process.Note("%s: the last surface of %s cannot be read, and what changed since is not told: %v", where, report.Visible(server), err)
		return nil
	}
	return last
}

// leave keeps what a server offered that is watched no more, for when it is watched again, perhaps started in another way.
func (s *surfaces) leave(w *watchedServer) {
	if surface := w.view.Status().Surface; surface != nil && surface.Complete() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ended[w.name()] = surface
	}
}

// kept is what a server offers now, if an event is the first with it and it is to be kept. The caller holds the lock of the run.
func (s *surfaces) kept(w *watchedServer, e watch.Event) []byte {
	surface := w.view.Status().Surface
	told := w.kept == nil || e.Kind == watch.Changed || e.Kind == watch.Recovered
	if !s.journal.OnDisk() && s.folder == "" || s.saved || surface == nil || surface == w.kept || !told {
		return nil
	}
	file, err := surface.Encode()
	if err != nil { // one with lists that never arrived is not known
		return nil
	}
	w.kept = surface
	return file
}

// shareTime is how long a surface waits until the journal has the event before it, and then for where it is kept.
const shareTime = 5 * time.Second

// share leaves a surface to whoever watches the server next. The journal has its change by then: whenever this is killed, the change
// is told, perhaps twice. One that waits for the disk holds up no other server.
func (s *surfaces) share(server string, surface []byte) {
	if surface == nil || s.folder == "" {
		return
	}
	settle, settled := context.WithTimeout(context.Background(), shareTime)
	defer settled()
	s.journal.Settle(settle)
	ctx, done := context.WithTimeout(context.Background(), shareTime)
	defer done()
	file := compare.SavedFile(s.folder, server)
	err := store.Replace(ctx, s.process, file, surface)
	if errors.Is(err, host.ErrChanged) { // by one that had the server, too: what was told last counts
		_, _ = store.Read(ctx, s.process, file, source.MaxSize)
		err = store.Replace(ctx, s.process, file, surface)
	}
	if err != nil {
		s.process.Note("--surfaces: the surface of %s was not kept, and its change is told again: %v", report.Visible(server), err)
	}
}
