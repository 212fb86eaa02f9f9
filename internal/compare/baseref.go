package compare

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// rebuilt returns servers as they are now and as of commit ref, where they are built and started in a
// temporary worktree.
func rebuilt(
	ctx context.Context, p host.Process, f *fleet.Fleet, ref, build string, from []source.Source,
) (_ []sides, err error) {
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if t.Live() && !t.Starts() || t.Saved() {
			return nil, errNotStarted(t.Name())
		}
	}
	tree, err := source.RepoOf(p).AddWorktree(ctx, ref)
	if err != nil {
		return nil, err
	}
	var ending sync.WaitGroup // servers in the worktree
	defer p.Later(func() {
		ending.Wait()
		if err := tree.Remove(); err != nil {
			p.Note("%v", err)
		}
	})
	if failure := buildBoth(ctx, p, tree, build); failure != nil {
		return unbuilt(targets, tree, failure), context.Cause(ctx)
	}
	moved, err := f.Restarted(targets, func(_ fleet.Target, server *probe.Server) {
		*server.Stdio = relocate(p, tree, server.Name, *server.Stdio)
		if build == "" {
			linkDependencies(p, tree, *server.Stdio)
		}
	})
	if err != nil {
		return nil, err
	}
	before, err := f.Ending(ending.Go).Collect(ctx, moved)
	if err != nil {
		return nil, err
	}
	current, err := f.Collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	return matchByPosition(before, current, tree.Label(), build == ""), nil
}

// relocate returns a stdio server as it starts in the worktree: its working directory, relative paths and
// every path into the user's own tree, in arguments and environment too, lead there.
func relocate(p host.Process, tree *source.Worktree, name string, s probe.Stdio) probe.Stdio {
	moved := probe.Stdio{Command: tree.Relocate(s.Command), Dir: tree.Relocate(s.Dir),
		Env: map[string]probe.Secret{}}
	if moved.Dir == "" {
		moved.Dir = tree.Dir()
	}
	for _, arg := range s.Args {
		moved.Args = append(moved.Args, tree.Relocate(arg))
	}
	for _, variable := range tree.Environ {
		if name, path, _ := strings.Cut(variable, "="); name == "PATH" && tree.Relocate(path) != path {
			moved.Env[name] = probe.Secret(tree.Relocate(path))
		}
	}
	for name, value := range s.Env {
		moved.Env[name] = probe.Secret(tree.Relocate(value.Reveal()))
	}
	if sameProgram(s, moved) {
		p.Note("%s: both sides run the same program, since nothing of its command line is in the repository;"+
			" only the working directory differs", printable.Message(name))
	}
	return moved
}

// dependencyDirs are the directories that Node and Python projects install into.
var dependencyDirs = []string{"node_modules", ".venv", "venv"}

// linkDependencies links what is installed in the user's own tree into the worktree, where nothing is.
func linkDependencies(p host.Process, tree *source.Worktree, s probe.Stdio) {
	var linked []string
	for _, arg := range append([]string{s.Command}, s.Args...) {
		linked = append(linked, tree.LinkDeps(filepath.Dir(files.From(s.Dir, arg)), dependencyDirs)...)
	}
	if len(linked) > 0 {
		p.Note("both sides use what is installed in %s; with --build CMD (npm ci, uv sync …) each has its"+
			" own", printable.Message(strings.Join(linked, ", ")))
	}
}

// sameProgram reports whether nothing of a server's command line leads into the tree.
func sameProgram(s, moved probe.Stdio) bool {
	if strings.ContainsAny(s.Command, `/\`) && (moved.Command != s.Command || !filepath.IsAbs(s.Command)) {
		return false
	}
	for i, arg := range s.Args {
		_, err := os.Stat(filepath.Join(s.Dir, arg))
		if moved.Args[i] != arg || err == nil && arg != "" && !filepath.IsAbs(arg) {
			return false
		}
	}
	return moved.Env["PATH"] == s.Env["PATH"]
}

// buildBoth builds the current tree and the worktree. It returns nil if both succeed.
func buildBoth(ctx context.Context, p host.Process, tree *source.Worktree, line string) *seen.Failure {
	if !files.IsDir(tree.Dir()) {
		return failedCheckout(tree.Label(), tree.Prefix())
	}
	if line == "" {
		return nil
	}
	for _, side := range []struct{ name, dir, hint string }{
		{"the current tree", p.Dir, "fix the build, or --build"},
		{tree.Label(), tree.Dir(),
			"the command of --build must work on both sides, without submodules and Git LFS files"},
	} {
		p.Note("building %s", printable.Message(side.name))
		if failure := buildIn(ctx, p, line, side.dir, tree.Environ); failure != nil {
			failure.Message, failure.Hint = "of "+side.name+": "+failure.Message, side.hint
			return failure
		}
	}
	return nil
}

// Limits of one build.
const (
	buildTime   = time.Hour
	buildOutput = 16 << 10 // bytes that a failure shows
)

// buildIn runs a shell command in a directory. Its output goes to standard error with --verbose, and never to
// standard output. What it leaves running in the background is ended.
func buildIn(ctx context.Context, p host.Process, line, dir string, environ []string) *seen.Failure {
	shown := &process.Tail{Limit: buildOutput}
	var out io.Writer = shown
	if p.Verbose {
		out = io.MultiWriter(shown, p.Err)
	}
	environ = append(environ[:len(environ):len(environ)], "PWD="+dir)
	build := process.ShellCommand{Line: line, Dir: dir, Env: environ, Limit: buildTime}
	if err := build.Run(ctx, out, out); err != nil {
		return &seen.Failure{Stage: "building", Message: err.Error(),
			Stderr: strings.TrimSpace(shown.String())}
	}
	return nil
}

// unbuilt returns servers that are unknown because a build failed.
func unbuilt(targets []fleet.Target, tree *source.Worktree, failure *seen.Failure) []sides {
	var pairs []sides
	for _, t := range targets {
		old := fleet.Unseen(seen.Server{Source: tree.Label()})
		now := fleet.Unseen(seen.Server{Name: t.Name(), State: seen.Failed, Error: failure})
		pairs = append(pairs, sides{old: old, now: now})
	}
	return pairs
}

// matchByPosition pairs the two sides of each server. An old side that does not start without a build may
// lack just that.
func matchByPosition(before, current []fleet.Surface, label string, unbuilt bool) []sides {
	var pairs []sides
	for i, now := range current {
		if now.State == seen.Disabled {
			continue
		}
		old := before[i]
		old.Source = label
		if failWith(&old, "on the old side, "+label); old.Error != nil && unbuilt && now.Whole() &&
			old.Error.Stage == string(probe.Starting) {
			old.Error.Hint = "the worktree holds only what is committed: build it and install" +
				" dependencies with --build CMD"
		}
		pairs = append(pairs, sides{old: old, now: now})
	}
	return pairs
}
