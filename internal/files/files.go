// Package files reads and writes files safely: reads are bounded, files are replaced as a whole, no link
// leads out of the project, and secrets are readable by the user only.
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

// Content writes the content of a file.
type Content func(io.Writer) error

// Bytes returns content that is in memory.
func Bytes(data []byte) Content {
	return func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	}
}

// Replace writes a file, which is complete at any time. It keeps the mode of the file; a new one gets that of
// the user's umask.
func Replace(path string, data []byte) error { return replace(path, keepMode, Bytes(data)) }

// keepMode is the mode of the file that is replaced, or the usual one of a new file.
const keepMode fs.FileMode = 0

// ReplaceSecret is Replace for a file that only the user may read.
func ReplaceSecret(path string, data []byte) error { return replace(path, 0o600, Bytes(data)) }

// ReplacePrivate is ReplaceSecret that also removes temporary files which killed runs left beside it.
func ReplacePrivate(path string, data []byte) error {
	Sweep(filepath.Dir(path))
	return replace(path, 0o600, Bytes(data))
}

// replace writes a temporary file in the same directory, and renames it once it is complete.
func replace(path string, mode fs.FileMode, content Content) error {
	info, err := os.Lstat(path)
	existing := err == nil
	switch {
	case existing && !info.Mode().IsRegular():
		return fmt.Errorf("replacing %s: not a regular file", path)
	case existing && mode == keepMode:
		mode = info.Mode().Perm()
	}
	created := fs.FileMode(0o600)
	if mode == keepMode {
		created = 0o666 // which the umask narrows
	}
	file, err := createTemporary(path, created)
	if err != nil {
		return err
	}
	err = content(file)
	if mode != keepMode {
		err = errors.Join(err, file.Chmod(mode))
	}
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		_ = os.Remove(file.Name())
	}
	return err
}

// temporaryPrefix begins the names of temporary files; the name of the file and digits follow.
const temporaryPrefix = ".tmp-"

func createTemporary(path string, mode fs.FileMode) (*os.File, error) {
	for {
		name := temporaryPrefix + filepath.Base(path) + strconv.FormatUint(uint64(rand.Uint32()), 10)
		file, err := os.OpenFile(filepath.Join(filepath.Dir(path), name),
			os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// abandonedAfter is the age of a temporary file whose run was killed: others exist for milliseconds.
const abandonedAfter = time.Minute

// Sweep removes the temporary files of JSON files that killed runs left in a directory.
func Sweep(dir string) {
	SweepOf(dir, func(name string) bool { return strings.HasSuffix(name, ".json") })
}

// SweepOf removes the temporary files of those files that killed runs left in a directory. No name of such a
// file ends with a digit.
func SweepOf(dir string, ours func(name string) bool) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		name := strings.TrimRight(entry.Name(), "0123456789")
		if name == entry.Name() || !strings.HasPrefix(name, temporaryPrefix) ||
			!ours(strings.TrimPrefix(name, temporaryPrefix)) || !entry.Type().IsRegular() {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > abandonedAfter {
			_ = os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
}

// WriteOutput writes a whole file or none, for a run in dir. The target of a symbolic link is replaced; a
// device or pipe, such as /dev/stdout, is written to until shortly after ctx ends.
func WriteOutput(ctx context.Context, dir, path string, content Content) error {
	if err := CheckInside(dir, path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return replace(RealPath(path), keepMode, content)
	}
	written := make(chan error, 1)
	go func() {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err == nil {
			err = errors.Join(content(file), file.Close())
		}
		written <- err
	}()
	select {
	case err := <-written:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-written:
		return err
	case <-time.After(time.Second):
		return context.Cause(ctx)
	}
}

// CheckOutput returns an error for a path that WriteOutput cannot write.
func CheckOutput(dir, path string) error {
	if IsDir(path) {
		return fmt.Errorf("%s is a directory: name a file in it", path)
	}
	if parent := filepath.Dir(path); !IsDir(parent) {
		return fmt.Errorf("%s: the directory %s does not exist: create it first", path, parent)
	}
	if err := CheckInside(dir, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// ReadLimited reads all of r, which must be limit bytes at most.
func ReadLimited(r io.Reader, limit int64) ([]byte, error) { return readLimited(r, limit, 0) }

// readLimited is ReadLimited with the expected size.
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

// Read reads a file of limit bytes at most. It waits for a pipe.
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

// ErrNotRegular is the error of reading a directory, a pipe or a device where a file is expected.
var ErrNotRegular = errors.New("not a regular file")

// ReadRegular reads a regular file of limit bytes at most: a path in a configuration may be a pipe, which
// blocks.
func ReadRegular(path string, limit int64) ([]byte, error) {
	file, err := os.OpenFile(path, openNonblocking, 0)
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

// States returns the size and the time of each file that exists, which change when it does.
func States(paths []string) map[string]string {
	states := map[string]string{}
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			states[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
		}
	}
	return states
}

// Exists reports whether a path exists, links resolved.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsDir reports whether a path is a directory, links resolved.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
