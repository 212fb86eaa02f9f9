package watchrun

import (
	"cmp"
	"context"
	"fmt"
	"hash/crc64"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/git-pkgs/gitignore"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/kit"
)

// most is how many files and directories are searched. More are a mistake in a glob, such as one that begins
// at the root.
const most = 100_000

// mostRead is how many bytes of files are read in one look. What is beyond is compared by when it was
// written.
const mostRead = 256 << 20

// scanner looks at the files that globs name.
type scanner struct {
	dir   string // where relative globs begin
	globs []glob
}

// view is what there was at one moment.
type view struct {
	files   map[string]stamp // by absolute path
	folders map[string]bool  // in which something may come or go
	linked  map[string]bool  // what links lead over and to, by the names in file system events
	matched []int            // files by glob
	rules   []ignoring       // by glob
	looked  int
	read    int64
}

// all reads everything once. Files that are as they were in the view before are not read again.
func (l scanner) all(ctx context.Context, before view) (view, error) {
	now := view{files: map[string]stamp{}, folders: map[string]bool{}, linked: map[string]bool{}}
	now.matched = make([]int, len(l.globs))
	for i, g := range l.globs {
		now.rules = append(now.rules, ignoringIn(g.base, l.dir))
		real, linked := l.behindLinks(g.base)
		now.folders[cmp.Or(real, existing(g.base))] = true
		if linked {
			now.follow(g.base, mostLinks)
		}
		w := walk{view: &now, glob: g, i: i, before: before, entered: map[string]bool{}}
		if err := w.enter(ctx, g.base, real, 0); err != nil {
			return before, err
		}
	}
	return now, nil
}

// behindLinks returns a folder by its name without links, if links below where globs begin may lead to it:
// what is watched is what they lead to, which is another folder once they lead elsewhere. It is empty where
// they lead nowhere.
func (l scanner) behindLinks(folder string) (real string, linked bool) {
	real = realOf(folder)
	if way, err := filepath.Rel(l.dir, folder); err == nil && real == filepath.Join(realOf(l.dir), way) {
		return "", false
	}
	return real, true
}

// existing returns the folder itself, or the nearest one above it that is there.
func existing(folder string) string {
	for !files.IsDir(folder) && folder != filepath.Dir(folder) {
		folder = filepath.Dir(folder)
	}
	return folder
}

// walk goes through what one glob may name.
type walk struct {
	*view
	glob    glob
	i       int // of the glob
	before  view
	entered map[string]bool // directories behind links, by their names without links
}

// enter looks at what the glob names in a folder at a level below its base; real is its name without links,
// if behind one.
func (w walk) enter(ctx context.Context, folder, real string, level int) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	entries, err := os.ReadDir(folder)
	if err != nil || w.entered[real] {
		return nil
	}
	if w.looked += len(entries); w.looked > most {
		return fmt.Errorf("--reload %q: more than %d files to search: name fewer", w.glob.text, most)
	}
	w.folders[cmp.Or(real, folder)] = true
	if real != "" {
		w.entered[real], w.linked[real] = true, true
	}
	if level > 0 {
		w.rules[w.i].enter(folder)
	}
	for _, e := range entries {
		if err := w.visit(ctx, folder, real, e, level+1); err != nil {
			return err
		}
	}
	return nil
}

// visit looks at one thing in a folder. A link to a folder is one, unless it leads back to where it is.
func (w walk) visit(ctx context.Context, folder, real string, e fs.DirEntry, level int) error {
	path := filepath.Join(folder, e.Name())
	isFolder, link := e.IsDir(), e.Type()&fs.ModeSymlink != 0
	if link {
		isFolder = files.IsDir(path)
	}
	switch {
	case w.rules[w.i].leavesOut(path, isFolder):
		return nil
	case !isFolder:
		w.note(path, e.Type())
		return nil
	case !w.glob.reaches(level), link && leadsBack(path, folder):
		return nil
	case link:
		real = realOf(path)
		w.follow(path, mostLinks)
	case real != "":
		real = filepath.Join(real, e.Name())
	}
	return w.enter(ctx, path, real, level)
}

// leadsBack reports whether a link in a folder leads to it, or to one above it.
func leadsBack(link, folder string) bool {
	way, err := filepath.Rel(realOf(link), realOf(folder))
	return err == nil && filepath.IsLocal(way)
}

// note records a file if the glob names it. Only what is a file, or leads to one, can be read without
// waiting.
func (w walk) note(path string, kind fs.FileMode) {
	if !w.glob.matches(below(w.glob.base, path)) || kind&^fs.ModeSymlink != 0 {
		return
	}
	if kind != 0 {
		w.follow(path, mostLinks)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	w.matched[w.i]++
	if _, done := w.files[path]; !done {
		w.files[path] = stampOf(path, info, w.before.files[path], mostRead-w.read)
		w.read += w.files[path].read
	}
}

// mostLinks is how many links may lead over each other.
const mostLinks = 40

// follow has all watched that decides where a path leads: each link on the way, and its end, in the folder
// that it is in.
func (v *view) follow(path string, left int) {
	folder := filepath.Dir(path)
	real := realOf(folder)
	if left == 0 || folder == path {
		return
	}
	if real != folder {
		v.follow(folder, left-1)
	}
	if real == "" {
		return
	}
	end := filepath.Join(real, filepath.Base(path))
	v.folders[real], v.linked[end] = true, true
	if target, err := os.Readlink(end); err == nil && filepath.IsAbs(target) {
		v.follow(target, left-1)
	} else if err == nil {
		v.follow(filepath.Join(real, target), left-1)
	}
}

// realOf returns a path without links; empty when it leads nowhere.
func realOf(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return ""
	}
	return real
}

