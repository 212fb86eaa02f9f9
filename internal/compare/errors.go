package compare

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
)

// The mistakes in flags and SOURCEs that show before a server is contacted.
var (
	errAcceptAll  = exit.Usagef("--all cannot be used with fingerprints, --tool or --rule")
	errAcceptNone = exit.UsageHint("list fingerprints with mcpctl diff",
		"specify fingerprints, --tool, --rule or --all")
	errVersions = exit.UsageHint("mcpctl diff npm:PACKAGE --versions 5", "--versions requires one package")
	errBuild    = exit.Usagef("--build requires --base-ref")
	errLocked   = exit.UsageHint("name only one side", "--locked compares with saved snapshots")
	errNoCalls  = exit.UsageHint(nameCalls, "--no-examples needs recorded calls")
	errPackages = exit.Usagef("no server starts a package with npx, uvx, docker or another known launcher")
)

// ErrOneSide is the error for one saved SOURCE, which needs another one to be compared with.
var ErrOneSide = exit.UsageHint("mcpctl diff OLD NEW, or use --base", "missing second source")

const nameCalls = "name their file with --calls FILE"

// errFailOnCalls returns the error for a threshold that needs recorded calls.
func errFailOnCalls(failOn string) error {
	return exit.UsageHint(nameCalls, "--fail-on %s needs recorded calls", failOn)
}

// errFailOnCheck returns the error for a threshold that check does not have.
func errFailOnCheck(failOn string) error { return exit.Usagef("--fail-on %s is for diff", failOn) }

// errAgainst returns the error for a file that describes one server, with several servers.
func errAgainst(file string, servers int) error {
	return exit.UsageHint("name one", "%s describes one server, and %d are checked", file, servers)
}

// errAgainstFolder returns the error for a directory in the place of a file.
func errAgainstFolder(dir string) error {
	return exit.UsageHint("name the files in it, each with an --against of its own",
		"reading %s: it is a directory", dir)
}

// errKinds returns the error for flags that each say what to compare with.
func errKinds(flags []string) error {
	return exit.Usagef("specify only one of %s", strings.Join(flags, ", "))
}

// errSides returns the error for a saved SOURCE that is not half of a pair.
func errSides(n int, saved source.Source) error {
	return exit.UsageHint("name two, the old one first, or use --base",
		"%d SOURCEs are named, and %q is a saved one", n, saved)
}

// errNotStarted returns the error for --base-ref with a server that no commit of the repository can change.
func errNotStarted(name string) error {
	return exit.UsageHint("name stdio servers", "--base-ref: %q is not started by a command", name)
}

// errFingerprint returns the error for a fingerprint that several findings have.
func errFingerprint(id string, matches []string) error {
	return exit.Usagef("fingerprint %s is ambiguous: %s", id, strings.Join(matches, ", "))
}

// errNoFinding returns the error for a fingerprint that no finding has. The user made no mistake where a
// server did not answer in full.
func errNoFinding(id string, known, incomplete []string) error {
	if len(incomplete) > 0 {
		return fmt.Errorf("no finding has the fingerprint %s; it may be in %s, which did not answer in full",
			id, strings.Join(incomplete, ", "))
	}
	return exit.UsageHint(cmp.Or(kit.Suggest(id, known), "list them with mcpctl diff"),
		"no finding has the fingerprint %s", id)
}

// errUnsaved returns the error for servers that have no snapshot that could be moved.
func errUnsaved(hint func(...seen.Server) string, servers []seen.Server) error {
	names := kit.Map(servers, func(s seen.Server) string { return printable.Message(s.Name) })
	return exit.UnsavedHint(hint(servers...), "no saved snapshot of %s", kit.Some(names))
}

// errNoChange returns the error for names of tools and rules that no change has. The user made no mistake
// where a server did not answer in full.
func errNoChange(words, incomplete []string) error {
	if len(incomplete) > 0 {
		return fmt.Errorf("no change matches %s; it may be in %s, which did not answer in full",
			strings.Join(words, ", "), strings.Join(incomplete, ", "))
	}
	return exit.UsageHint(`see "mcpctl diff"`, "no change matches %s", strings.Join(words, ", "))
}

// errOutput returns the error for one file for the snapshots of several servers.
func errOutput(servers int) error {
	return exit.UsageHint("leave it out to save a file for each",
		"--output takes the snapshot of one server, and %d are named", servers)
}

// errOutside returns the error for a snapshot directory of mcpctl.yaml that leads out of the project.
func errOutside(path, target string) error {
	return exit.UsageHint("name the directory with --snapshots if you mean it",
		"%s leads out of the project, to %s", path, target)
}

// errLink returns the error for a snapshot file that is a link and cannot be followed.
func errLink(path string, err error) error {
	return exit.Advise("name the file with --output FILE, or the directory with --snapshots DIR",
		"%s is a symbolic link: %v", path, err)
}

// errConflict returns the error for a snapshot with conflict markers.
func errConflict(file string) error {
	return exit.Advise("if it is the file of this server, run git checkout --ours or --theirs, or"+
		" delete it, and save it again with mcpctl snapshot",
		"%s has conflict markers and may be the file of another server", file)
}

// errOtherServer returns the error for a file that holds the snapshot of a server with another name.
func errOtherServer(file, was, is string) error {
	return exit.Advise("give the server a name of its own in .mcp.json, or use --output FILE; if it"+
		" was renamed, delete the file first",
		"%s is the snapshot of %q, and this server calls itself %q", file, was, is)
}

// failedCheckout returns the failure of a commit that does not have the current directory.
func failedCheckout(commit, dir string) *seen.Failure {
	return &seen.Failure{Stage: "checking out", Message: fmt.Sprintf("%s has no directory %s", commit, dir),
		Hint: "run mcpctl from a directory that both sides have"}
}

// failedLock returns the failure of a package that is not as the lock has it.
func failedLock(difference string) *seen.Failure {
	return &seen.Failure{Stage: "comparing", Message: "--locked: " + difference,
		Hint: "show the changes with mcpctl diff, and lock the package with mcpctl snapshot"}
}

// failedLookup returns the failure of a package that its registry does not describe.
func failedLookup(err error) *seen.Failure {
	return &seen.Failure{Stage: seen.LookingUp, Hint: exit.HintOf(err),
		Message: strings.TrimPrefix(err.Error(), seen.LookingUp+" ")}
}

// failedPair returns the failure of a server that one of two sides lacks.
func failedPair(has, lacks string) *seen.Failure {
	return &seen.Failure{Stage: "comparing", Message: "only the " + has + " side has this server",
		Hint: "name it on the " + lacks + " side, or leave it out of the " + has + " one"}
}
