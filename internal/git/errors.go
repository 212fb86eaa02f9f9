package git

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// errNoCommit returns the error for a name that no commit of the repository has.
func errNoCommit(ref string) error {
	return exit.UsageHint("run git fetch origin (in CI fetch-depth: 0), or correct the name",
		"git:%s is not a commit of this repository", ref)
}

// errUnrelated returns the error for a branch that has no commit in common with HEAD.
func errUnrelated(branch string) error {
	return exit.UsageHint("in a shallow clone run git fetch --unshallow (in CI fetch-depth: 0)",
		"git:merge-base: HEAD and %s have no commit in common", branch)
}

// errNoBranch returns the error for a repository without any of the branches that HEAD may be merged into.
func errNoBranch(candidates []string) error {
	return exit.UsageHint("fetch the branch, or name a commit: git:REF",
		"git:merge-base: none of %s exists", strings.Join(candidates, ", "))
}

// errNoWorkTree returns the error for --base-ref outside of a working tree.
func errNoWorkTree(err error) error {
	return exit.Usagef("--base-ref needs a repository with a working tree: %w", err)
}
