package main

import "os"

// The console that a process belongs to.
const terminalIn, terminalOut = "CONIN$", "CONOUT$"

// refreshSignals is empty: there is no such signal here.
func refreshSignals() []os.Signal { return nil }

// reloadSignals is empty: there is no such signal here.
func reloadSignals() []os.Signal { return nil }

func ignoreBackgroundReads() {}
