package sandbox

import (
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/printable"
)

// withoutSandbox is the hint where no sandbox is possible.
const withoutSandbox = "leave --sandbox out, or use a container"

// Reasons why this machine has no sandbox.
var (
	errNotLinux = exit.Advise(withoutSandbox, "--sandbox needs bubblewrap, which exists on Linux only")
	errNoBwrap  = exit.Advise("install it (apt install bubblewrap, dnf install bubblewrap), or leave "+
		"--sandbox out", "--sandbox needs bubblewrap, but bwrap is not in PATH; nothing was started")
)

// errNoFilter returns the error for an architecture whose system calls cannot be filtered.
func errNoFilter(goarch string) error {
	return exit.Advise(withoutSandbox,
		"--sandbox has no filter of system calls for %s, so that Unix sockets could be reached", goarch)
}

// errTrial returns the error for a trial of the sandbox that failed and wrote out.
func errTrial(out string, err error) error {
	return exit.Advise("allow user namespaces (kernel.unprivileged_userns_clone, AppArmor, container "+
		"settings)",
		"--sandbox does not work here, so nothing was started: %s %w",
		printable.Message(strings.TrimSpace(out)), err)
}

// errEngine returns the error for a launcher of containers.
func errEngine(launcher string) error {
	return exit.Advise("run it without --sandbox: a container is isolated already",
		"%s reaches its engine by a Unix socket, which the sandbox does not have", launcher)
}

// errNetwork returns the error for a launcher whose package is not known.
func errNetwork(launcher string, args []string) error {
	return exit.Advise("grant the network in mcpctl.yaml",
		"%s %s would need the network, which the sandbox does not have", launcher, strings.Join(args, " "))
}

// errFetch returns the error for a package that is not installed; first is the command that installs it.
func errFetch(launcher, ref, first string) error {
	return exit.Advise("fetch it without starting it ("+
		printable.Message(first)+"), or grant the network in "+
		"mcpctl.yaml",
		"%s would fetch %s, but the sandbox has no network", launcher, ref)
}

// errTooMuch returns the error for a grant of a folder that holds more than a project.
func errTooMuch(folder string) error {
	return exit.Advise("grant a folder of the project",
		"%s is granted for writing, but holds more than a project", folder)
}

// errNoFolder returns the error for a grant of a folder that does not exist.
func errNoFolder(folder string) error {
	return exit.Advise("create it first", "%s is granted for writing, but does not exist", folder)
}

// errOutside returns the error for a working folder outside of the project.
func errOutside(dir string, projects []string) error {
	return exit.Advise("run mcpctl there, or fix cwd",
		"its working folder %s is outside of the project (%s), and the sandbox shows nothing else", dir,
		strings.Join(projects, ", "))
}
