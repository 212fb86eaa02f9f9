package compare

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/git"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// rebuilt are servers now and in the commit ref, built and started there; nothing of it is left behind.
func rebuilt(ctx context.Context, p host.Process, f *fleet.Fleet, ref, build string,
	from []source.Source) (_ []Pair, err error) {
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		if t.Live() && !t.Starts() || t.Saved() {
			return nil, exit.Usagef("--base-ref: %q is not started by a command, so there is no older "+
				"version to start: name stdio servers", t.Name())
		}
	}
	tree, err := git.Here(p).AddWorktree(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer func() {
		if left := tree.Remove(); left != nil {
			p.Note("%v", left)
		}
	}()
	if failed := buildBoth(ctx, p, tree, build); failed != nil {
		return unbuilt(targets, tree, failed), context.Cause(ctx)
	}
	moved, err := f.Relocate(targets, func(name string, s probe.Stdio) probe.Stdio {
		moved := relocate(p, tree, name, s)
		if build == "" {
			borrow(p, tree, moved)
		}
		return moved
	})
	if err != nil {
		return nil, err
	}
	before, err := f.Collect(ctx, moved)
	if err != nil {
		return nil, err
	}
	current, err := f.Collect(ctx, targets)
	if err != nil {
		return nil, err
	}
	return matchByPosition(before, current, tree.Label(), build == ""), nil
}

// relocate is a stdio server as it is started from the worktree: its folder lies there, relative paths are
// seen from there, and every path into the user's own tree, in arguments and environment too, leads there.
func relocate(p host.Process, tree *git.Worktree, name string, s probe.Stdio) probe.Stdio {
	moved := probe.Stdio{Command: tree.Relocate(s.Command), Dir: tree.Relocate(s.Dir),
		Env: map[string]probe.Secret{}}
	if moved.Dir == "" {
		moved.Dir = tree.Dir()
	}
	for _, arg := range s.Args {
		moved.Args = append(moved.Args, tree.Relocate(arg))
	}
	for _, pair := range tree.Environ {
		if name, path, _ := strings.Cut(pair, "="); name == "PATH" && tree.Relocate(path) != path {
			moved.Env[name] = probe.Secret(tree.Relocate(path))
		}
	}
	for name, value := range s.Env {
		moved.Env[name] = probe.Secret(tree.Relocate(value.Reveal()))
	}
	if sameProgram(s, moved) {
		p.Note("%s: both sides run the same program, since nothing of its command line lies in the "+
			"repository; only its working folder differs", report.Visible(name))
	}
	return moved
}

// installed are the folders that Node and Python projects install into, beside what is committed.
var installed = []string{"node_modules", ".venv", "venv"}

// borrow has a server of the worktree find what is installed in the user's own tree, and says so: nothing
// else installs it there.
func borrow(p host.Process, tree *git.Worktree, s probe.Stdio) {
	var linked []string
	for _, word := range append([]string{s.Command}, s.Args...) {
		linked = append(linked, tree.Borrow(filepath.Dir(files.From(s.Dir, word)), installed)...)
	}
	if len(linked) > 0 {
		p.Note("both sides use what is installed here in %s; with --build CMD (npm ci, uv sync …) each has "+
			"its own", report.Visible(strings.Join(linked, ", ")))
	}
}

// sameProgram tells whether nothing of a server's command line leads into the tree: only its folder can make
// a difference.
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

// buildBoth builds the current tree as it is, then the worktree; nil = both are built.
func buildBoth(ctx context.Context, p host.Process, tree *git.Worktree, line string) *report.Failure {
	if !files.IsDir(tree.Dir()) {
		return &report.Failure{Stage: "checking out", Hint: "run mcpctl from a folder that both sides have",
			Message: fmt.Sprintf("%s has no folder %s", tree.Label(), tree.Prefix())}
	}
	if line == "" {
		return nil
	}
	p.Note("building what is here")
	if failure := buildIn(ctx, p, line, p.Dir, tree.Environ); failure != nil {
		failure.Message, failure.Hint = "of what is here: "+failure.Message, "mend the build, or --build"
		return failure
	}
	p.Note("building %s", report.Visible(tree.Label()))
	if failure := buildIn(ctx, p, line, tree.Dir(), tree.Environ); failure != nil {
		failure.Message = fmt.Sprintf("of %s: %s", tree.Label(), failure.Message)
		failure.Hint = "the command line of --build must do for both sides; submodules and files of Git " +
			"LFS are not there"
		return failure
	}
	return nil
}

// Bounds of one build. The time is there so that no run waits for ever, not to hurry anyone.
const (
	buildTime   = time.Hour
	buildOutput = 16 << 10
)

// buildIn runs a command line in a folder, and gives nil or why it failed. What it leaves running in the
// background ends with it. Its output goes to standard error for those who want to know more, never to
// standard output.
func buildIn(ctx context.Context, p host.Process, line, dir string, environ []string) *report.Failure {
	said := &process.Tail{Limit: buildOutput}
	var out io.Writer = said
	if p.Verbose {
		out = io.MultiWriter(said, p.Err)
	}
	environ = append(environ[:len(environ):len(environ)], "PWD="+dir)
	build := process.ShellCommand{Line: line, Dir: dir, Env: environ, Limit: buildTime}
	if err := build.Run(ctx, out, out); err != nil {
		return &report.Failure{Stage: "building", Message: err.Error(),
			Stderr: strings.TrimSpace(said.String())}
	}
	return nil
}

// unbuilt are servers of which nothing is known, because one side could not be built.
func unbuilt(targets []fleet.Target, tree *git.Worktree, failure *report.Failure) []Pair {
	var pairs []Pair
	for _, t := range targets {
		p := Pair{New: fleet.Surface{Server: report.Server{Name: t.Name(), State: report.Failed,
			Error: failure}}}
		p.Old.Source = tree.Label()
		pairs = append(pairs, p)
	}
	return pairs
}

// matchByPosition are both sides of each server. Without a build, an old side that does not start may miss
// just that.
func matchByPosition(before, current []fleet.Surface, label string, unbuilt bool) []Pair {
	var pairs []Pair
	for i, now := range current {
		if now.State == report.Disabled {
			continue
		}
		old := before[i]
		old.Source = label
		if old.Error != nil {
			failure := *old.Error
			failure.Message = "on the old side, " + label + ": " + failure.Message
			if unbuilt && now.Whole() && failure.Stage == string(probe.Starting) {
				failure.Hint = "the worktree holds what is committed and nothing that is built: if that is " +
					"what it misses, build it with --build CMD, which also installs what it needs"
			}
			old.Error = &failure
		}
		pairs = append(pairs, Pair{Old: old, New: now})
	}
	return pairs
}
