// Package trust remembers which configured servers a person agreed to start or contact. Each agreement is a file: which file
// and server, what the server could do, masked, and a salted, slow digest of that unmasked. What cannot be read is an error,
// never an agreement.
package trust

import (
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// Store is a folder of agreements.
type Store struct {
	Folder string // absolute; it need not exist
}

// Subject is what is agreed to: everything that one server of one file can do.
type Subject struct {
	File    string   // absolute path of the configuration file
	Server  string   // configured name
	Essence []string // all that it can do, in order; secrets included, as only a digest of it is kept
	Shown   []string // the same for people, with secrets masked; it is kept to tell later what changed
}

// sameAs tells whether an agreement is about this server of this file, as it is or as it was.
func (about Subject) sameAs(a Agreement) bool {
	return about.File == a.File && about.Server == a.Server
}

// Own is the subject of the user's own applications, all of them, now and later.
func Own() Subject { return Subject{File: "the files of your own applications", Server: "*"} }

// State is what the store says about a subject.
type State int

const (
	// Unknown is a server of a file that nobody agreed to.
	Unknown State = iota
	// Changed is a server that was agreed to as it was before.
	Changed
	// Agreed is a server that was agreed to as it is.
	Agreed
)

// State looks the subject up. With an error the answer is Unknown.
func (s Store) State(about Subject) (State, error) {
	kept, err := s.read(fileName(about.File, about.Server))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Unknown, nil
	case err != nil:
		return Unknown, err
	case !about.sameAs(kept):
		return Unknown, nil // a copy of another agreement
	}
	if kept.Format != format || !hmac.Equal(about.digest(kept.Salt), kept.Digest) {
		return Changed, nil
	}
	return Agreed, nil
}

// Earlier is what a server of a file could do when it was agreed to; nil when nobody did, or mcpctl did not keep it then.
func (s Store) Earlier(file, server string) []string {
	kept, _ := s.read(fileName(file, server))       // what cannot be read is about no file
	if kept.File != file || kept.Server != server { // a copy of another agreement
		return nil
	}
	return kept.Can
}

// Agree records the subject as it is; what was agreed to about the same server of the same file is replaced.
func (s Store) Agree(about Subject, now time.Time) error {
	a := Agreement{Format: format, File: about.File, Server: about.Server, Can: about.Shown, Since: now.UTC().Truncate(time.Second), Salt: make([]byte, saltSize)}
	_, _ = rand.Read(a.Salt) // never fails
	a.Digest = about.digest(a.Salt)
	if err := s.files().Write(fileName(a.File, a.Server), a); err != nil {
		return fmt.Errorf("keeping what was agreed to: %w", err)
	}
	return nil
}

const (
	saltSize   = 32
	iterations = 4_000 // about a millisecond for each guess at what was digested, and for each server of a run
)

// digest is salted and slow, and no two different subjects are the same text to it.
func (about Subject) digest(salt []byte) []byte {
	h := sha256.New()
	for _, part := range append([]string{about.File, about.Server}, about.Essence...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	key, _ := pbkdf2.Key(sha256.New, string(h.Sum(nil)), salt, iterations, sha256.Size) // fails for shorter salts and keys only, where FIPS 140 is asked for
	return key
}

// fileName tells nothing but whether it is the same server of the same file.
func fileName(file, server string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(file), file, server))
	return hex.EncodeToString(sum[:16]) + ".json"
}

// List is every agreement, by file and server. The error joins those of unreadable files; the others are given all the same.
func (s Store) List() (all []Agreement, err error) {
	err = s.files().Each(func(name string) error {
		a, err := s.read(name)
		if fileName(a.File, a.Server) == name { // else it is a copy under another name, which holds for nothing
			all = append(all, a)
		}
		return err
	})
	slices.SortFunc(all, func(a, b Agreement) int { return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Server, b.Server)) })
	return all, err
}

// Clear forgets everything.
func (s Store) Clear() error { return os.RemoveAll(s.Folder) }

// Revoke forgets what was agreed to about a server of a file, be it readable or not.
func (s Store) Revoke(file, server string) error { return s.files().Remove(fileName(file, server)) }

// Agreement is one file of the store.
type Agreement struct {
	Format int       `json:"mcpctl"` // version of this form
	File   string    `json:"file"`   // the configuration file
	Server string    `json:"server"` // configured name
	Since  time.Time `json:"since"`
	Can    []string  `json:"can,omitempty"` // Subject.Shown
	Salt   []byte    `json:"salt"`
	Digest []byte    `json:"digest"`
}

const (
	format  = 2       // 1 had no "can", and another digest
	maxFile = 1 << 20 // bytes
)

func (s Store) files() files.Folder {
	return files.Folder{Path: s.Folder, Denied: files.NotWritable, Limit: maxFile}
}

