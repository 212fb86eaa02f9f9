package files

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadLimited is everything that r gives, which must be limit bytes at most.
func ReadLimited(r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r, limit+1))
	switch {
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
	return ReadLimited(file, limit)
}

// ReadRegular is Read for paths that somebody else chose: a pipe there would keep the reader waiting for ever.
func ReadRegular(path string, limit int64) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return Read(path, limit)
}

// IsDir tells whether there is a folder at path.
func IsDir(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
