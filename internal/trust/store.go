package trust

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
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
}

// Grant is what is trusted of one server of one file, or, with an empty Server, one whole file of an
// application.
type Grant struct {
	File    string            `json:"file"`              // absolute, links resolved
	Server  string            `json:"server,omitempty"`  // its name in that file
	Digests map[string]string `json:"digests,omitempty"` // of each trusted entry, with the day
	Since   string            `json:"since"`             // the day of the newest decision
}

// trusts returns whether an entry is trusted, and whether another version of it is.
func (d decisions) trusts(e config.Entry) (trusted, before bool) {
	file, server := e.Declared()
	for _, g := range d.Trusted {
		switch {
		case g.File != file:
		case g.Server == "" && e.Application():
			return true, false
		case g.Server == server:
			_, trusted = g.Digests[e.Digest()]
			return trusted, !trusted
		}
	}
	return false, false
}

// add records entries as they are now: an application's own by its file, any other by its digest beside those
// before.
func (d *decisions) add(entries []config.Entry, day string) {
	for _, e := range entries {
		file, server := e.Declared()
		digests := map[string]string{e.Digest(): day}
		if e.Application() {
			server, digests = "", nil
		}
		i := slices.IndexFunc(d.Trusted, func(g Grant) bool { return g.File == file && g.Server == server })
		if i < 0 {
			d.Trusted = append(d.Trusted, Grant{File: file, Server: server, Digests: digests, Since: day})
			continue
		}
		d.Trusted[i].Since = day
		if digests != nil {
			maps.Copy(d.Trusted[i].Digests, digests)
		}
	}
	slices.SortFunc(d.Trusted, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server))
	})
}

// read returns the decisions. A store that others can write, or that cannot be read, is an error and trusts
// nothing.
func (s Store) read() (d decisions, err error) {
	err = s.folder.Read(storeFile, func(data []byte) error {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		var read decisions
		if decoder.Decode(&read) != nil || decoder.More() {
			return errors.New("not a trust store of mcpctl: remove it, then run mcpctl trust again")
		}
		if read.Format != format {
			return fmt.Errorf("format %d, but this mcpctl reads format %d: remove it, then run mcpctl "+
				"trust again", read.Format, format)
		}
		for _, g := range read.Trusted {
			if g.File == "" || g.Server != "" && len(g.Digests) == 0 {
				return errors.New("an incomplete decision: remove the file, then run mcpctl trust again")
			}
		}
		d = read
		return nil
	})
	if errors.Is(err, fs.ErrNotExist) {
		return decisions{}, nil
	}
	return d, err
}

// update changes the decisions while no other run can.
func (s Store) update(ctx context.Context, change func(*decisions)) error {
	release, err := s.folder.Lock(ctx, lockFile)
	if err != nil {
		return fmt.Errorf("locking the trust store: %w", err)
	}
	defer release()
	d, err := s.read()
	if err != nil {
		return err
	}
	change(&d)
	d.Format = format
	if err := s.folder.Write(storeFile, d); err != nil {
		return fmt.Errorf("writing the trust store: %w", err)
	}
	return nil
}

// Trust records entries as they are now.
func (s Store) Trust(ctx context.Context, entries []config.Entry, now time.Time) error {
	return s.update(ctx, func(d *decisions) { d.add(entries, now.UTC().Format(time.DateOnly)) })
}

// List returns every decision, by file and server.
func (s Store) List() ([]Grant, error) {
	d, err := s.read()
	return d.Trusted, err
}

// Revoke removes the decisions that match and returns them. A store that cannot be read is left as it is.
func (s Store) Revoke(ctx context.Context, match func(Grant) bool) (revoked []Grant, err error) {
	err = s.update(ctx, func(d *decisions) {
		revoked = slices.DeleteFunc(slices.Clone(d.Trusted), func(g Grant) bool { return !match(g) })
		d.Trusted = slices.DeleteFunc(d.Trusted, match)
	})
	return revoked, err
}

// Clear removes every decision, readable or not.
func (s Store) Clear() error { return s.folder.Remove(storeFile) }

// Path returns the file of the store, which changes with every decision.
func (s Store) Path() string { return s.folder.File(storeFile) }
