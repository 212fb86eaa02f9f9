package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// rebuilt is an old side that is started from another commit.
type rebuilt struct{ ref, build string }

// check finds mistakes in the flags before anything is contacted.
func (r rebuilt) check(base string) error {
	switch {
	case r.ref == "" && r.build != "":
		return exit.Usagef("--build is for --base-ref: name the commit to build, too")
	case r.ref != "" && base != "":
		return exit.Usagef("--base and --base-ref both name an old side: leave one of them out")
	}
	return nil
}

// rebuiltPairs are servers as they are now, each with what it was in the commit: built there and started from there.
// Nothing is left of it when this returns.
func (inv *invocation) rebuiltPairs(ctx context.Context, cfg *config.Config, r rebuilt, targets []target) (_ []pair, err error) {
	steps, err := inv.plan(cfg, targets)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		if s.contact == nil && s.known.snapshot != nil || s.contact != nil && s.contact.Stdio == nil {
			return nil, exit.Usagef("--base-ref: %q is not started by a command, so there is no older version to start: name stdio servers", s.name())
		}
	}
	tree, err := inv.addWorktree(ctx, r.ref)
	if err != nil {
		return nil, err
	}
	defer func() {
		if left := tree.remove(); left != nil {
			inv.Note("%v", left)
		}
	}()
	if failed := inv.buildBoth(ctx, tree, r.build); failed != nil {
		return failed.pairs(steps, tree), context.Cause(ctx)
	}
	before, err := inv.reach(ctx, cfg, inv.relocated(steps, tree))
	if err != nil {
		return nil, err
	}
	current, err := inv.reach(ctx, cfg, steps)
	if err != nil {
		return nil, err
	}
	return zipped(before, current, tree.label(), r.build == ""), nil
}

// label is how reports name the old side.
func (w *worktree) label() string { return "git:" + w.ref }

// relocated are the steps as they are taken from the worktree.
func (inv *invocation) relocated(steps []step, tree *worktree) []step {
	old := make([]step, len(steps))
	for i, s := range steps {
		if old[i] = s; s.contact != nil {
			server := tree.relocate(*s.contact)
			old[i].contact = &server
			if tree.shared(*s.contact, server) {
				inv.Note("%s: both sides run the same program, since nothing of its command line lies in the repository; only its working folder differs", report.Visible(s.contact.Name))
			}
		}
	}
	return old
}

// buildFailure is a build that failed, on one of the two sides.
type buildFailure struct {
	report.Failure
	old bool
}

// buildBoth builds the current tree as it is, then the worktree.
func (inv *invocation) buildBoth(ctx context.Context, tree *worktree, line string) *buildFailure {
	if info, err := os.Stat(tree.here()); err != nil || !info.IsDir() {
		return &buildFailure{report.Failure{Stage: "checking out", Hint: "run mcpctl from a folder that both sides have",
			Message: fmt.Sprintf("%s has no folder %s", tree.label(), filepath.ToSlash(tree.prefix))}, true}
	}
	if line == "" {
		return nil
	}
	dir, err := os.Getwd()
	if err != nil {
		return &buildFailure{report.Failure{Stage: "building", Message: err.Error()}, false}
	}
	inv.Note("building what is here")
	if failure := inv.rebuild(ctx, line, dir, tree.environ); failure != nil {
		failure.Message, failure.Hint = "of what is here: "+failure.Message, "mend the build, or --build"
		return &buildFailure{*failure, false}
	}
	inv.Note("building %s", report.Visible(tree.label()))
	if failure := inv.rebuild(ctx, line, tree.here(), tree.environ); failure != nil {
		failure.Message = fmt.Sprintf("of %s: %s", tree.label(), failure.Message)
		failure.Hint = "the command line of --build must do for both sides; submodules and files of Git LFS are not there"
		return &buildFailure{*failure, true}
	}
	return nil
}

// pairs are servers of which nothing is known, because one side could not be built.
func (f *buildFailure) pairs(steps []step, tree *worktree) []pair {
	var pairs []pair
	for _, s := range steps {
		failed := surface{Server: report.Server{Name: s.name(), State: report.Failed, Error: &f.Failure}}
		p := pair{now: failed}
		p.old.Source = tree.label()
		pairs = append(pairs, p)
	}
	return pairs
}

// zipped are the two sides of each server. Where nothing was built, an old side that does not start may miss just that.
func zipped(before, current []surface, label string, unbuilt bool) []pair {
	var pairs []pair
	for i, now := range current {
		if now.State == report.Disabled {
			continue
		}
		old := before[i]
		old.Source = label
		if old.Error != nil {
			failure := *old.Error
			failure.Message = "on the old side, " + label + ": " + failure.Message
			if unbuilt && now.whole() && failure.Stage == string(probe.Starting) {
				failure.Hint = "the worktree holds what is committed and nothing that is built: if that is what it misses, build it with --build CMD"
			}
			old.Error = &failure
		}
		pairs = append(pairs, pair{old: old, now: now}.oneSided())
	}
	return pairs
}

// oneSided makes a side absent that ended at its start over an argument that only the other side knows.
func (p pair) oneSided() pair {
	name, source := p.now.Name, p.old.Source
	switch {
	case p.old.unknown != "" && p.now.whole():
		p.old, p.why = absent(name), fmt.Sprintf("The old side does not know the argument %s.", p.old.unknown)
		p.old.Source = source
	case p.now.unknown != "" && p.old.whole():
		p.why = fmt.Sprintf("The argument %s is not known any more.", p.now.unknown)
		p.now = absent(name)
	}
	return p
}
