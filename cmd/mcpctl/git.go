package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
)

// readGit reads snapshots as they were committed: spec is REF for the snapshots folder, or REF:PATH; a REF may be
// merge-base.
func (inv *invocation) readGit(spec, folder string) ([]surface, error) {
	ref, path, named := strings.Cut(spec, ":")
	if !named {
		path = folder
	}
	commit, err := inv.commit(ref)
	if err != nil {
		return nil, err
	}
	files, err := committed(commit, path)
	if err != nil {
		return nil, exit.Usagef("git:%s: %w", spec, err)
	}
	if len(files) == 0 {
		return nil, exit.Usagef("git:%s: no snapshot (*.json) at %s in that commit", spec, path)
	}
	return readBlobs(ref, commit, files)
}

// commit is the commit that a REF names.
func (inv *invocation) commit(ref string) (string, error) {
	if ref == mergeBase {
		return baseCommit(inv.Lookup)
	}
	commit, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if _, silent := errors.AsType[*exec.ExitError](err); silent {
		return "", exit.Usagef("git:%s is not a commit of this repository: fetch it first, since a clone in CI often holds one commit only (git fetch origin, fetch-depth: 0), or correct the name", ref)
	}
	if err != nil {
		return "", exit.Usagef("git:%s: %w", ref, err)
	}
	return strings.TrimSpace(commit), nil
}

// committed are the snapshot files at path in a commit, relative to the repository's root.
func committed(commit, path string) ([]string, error) {
	if !filepath.IsAbs(path) && !strings.HasPrefix(path, ".") {
		return listTree(commit, strings.TrimSuffix(filepath.ToSlash(path), "/")) // from the root, as git reads REF:PATH
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root, err := git("rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	relative, err := filepath.Rel(files.RealPath(strings.TrimSpace(root)), files.RealPath(absolute))
	if err != nil || strings.HasPrefix(relative, "..") {
		return nil, fmt.Errorf("%s is outside the repository", path)
	}
	return listTree(commit, filepath.ToSlash(relative))
}

// listTree are the JSON files of a folder in a commit, or the file itself.
func listTree(commit, path string) ([]string, error) {
	out, err := git("ls-tree", "-r", "-z", "--full-tree", "--name-only", commit, "--", path)
	if err != nil {
		return nil, err
	}
	var files []string
	for _, file := range strings.Split(out, "\x00") {
		inside := strings.TrimPrefix(file, path+"/")
		if file == path || strings.HasSuffix(file, ".json") && !strings.Contains(inside, "/") {
			files = append(files, file)
		}
	}
	return files, nil
}

func readBlobs(ref, commit string, files []string) ([]surface, error) {
	var found []surface
	for _, file := range files {
		blob, err := git("cat-file", "blob", commit+":"+file)
		if err != nil {
			return nil, exit.Usagef("reading %s of %s: %w", file, ref, err)
		}
		s, err := readSurface("git:"+ref+":"+file, savedName(file), strings.NewReader(blob))
		if err != nil {
			return nil, err
		}
		found = append(found, s)
	}
	return found, nil
}

// git runs git in this folder and gives what it printed; the error holds git's own words. A folder of the repository that
// looks like a repository without files is not taken for one: its settings, which can name commands, came with a commit.
func git(args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "safe.bareRepository=explicit", "-c", "core.fsmonitor=false"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("git is not installed")
	}
	if text := strings.TrimSpace(stderr.String()); err != nil && text != "" {
		err = errors.New(text)
	}
	return string(out), err
}
