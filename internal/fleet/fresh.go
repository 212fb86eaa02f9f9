package fleet

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/trust"
)

// freshness keeps found servers from starting again once their entry changed: the configuration and the trust
// store are read again before each start, but for starts of the same moment.
type freshness struct {
	mu      sync.Mutex
	read    time.Time          // when the files were read last
	seen    map[string]string  // their states then
	trusted map[[3]string]bool // what may start now: file, server and digest of each
}

// sameMoment is how long the files need not be read again as long as their sizes and times stay: a fleet
// starts at once.
const sameMoment = time.Second

// verify returns the check of an approved entry before each of its starts.
func (s *freshness) verify(f *Fleet, a trust.Approved) func() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen == nil {
		s.read, s.seen = time.Now(), f.FileStates()
	}
	entry := identity(a)
	return func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if now := f.FileStates(); time.Since(s.read) > sameMoment || !maps.Equal(now, s.seen) {
			again, err := f.Reload(context.Background(), nil)
			if err != nil {
				return fmt.Errorf("reading the configuration again before a start: %w", err)
			}
			s.read, s.seen, s.trusted = time.Now(), now, map[[3]string]bool{}
			approved, _ := again.gate.Admit(again.Config, again.Config.Entries)
			for _, a := range approved {
				s.trusted[identity(a)] = true
			}
		}
		if s.trusted == nil || s.trusted[entry] {
			return nil
		}
		return errRevised
	}
}

// identity returns the file, the server and the digest of an entry.
func identity(a trust.Approved) [3]string {
	file, server := a.Entry().Declared()
	return [3]string{file, server, a.Entry().Digest()}
}

// FileStates returns the states of the files that decide which servers start, as files.States does: those of
// the configuration, those of applications if they were read, and the store of trusted entries.
func (f *Fleet) FileStates() map[string]string {
	paths := slices.Clone(f.Config.Files)
	for _, looked := range f.Config.Looked {
		paths = append(paths, looked.Path)
	}
	if store, err := f.gate.Store(); err == nil {
		paths = append(paths, store.Path())
	}
	return files.States(paths)
}
