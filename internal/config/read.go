package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"unicode/utf8"

	"github.com/mcpctl/mcpctl/internal/files"
)

// maxFile bounds the size of a configuration file, in bytes.
const maxFile = 16 << 20

// readFile is the UTF-8 text of a file without its byte order mark. The error names the cause, not the file.
func readFile(path string) ([]byte, error) {
	data, err := files.Read(path, maxFile)
	if err != nil {
		return nil, plainCause(err)
	}
	return decodeText(data)
}

// readRegular is readFile for paths that a file names: a pipe there would keep the reader waiting for ever.
func readRegular(path string) ([]byte, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	return readFile(path)
}

func decodeText(data []byte) ([]byte, error) {
	switch {
	case len(data) > maxFile:
		return nil, fmt.Errorf("larger than %d MiB", maxFile>>20)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return nil, errors.New("UTF-16 text; save it as UTF-8")
	}
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	if !utf8.Valid(data) {
		return nil, errors.New("not UTF-8 text; save it as UTF-8")
	}
	return data, nil
}

// plainCause is an error of the file system without the path, which the caller names.
func plainCause(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errors.New("no such file")
	}
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}
