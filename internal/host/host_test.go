package host_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/internal/host"
)

func TestLookup(t *testing.T) {
	p := host.Process{Environ: []string{"A=1", "A=2", "EMPTY=", "odd"}}
	for name, want := range map[string]string{"A": "2", "EMPTY": ""} {
		if got, ok := p.Lookup(name); got != want || !ok {
			t.Errorf("Lookup(%s) = %q, %v", name, got, ok)
		}
	}
	if got, ok := p.Lookup("odd"); ok {
		t.Errorf("Lookup(odd) = %q", got)
	}
}

func TestNotesFollowQuietAndVerbose(t *testing.T) {
	for _, test := range []struct {
		quiet, verbose bool
		want           string
	}{{false, false, "mcpctl: note 1\n"}, {false, true, "mcpctl: note 1\nmcpctl: detail\n"}, {true, true, ""}} {
		var out strings.Builder
		p := host.Process{Err: &out, Quiet: test.quiet, Verbose: test.verbose}
		p.Note("note %d", 1)
		p.Detail("detail")
		if out.String() != test.want {
			t.Errorf("%+v: %q", test, out.String())
		}
	}
}

func TestRel(t *testing.T) {
	p := host.Process{Dir: "/work/here"}
	for path, want := range map[string]string{
		"/work/here/a/b.json": "a/b.json", "/work/other": "/work/other", "./a/b": "./a/b", "../x": "../x", "": "", "/work/here": ".",
	} {
		if got := p.Rel(path); got != want {
			t.Errorf("Rel(%s) = %s, want %s", path, got, want)
		}
	}
}

func TestStateDir(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the paths are written as on Unix")
	}
	for _, c := range []struct{ goos, home, variable, want string }{
		{"linux", "/h", "", "/h/.local/state/mcpctl"},
		{"linux", "/h", "XDG_STATE_HOME=/s", "/s/mcpctl"},
		{"linux", "/h", "XDG_STATE_HOME=relative", "/h/.local/state/mcpctl"},
		{"linux", "", "", ""},
		{"darwin", "/h", "", "/h/Library/Application Support/mcpctl"},
		{"windows", "/h", "", "/h/AppData/Local/mcpctl"},
		{"windows", "/h", "LocalAppData=/l", "/l/mcpctl"},
	} {
		got, err := host.Process{GOOS: c.goos, Home: c.home, Environ: []string{c.variable}}.StateDir()
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v: %q, %v", c, got, err)
		}
	}
}
