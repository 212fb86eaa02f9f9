//go:build !linux

package main

// escape is for the sandbox, which is on Linux alone.
func escape([]string) int { return 2 }
