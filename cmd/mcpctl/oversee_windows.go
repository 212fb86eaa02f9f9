package main

import (
	"os"
	"os/exec"
)

// The console that a process belongs to.
const terminalIn, terminalOut = "CONIN$", "CONOUT$"

// refreshSignals is empty: there is no such signal here.
func refreshSignals() []os.Signal { return nil }

// reloadSignals is empty: there is no such signal here.
func reloadSignals() []os.Signal { return nil }

func ignoreBackgroundReads() {}

// shellOf is how the system's shell runs a command line.
func shellOf(line string) []string { return []string{"cmd", "/C", line} }

// endsWhole leaves a command as it is: what it has started may outlive it.
func endsWhole(*exec.Cmd) {}

// endRest leaves what a command has started as it is, like endsWhole.
func endRest(*exec.Cmd) {}