// read is one agreement. The error names the file and what to do, except for a file that is not there.
func (s Store) read(name string) (a Agreement, err error) {
	err = s.files().Read(name, func(data []byte) (err error) {
		if a, err = parse(data); err != nil {
			err = fmt.Errorf("%w: remove it, and agree again with mcpctl trust", err)
		}
		return err
	})
	return a, err
}

// parse reads an agreement strictly: what is not whole in every part is none.
func parse(data []byte) (Agreement, error) {
	var a Agreement
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return Agreement{}, errors.New("not an agreement of mcpctl")
	}
	_, err := d.Token()
	switch {
	case a.Format > format:
		return Agreement{}, fmt.Errorf("written by a newer mcpctl (format %d)", a.Format)
	case a.Format < 1, !errors.Is(err, io.EOF), a.File == "", a.Since.IsZero(), len(a.Salt) != saltSize, len(a.Digest) != 32:
		return Agreement{}, errors.New("not a whole agreement of mcpctl")
	}
	return a, nil
}

// Propose agrees to those of the entries that need trust, and reports what each of them does; with dryRun nothing is kept. own
// = they are all that there are, so that one agreement may stand for all of the user's own applications.
func (g Gate) Propose(entries []config.Entry, own, dryRun bool) (*report.Report, error) {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e config.Entry) bool { return !e.NeedsTrust() })
	if !dryRun {
		if err := g.Agree(entries, own); err != nil {
			return nil, err
		}
	}
	r := &report.Report{Command: "trust"}
	for _, e := range entries {
		r.Servers = append(r.Servers, g.proposed(e))
	}
	return r, nil
}

// Report shows the agreements to servers with names, or all of them. What cannot be read is told beside the others.
func (s Store) Report(names []string) *report.Report {
	r := &report.Report{Command: "trust"}
	kept, err := s.List()
	if err != nil {
		r.Problems, r.Status = []string{err.Error()}, exit.Incomplete
	}
	for _, a := range kept {
		if len(names) == 0 || slices.Contains(names, a.Server) {
			r.Servers = append(r.Servers, report.Server{
				Name: a.Server, State: report.OK, Source: a.File, Trust: report.Trusted, Since: a.Since.Format("2006-01-02"),
			})
		}
	}
	return r
}

// RevokeFound forgets what was agreed to about a configuration's files, or their servers with names, still there or not.
func (s Store) RevokeFound(cfg *config.Config, names []string) (*report.Report, error) {
	kept, _ := s.List() // those that cannot be read hold for nothing
	if err := revocable(cfg, kept, names); err != nil {
		return nil, err
	}
	r := &report.Report{Command: "trust"}
	for _, a := range kept {
		if !revokes(cfg, a, names) {
			continue
		}
		if err := s.Revoke(a.File, a.Server); err != nil {
			return nil, err
		}
		r.Servers = append(r.Servers, report.Server{Name: a.Server, State: report.OK, Source: a.File, Trust: report.Untrusted})
	}
	own, _ := s.State(Own())
	for _, e := range cfg.Entries { // also what cannot be read
		if len(names) > 0 && !e.Called(names) {
			continue
		}
		about := subjectOf(e)
		if own == Agreed && e.Own() { // the others of the user's own are asked about again
			if err := s.Revoke(Own().File, Own().Server); err != nil {
				return nil, err
			}
			if !slices.ContainsFunc(kept, about.sameAs) {
				r.Servers = append(r.Servers, report.Server{Name: e.Server.Name, State: report.OK, Source: e.File, Trust: report.Untrusted})
			}
		}
		if err := s.Revoke(about.File, about.Server); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// revocable finds a name that neither a server nor an agreement here has: who mistyped it would think that it is revoked.
func revocable(cfg *config.Config, kept []Agreement, names []string) error {
	known := cfg.Names()
	for _, a := range kept {
		if revokes(cfg, a, nil) {
			known = append(known, a.Server)
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return exit.Usagef("there is nothing to revoke about %q here%s: mcpctl trust --list shows every agreement", name, match.DidYouMean(name, known))
		}
	}
	return nil
}

// revokes tells whether an agreement is about a file that is read here, and about one of these names, if there are any.
func revokes(cfg *config.Config, a Agreement, names []string) bool {
	here := slices.ContainsFunc(cfg.Files, func(file string) bool { return absolute(file) == a.File }) ||
		slices.ContainsFunc(cfg.Looked, func(looked report.File) bool { return absolute(looked.Path) == a.File })
	named := len(names) == 0 || slices.Contains(names, a.Server) || slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
		return subjectOf(e).sameAs(a) && e.Called(names)
	})
	return here && named
}

func absolute(file string) string {
	path, err := filepath.Abs(file)
	if err != nil {
		return file
	}
	return path
}
