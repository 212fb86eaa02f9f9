package watchrun

import (
	"context"
	"fmt"
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
	dir   string // where relative globs begin, absolute
	globs []glob
	seen  map[string]string // size and time of each file, by absolute path
}

// maxSearched bounds the files and directories that a glob is searched in; more are a mistake in it.
const maxSearched = 100_000

// newFileWatcher reads all files that globs in a directory name.
func newFileWatcher(ctx context.Context, dir string, globs []string) (*fileWatcher, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	w := &fileWatcher{dir: dir}
	for _, text := range globs {
		g, err := parseGlob(dir, text)
		if err != nil {
			return nil, err
		}
		w.globs = append(w.globs, g)
	}
	w.seen, err = w.look(ctx)
	return w, err
}

// unmatched returns the globs that no file matches, as they were written.
func (w *fileWatcher) unmatched() []string {
	var none []string
	for _, g := range w.globs {
		matches := func(path string) bool {
			return files.Below(path, g.base) && g.matches(below(g.base, path))
		}
		if !slices.ContainsFunc(slices.Collect(maps.Keys(w.seen)), matches) {
			none = append(none, g.text)
		}
	}
	return none
}

// union returns the names that are in one of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// poll looks at all files again and returns the names of those that changed.
func (w *fileWatcher) poll(ctx context.Context) ([]string, error) {
	before := w.seen
	now, err := w.look(ctx)
	if err != nil {
		return nil, err
	}
	w.seen = now
	var names []string
	for path, state := range now {
		if before[path] != state {
			names = append(names, w.name(path))
		}
	}
	for path := range before {
		if _, exists := now[path]; !exists {
			names = append(names, w.name(path))
		}
	}
	return names, nil
}

// name returns a path relative to the directory of globs, if it is below.
func (w *fileWatcher) name(path string) string {
	if way, err := filepath.Rel(w.dir, path); err == nil && filepath.IsLocal(way) {
		return way
	}
	return path
}

// look returns the size and time of all files that the globs name.
func (w *fileWatcher) look(ctx context.Context) (map[string]string, error) {
	now := map[string]string{}
	for _, g := range w.globs {
		s := search{ctx: ctx, glob: g, ignored: ignoredIn(g.base, w.dir), files: now}
		if err := s.enter(g.base, 0); err != nil {
			return nil, err
		}
	}
	return now, nil
}

// search is one look for the files of a glob.
type search struct {
	ctx      context.Context
	glob     glob
	ignored  ignored
	files    map[string]string
	searched int
}

// enter looks for files in a directory at a level below the base of the glob. Links to directories are not
// followed.
func (s *search) enter(dir string, level int) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // it may come
	}
	if s.searched += len(entries); s.searched > maxSearched {
		return fmt.Errorf("--reload %q: more than %d files to search: name fewer", s.glob.text, maxSearched)
	}
	if level > 0 {
		s.ignored.enter(dir)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		switch {
		case s.ignored.has(path, e.IsDir()):
		case !e.IsDir():
			s.add(path)
		case s.glob.depth < 0 || level < s.glob.depth:
			if err := s.enter(path, level+1); err != nil {
				return err
			}
		}
	}
	return nil
}

// add adds a file if the glob names it. Pipes and devices are left out.
func (s *search) add(path string) {
	if _, done := s.files[path]; done || !s.glob.matches(below(s.glob.base, path)) {
		return
	}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		s.files[path] = fmt.Sprint(info.Size(), info.ModTime().UnixNano())
	}
}

// glob is a pattern of file names.
type glob struct {
	text  string // as it was written
	base  string // the directory that it begins in, absolute
	rest  string // what follows, with slashes
	depth int    // levels of directories below base that it reaches into; -1 = any number
}

// parseGlob reads a glob that begins in dir, unless it is absolute.
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

// matches reports whether a path below base, with slashes, is named by the glob.
func (g glob) matches(below string) bool { return doublestar.MatchUnvalidated(g.rest, below) }

// below returns a path relative to a directory above it, with slashes; empty for the directory itself.
func below(dir, path string) string {
	way, err := filepath.Rel(dir, path)
	if err != nil || way == "." {
		return ""
	}
	return filepath.ToSlash(way)
}
