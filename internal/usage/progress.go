package usage

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/fnv"
	"io"
	"os"
	"slices"
)

// Progress is how far files were read, and which calls were counted.
type Progress struct {
	Files map[string]position `json:"files"` // by a hash of the path
	Seen  map[string][]byte   `json:"seen"`  // hashes of the ids of calls, 8 bytes each, by day

	known map[[idBytes]byte]bool
}

// position is how far a file was read.
type position struct {
	Offset  int64  `json:"offset"`            // the end of the last line that was read
	Head    string `json:"head"`              // a hash of how the file begins
	Again   int64  `json:"again,omitempty"`   // so many bytes before the end are read again, since a call there waits for its answer
	Project string `json:"project,omitempty"` // of the session
}

const (
	idBytes  = 8
	headSize = 512
)

// made is the progress with everything that it needs.
func (p *Progress) made() *Progress {
	if p.Files == nil {
		p.Files = map[string]position{}
	}
	if p.Seen == nil {
		p.Seen = map[string][]byte{}
	}
	p.known = map[[idBytes]byte]bool{}
	for _, ids := range p.Seen {
		for id := range slices.Chunk(ids, idBytes) {
			if len(id) == idBytes {
				p.known[[idBytes]byte(id)] = true
			}
		}
	}
	return p
}

// fresh tells whether a call was not counted, and remembers it.
func (p *Progress) fresh(c Call) bool {
	h := fnv.New64a()
	h.Write([]byte(c.ID))
	id := [idBytes]byte(h.Sum(nil))
	if p.known[id] {
		return false
	}
	p.known[id] = true
	day := dayOf(c.Time)
	p.Seen[day] = append(p.Seen[day], id[:]...)
	return true
}

// resume goes to where the last import ended, if it is still the same file.
func (p *Progress) resume(path string, f *os.File) (position, error) {
	at := p.Files[hashOf([]byte(path))]
	info, err := f.Stat()
	if err != nil || info.Size() < at.Offset {
		return position{}, err
	}
	head, err := headOf(f, at.Offset)
	if err != nil || head != at.Head {
		return position{}, err
	}
	_, err = f.Seek(at.Offset-at.Again, io.SeekStart)
	return at, err
}

// reached remembers how far a file was read.
func (p *Progress) reached(path string, f *os.File, now position) (err error) {
	now.Head, err = headOf(f, now.Offset)
	p.Files[hashOf([]byte(path))] = now
	return err
}

// headOf is a hash of how a file begins, which more at its end does not change.
func headOf(f *os.File, offset int64) (string, error) {
	head := make([]byte, min(headSize, offset))
	_, err := f.ReadAt(head, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return hashOf(head), err
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// forgetBefore lets go of the ids of calls before a day.
func (p *Progress) forgetBefore(day string) {
	for d := range p.Seen {
		if d < day && d != dayOf(Call{}.Time) {
			delete(p.Seen, d)
		}
	}
}