// changed returns the files that are not in both views, or not the same in both, sorted.
func (l scanner) changed(before, now view) []string {
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

// name returns a path relative to the directory of globs, if it is below.
func (l scanner) name(path string) string {
	if way, err := filepath.Rel(l.dir, path); err == nil && filepath.IsLocal(way) {
		return way
	}
	return path
}

// union returns the names that are in one of two lists, sorted.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	return slices.Compact(all)
}

// wholly is up to which size files are compared by what is in them; larger ones by when they were written.
const wholly = 8 << 20

// fresh is how old a file must be for its time to be trusted: file systems' clocks are coarse.
const fresh = 2 * time.Second

// stamp identifies one state of a file.
type stamp struct {
	size    int64
	written time.Time
	sum     uint64 // of its content; 0 = not read
	settled bool   // a file with this size and time is the same
	read    int64  // bytes that were read for it
}

// stampOf returns the stamp of a file, which is read – up to so many bytes – unless the one before tells
// enough.
func stampOf(path string, info fs.FileInfo, before stamp, budget int64) stamp {
	now := stamp{size: info.Size(), written: info.ModTime(), settled: time.Since(info.ModTime()) > fresh}
	switch {
	case now.size == 0:
	case before.settled && before.size == now.size && before.written.Equal(now.written):
		now.sum = before.sum
	case now.size <= min(wholly, budget):
		now.sum, now.read = sumOf(path), now.size
	}
	return now
}

func sumOf(path string) uint64 {
	file, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer file.Close()
	sum := crc64.New(crc64.MakeTable(crc64.ECMA))
	if _, err := io.Copy(sum, io.LimitReader(file, wholly)); err != nil {
		return 0
	}
	return sum.Sum64()
}

func (s stamp) same(other stamp) bool {
	if s.size != other.size || s.sum != other.sum {
		return false
	}
	return s.size == 0 || s.sum != 0 || s.written.Equal(other.written)
}

type glob struct {
	text  string // as it was written
	base  string // the folder that it begins in, absolute
	rest  string // what follows, with slashes
	depth int    // how many folders below base it reaches into; -1 = any number
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

// reaches reports whether the glob may name something in a folder so many levels below base.
func (g glob) reaches(level int) bool { return g.depth < 0 || level <= g.depth }

// usual is left out unless a .gitignore says otherwise: repositories, installed modules, editors' temporary
// files.
const usual = `.git
.hg
.svn
node_modules
.DS_Store
*~
.*.sw?
.#*
#*#
4913
___jb_*___
`

// lettingFolderIn is a line such as "!src/".
var lettingFolderIn = kit.Pattern(`(?m)^!.*/[ \t\r]*$`)

// ignoring knows what .gitignore files leave out below one folder.
type ignoring struct {
	root    string // that paths are relative to
	folders *gitignore.Matcher
	files   *gitignore.Matcher // without rules that include directories: they would include all files in them
}

// ignoringIn returns the rules in a folder, from its repository down; one that was named though left out has
// only its own.
func ignoringIn(folder, dir string) ignoring {
	i := newIgnoring(repository(folder, dir))
	i.read(filepath.Join(i.root, ".git", "info", "exclude"), "")
	i.enter(i.root)
	way, path := i.below(folder), i.root
	if way == "" {
		return i
	}
	for name := range strings.SplitSeq(way, "/") {
		path = filepath.Join(path, name)
		if i.leavesOut(path, true) {
			i = newIgnoring(folder)
			i.enter(folder)
			return i
		}
		i.enter(path)
	}
	return i
}

func newIgnoring(root string) ignoring {
	i := ignoring{root: root, folders: &gitignore.Matcher{}, files: &gitignore.Matcher{}}
	i.folders.AddPatterns([]byte(usual), "")
	i.files.AddPatterns([]byte(usual), "")
	return i
}

// repository returns the nearest folder above that is one; else dir, where the globs begin, or the folder
// itself.
func repository(folder, dir string) string {
	for at := folder; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if below, err := filepath.Rel(dir, folder); err == nil && filepath.IsLocal(below) {
		return dir
	}
	return folder
}

// enter takes notice of the .gitignore of a folder.
func (i ignoring) enter(folder string) {
	i.read(filepath.Join(folder, ".gitignore"), i.below(folder))
}

// read adds the rules of a file, which hold below a folder. One that cannot be read has none.
func (i ignoring) read(file, folder string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	i.folders.AddPatterns(text, folder)
	i.files.AddPatterns(lettingFolderIn().ReplaceAll(text, nil), folder)
}

func (i ignoring) leavesOut(path string, folder bool) bool {
	if folder {
		return i.folders.MatchPath(i.below(path), true)
	}
	return i.files.MatchPath(i.below(path), false)
}

func (i ignoring) below(path string) string { return below(i.root, path) }

// below returns a path as seen from a folder above it, with slashes; empty for the folder itself.
func below(folder, path string) string {
	way, err := filepath.Rel(folder, path)
	if err != nil || way == "." {
		return ""
	}
	return filepath.ToSlash(way)
}
