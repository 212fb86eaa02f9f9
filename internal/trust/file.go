package trust

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/moby/sys/atomicwriter"
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
		err = private(s.Folder, true)
	}
	if err == nil {
		err = atomicwriter.WriteFile(filepath.Join(s.Folder, fileName(a.File, a.Server)), append(data, '\n'), 0o600)
	}
	if err != nil {
		return fmt.Errorf("keeping what was agreed to: %w", err)
	}
	return nil
}

// read is one agreement. The error names the file and what to do, except for a file that is not there.
func (s Store) read(name string) (Agreement, error) {
	path := filepath.Join(s.Folder, name)
	if err := errors.Join(private(s.Folder, true), private(path, false)); err != nil {
		return Agreement{}, err
	}
	f, err := os.Open(path)
	if err != nil {
		return Agreement{}, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return Agreement{}, err
	}
	a, err := parse(data)
	if err != nil {
		return Agreement{}, fmt.Errorf("reading %s: %w: remove it, and agree again with mcpctl trust", path, err)
	}
	return a, nil
}

// parse reads an agreement strictly: what is not whole in every part is none.
func parse(data []byte) (Agreement, error) {
	var a Agreement
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil || len(data) > maxFile {
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

// private is an error for what others could have written, and for what is no plain file or folder.
func private(path string, folder bool) error {
	look := os.Lstat // a link in the folder was not made by mcpctl
	if folder {
		look = os.Stat
	}
	info, err := look(path)
	switch {
	case err != nil:
		return err
	case folder != info.IsDir(), !folder && !info.Mode().IsRegular():
		return fmt.Errorf("%s is not what mcpctl made: remove it", path)
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o022 != 0:
		return fmt.Errorf("%s can be written by others, so it proves nothing: chmod go-w it, or remove it", path)
	}
	return nil
}
