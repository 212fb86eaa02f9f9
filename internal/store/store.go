// Package store reads and writes objects in stores: s3://, gs:// and azblob:// through the program mcpctl-store, file:// by itself.
// What a run has read it replaces only as it was then, so that of two writers neither loses anything.
package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
)

// Is tells whether a path is a location in a store, be it one that Check does not let pass.
func Is(path string) bool {
	scheme, _, ok := strings.Cut(path, "://")
	return ok && slices.Contains([]string{"s3", "gs", "azblob", "file"}, strings.ToLower(scheme))
}

// Check is what is wrong with a location. There are no options in it: whoever names a place to keep things chooses no endpoint that
// credentials go to.
func Check(at string) error {
	bucket, key := split(at)
	scheme, _, _ := strings.Cut(at, "://")
	switch local := strings.HasPrefix(at, "file://"); {
	case strings.ContainsAny(at, "?#@\\"), slices.Contains(strings.Split(key, "/"), ".."):
		return exit.Usagef("%s…: a location is SCHEME://BUCKET/PREFIX without ?, #, @, \\ and ..: endpoints and credentials come from the environment (docs/store.md)", scheme+"://") // the rest may hold a secret
	case scheme != strings.ToLower(scheme):
		return exit.Usagef("%s: write %s:// in small letters", at, strings.ToLower(scheme))
	case local && (bucket != "file:///" || key == ""):
		return exit.Usagef("%s: write file:///FOLDER, with three slashes", at)
	case !local && strings.HasSuffix(bucket, ":///"):
		return exit.Usagef("%s names no bucket: write %sBUCKET/PREFIX", at, strings.TrimSuffix(bucket, "/"))
	}
	return nil
}

// Beside is a location in a folder that is a plain one, or in a store.
func Beside(folder, name string) string {
	if !Is(folder) {
		return filepath.Join(folder, name)
	}
	return strings.TrimRight(folder, "/") + "/" + name
}

// Join is Beside for one of many: in a store they lie in 256 folders, by a hash of their names.
func Join(folder, name string) string {
	if !Is(folder) {
		return filepath.Join(folder, name)
	}
	return Beside(folder, hashOf(name)+"/"+name)
}

// hashOf is the folder of a name.
func hashOf(name string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(name)))[:2] }

// workers is how many objects are read or written at once.
const workers = 32

// Workers is how many may work in a folder at once: as many as there are processors, and more in a store, where each waits.
func Workers(folder string) int {
	if Is(folder) {
		return workers
	}
	return runtime.GOMAXPROCS(0)
}

// Each does something for each of n things in a folder, as many at once as Workers says.
func Each(folder string, n int, do func(i int)) {
	var all sync.WaitGroup
	places := make(chan struct{}, Workers(folder))
	for i := range n {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			do(i)
		})
	}
	all.Wait()
}

// Read is the content of a file, or of an object, of limit bytes at most. The error of one that is not there wraps fs.ErrNotExist.
func Read(ctx context.Context, p host.Process, path string, limit int64) ([]byte, error) {
	switch {
	case !Is(path):
		return files.ReadRegular(path, limit)
	case p.Store == nil:
		return nil, fmt.Errorf("reading %s: no store is read here", path)
	}
	data, err := p.Store.Get(ctx, path)
	if err == nil && int64(len(data)) > limit {
		return nil, fmt.Errorf("reading %s: larger than %d MiB", path, limit>>20)
	}
	return data, err
}

// Replace is files.Replace for files and objects.
func Replace(ctx context.Context, p host.Process, path string, data []byte) error {
	if !Is(path) {
		return files.Replace(path, data)
	}
	return p.Store.Put(ctx, path, data)
}

// WriteOutput is WriteContent of what is there already.
func WriteOutput(ctx context.Context, p host.Process, path string, data []byte) error {
	return WriteContent(ctx, p, path, files.Bytes(data))
}

// WriteContent is files.WriteOutput for files and objects. What an interrupted run has to say is still written.
func WriteContent(ctx context.Context, p host.Process, path string, content files.Content) error {
	if !Is(path) {
		return files.WriteOutput(ctx, p.Dir, path, content)
	}
	var data bytes.Buffer
	if err := content(&data); err != nil {
		return err
	}
	if ctx.Err() != nil {
		short, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWords)
		defer cancel()
		ctx = short
	}
	return p.Store.Put(ctx, path, data.Bytes())
}

// lastWords is how long a write may take once the run was interrupted.
const lastWords = 2 * time.Second

// CheckOutput is files.CheckOutput for files and objects: it finds what WriteOutput cannot write.
func CheckOutput(p host.Process, path string) error {
	switch {
	case !Is(path):
		return files.CheckOutput(p.Dir, path)
	case strings.HasSuffix(path, "/"):
		return fmt.Errorf("%s is a folder: name an object in it", path)
	}
	return p.Store.Check(path)
}

// mostTries is how often Update begins again: many runs may end at the same time.
const mostTries = 40

// Update replaces a file or an object by what change makes of it (nil = it is not there), again when somebody else has written it meanwhile. A nil result
// leaves it alone.
func Update(ctx context.Context, p host.Process, at string, limit int64, change func(before []byte) ([]byte, error), write func(context.Context, host.Process, string, []byte) error) error {
	for try := range mostTries {
		before, err := Read(ctx, p, at, limit)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		after, err := change(before)
		if err != nil || after == nil || before != nil && bytes.Equal(before, after) {
			return err
		}
		if err = write(ctx, p, at, after); !errors.Is(err, host.ErrChanged) {
			return err
		}
		select {
		case <-time.After(rand.N(min(time.Second, 20*time.Millisecond<<try))):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	return exit.Unable(exit.Advise("run it again later", "%s: %w, %d times over", at, host.ErrChanged, mostTries))
}
