package source

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// Worktree is a commit of a repository that is checked out in a temporary directory.
type Worktree struct {
	Environ []string // for programs in the two trees

	ref    string
	repo   Repo     // of the user's own tree, at its root
	roots  []string // all paths of that root
	prefix string   // the working directory, relative to the root
	temp   string   // the temporary directory
	dir    string   // root of the worktree, in temp
}

// removalTime bounds the removal of a worktree.
const removalTime = 30 * time.Second

// AddWorktree checks out a commit, without hooks, submodules and large files. The user's own tree and index
// are not changed.
func (r Repo) AddWorktree(ctx context.Context, ref string) (*Worktree, error) {
	ref = strings.TrimPrefix(ref, "git:") // as in a SOURCE
	commit, err := r.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	w := &Worktree{ref: ref, Environ: ownEnviron(r.environ)}
	if err := w.locate(ctx, r.dir); err != nil {
		return nil, err
	}
	if w.temp, err = os.MkdirTemp("", "mcpctl-base-"); err != nil {
		return nil, fmt.Errorf("creating a directory for the worktree of %s: %w", ref, err)
	}
	w.dir = filepath.Join(w.temp, filepath.Base(w.repo.dir))
	if _, err := w.repo.line(ctx, "worktree", "add", "--quiet", "--detach", w.dir, commit); err != nil {
		return nil, errors.Join(fmt.Errorf("checking out git:%s in a worktree: %w", ref, err), w.Remove())
	}
	return w, nil
}

// locate finds the user's own tree, and the working directory in it.
func (w *Worktree) locate(ctx context.Context, dir string) error {
	w.repo = Repo{dir: dir, environ: w.Environ}
	top, err := w.repo.Root(ctx)
	if err != nil {
		return errNoWorkTree(err)
	}
	prefix, err := w.repo.line(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return exit.Usagef("--base-ref: %w", err)
	}
	w.repo.dir, w.prefix, w.roots = top, filepath.FromSlash(prefix), []string{top}
	// with links, as the user knows it
	if logical, ok := strings.CutSuffix(dir+string(filepath.Separator), w.prefix); ok &&
		filepath.Clean(logical) != top {
		w.roots = append(w.roots, filepath.Clean(logical))
	}
	return nil
}

// Label returns the name of the commit in reports.
func (w *Worktree) Label() string { return "git:" + w.ref }

// Prefix returns the working directory relative to the root, with slashes.
func (w *Worktree) Prefix() string { return filepath.ToSlash(w.prefix) }

// Dir returns the directory of the worktree that corresponds to the working directory. It may not exist.
func (w *Worktree) Dir() string { return filepath.Join(w.dir, w.prefix) }

// LinkDeps links directories such as node_modules from the user's tree into the worktree, in a directory and
// above it, and returns them.
func (w *Worktree) LinkDeps(dir string, names []string) (linked []string) {
	inside, err := filepath.Rel(w.dir, dir)
	for ; err == nil && filepath.IsLocal(inside); inside = filepath.Dir(inside) {
		for _, name := range names {
			own := filepath.Join(w.repo.dir, inside, name)
			if files.IsDir(own) && os.Symlink(own, filepath.Join(w.dir, inside, name)) == nil {
				linked = append(linked, filepath.ToSlash(filepath.Join(inside, name)))
			}
		}
		if inside == "." {
			break
		}
	}
	return linked
}

// Remove removes the worktree and its entry in the repository; other worktrees stay.
func (w *Worktree) Remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	if err := removeAll(w.temp); err != nil {
		return fmt.Errorf("removing the worktree of git:%s: %w: remove %s, then run git worktree prune",
			w.ref, err, w.temp)
	}
	_, err := w.repo.line(ctx, "worktree", "remove", "--force", "--force", w.dir)
	if err == nil {
		return nil
	}
	list, unlisted := w.repo.line(ctx, "worktree", "list", "--porcelain")
	if unlisted == nil && !strings.Contains(list+"\n", filepath.ToSlash(w.dir)+"\n") {
		return nil // it is gone all the same
	}
	return fmt.Errorf("removing the worktree of git:%s: %w: run git worktree prune", w.ref, err)
}

// removeAll removes a directory, also one in which a build created read-only directories.
func removeAll(folder string) error {
	if os.RemoveAll(folder) == nil {
		return nil
	}
	_ = filepath.WalkDir(folder, func(path string, d fs.DirEntry, _ error) error {
		if d != nil && d.IsDir() {
			_ = os.Chmod(path, 0o700)
		}
		return nil
	})
	return os.RemoveAll(folder)
}

// ownEnviron returns an environment without the variables of git's hooks, which point to the user's own tree.
func ownEnviron(environ []string) []string {
	local := []string{
		"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
		"GIT_INTERNAL_SUPER_PREFIX",
	}
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(local, name)
	})
}

// Relocate returns a text with paths in the user's own tree replaced by those in the worktree.
func (w *Worktree) Relocate(text string) string {
	for _, root := range w.roots {
		text = relocate(text, root, w.dir)
	}
	return text
}

// relocate replaces a path alone or at the beginning of a longer one: /a in "/a/b:/a", not in "/x/a" or
// "/ab".
func relocate(text, from, to string) string {
	var out strings.Builder
	for {
		i := strings.Index(text, from)
		if i < 0 || from == string(filepath.Separator) {
			return out.String() + text
		}
		before, after := text[:i], text[i+len(from):]
		out.WriteString(before)
		if boundary(before, after) && !strings.HasPrefix(text[i:], to) { // to may be below from
			out.WriteString(to)
		} else {
			out.WriteString(from)
		}
		text = after
		if text == "" {
			return out.String()
		}
	}
}

// boundary reports whether a path can stand between two texts, as a whole or followed by a separator.
func boundary(before, after string) bool {
	const separators = "=:;,\"' \t@"
	starts := before == "" || strings.Contains(separators, before[len(before)-1:])
	ends := after == "" || os.IsPathSeparator(after[0]) || strings.Contains(separators, after[:1])
	return starts && ends
}
