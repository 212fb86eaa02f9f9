//go:build unix

package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// The terminal that a process belongs to.
const terminalIn, terminalOut = "/dev/tty", "/dev/tty"

// refreshSignals ask all watched servers at once.
func refreshSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// reloadSignals ask for the configuration to be read again.
func reloadSignals() []os.Signal { return []os.Signal{syscall.SIGHUP} }

// ignoreBackgroundReads makes reading from a terminal in the background an error, where it would stop the process.
func ignoreBackgroundReads() { signal.Ignore(syscall.SIGTTIN) }

// shellOf is how the system's shell runs a command line.
func shellOf(line string) []string { return []string{"/bin/sh", "-c", line} }

// endsWhole makes the end of a command the end of everything that it has started, too.
func endsWhole(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// endRest ends what a command has left behind in its process group.
func endRest(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
}
