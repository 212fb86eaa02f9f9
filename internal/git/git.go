// Package git reads commits of a repository, and checks them out into temporary worktrees.
package git

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
)

// Repo is the repository that a folder lies in.
type Repo struct {
	dir     string   // the folder, absolute
	environ []string // for git
}

// Here is the repository of the current folder.
func Here(p host.Process) Repo { return Repo{dir: p.Dir, environ: p.Environ} }

// run runs git and gives what it printed; the error holds git's words. No hook or monitor of the repository
// runs, no folder that only looks like a repository counts, and git gets nothing from the terminal.
func (r Repo) run(ctx context.Context, args ...string) (string, error) {
	cmd, err := r.command(ctx, args...)
	if err != nil {
		return "", err
	}
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err = process.Run(cmd, false)
	switch text := strings.TrimSpace(said.String()); {
	case err == nil:
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case text != "":
		err = errors.New(text)
	}
	return out.String(), err
}

// command prepares git, which obeys no hook or monitor of the repository.
func (r Repo) command(ctx context.Context, args ...string) (*exec.Cmd, error) {
	safe := []string{
		"-C", r.dir, "-c", "safe.bareRepository=explicit", "-c", "core.hooksPath=" + os.DevNull,
		"-c", "core.fsmonitor=false", "-c", "submodule.recurse=false",
	}
	program, err := process.Tool("git", r.environ)
	if err != nil {
		return nil, process.Missing(err, "git is not installed")
	}
	cmd := exec.CommandContext(ctx, program, slices.Concat(safe, args)...)
	cmd.Env = append(slices.Clone(r.environ), "GIT_LFS_SKIP_SMUDGE=1", "GIT_TERMINAL_PROMPT=0")
	return cmd, nil
}

// MergeBase is the word for the commit at which this branch left the one that it goes back to.
const MergeBase = "merge-base"

// Commit is the commit that a REF names, which may be MergeBase.
func (r Repo) Commit(ctx context.Context, ref string) (string, error) {
	if ref == MergeBase {
		return r.mergeBase(ctx)
	}
	commit, err := r.resolve(ctx, ref)
	if _, silent := errors.AsType[*exec.ExitError](err); silent {
		return "", exit.Usagef("git:%s is not a commit of this repository: fetch it first, since a clone "+
			"in CI often holds one commit only (git fetch origin, fetch-depth: 0), or correct the name", ref)
	}
	if err != nil {
		return "", exit.Usagef("git:%s: %w", ref, err)
	}
	return commit, nil
}

func (r Repo) resolve(ctx context.Context, ref string) (string, error) {
	commit, err := r.run(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	return strings.TrimSpace(commit), err
}

// mergeBase is where HEAD left its target: the branch that CI names, else origin's default, else main or
// master.
func (r Repo) mergeBase(ctx context.Context) (string, error) {
	candidates := targetBranches(host.Process{Environ: r.environ}.Lookup)
	for _, branch := range candidates {
		if _, err := r.resolve(ctx, branch); err != nil {
			continue
		}
		commit, err := r.run(ctx, "merge-base", branch, "HEAD")
		if err != nil {
			return "", exit.Usagef("git:merge-base: HEAD and %s have no commit in common: a shallow clone "+
				"holds too little history, so fetch all of it (fetch-depth: 0, git fetch --unshallow)", branch)
		}
		return strings.TrimSpace(commit), nil
	}
	return "", exit.Usagef("git:merge-base: there is none of %s to compare with: fetch the branch, or name "+
		"a commit: git:REF", strings.Join(candidates, ", "))
}

// targetBranches are the branches that HEAD may be merged into, the likeliest first.
func targetBranches(lookup func(string) (string, bool)) []string {
	var branches []string
	// GitHub, GitLab, Jenkins
	for _, variable := range []string{"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME",
		"CHANGE_TARGET"} {
		if name, _ := lookup(variable); name != "" {
			branches = append(branches, "refs/remotes/origin/"+name, "refs/heads/"+name)
		}
	}
	if len(branches) > 0 {
		return branches // another branch would be the wrong one
	}
	return []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
		"refs/heads/main", "refs/heads/master"}
}

