package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
)

// lockName is the file in each folder that writers take turns by.
const lockName = ".mcpctl.lock"

// inFolder answers as mcpctl-store does, for file://: a folder that several machines write.
func (c *Client) inFolder(ctx context.Context, r request) (a answer, err error) {
	path := fileOf(r.At)
	if err := checkLinks(path); err != nil {
		return answer{Kind: "failed", Error: err.Error()}, nil
	}
	switch r.Op {
	case "get":
		a.body, err = files.ReadRegular(path, mostBody)
		a.Version = versionOf(a.body)
	case "put":
		err = putFile(ctx, path, r, c.limit)
	case "remove":
		err = os.Remove(path)
	case "list":
		a.Names, err = filesBelow(path)
	}
	switch {
	case err == nil:
		return a, nil
	case ctx.Err() != nil:
		return answer{}, context.Cause(ctx)
	case errors.Is(err, host.ErrChanged):
		return answer{Kind: "changed"}, nil
	case errors.Is(err, fs.ErrNotExist):
		return answer{Kind: "absent"}, nil
	}
	return answer{Kind: "failed", Error: err.Error()}, nil
}

// fileOf is the file of a location that Check has passed.
func fileOf(at string) string {
	path := strings.TrimPrefix(at, "file://")
	if len(path) > 2 && path[2] == ':' { // of Windows: /C:/folder
		path = path[1:]
	}
	return filepath.FromSlash(path)
}

// checkLinks refuses what a link leads elsewhere in a folder that others write, too: one of somebody else, and any in place of an object of
// Join, or of the folder that it lies in. Your own way to the folder may be a link.
func checkLinks(path string) error {
	inside := path // from here on, no link
	if filepath.Dir(path) == filepath.Join(filepath.Dir(filepath.Dir(path)), hashOf(filepath.Base(path))) {
		inside = filepath.Dir(path)
	}
	for at := path; at != filepath.Dir(at); at = filepath.Dir(at) {
		info, err := os.Lstat(at)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue
		}
		if err := files.CheckOwner(at, info); err != nil || inside != path && files.Below(at, inside) {
			return fmt.Errorf("%s is a link, which may lead out of the store: remove it, or name the folder that it leads to", at)
		}
	}
	return nil
}

func versionOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// putFile writes a file unless it is another one than was read. Writers take turns, and wait no longer than limit.
func putFile(ctx context.Context, path string, r request, limit time.Duration) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(filepath.Dir(path), lockName), flock.SetFlag(files.LockFlags))
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("another program has held %s for %s", lock.Path(), limit))
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 20*time.Millisecond); err != nil {
		return cmp.Or(context.Cause(ctx), err)
	}
	defer func() { _ = lock.Unlock() }()
	version := ""
	before, err := files.ReadRegular(path, mostBody)
	if err == nil {
		version = versionOf(before)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if r.If != nil && *r.If != version {
		return host.ErrChanged
	}
	return files.Replace(path, r.body)
}

// filesBelow are the files of a folder and its folders, as List wants them; a folder that is not there holds none.
func filesBelow(folder string) (names []string, err error) {
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() && !strings.HasPrefix(d.Name(), ".") {
			names = append(names, strings.TrimPrefix(filepath.ToSlash(path), "/"))
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}
