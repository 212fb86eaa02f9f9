package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/mcpctl/mcpctl/pkg/probe"
)

// wrapped is the command line of a server in the sandbox, and what stands before the server's own part of it.
func wrapped(t *testing.T, b Box, s probe.Stdio) (out probe.Stdio, walls string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: bubblewrap is for Linux")
	}
	out, _ = b.Wrap(s)
	end := slices.Index(out.Args, "--")
	if out.Command != b.Bwrap || end < 0 || !slices.Equal(out.Args[end+1:], append([]string{s.Command}, s.Args...)) {
		t.Fatalf("%q %q does not end with the server's command", out.Command, out.Args)
	}
	return out, strings.Join(out.Args[:end], " ")
}

var box = Box{Bwrap: "/usr/bin/bwrap", Home: "/home/me", Path: "/usr/bin", Dir: "/home/me/project"}

func TestWrapShutsIn(t *testing.T) {
	out, walls := wrapped(t, box, probe.Stdio{Command: "npx", Args: []string{"-y", "--bind", "/"}})
	for _, want := range []string{
		"--unshare-all", "--die-with-parent", "--new-session", "--cap-drop ALL", "--tmpfs /tmp", "--chdir /home/me/project",
		"--tmpfs /home/me --ro-bind /home/me/project /home/me/project", // in this order, or the project is not seen
	} {
		if !strings.Contains(walls, want) {
			t.Errorf("no %s in %s", want, walls)
		}
	}
	for _, never := range []string{"--share-net", "--bind ", "--dev-bind", "/run", "/var", "/etc/shadow", "--ro-bind / "} {
		if strings.Contains(walls, never) {
			t.Errorf("%s in %s", never, walls)
		}
	}
	if out.Dir != "" || out.Env != nil {
		t.Errorf("other things changed: %+v", out)
	}
}

// TestWrapOrder covers homes inside of the working folder, too.
func TestWrapOrder(t *testing.T) {
	_, walls := wrapped(t, box, probe.Stdio{Command: "s", Dir: "/home"})
	if !strings.Contains(walls, "--ro-bind /home /home --tmpfs /home/me") {
		t.Errorf("the home is seen: %s", walls)
	}
}

func TestWrapTellsWhatIsNotSeen(t *testing.T) {
	for dir, want := range map[string]string{"/home/me/project": "", "/home/me": "home folder", "/": "is /"} {
		out, note := box.Wrap(probe.Stdio{Command: "s", Dir: dir})
		if (note == "") != (want == "") || !strings.Contains(note, want) {
			t.Errorf("%s: %q", dir, note)
		}
		if bound := "--ro-bind " + dir + " " + dir; want != "" && strings.Contains(strings.Join(out.Args, " "), bound) {
			t.Errorf("%s is seen", dir)
		}
	}
}

// TestWrapKeepsTheLoaderInside wants no variable that could run code in bubblewrap itself, outside of the sandbox.
func TestWrapKeepsTheLoaderInside(t *testing.T) {
	env := map[string]probe.Secret{"LD_PRELOAD": "./evil.so", "LD_LIBRARY_PATH": ".", "GLIBC_TUNABLES": "x", "GCONV_PATH": ".", "TOKEN": "s3cret"}
	out, walls := wrapped(t, box, probe.Stdio{Command: "s", Env: env})
	if len(out.Env) != 1 || out.Env["TOKEN"] != "s3cret" || strings.Contains(walls, "s3cret") {
		t.Errorf("variables outside: %v in %v", walls, out.Env)
	}
	if !strings.Contains(walls, "--setenv LD_PRELOAD ./evil.so") || len(env) != 5 {
		t.Errorf("the server is not given what it was: %s, %v", walls, env)
	}
}

// TestWrapShowsTheProgram binds the program alone, when it lies outside of the system's folders.
func TestWrapShowsTheProgram(t *testing.T) {
	bin := t.TempDir()
	tool := filepath.Join(bin, "tool")
	if err := os.WriteFile(tool, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	want := "--ro-bind-try " + tool + " " + tool
	for _, s := range []probe.Stdio{{Command: tool}, {Command: "tool", Env: map[string]probe.Secret{"PATH": probe.Secret("relative:" + bin)}}} {
		if _, walls := wrapped(t, box, s); !strings.Contains(walls, want) || strings.Contains(walls, " "+bin+" ") {
			t.Errorf("%s: %s", s.Command, walls)
		}
	}
	if _, walls := wrapped(t, box, probe.Stdio{Command: "/usr/bin/env"}); strings.Contains(walls, "/usr/bin/env") {
		t.Errorf("the system's own is bound twice: %s", walls)
	}
}

func TestSharedTellsWhatIsNotItsOwn(t *testing.T) {
	readlink := func(path string) (string, error) { return filepath.Base(path) + ":[1]", nil }
	for printed, want := range map[string][]string{
		"user:[2]\ncgroup:[3]\n": {}, "user:[1]\ncgroup:[3]\n": {"user"}, "user:[1]\ncgroup:[1]\n": {"user", "cgroup"},
	} {
		if got := Shared(printed, readlink); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", printed, got, want)
		}
	}
}
