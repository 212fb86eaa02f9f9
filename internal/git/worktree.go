package git

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
)

// Worktree is a commit of a repository, checked out in a temporary folder for as long as it is compared with.
type Worktree struct {
	Environ []string // for what runs in the two trees

	ref    string
	repo   Repo     // of the user's own tree, at its root
	roots  []string // all the ways to write that root
	prefix string   // the current folder, as seen from the root
	temp   string   // the temporary folder
	dir    string   // root of the worktree, in temp
}

// removalTime bounds the removal of a worktree.
const removalTime = 30 * time.Second

// AddWorktree checks a commit out, without hooks, submodules and large files; the user's own tree and index
// stay untouched.
func (r Repo) AddWorktree(ctx context.Context, ref string) (*Worktree, error) {
	ref = strings.TrimPrefix(ref, "git:") // as the same commit is written as a SOURCE
	commit, err := r.Commit(ctx, ref)
	if err != nil {
		return nil, err
	}
	w := &Worktree{ref: ref, Environ: ownEnviron(r.environ)}
	if err := w.locate(ctx, r.dir); err != nil {
		return nil, err
	}
	if w.temp, err = os.MkdirTemp("", "mcpctl-base-"); err != nil {
		return nil, fmt.Errorf("making a folder for the worktree of %s: %w", ref, err)
	}
	w.dir = filepath.Join(w.temp, filepath.Base(w.repo.dir))
	if _, err := w.repo.run(ctx, "worktree", "add", "--quiet", "--detach", w.dir, commit); err != nil {
		return nil, errors.Join(fmt.Errorf("checking out git:%s in a worktree: %w", ref, err), w.Remove())
	}
	return w, nil
}

// locate finds the user's own tree, and where in it the current folder is.
func (w *Worktree) locate(ctx context.Context, dir string) error {
	w.repo = Repo{dir: dir, environ: w.Environ}
	top, err := w.repo.Root(ctx)
	if err != nil {
		return exit.Usagef("--base-ref needs a repository with files: %w", err)
	}
	prefix, err := w.repo.run(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return exit.Usagef("--base-ref: %w", err)
	}
	w.repo.dir, w.prefix, w.roots = top, filepath.FromSlash(strings.TrimSpace(prefix)), []string{top}
	// with links, as people write it
	if logical, ok := strings.CutSuffix(dir+string(filepath.Separator), w.prefix); ok &&
		filepath.Clean(logical) != top {
		w.roots = append(w.roots, filepath.Clean(logical))
	}
	return nil
}

// Label is how reports name the commit.
func (w *Worktree) Label() string { return "git:" + w.ref }

// Prefix is the current folder as it is seen from the root, with slashes.
func (w *Worktree) Prefix() string { return filepath.ToSlash(w.prefix) }

// Dir is the folder of the worktree that stands for the current one. It need not exist.
func (w *Worktree) Dir() string { return filepath.Join(w.dir, w.prefix) }

// Borrow links folders of installed things from the user's tree into the worktree, in a folder and above, and
// gives them.
func (w *Worktree) Borrow(folder string, names []string) (linked []string) {
	at, err := filepath.Rel(w.dir, folder)
	for ; err == nil && filepath.IsLocal(at); at = filepath.Dir(at) {
		for _, name := range names {
			own := filepath.Join(w.repo.dir, at, name)
			if info, err := os.Stat(own); err == nil && info.IsDir() &&
				os.Symlink(own, filepath.Join(w.dir, at, name)) == nil {
				linked = append(linked, filepath.ToSlash(filepath.Join(at, name)))
			}
		}
		if at == "." {
			break
		}
	}
	return linked
}

// Remove takes the worktree away, whatever became of it, and tells the repository that it is gone. Others are
// left alone.
func (w *Worktree) Remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), removalTime)
	defer cancel()
	forget := func() error {
		_, err := w.repo.run(ctx, "worktree", "remove", "--force", "--force", w.dir)
		return err
	}
	first := forget()
	if err := removeAll(w.temp); err != nil {
		return fmt.Errorf("removing the worktree of git:%s: %w: remove %s, then git worktree prune", w.ref,
			err, w.temp)
	}
	if first == nil || !w.registered(ctx) {
		return nil
	}
	if err := forget(); err != nil {
		return fmt.Errorf("removing the worktree of git:%s: %w: git worktree prune does it", w.ref, err)
	}
	return nil
}

func (w *Worktree) registered(ctx context.Context) bool {
	list, err := w.repo.run(ctx, "worktree", "list", "--porcelain")
	return err != nil || strings.Contains(list, filepath.ToSlash(w.dir)+"\n")
}

// removeAll removes a folder, also one in which a build made folders that cannot be written to.
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

// ownEnviron is an environment without the variables of git's hooks, which would lead back to the user's own
// tree.
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

// Relocate is a text in which paths into the user's own tree lead into the worktree.
func (w *Worktree) Relocate(text string) string {
	for _, root := range w.roots {
		text = relocate(text, root, w.dir)
	}
	return text
}

// relocate replaces a path at the beginning of longer ones, or where it stands alone: /a in "/a/b:/a", not in
// "/x/a" or "/ab".
func relocate(text, from, to string) string {
	var out strings.Builder
	for {
		at := strings.Index(text, from)
		if at < 0 || from == string(filepath.Separator) {
			return out.String() + text
		}
		before, after := text[:at], text[at+len(from):]
		out.WriteString(before)
		if boundary(before, after) && !strings.HasPrefix(text[at:], to) { // which may lie in the tree itself
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

// boundary tells whether a path can begin behind one text and end, or go on with a separator, before another.
func boundary(before, after string) bool {
	const apart = "=:;,\"' \t@"
	starts := before == "" || strings.Contains(apart, before[len(before)-1:])
	ends := after == "" || os.IsPathSeparator(after[0]) || strings.Contains(apart, after[:1])
	return starts && ends
}
