package source

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
)

// The mistakes in SOURCEs.
var (
	errEmpty     = exit.Usagef("an empty SOURCE")
	errNoCommand = exit.Usagef(`specify the command of a stdio server after "--"`)
)

// SchemeError is an address of another scheme than those of HTTP, such as the URI of a resource.
type SchemeError string

// Error names the address.
func (e SchemeError) Error() string {
	return fmt.Sprintf("%q is not an http:// or https:// URL", string(e))
}

// errScheme returns the error for such an address.
func errScheme(word string) error { return exit.Misuse(SchemeError(word)) }

// errCommandLine returns the error for a SOURCE that begins as a command line and is none.
func errCommandLine(word string) error {
	return exit.Usagef("%q is not a command line: a quote is open, or it is empty", word)
}

// errNoSnapshots returns the error for a directory without snapshots.
func errNoSnapshots(dir string) error {
	return exit.Advise(saveOne, "no snapshots (*.json) in %s", dir)
}

// errNoItems returns the error for a report that does not hold a whole snapshot.
func errNoItems(why string) error { return exit.Advise(saveOne, "%s", why) }

const saveOne = "save a snapshot with mcpctl snapshot"

// errServers returns the error for a report of several servers where one snapshot is needed.
func errServers(path string, n int) error {
	return exit.Usagef("reading %s: it has %d servers; a snapshot has one", path, n)
}

// errNoFile returns the error for a file that does not exist, with what its name may have meant.
func errNoFile(path string, err error) error {
	const hint = "save snapshots with mcpctl snapshot; list configured servers with mcpctl config"
	_, meant := config.Meant(path)
	return exit.Advise(cmp.Or(meant, hint), "%w", err)
}

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
