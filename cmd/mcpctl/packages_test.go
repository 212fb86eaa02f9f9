//go:build packages

package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestPackages runs the scripts that install with the real npm and pip, from registries on this machine. They take as long as
// all others together, so make test-packages runs them alone.
func TestPackages(t *testing.T) {
	t.Parallel()
	if found, _ := filepath.Glob("testdata/packages/*.txtar"); len(found) == 0 {
		t.Fatal("no scripts")
	}
	testscript.Run(t, scripts("testdata/packages"))
}
