//go:build unix

package watchrun

import (
	"os"
	"os/signal"
	"syscall"
)

// handleSignals sends SIGUSR1 to a channel, and makes reading from a terminal in the background an error:
// otherwise that would stop the process.
func handleSignals(refresh chan<- os.Signal) {
	signal.Notify(refresh, syscall.SIGUSR1)
	signal.Ignore(syscall.SIGTTIN)
}
