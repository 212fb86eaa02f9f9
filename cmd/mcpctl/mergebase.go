package main

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// mergeBase is the word for the commit at which this branch left the one that it goes back to.
const mergeBase = "merge-base"

// baseCommit is the commit at which HEAD left the branch that it is to be merged into: the one that CI names, else the
// default branch of origin, else main or master here.
func baseCommit(lookup func(string) (string, bool)) (string, error) {
	candidates := targetBranches(lookup)
	for _, branch := range candidates {
		if _, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", branch+"^{commit}"); err != nil {
			continue
		}
		commit, err := git("merge-base", branch, "HEAD")
		if err != nil {
			return "", exit.Usagef("git:merge-base: HEAD and %s have no commit in common: a shallow clone holds too little history, so fetch all of it (fetch-depth: 0, git fetch --unshallow)", branch)
		}
		return strings.TrimSpace(commit), nil
	}
	return "", exit.Usagef("git:merge-base: there is none of %s to compare with: fetch the branch, or name a commit: git:REF", strings.Join(candidates, ", "))
}

// targetBranches are the branches that HEAD may be merged into, the likeliest first.
func targetBranches(lookup func(string) (string, bool)) []string {
	var branches []string
	for _, variable := range []string{"GITHUB_BASE_REF", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "CHANGE_TARGET"} { // GitHub, GitLab, Jenkins
		if name, _ := lookup(variable); name != "" {
			branches = append(branches, "refs/remotes/origin/"+name, "refs/heads/"+name)
		}
	}
	if len(branches) > 0 {
		return branches // another branch would be the wrong one
	}
	return []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}
}
