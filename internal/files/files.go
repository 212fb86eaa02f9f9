// Package files reads and writes files with care: never more than was asked for, never half a file, nothing
// through a link that leads out of the project, nothing secret where others can read it.
package files

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Content writes what a file is to hold.
type Content func(io.Writer) error

// Bytes is content that is there already.
func Bytes(data []byte) Content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Replace writes a file that is whole at any time. It keeps the mode that the file has; a new one gets that
// of the user's umask.
func Replace(path string, data []byte) error { return replace(path, asItWas, Bytes(data)) }

// asItWas is the mode of the file that is replaced, or the usual one of a new file.
const asItWas fs.FileMode = 0

// ReplacePrivate is Replace for what nobody but the user may read. It also removes what killed runs have left
// instead of the file.
func ReplacePrivate(path string, data []byte) error {
	sweep(filepath.Dir(path), filepath.Base(path))
	return replace(path, 0o600, Bytes(data))
}

// replace writes into a file beside the other one, which takes its place once all of it is there, and is
// removed otherwise.
func replace(path string, mode fs.FileMode, content Content) error {
	info, err := os.Lstat(path)
	switch {
	case err == nil && !info.Mode().IsRegular():
		return fmt.Errorf("replacing %s: it is no regular file", path)
	case err == nil && mode == asItWas:
		mode = info.Mode().Perm()
	case mode == asItWas:
		return put(path, 0o666, content, func(*os.File) error { return nil })
	}
	return put(path, 0o600, content, func(file *os.File) error { return file.Chmod(mode) })
}

// put makes a file with a mode that the user's umask narrows, fills and finishes it, and lets it take its
// place.
func put(path string, mode fs.FileMode, content Content, finish func(*os.File) error) error {
	file, err := beside(path, mode)
	if err != nil {
		return err
	}
	if err = errors.Join(content(file), finish(file), file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// beside makes an empty file next to another one.
func beside(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := temporary + filepath.Base(path) + strconv.FormatUint(uint64(rand.Uint32()), 10)
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name),
			os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// temporary is what the names of files begin with that are to become another.
const temporary = ".tmp-"

// abandonedAfter is the age from which such a file is taken for one of a run that was killed: the others live
// for milliseconds.
const abandonedAfter = time.Minute

// SweepSnapshots removes what killed runs left in a folder of snapshots, for once before many are replaced.
func SweepSnapshots(folder string) { sweep(folder, "") }

// sweep removes what killed runs have left instead of the file with a name; "" = of any name that ends in
// .json.
func sweep(folder, name string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		if !isTemporary(entry.Name(), name) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}

// isTemporary tells whether replace gives such a name to a file that is to become the one called name: that
// name, and digits.
func isTemporary(entry, name string) bool {
	base := strings.TrimRight(entry, "0123456789")
	if base == entry {
		return false
	}
	if name == "" {
		return strings.HasPrefix(base, temporary) && strings.HasSuffix(base, ".json")
	}
	digits, ours := strings.CutPrefix(entry, temporary+name)
	return ours && strings.Trim(digits, "0123456789") == "" && digits != ""
}

// WriteOutput writes a whole file or none, for a run in dir. What a symbolic link points at is replaced; a
// device or pipe, such as /dev/stdout, is written into until a moment after ctx ends.
func WriteOutput(ctx context.Context, dir, path string, content Content) error {
	if err := CheckInside(dir, path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return replace(RealPath(path), asItWas, content)
	}
	written := make(chan error, 1)
	go func() { written <- writeInto(path, content) }()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-written:
		return err
	case <-time.After(lastWords):
		return context.Cause(ctx)
	}
}

// lastWords is how long a write may take once the run was interrupted.
const lastWords = time.Second

func writeInto(path string, content Content) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return errors.Join(content(file), file.Close())
}

// CheckOutput finds a path that WriteOutput cannot write. The error says what to do.
func CheckOutput(dir, path string) error {
	if IsDir(path) {
		return fmt.Errorf("%s is a folder: name a file in it", path)
	}
	if folder := filepath.Dir(path); !IsDir(folder) {
		return fmt.Errorf("%s: there is no folder %s: make it first", path, folder)
	}
	if err := CheckInside(dir, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ReadLimited is everything that r gives, which must be limit bytes at most.
func ReadLimited(r io.Reader, limit int64) ([]byte, error) { return readLimited(r, limit, 0) }

// readLimited is ReadLimited of what most likely has a size.
func readLimited(r io.Reader, limit, size int64) ([]byte, error) {
	text := bytes.NewBuffer(make([]byte, 0, max(0, min(size, limit))+bytes.MinRead))
	_, err := text.ReadFrom(io.LimitReader(r, limit+1))
	switch data := text.Bytes(); {
	case err != nil:
		return nil, err
	case int64(len(data)) <= limit:
		return data, nil
	case limit < 1<<20:
		return nil, fmt.Errorf("larger than %d KiB", limit>>10)
	}
	return nil, fmt.Errorf("larger than %d MiB", limit>>20)
}

// Read is the content of a file of limit bytes at most.
func Read(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	size := int64(0)
	if info, err := file.Stat(); err == nil {
		size = info.Size()
	}
	return readLimited(file, limit, size)
}

// ErrNotRegular is the error of reading a folder, a pipe or a device where a file is expected.
var ErrNotRegular = errors.New("not a regular file")

// ReadRegular is Read for paths that somebody else chose: a pipe there would keep the reader waiting for
// ever.
func ReadRegular(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, withoutWaiting, 0)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrNotRegular
	}
	if err != nil {
		return nil, err
	}
	return readLimited(file, limit, info.Size())
}

// Exists tells whether there is something at a path, links followed.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsDir tells whether there is a folder at path.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
