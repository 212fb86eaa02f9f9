package process

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMinimalEnv(t *testing.T) {
	environ := []string{"HOME=/h", "PATH=/bin", "Path=C:\\", "SECRET=x", "TERM=() { :; }", "USER=", "broken", "SystemRoot=C:\\Windows",
		"HOMEDRIVE=C:"}
	tests := map[string][]string{
		"linux":   {"HOME=/h", "PATH=/bin", "USER="},
		"windows": {"PATH=/bin", "Path=C:\\", "SystemRoot=C:\\Windows", "HOMEDRIVE=C:"},
	}
	for goos, want := range tests {
		if diff := cmp.Diff(want, minimalEnv(goos, environ)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", goos, diff)
		}
	}
	if got := MinimalEnv(os.Environ()); !slices.ContainsFunc(got,
		func(pair string) bool { return strings.HasPrefix(strings.ToUpper(pair), "PATH=") }) {
		t.Errorf("PATH is not in %v", got)
	}
}
