package watchrun

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/git-pkgs/gitignore"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// alwaysIgnored has repositories, installed modules and temporary files of editors. A .gitignore may include
// them again.
const alwaysIgnored = `.git
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

// includedDir matches a line such as "!src/".
var includedDir = kit.Pattern(`(?m)^!.*/[ \t\r]*$`)

// ignored knows what .gitignore files exclude below one directory.
type ignored struct {
	root  string // that paths are relative to
	dirs  *gitignore.Matcher
	files *gitignore.Matcher // without rules that include directories: they would include all files in them
}

// ignoredIn returns the rules in a directory, from its repository down. A directory that was named although
// it is excluded has only its own.
func ignoredIn(dir, start string) ignored {
	i := newIgnored(repository(dir, start))
	i.read(filepath.Join(i.root, ".git", "info", "exclude"), "")
	i.enter(i.root)
	way, path := below(i.root, dir), i.root
	if way == "" {
		return i
	}
	for name := range strings.SplitSeq(way, "/") {
		path = filepath.Join(path, name)
		if i.has(path, true) {
			i = newIgnored(dir)
			i.enter(dir)
			return i
		}
		i.enter(path)
	}
	return i
}

func newIgnored(root string) ignored {
	i := ignored{root: root, dirs: &gitignore.Matcher{}, files: &gitignore.Matcher{}}
	i.dirs.AddPatterns([]byte(alwaysIgnored), "")
	i.files.AddPatterns([]byte(alwaysIgnored), "")
	return i
}

// repository returns the nearest repository above a directory, else start if that is above, or the directory
// itself.
func repository(dir, start string) string {
	for parent := dir; ; parent = filepath.Dir(parent) {
		if _, err := os.Lstat(filepath.Join(parent, ".git")); err == nil {
			return parent
		}
		if parent == filepath.Dir(parent) {
			break
		}
	}
	if way, err := filepath.Rel(start, dir); err == nil && filepath.IsLocal(way) {
		return start
	}
	return dir
}

// enter adds the rules of a directory.
func (i ignored) enter(dir string) { i.read(filepath.Join(dir, ".gitignore"), below(i.root, dir)) }

// read adds the rules of a file, which hold below a directory. A file that cannot be read has none.
func (i ignored) read(file, dir string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return
	}
	i.dirs.AddPatterns(text, dir)
	i.files.AddPatterns(includedDir().ReplaceAll(text, nil), dir)
}

func (i ignored) has(path string, dir bool) bool {
	if dir {
		return i.dirs.MatchPath(below(i.root, path), true)
	}
	return i.files.MatchPath(below(i.root, path), false)
}
