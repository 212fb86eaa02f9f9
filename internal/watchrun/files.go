package watchrun

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/mcpctl/mcpctl/internal/files"
)

// fileWatcher finds changes of the files that globs name. It polls, since that works behind links and on
// network file systems too.
type fileWatcher struct {
	dir       string // where relative globs begin, absolute
	globs     []glob
	seen      map[string]string // size and time of each file, by absolute path
	unmatched []string          // the globs that no file matched at first, as they were written
}

// newFileWatcher reads all files that globs in a directory name.
func newFileWatcher(ctx context.Context, dir string, globs []string) (*fileWatcher, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &fileWatcher{dir: dir, seen: map[string]string{}}
	for _, text := range globs {
		g, err := parseGlob(dir, text)
		if err != nil {
			return nil, err
		}
		found, err := g.find(ctx)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			w.unmatched = append(w.unmatched, text)
		}
		maps.Copy(w.seen, found)
		w.globs = append(w.globs, g)
	}
	return w, nil
}

// union returns the names that are in one of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// poll looks at all files again and returns the names of those that changed.
func (w *fileWatcher) poll(ctx context.Context) ([]string, error) {
	now := map[string]string{}
	for _, g := range w.globs {
		found, err := g.find(ctx)
		if err != nil {
			return nil, err
		}
		maps.Copy(now, found)
	}
	var names []string
	for path, state := range now {
		if w.seen[path] != state {
			names = append(names, w.name(path))
		}
	}
	for path := range w.seen {
		if _, exists := now[path]; !exists {
			names = append(names, w.name(path))
		}
	}
	w.seen = now
	return names, nil
}

// name returns a path relative to the directory of globs, if it is below.
func (w *fileWatcher) name(path string) string {
	if way, err := filepath.Rel(w.dir, path); err == nil && filepath.IsLocal(way) {
		return way
	}
	return path
}

// glob is a pattern of file names.
type glob struct {
	text  string // as it was written
	base  string // the directory that it begins in, absolute
	rest  string // what follows, with slashes
	depth int    // levels of directories below base that it reaches into; -1 = any number
}

// parseGlob reads a glob that begins in dir, unless it is absolute. A directory means everything in it.
func parseGlob(dir, text string) (glob, error) {
	slashed := filepath.ToSlash(text)
	if text == "" || !doublestar.ValidatePattern(slashed) {
		return glob{}, fmt.Errorf("invalid glob %q: quote one such as 'src/**/*.ts'", text)
	}
	base, rest := doublestar.SplitPattern(slashed)
	base = files.From(dir, filepath.FromSlash(base))
	if whole := filepath.Join(base, filepath.FromSlash(rest)); files.IsDir(whole) {
		base, rest = whole, "**"
	}
	g := glob{text: text, base: base, rest: rest, depth: strings.Count(rest, "/")}
	if strings.Contains(rest, "**") || strings.Contains(rest, "{") {
		g.depth = -1
	}
	return g, nil
}

// maxSearched bounds the files and directories that a glob is searched in; more are a mistake in it.
const maxSearched = 100_000

// find returns the size and time of the files that the glob names, by absolute path. Links to directories are
// not followed, and pipes and devices are left out.
func (g glob) find(ctx context.Context) (map[string]string, error) {
	found, searched, tree := map[string]string{}, 0, os.DirFS(g.base)
	err := fs.WalkDir(tree, ".", func(path string, e fs.DirEntry, err error) error {
		switch searched++; {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return nil // the directory may come
		case searched > maxSearched:
			return fmt.Errorf("--reload %q: more than %d files to search: name fewer", g.text, maxSearched)
		case e.IsDir():
			if path != "." && (g.ignores(e.Name()) || g.depth >= 0 && strings.Count(path, "/") >= g.depth) {
				return fs.SkipDir
			}
		case !g.ignores(e.Name()) && doublestar.MatchUnvalidated(g.rest, path):
			if info, err := fs.Stat(tree, path); err == nil && info.Mode().IsRegular() {
				absolute := filepath.Join(g.base, filepath.FromSlash(path))
				found[absolute] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
			}
		}
		return nil
	})
	return found, err
}

// ignores reports whether a name is one of repositories, installed modules and temporary files of editors,
// unless the glob has it, or a pattern for it that begins with a dot.
func (g glob) ignores(name string) bool {
	hidden := strings.HasPrefix(name, ".")
	if !hidden && !strings.HasSuffix(name, "~") && name != "node_modules" || strings.Contains(g.rest, name) {
		return false
	}
	return !hidden || !slices.ContainsFunc(strings.Split(g.rest, "/"), func(part string) bool {
		return strings.HasPrefix(part, ".") && doublestar.MatchUnvalidated(part, name)
	})
}
