// Package trust remembers which configured servers a person agreed to start or contact.
//
// Each agreement is a file of its own, so that runs at the same time never lose one another's. It holds no command, no
// variable and no value: only which file and server it is about, and a salted, slow digest of everything that decides what
// the server does. Whatever cannot be read as an agreement is an error, and never one.
package trust

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"time"
)

// Store is a folder of agreements.
type Store struct {
	Folder string // absolute; it need not exist
}

// Subject is what is agreed to: everything that one file says about one server.
type Subject struct {
	File    string   // absolute path of the configuration file
	Server  string   // configured name
	Essence []string // all that decides what the server does, in order; secrets included, as only a digest of it is kept
}

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
	case kept.File != about.File || kept.Server != about.Server:
		return Unknown, nil // a copy of another agreement
	}
	digest, err := about.digest(kept.Salt)
	if err != nil {
		return Unknown, err
	}
	if !hmac.Equal(digest, kept.Digest) {
		return Changed, nil
	}
	return Agreed, nil
}

// Agree records the subject as it is; what was agreed to about the same server of the same file is replaced.
func (s Store) Agree(about Subject, now time.Time) error {
	a := Agreement{File: about.File, Server: about.Server, Since: now.UTC().Truncate(time.Second), Salt: make([]byte, saltSize)}
	_, _ = rand.Read(a.Salt) // never fails
	var err error
	if a.Digest, err = about.digest(a.Salt); err != nil {
		return err
	}
	return s.write(a)
}

const (
	saltSize   = 32
	iterations = 4_000 // about a millisecond for each guess at what was digested, and for each server of a run
)

// digest is salted and slow, and no two different subjects are the same text to it.
func (about Subject) digest(salt []byte) ([]byte, error) {
	h := sha256.New()
	for _, part := range append([]string{about.File, about.Server}, about.Essence...) {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return pbkdf2.Key(sha256.New, string(h.Sum(nil)), salt, iterations, sha256.Size)
}

// fileName tells nothing but whether it is the same server of the same file.
func fileName(file, server string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d:%s%s", len(file), file, server))
	return hex.EncodeToString(sum[:16]) + extension
}
