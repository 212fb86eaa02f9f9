package login

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestBrowsers hands the page over as one argument, whatever is in it.
func TestBrowsers(t *testing.T) {
	const page = "https://auth.example/a?b=$(id)&c=%s"
	tests := map[string]struct {
		goos    string
		environ []string
		want    [][]string
	}{
		"macOS":            {"darwin", nil, [][]string{{"open", page}}},
		"Windows":          {"windows", nil, [][]string{{"rundll32", "url.dll,FileProtocolHandler", page}}},
		"Linux, X11":       {"linux", []string{"DISPLAY=:0"}, [][]string{{"xdg-open", page}, {"wslview", page}}},
		"Linux, Wayland":   {"linux", []string{"WAYLAND_DISPLAY=wayland-0"}, [][]string{{"xdg-open", page}, {"wslview", page}}},
		"Linux, no screen": {"linux", nil, nil},
	}
	for name, test := range tests {
		if diff := cmp.Diff(test.want, systemBrowsers(host.Process{GOOS: test.goos, Environ: test.environ}, page)); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// TestBrowse goes on to the next program of BROWSER when one is not there, and runs no shell.
func TestBrowse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the browser is touch")
	}
	here := filepath.Join(t.TempDir(), "page;$(touch evil)")
	p := host.Process{Environ: []string{"PATH=" + os.Getenv("PATH"), "BROWSER=no-such-browser:touch"}}
	if err := openBrowser(p, here); err != nil {
		t.Fatal(err)
	}
	for begun := time.Now(); ; time.Sleep(5 * time.Millisecond) {
		if _, err := os.Stat(here); err == nil {
			return
		}
		if time.Since(begun) > 5*time.Minute {
			t.Fatal("the page was not opened")
		}
	}
}
