package reload

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/files"
)

// most is how many files and folders may be looked at. More are a mistake in a glob, such as one that begins at the root.
const most = 100_000

// mostRead is how many bytes of files are read in one look. What is beyond is compared by when it was written.
const mostRead = 256 << 20

// looker looks at the files that globs name.
type looker struct {
	dir   string // where relative globs begin
	globs []glob
}

// view is what there was at one moment.
type view struct {
	files   map[string]stamp // by absolute path
	folders map[string]bool  // in which something may come or go
	matched []int            // files by glob
	rules   []ignoring       // by glob
	looked  int
	read    int64
}

// all looks at everything once. Files that are as they were in the view before are not read again.
func (l looker) all(ctx context.Context, before view) (view, error) {
	now := view{files: map[string]stamp{}, folders: map[string]bool{}, matched: make([]int, len(l.globs))}
	for i, g := range l.globs {
		now.rules = append(now.rules, ignoringIn(g.base, l.dir))
		now.folders[existing(g.base)] = true
		if err := now.enter(ctx, l, i, g.base, 0, before); err != nil {
			return before, err
		}
	}
	return now, nil
}

// existing is the folder itself, or the nearest one above it that is there.
func existing(folder string) string {
	for !files.IsDir(folder) && folder != filepath.Dir(folder) {
		folder = filepath.Dir(folder)
	}
	return folder
}

// enter looks at what a glob names in one folder, so many levels below its base. A folder that cannot be read has nothing.
func (v *view) enter(ctx context.Context, l looker, i int, folder string, level int, before view) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	if v.looked += len(entries); v.looked > most {
		return fmt.Errorf("--reload %q: more than %d files and folders to look through: name fewer", l.globs[i].text, most)
	}
	v.folders[folder] = true
	if level > 0 {
		v.rules[i].enter(folder)
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		switch {
		case v.rules[i].leavesOut(path, e.IsDir()):
		case !e.IsDir():
			v.note(l.globs[i], i, path, e, before)
		case l.globs[i].reaches(level + 1):
			if err := v.enter(ctx, l, i, path, level+1, before); err != nil {
				return err
			}
		}
	}
	return nil
}

// note takes a file down if the glob names it. Only what is a file, or leads to one, can be read without waiting.
func (v *view) note(g glob, i int, path string, e fs.DirEntry, before view) {
	if !g.matches(below(g.base, path)) || e.Type()&^fs.ModeSymlink != 0 {
		return
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	v.matched[i]++
	if _, done := v.files[path]; !done {
		v.files[path] = stampOf(path, info, before.files[path], mostRead-v.read)
		v.read += v.files[path].read
	}
}

// changed are the files that are not in both views, or not the same in both, sorted.
func (l looker) changed(before, now view) []string {
	var names []string
	for path, stamp := range now.files {
		if old, known := before.files[path]; !known || !old.same(stamp) {
			names = append(names, l.name(path))
		}
	}
	for path := range before.files {
		if _, here := now.files[path]; !here {
			names = append(names, l.name(path))
		}
	}
	slices.Sort(names)
	return names
}

// name is a path as people write it.
func (l looker) name(path string) string {
	if way, err := filepath.Rel(l.dir, path); err == nil && filepath.IsLocal(way) {
		return way
	}
	return path
}

// union are the names that are in one of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}
