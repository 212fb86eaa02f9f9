package host_test

import (
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

func TestNotesHeedQuietAndVerbose(t *testing.T) {
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
		"/work/here/a/b.json": "a/b.json", "/work/other": "/work/other", "a/b": "a/b", "../x": "../x", "/work/here": ".",
	} {
		if got := p.Rel(path); got != want {
			t.Errorf("Rel(%s) = %s, want %s", path, got, want)
		}
	}
}