// File is a file of a commit.
type File struct {
	Path string // from the repository's root, with slashes
	Data []byte
}

// Read reads the files with an extension in a folder of a commit, or the one file at path. A path that begins
// with a dot or is absolute is one of the current tree; any other is seen from the repository's root, as git
// reads REF:PATH. Sizes are known before anything is read: a file above limit bytes is an error, and so is a
// folder above four times that.
func (r Repo) Read(ctx context.Context, commit, path, extension string, limit int64) ([]File, error) {
	path, err := r.fromRoot(ctx, path)
	if err != nil {
		return nil, err
	}
	listed, err := r.run(ctx, "ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", path)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	total := int64(0)
	for entry := range strings.SplitSeq(strings.TrimSuffix(listed, "\x00"), "\x00") {
		about, file, _ := strings.Cut(entry, "\t")
		fields := strings.Fields(about) // mode, kind, object, size
		inside := strings.TrimPrefix(file, path+"/")
		wanted := file == path || strings.HasSuffix(file, extension) && !strings.Contains(inside, "/")
		if len(fields) != 4 || fields[1] != "blob" || !wanted {
			continue
		}
		size, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("reading the size of %s: %w", file, err)
		}
		if size > limit {
			return nil, fmt.Errorf("%s is larger than %d MiB", file, limit>>20)
		}
		if total += size; total > 4*limit {
			return nil, fmt.Errorf("the files of %s are larger than %d MiB together", path, 4*limit>>20)
		}
		blobs = append(blobs, blob{file, fields[2], size})
	}
	if len(blobs) == 0 {
		return nil, nil
	}
	return r.contents(ctx, blobs)
}

// blob is a file of a commit that is not read yet.
type blob struct {
	path, object string
	size         int64
}

// contents reads all blobs with one process of git.
func (r Repo) contents(ctx context.Context, blobs []blob) ([]File, error) {
	cmd, err := r.command(ctx, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	var asked strings.Builder
	for _, b := range blobs {
		asked.WriteString(b.object + "\n")
	}
	out, in := io.Pipe()
	cmd.Stdin, cmd.Stdout = strings.NewReader(asked.String()), in
	ended := make(chan error, 1)
	go func() {
		err := process.Run(cmd, false)
		_ = in.CloseWithError(err)
		ended <- err
	}()
	files, err := readBatch(bufio.NewReader(out), blobs)
	_ = out.CloseWithError(err)
	if ended := <-ended; err == nil {
		err = ended
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return files, err
}

// readBatch reads what git cat-file --batch prints for each blob: a line with its size, its content, and a
// newline.
func readBatch(r *bufio.Reader, blobs []blob) ([]File, error) {
	var files []File
	for _, b := range blobs {
		header, err := r.ReadString('\n')
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", b.path, err)
		}
		if want := fmt.Sprintf("%s blob %d\n", b.object, b.size); header != want {
			return nil, fmt.Errorf("reading %s: git printed %q", b.path, strings.TrimSpace(header))
		}
		data := make([]byte, b.size+1)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, fmt.Errorf("reading %s: %w", b.path, err)
		}
		files = append(files, File{b.path, data[:b.size]})
	}
	return files, nil
}

// fromRoot is a path as it is seen from the repository's root.
func (r Repo) fromRoot(ctx context.Context, path string) (string, error) {
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, ".") {
		return strings.TrimSuffix(filepath.ToSlash(path), "/"), nil
	}
	root, err := r.Root(ctx)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(files.RealPath(root), files.RealPath(files.From(r.dir, path)))
	if err != nil || strings.HasPrefix(relative, "..") {
		return "", fmt.Errorf("%s is outside the repository", path)
	}
	return filepath.ToSlash(relative), nil
}

// Root is the folder of the repository's files.
func (r Repo) Root(ctx context.Context) (string, error) {
	root, err := r.run(ctx, "rev-parse", "--show-toplevel")
	return filepath.FromSlash(strings.TrimSpace(root)), err
}

// Ignores reports whether git ignores a path of the working directory.
func (r Repo) Ignores(ctx context.Context, path string) bool {
	_, err := r.run(ctx, "check-ignore", "--quiet", "--", path)
	return err == nil
}
