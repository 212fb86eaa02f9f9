package trust

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// Store is the file in which a user's decisions are kept. The zero Store keeps nothing and trusts nothing.
type Store struct {
	folder files.Folder
}

const (
	storeFile = "trust.json"
	lockFile  = "trust.lock"
	maxStore  = 16 << 20 // bytes
	format    = 3        // 1 and 2 were folders with a file per server
)

// OpenStore returns the store in a state directory, which need not exist.
func OpenStore(stateDir string) Store {
	return Store{files.Folder{Path: stateDir, Denied: files.NotWritable, Limit: maxStore}}
}

// decisions is the content of the store.
type decisions struct {
	Format  int     `json:"mcpctl"`
	Trusted []Grant `json:"trusted"`

	err error // why the store cannot be read; then nothing is trusted
}

// Grant is what is trusted of one server of one file, or, with an empty Server, one whole file of an
// application.
type Grant struct {
	File    string            `json:"file"`              // absolute, links resolved
	Server  string            `json:"server,omitempty"`  // its name in that file
	Digests map[string]string `json:"digests,omitempty"` // of each trusted entry, with the day
	Since   string            `json:"since"`             // the day of the newest decision
}

// state reports whether an entry is trusted, or another version of it is.
func (d decisions) state(e config.Entry) config.Standing {
	file, server := e.Declared()
	for _, g := range d.Trusted {
		switch {
		case g.File != file:
		case g.Server == "" && e.Application():
			return config.Trusted
		case g.Server == server:
			if _, trusted := g.Digests[e.Digest()]; trusted {
				return config.Trusted
			}
			return config.Changed
		}
	}
	return config.Untrusted
}

// read returns the decisions. A store that others can write, or that cannot be read, is an error and trusts
// nothing.
func (s Store) read() (decisions, error) {
	var d decisions
	err := s.folder.Read(storeFile, func(data []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		err := decoder.Decode(&d)
		incomplete := func(g Grant) bool { return g.File == "" || g.Server != "" && len(g.Digests) == 0 }
		switch {
		case err != nil || decoder.More() || slices.ContainsFunc(d.Trusted, incomplete):
			return errors.New("not a trust store of mcpctl: remove it, then trust servers again with " +
				"mcpctl trust")
		case d.Format != format:
			return fmt.Errorf("format %d, but this mcpctl reads format %d: remove it, then trust "+
				"servers again with mcpctl trust", d.Format, format)
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return decisions{}, nil
	case err != nil:
		return decisions{}, err
	}
	return d, nil
}

// update changes the decisions while no other run can. After an error of change nothing is written.
func (s Store) update(ctx context.Context, change func(*decisions) error) error {
	release, err := s.folder.Lock(ctx, lockFile)
	if err != nil {
		return fmt.Errorf("locking the trust store: %w", err)
	}
	defer release()
	d, err := s.read()
	if err == nil {
		err = change(&d)
	}
	if err != nil {
		return err
	}
	d.Format = format
	if err := s.folder.Write(storeFile, d); err != nil {
		return fmt.Errorf("writing the trust store: %w", err)
	}
	return nil
}

// Trust records entries as they are now: an application's own by its file, any other by its digest beside
// those before.
func (s Store) Trust(ctx context.Context, entries []config.Entry, now time.Time) error {
	day := now.UTC().Format(time.DateOnly)
	return s.update(ctx, func(d *decisions) error {
		for _, e := range entries {
			file, server := e.Declared()
			if e.Application() {
				server = ""
			}
			i := slices.IndexFunc(d.Trusted,
				func(g Grant) bool { return g.File == file && g.Server == server })
			if i < 0 {
				i = len(d.Trusted)
				d.Trusted = append(d.Trusted, Grant{File: file, Server: server, Digests: map[string]string{}})
			}
			if d.Trusted[i].Since = day; server != "" {
				d.Trusted[i].Digests[e.Digest()] = day
			}
		}
		slices.SortFunc(d.Trusted, func(a, b Grant) int {
			return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server))
		})
		return nil
	})
}

// RevokeAll removes every decision, readable or not, and shows those that can be read.
func (s Store) RevokeAll() (*Result, error) {
	revoked := s.Report(nil)
	revoked.Problems, revoked.Status = nil, exit.OK
	for i := range revoked.Servers {
		revoked.Servers[i].Trust, revoked.Servers[i].Since = config.Untrusted, ""
	}
	return revoked, s.folder.Remove(storeFile)
}

// Path returns the file of the store, which changes with every decision.
func (s Store) Path() string { return s.folder.File(storeFile) }
