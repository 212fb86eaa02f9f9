package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/process"
)

// worktree is a commit of this repository, checked out in a temporary folder for as long as it is compared with.
type worktree struct {
	ref     string
	top     string   // root of the user's own tree
	roots   []string // all the ways to write top
	prefix  string   // the current folder, as seen from top
	temp    string   // the temporary folder
	dir     string   // root of the worktree, in temp
	environ []string // for git, and for what runs in the two trees
}

// tidyTime bounds the removal of a worktree.
const tidyTime = 30 * time.Second

// addWorktree checks a commit out. Hooks do not run, submodules and large files are not fetched, and the user's own tree
// and index are not touched, even when mcpctl was started by a hook of git.
func (inv *invocation) addWorktree(ctx context.Context, ref string) (*worktree, error) {
	ref = strings.TrimPrefix(ref, "git:") // as the same commit is written as a SOURCE
	commit, err := inv.commit(ref)
	if err != nil {
		return nil, err
	}
	w := &worktree{ref: ref, environ: ownEnviron(inv.Environ)}
	if err := w.locate(ctx); err != nil {
		return nil, err
	}
	if w.temp, err = os.MkdirTemp("", "mcpctl-base-"); err != nil {
		return nil, fmt.Errorf("making a folder for the worktree of %s: %w", ref, err)
	}
	w.dir = filepath.Join(w.temp, filepath.Base(w.top))
	if _, err := w.git(ctx, "worktree", "add", "--quiet", "--detach", w.dir, commit); err != nil {
		return nil, errors.Join(fmt.Errorf("checking out git:%s in a worktree: %w", ref, err), w.remove())
	}
	return w, nil
}

// locate finds the user's own tree, and where in it we are.
func (w *worktree) locate(ctx context.Context) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	w.top = dir
	top, err := w.git(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return exit.Usagef("--base-ref needs a repository with files: %w", err)
	}
	prefix, err := w.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return exit.Usagef("--base-ref: %w", err)
	}
	w.top, w.prefix = filepath.FromSlash(top), filepath.FromSlash(prefix)
	w.roots = []string{w.top}
	if logical, ok := strings.CutSuffix(dir+string(filepath.Separator), w.prefix); ok && filepath.Clean(logical) != w.top { // with links, as people write it
		w.roots = append(w.roots, filepath.Clean(logical))
	}
	return nil
}

// git runs git on the user's repository, and gives what it printed. Nothing that is typed at the terminal reaches it, so
// that it can clean up.
func (w *worktree) git(ctx context.Context, args ...string) (string, error) {
	safe := []string{"-C", w.top, "-c", "core.hooksPath=" + os.DevNull, "-c", "core.fsmonitor=false", "-c", "submodule.recurse=false"}
	cmd := exec.CommandContext(ctx, "git", slices.Concat(safe, args)...)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	cmd.Env = append(slices.Clone(w.environ), "GIT_LFS_SKIP_SMUDGE=1", "GIT_TERMINAL_PROMPT=0")
	err := process.Run(cmd, false)
	switch text := strings.TrimSpace(said.String()); {
	case err == nil:
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case text != "":
		err = errors.New(text)
	}
	return strings.TrimSpace(out.String()), err
}

// remove takes the worktree away, whatever became of it, and tells the repository that it is gone. Others are left alone.
func (w *worktree) remove() error {
	ctx, cancel := context.WithTimeout(context.Background(), tidyTime)
	defer cancel()
	forget := func() error {
		_, err := w.git(ctx, "worktree", "remove", "--force", "--force", w.dir)
		return err
	}
	first := forget()
	if err := removeAll(w.temp); err != nil {
		return fmt.Errorf("removing the worktree of git:%s: %w: remove %s, then git worktree prune", w.ref, err, w.temp)
	}
	if first == nil || !w.registered(ctx) {
		return nil
	}
	if err := forget(); err != nil {
		return fmt.Errorf("removing the worktree of git:%s: %w: git worktree prune does it", w.ref, err)
	}
	return nil
}

// registered tells whether the repository knows of the worktree.
func (w *worktree) registered(ctx context.Context) bool {
	list, err := w.git(ctx, "worktree", "list", "--porcelain")
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

// ownEnviron is an environment without the variables by which git hands a repository to its hooks: in a worktree they
// would lead back to the user's own tree and index.
func ownEnviron(environ []string) []string {
	local := []string{
		"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY",
		"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE", "GIT_INTERNAL_SUPER_PREFIX",
	}
	return slices.DeleteFunc(slices.Clone(environ), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		return slices.Contains(local, name)
	})
}
