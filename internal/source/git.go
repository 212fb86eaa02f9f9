package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
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

// Repo is the repository that a directory is in.
type Repo struct {
	dir     string   // absolute
	environ []string // for git
}

// RepoOf returns the repository of the working directory.
func RepoOf(p host.Process) Repo { return Repo{dir: p.Dir, environ: p.Environ} }

// run runs git and returns its output; the error is git's message. No hook or monitor of the repository runs,
// a directory that only looks like a repository is ignored, and git does not ask for anything.
func (r Repo) run(ctx context.Context, stdin string, args ...string) ([]byte, error) {
	program, err := process.Tool("git", r.environ)
	if err != nil {
		return nil, process.Missing(err, "git is not installed")
	}
	safe := []string{
		"-C", r.dir, "-c", "safe.bareRepository=explicit", "-c", "core.hooksPath=" + os.DevNull,
		"-c", "core.fsmonitor=false", "-c", "submodule.recurse=false",
	}
	cmd := exec.CommandContext(ctx, program, slices.Concat(safe, args)...)
	cmd.Env = append(slices.Clone(r.environ), "GIT_LFS_SKIP_SMUDGE=1", "GIT_TERMINAL_PROMPT=0")
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	err = process.Run(cmd)
	switch message := strings.TrimSpace(stderr.String()); {
	case err == nil:
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case message != "":
		err = errors.New(strings.TrimPrefix(message, "fatal: "))
	}
	return stdout.Bytes(), err
}

// line runs git and returns its output of one line.
func (r Repo) line(ctx context.Context, args ...string) (string, error) {
	out, err := r.run(ctx, "", args...)
	return strings.TrimSpace(string(out)), err
}

// Ignores reports whether git ignores a path of the working directory.
func (r Repo) Ignores(ctx context.Context, path string) bool {
	_, err := r.line(ctx, "check-ignore", "--quiet", "--", path)
	return err == nil
}

// MergeBase is the REF of the commit at which this branch left its target.
const MergeBase = "merge-base"

// Commit returns the commit of a REF, which may be MergeBase.
func (r Repo) Commit(ctx context.Context, ref string) (string, error) {
	if ref == MergeBase {
		return r.mergeBase(ctx)
	}
	commit, err := r.resolve(ctx, ref)
	if _, silent := errors.AsType[*exec.ExitError](err); silent {
		return "", errNoCommit(ref)
	}
	if err != nil {
		return "", exit.Usagef("git:%s: %w", ref, err)
	}
	return commit, nil
}

func (r Repo) resolve(ctx context.Context, ref string) (string, error) {
	return r.line(ctx, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
}

// mergeBase returns the commit at which HEAD left its target: the branch that CI names, else origin's
// default, else main or master.
func (r Repo) mergeBase(ctx context.Context) (string, error) {
	candidates := targetBranches(host.Process{Environ: r.environ}.Lookup)
	for _, branch := range candidates {
		if _, err := r.resolve(ctx, branch); err != nil {
			continue
		}
		commit, err := r.line(ctx, "merge-base", branch, "HEAD")
		if err != nil {
			return "", errUnrelated(branch)
		}
		return commit, nil
	}
	return "", errNoBranch(candidates)
}

// targetBranches returns the branches into which HEAD may be merged, the likeliest first.
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
		return branches // another branch would be wrong
	}
	return []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master",
		"refs/heads/main", "refs/heads/master"}
}

// CommittedFile is a file of a commit.
type CommittedFile struct {
	Path string // from the repository's root, with slashes
	Data []byte
}

// Read reads the files with an extension in a directory of a commit, or the one file at path. A path that
// begins with a dot or is absolute is one of the current tree; others start at the repository's root, as git
// reads REF:PATH. Sizes are known before anything is read: a file above limit bytes is an error, and so is a
// directory above four times that.
func (r Repo) Read(
	ctx context.Context, commit, path, extension string, limit int64,
) ([]CommittedFile, error) {
	path, err := r.fromRoot(ctx, path)
	if err != nil {
		return nil, err
	}
	listed, err := r.run(ctx, "", "ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--", path)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	total := int64(0)
	for entry := range strings.SplitSeq(strings.TrimSuffix(string(listed), "\x00"), "\x00") {
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
	return r.contents(ctx, blobs)
}

// blob is a file of a commit before it is read.
type blob struct {
	path, object string
	size         int64
}

// contents reads all blobs with one process of git, which prints for each a line with its size, the content,
// and a newline.
func (r Repo) contents(ctx context.Context, blobs []blob) ([]CommittedFile, error) {
	if len(blobs) == 0 {
		return nil, nil
	}
	var objects strings.Builder
	for _, b := range blobs {
		objects.WriteString(b.object + "\n")
	}
	out, err := r.run(ctx, objects.String(), "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	var all []CommittedFile
	for _, b := range blobs {
		rest, ok := bytes.CutPrefix(out, fmt.Appendf(nil, "%s blob %d\n", b.object, b.size))
		if !ok || int64(len(rest)) <= b.size {
			return nil, fmt.Errorf("reading %s: git cat-file printed something unexpected", b.path)
		}
		all = append(all, CommittedFile{b.path, rest[:b.size:b.size]})
		out = rest[b.size+1:]
	}
	return all, nil
}

// fromRoot returns a path relative to the repository's root.
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

// Root returns the root of the repository's working tree.
func (r Repo) Root(ctx context.Context) (string, error) {
	root, err := r.line(ctx, "rev-parse", "--show-toplevel")
	return filepath.FromSlash(root), err
}
