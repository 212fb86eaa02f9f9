//go:build unix

package watchrun

import (
	"os"
	"os/signal"
	"syscall"
)

func refreshSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

func reloadSignals() []os.Signal { return []os.Signal{syscall.SIGHUP} }

// ignoreBackgroundReads makes reading from a terminal in the background an error, where it would stop the
// process.
func ignoreBackgroundReads() { signal.Ignore(syscall.SIGTTIN) }
