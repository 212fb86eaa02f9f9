//go:build !linux

package main

import "github.com/rogpeppe/go-internal/testscript"

// leftIn needs /proc.
func leftIn(string) []string { return nil }

// noChild needs /proc.
func noChild(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Logf("NOT CHECKED: whether processes were left behind can be seen on Linux only")
}
