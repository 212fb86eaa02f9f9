//go:build fleet || scale || soak

package main

import (
	"os"
	"os/exec"
	"testing"
)

// buildStatic builds mcpctl as it is released, which is smaller than the test binary.
func buildStatic(t *testing.T, program string) string {
	build := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return program
}
