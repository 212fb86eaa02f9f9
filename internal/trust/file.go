package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
)

// Agreement is one file of the store.
type Agreement struct {
	Format int       `json:"mcpctl"` // version of this form; Agree sets it
	File   string    `json:"file"`   // the configuration file
	Server string    `json:"server"` // configured name
	Since  time.Time `json:"since"`
	Salt   []byte    `json:"salt"`
	Digest []byte    `json:"digest"`
}

const (
	format    = 1
	extension = ".json"
	maxFile   = 64 << 10 // bytes
)

// write keeps an agreement, whole or not at all, where only the user can read it.
func (s Store) write(a Agreement) error {
	a.Format = format
	data, err := json.MarshalIndent(a, "", "  ")
	if err == nil {
		err = os.MkdirAll(s.Folder, 0o700)
	}
	if err == nil {
		err = s.checkFolder()
	}
	if err == nil {
		err = files.ReplacePrivate(filepath.Join(s.Folder, fileName(a.File, a.Server)), append(data, '\n'))
	}
	if err != nil {
		return fmt.Errorf("keeping what was agreed to: %w", err)
	}
	return nil
}

// read is one agreement. The error names the file and what to do, except for a file that is not there.
func (s Store) read(name string) (Agreement, error) {
	path := filepath.Join(s.Folder, name)
	if err := errors.Join(s.checkFolder(), files.CheckPrivate(path, files.NotWritable)); err != nil {
		return Agreement{}, err
	}
	data, err := files.ReadRegular(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Agreement{}, err
	}
	var a Agreement
	if err == nil {
		a, err = parse(data)
	}
	if err != nil {
		return Agreement{}, fmt.Errorf("reading %s: %w: remove it, and agree again with mcpctl trust", path, err)
	}
	return a, nil
}

// checkFolder is an error when others could have written agreements. The folder may be one that the user linked here.
func (s Store) checkFolder() error {
	return files.CheckPrivate(files.RealPath(s.Folder), files.NotWritable)
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
	case a.Format != format, !errors.Is(err, io.EOF), a.File == "", a.Since.IsZero(), len(a.Salt) != saltSize, len(a.Digest) != 32:
		return Agreement{}, errors.New("not a whole agreement of mcpctl")
	}
	return a, nil
}
