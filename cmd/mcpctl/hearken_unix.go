//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// refreshSignals ask all watched servers at once.
func refreshSignals() []os.Signal { return []os.Signal{syscall.SIGUSR1} }

// ignoreBackgroundReads makes reading from a terminal in the background an error, where it would stop the process.
func ignoreBackgroundReads() { signal.Ignore(syscall.SIGTTIN) }
