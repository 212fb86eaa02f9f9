package reload

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/git-pkgs/gitignore"
)

// usual is left out wherever a .gitignore does not say otherwise: repositories, installed modules, and what editors write
// beside the file that they save.
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
var lettingFolderIn = regexp.MustCompile(`(?m)^!.*/[ \t\r]*$`)

// ignoring knows what .gitignore files leave out below one folder.
type ignoring struct {
	root    string // that paths are relative to
	folders *gitignore.Matcher
	files   *gitignore.Matcher // without rules that let folders in: the library would let in all that is in them
}

// ignoringIn are the rules that hold in a folder: those of its repository, from the top down. A folder that they leave
// out altogether, and that was named all the same, has only its own.
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

// repository is the nearest folder above that is one; else dir, where the globs begin, or the folder itself.
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
	i.files.AddPatterns(lettingFolderIn.ReplaceAll(text, nil), folder)
}

func (i ignoring) leavesOut(path string, folder bool) bool {
	if folder {
		return i.folders.MatchPath(i.below(path), true)
	}
	return i.files.MatchPath(i.below(path), false)
}

func (i ignoring) below(path string) string { return below(i.root, path) }

// below is a path as seen from a folder above it, with slashes; empty for the folder itself.
func below(folder, path string) string {
	way, err := filepath.Rel(folder, path)
	if err != nil || way == "." {
		return ""
	}
	return filepath.ToSlash(way)
}
