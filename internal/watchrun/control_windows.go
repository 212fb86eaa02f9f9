package watchrun

import "os"

// handleSignals does nothing: Windows has no such signals.
func handleSignals(chan<- os.Signal) {}
