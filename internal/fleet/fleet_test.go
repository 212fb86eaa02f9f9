package fleet

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/trust"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// load is a fleet of the servers of a configuration that was found in a folder of its own.
func load(t *testing.T, configuration string, s Selection, c Contact, words ...string) (*Fleet, []source.Source, error) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, ".mcp.json"), []byte(configuration), 0o600); err != nil {
		t.Fatal(err)
	}
	p := host.Process{Dir: dir, Home: dir, GOOS: "linux", Err: new(bytes.Buffer), Environ: []string{"CI=true"}}
	from, err := source.ParseAll(words, nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := LoadAsking(context.Background(), p, s, c, from)
	return f, from, err
}

// TestGate: what was found and not named has no server that could be contacted until someone agreed.
func TestGate(t *testing.T) {
	const configuration = `{"mcpServers": {"a": {"command": "a"}, "b": {"url": "https://b.example/mcp"}, "off": {"command": "c", ` +
		`"disabled": true}}}`
	for _, yes := range []bool{false, true} {
		f, from, err := load(t, configuration, Selection{Yes: !yes, Trust: yes}, DefaultContact())
		if err != nil {
			t.Fatal(err)
		}
		targets, err := f.Resolve(t.Context(), from)
		if err != nil || len(targets) != 3 {
			t.Fatalf("%d targets, %v", len(targets), err)
		}
		for i, target := range targets {
			if live := yes && i < 2; target.Live() != live || (target.server != nil) != live {
				t.Errorf("--trust %v: %s: live is %v", yes, target.Name(), target.Live())
			}
		}
	}
}

// TestChangedEntryDoesNotStart refuses to start an entry that changed, though size and time of its file did not.
func TestChangedEntryDoesNotStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, from, err := load(t, `{"mcpServers": {"a": {"command": "good"}}}`, Selection{Trust: true}, DefaultContact())
		if err != nil {
			t.Fatal(err)
		}
		targets, err := f.Resolve(t.Context(), from)
		if err != nil {
			t.Fatal(err)
		}
		verify := targets[0].server.Verify
		time.Sleep(time.Minute)
		if err := verify(); err != nil {
			t.Errorf("an entry that did not change: %v", err)
		}
		file := filepath.Join(f.process.Dir, ".mcp.json")
		info, err := os.Stat(file)
		if err == nil {
			err = os.WriteFile(file, []byte(`{"mcpServers": {"a": {"command": "evil"}}}`), 0o600)
		}
		if err == nil {
			err = os.Chtimes(file, info.ModTime(), info.ModTime())
		}
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		if err := verify(); err == nil || !strings.Contains(err.Error(), "changed since it was trusted") {
			t.Errorf("an entry that changed: %v", err)
		}
	})
}

func TestSelection(t *testing.T) {
	const configuration = `{"mcpServers": {"git-a": {"command": "a"}, "git-b": {"command": "b"}, "files": {"command": "c"}}}`
	for name, c := range map[string]struct {
		selection Selection
		words     []string
		want      string
	}{
		"all":   {Selection{}, nil, "git-a git-b files"},
		"named": {Selection{}, []string{"files", "git-a"}, "git-a files"},
		"only":  {Selection{Only: []string{"git-*"}}, nil, "git-a git-b"},
		"part":  {Selection{Shard: Shard{Index: 1, Count: 2}}, nil, "files"},
		"with a URL": {Selection{}, []string{"files", "http://127.0.0.1:1/mcp", "http://127.0.0.1:1/sse", "http://127.0.0.1:1/b"},
			"files 127.0.0.1-1 127.0.0.1-1-2 127.0.0.1-1-3e23e8"},
		"only, with a URL": {Selection{Only: []string{"files"}}, []string{"files", "http://127.0.0.1:1/a"}, "files"},
	} {
		f, from, err := load(t, configuration, c.selection, DefaultContact(), c.words...)
		if err != nil {
			t.Fatal(err)
		}
		targets, err := f.Resolve(t.Context(), from)
		var names []string
		for _, target := range targets {
			names = append(names, target.Name())
		}
		if got := strings.Join(names, " "); got != c.want || err != nil {
			t.Errorf("%s: %s, %v, want %s", name, got, err, c.want)
		}
	}
	for _, wrong := range []Selection{{Only: []string{"gti-a"}}, {Only: []string{"files"}}} {
		f, from, err := load(t, configuration, wrong, DefaultContact(), "git-a")
		if err == nil {
			_, err = f.Resolve(t.Context(), from)
		}
		if exit.CodeOf(err) != exit.Usage {
			t.Errorf("%v: %v", wrong, err)
		}
	}
}

// TestHeadersGoToOneOrigin: what the command line says may be a credential.
func TestHeadersGoToOneOrigin(t *testing.T) {
	c := DefaultContact()
	c.Headers = []string{"Authorization: Bearer x"}
	f, from, err := load(t, `{"mcpServers": {}}`, Selection{}, c, "https://a.example/mcp", "https://b.example/mcp")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Resolve(t.Context(), from); exit.CodeOf(err) != exit.Usage ||
		!strings.Contains(err.Error(), "https://a.example, https://b.example") {
		t.Errorf("two origins: %v", err)
	}
	targets, err := f.Resolve(t.Context(), from[:1])
	if err != nil || targets[0].server.HTTP.Headers["Authorization"].Reveal() != "Bearer x" || targets[0].server.HTTP.Authorize != nil {
		t.Errorf("one origin: %+v, %v", targets, err)
	}
	if targets[0].known.entry().Server.HTTP.Headers != nil {
		t.Error("what is declared was changed")
	}
}

func TestSame(t *testing.T) {
	stdio := func(line, command string) Target {
		server := &probe.Server{Name: "a", Source: line, Stdio: &probe.Stdio{Command: command}}
		return Target{known: Surface{admitted: &trust.Approved{}}, server: server}
	}
	a := stdio("mcp.json:3", "x")
	absent := func(name string) Target { return Target{known: Absent(name)} }
	if !a.Same(stdio("mcp.json:7", "x")) || a.Same(stdio("mcp.json:3", "y")) || a.Same(absent("a")) {
		t.Error("a server is another one in another line, or the same with another command")
	}
	if known := absent("a"); !known.Same(absent("a")) || known.Same(absent("b")) {
		t.Error("servers that are not contacted are told apart by what is known of them")
	}
}

func TestStatus(t *testing.T) {
	ok, failed := Surface{Server: seen.Server{State: seen.OK}}, Surface{Server: seen.Server{State: seen.Failed}}
	misconfigured, disabled, tolerated := failed, Surface{Server: seen.Server{State: seen.Disabled}}, failed
	misconfigured.Misconfigured, tolerated.Tolerated = true, &finding.Tolerance{}
	for _, c := range []struct {
		surfaces []Surface
		want     int
	}{
		{nil, exit.OK}, {[]Surface{ok, disabled}, exit.OK}, {[]Surface{ok, failed}, exit.Incomplete}, {[]Surface{ok, tolerated}, exit.OK},
		{[]Surface{misconfigured, disabled}, exit.Usage}, {[]Surface{misconfigured, ok}, exit.Incomplete}, {[]Surface{disabled}, exit.OK},
	} {
		if got := Status(c.surfaces); got != c.want {
			t.Errorf("Status(%v) = %d, want %d", c.surfaces, got, c.want)
		}
	}
}
