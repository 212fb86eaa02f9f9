package packages_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/packages"
	"github.com/mcpctl/mcpctl/internal/packages/registrytest"
)

func quiet(packages.Ref) {}

func newRegistry(t *testing.T, published map[string]map[string]registrytest.Release) *registrytest.Registry {
	r := registrytest.New(published)
	t.Cleanup(r.Close)
	return r
}

// newStore is an empty store of somebody whose npm asks the registry.
func newStore(t *testing.T, r *registrytest.Registry) packages.Store {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("NOT TESTED: npm is not installed")
	}
	home := t.TempDir()
	return packages.Store{Folder: filepath.Join(home, "store"), Env: []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir(), "npm_config_registry=" + r.URL, "npm_config_fetch_retries=0",
	}}
}

func TestParse(t *testing.T) {
	content := "sha256:" + strings.Repeat("0a", 32)
	for word, want := range map[string]packages.Ref{
		"npm:a":                {Registry: "npm", Name: "a"},
		"npm:@scope/a@1.2.3":   {Registry: "npm", Name: "@scope/a", Version: "1.2.3"},
		"npm:@scope/a":         {Registry: "npm", Name: "@scope/a"},
		"npm:a@next":           {Registry: "npm", Name: "a", Version: "next"},
		"npm:a@^1.2":           {Registry: "npm", Name: "a", Version: "^1.2"},
		"npm:a@1.0.0-rc.1+b.2": {Registry: "npm", Name: "a", Version: "1.0.0-rc.1+b.2"},

		"oci:acme/server":            {Registry: "oci", Name: "acme/server"},
		"oci:acme/server:v1.2":       {Registry: "oci", Name: "acme/server", Version: "v1.2"},
		"oci:localhost:5000/x":       {Registry: "oci", Name: "localhost:5000/x"},
		"oci:localhost:5000/x:1":     {Registry: "oci", Name: "localhost:5000/x", Version: "1"},
		"oci:ghcr.io/a/b@" + content: {Registry: "oci", Name: "ghcr.io/a/b", Version: content},
	} {
		got, is, err := packages.Parse(word)
		if diff := cmp.Diff(want, got); diff != "" || !is || err != nil || got.String() != word {
			t.Errorf("%s: %v, %v, %s (-want +got):\n%s", word, is, err, got, diff)
		}
	}
	for _, word := range []string{"npm:", "npm:../x", "npm:@scope", "npm:a/b", "npm:-g", "npm:a@", "npm:a@-rf", "npm:a@git+ssh://x", "npm:a@file:..", "npm:a@1 2", "npm:@", "npm:https://x/y.tgz", "npm:" + strings.Repeat("a", 215),
		"oci:", "oci:-v", "oci:A", "oci:a:", "oci:a@sha256:1", "oci:a b", "oci:../a", "oci:https://a/b", "oci:a@" + content + " --privileged"} {
		if got, is, err := packages.Parse(word); !is || err == nil {
			t.Errorf("%s is taken for %+v", word, got)
		}
	}
	for _, word := range []string{"a", "git:main", "https://npm:a@host/", "./npm:a"} {
		if _, is, err := packages.Parse(word); is || err != nil {
			t.Errorf("%s: %v, %v", word, is, err)
		}
	}
}

func TestExact(t *testing.T) {
	for version, want := range map[string]bool{"1.2.3": true, "1.2.3-rc.1": true, "": false, "latest": false, "^1.2.3": false, "1.2": false, "1.x": false} {
		if got := (packages.Ref{Version: version}).Exact(); got != want {
			t.Errorf("%q: %v", version, got)
		}
	}
}

// TestHandOn names variables for the container, never their values.
func TestHandOn(t *testing.T) {
	if diff := cmp.Diff([]string{"run", "--env", "A", "--env", "B", "-i", "x"}, packages.HandOn([]string{"run", "-i", "x"}, []string{"A", "B"})); diff != "" {
		t.Error(diff)
	}
}

// TestImageEngines takes docker if its engine runs, else podman, and says what to do where there is neither or none that runs.
func TestImageEngines(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the engines are shell scripts")
	}
	const describes = `echo "$1" >>"$0.said"; case $1 in image) echo '[{"Id": "0a", "RepoDigests": ["docker.io/acme/server@sha256:0b", "docker.io/other-acme/server@sha256:0c", "docker.io/elseacme/server@sha256:0d"]}]';; esac`
	for name, test := range map[string]struct {
		engines map[string]string
		want    string // the engine, or the error
	}{
		"docker":            {map[string]string{"docker": describes}, "docker"},
		"both":              {map[string]string{"docker": describes, "podman": "exit 1"}, "docker"},
		"podman":            {map[string]string{"podman": describes}, "podman"},
		"no engine runs":    {map[string]string{"docker": "exit 1", "podman": describes}, "podman"},
		"neither":           {nil, "oci:acme/server:latest: docker or podman is needed to fetch it, and neither is installed here (https://docs.docker.com/get-docker, https://podman.io)"},
		"no registry":       {map[string]string{"podman": `echo 'short-name "x" did not resolve to an alias' >&2; exit 125`}, "oci:acme/server:latest: podman wants the registry before the name of an image, such as oci:docker.io/IMAGE"},
		"docker is stopped": {map[string]string{"docker": "echo Cannot connect to the Docker daemon at x >&2; exit 1"}, "oci:acme/server:latest: docker is installed, and its engine does not run: start it"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			for engine, script := range test.engines {
				if err := os.WriteFile(filepath.Join(bin, engine), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			s := packages.Store{Folder: filepath.Join(t.TempDir(), "store"), Env: []string{"PATH=" + bin, "DOCKER_HOST=x"}}
			p, err := s.Fetch(t.Context(), packages.Ref{Registry: "oci", Name: "acme/server"}, quiet)
			if err != nil {
				if err.Error() != test.want {
					t.Errorf("got  %v\nwant %s", err, test.want)
				}
				return
			}
			if said, err := os.ReadFile(filepath.Join(bin, "docker.said")); err == nil && strings.Count(string(said), "version") > 1 {
				t.Errorf("whether docker runs was asked more than once:\n%s", said)
			}
			if filepath.Base(p.Command) != test.want || p.Integrity != "sha256:0b" || p.Version != "latest" {
				t.Errorf("%+v", p)
			}
			if diff := cmp.Diff([]string{"run", "-i", "--rm", "--pull=never", "sha256:0a"}, p.Args); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff([]string{"DOCKER_HOST=x"}, p.Env); diff != "" {
				t.Error(diff)
			}
			if again := packages.Started([]string{p.Command}, filepath.Join(p.Folder, "work"), nil); again == nil || again.Ref != p.Ref || again.Integrity != p.Integrity {
				t.Errorf("the server in it is not known to be of the image: %+v", again)
			}
		})
	}
}

// TestFetch has npm fetch a server with a dependency whose install script would leave a file, and starts what came.
func TestFetch(t *testing.T) {
	left := filepath.Join(t.TempDir(), "left")
	r := newRegistry(t, map[string]map[string]registrytest.Release{
		"@acme/server": {
			"1.0.0": {Manifest: map[string]any{"name": "@acme/server", "version": "1.0.0", "bin": map[string]string{"server": "run.js", "admin": "run.js"}, "dependencies": map[string]string{"below": "^2.0.0"}},
				Files: map[string]string{"run.js": "#!/usr/bin/env node\nconsole.log('I am 1.0.0')\n"}},
			"1.1.0": {Manifest: map[string]any{"name": "@acme/server", "version": "1.1.0", "bin": "run.js"}, Files: map[string]string{"run.js": "#!/usr/bin/env node\nconsole.log('I am 1.1.0')\n"}},
		},
		"below": {"2.0.5": {Manifest: map[string]any{"name": "below", "version": "2.0.5", "hasInstallScript": true, "scripts": map[string]string{"postinstall": "touch " + left}}}},
	})
	s := newStore(t, r)
	p, err := s.Fetch(t.Context(), packages.Ref{Registry: "npm", Name: "@acme/server", Version: "1.0.0"}, quiet)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !errors.Is(err, os.ErrNotExist) {
		t.Error("an install script ran")
	}
	if diff := cmp.Diff([]string{"node_modules/below: touch " + left}, p.Scripts); diff != "" || len(p.Dependencies) != 1 || p.Dependencies[0].Version != "2.0.5" {
		t.Errorf("dependencies %+v, scripts (-want +got):\n%s", p.Dependencies, diff)
	}
	cmd := exec.Command(p.Command)
	cmd.Env = s.Env
	if out, err := cmd.Output(); err != nil || string(out) != "I am 1.0.0\n" {
		t.Errorf("%s says %q, %v", p.Command, out, err)
	}
	if info, err := os.Stat(s.Folder); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may look into the store: %v, %v", info.Mode(), err)
	}

	// With its scripts it is another folder, which is not there before they run.
	scripted := s.WithScripts(p)
	if _, err := os.Stat(scripted.Folder); !errors.Is(err, os.ErrNotExist) || scripted.Folder == p.Folder {
		t.Errorf("%s: %v", scripted.Folder, err)
	}
	for range 2 {
		if err := s.RunScripts(t.Context(), scripted); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(left); err != nil {
		t.Error(err)
	}
	if out, err := exec.Command(scripted.Command).Output(); err != nil || string(out) != "I am 1.0.0\n" {
		t.Errorf("%s says %q, %v", scripted.Command, out, err)
	}

	// The second time nobody is asked.
	before := r.Asked.Load()
	again, err := s.Fetch(t.Context(), p.Ref, quiet)
	if diff := cmp.Diff(p, again); diff != "" || err != nil || r.Asked.Load() != before {
		t.Errorf("%v, %d requests more (-first +second):\n%s", err, r.Asked.Load()-before, diff)
	}

	// What is no exact version is asked for each time.
	for _, version := range []string{"", "^1.0.0"} {
		if newest, err := s.Fetch(t.Context(), packages.Ref{Registry: "npm", Name: "@acme/server", Version: version}, quiet); err != nil || newest.Version != "1.1.0" || filepath.Base(newest.Command) != "server" {
			t.Errorf("%q is %+v, %v", version, newest, err)
		}
	}
	versions, err := s.Versions(t.Context(), packages.Ref{Registry: "npm", Name: "@acme/server"}, 5)
	if diff := cmp.Diff([]packages.Ref{p.Ref, {Registry: "npm", Name: "@acme/server", Version: "1.1.0"}}, versions); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}

	// The store can be emptied, but for what was used just now, or is in use.
	if gone, err := s.Prune(0, time.Now().Add(-time.Hour)); err != nil || len(gone) != 0 {
		t.Errorf("%+v, %v", gone, err)
	}
	if gone, err := s.Prune(0, time.Now().Add(time.Hour)); err != nil || len(gone) != 1 || gone[0].Name != "npm-cache" {
		t.Errorf("%+v, %v", gone, err)
	}
	packages.Release()
	if gone, err := s.Prune(0, time.Now().Add(time.Hour)); err != nil || len(gone) != 3 {
		t.Errorf("%+v, %v", gone, err)
	}
	if left, err := s.Entries(); err != nil || len(left) != 0 {
		t.Errorf("%+v, %v", left, err)
	}
}

// TestFetchFails tells why, and leaves nothing that a later run could take for the package.
func TestFetchFails(t *testing.T) {
	r := newRegistry(t, map[string]map[string]registrytest.Release{
		"forged":  {"1.0.0": {Manifest: map[string]any{"name": "forged", "version": "1.0.0", "bin": "x.js"}, Digest: "sha512-" + strings.Repeat("A", 86) + "=="}},
		"library": {"1.0.0": {Manifest: map[string]any{"name": "library", "version": "1.0.0"}}},
		"several": {"1.0.0": {Manifest: map[string]any{"name": "several", "version": "1.0.0", "bin": map[string]string{"one": "x.js", "two": "x.js"}}, Files: map[string]string{"x.js": ""}}},
	})
	s := newStore(t, r)
	for ref, want := range map[packages.Ref]string{
		{Registry: "npm", Name: "nowhere", Version: "1.0.0"}: "npm:nowhere@1.0.0: the registry has no such package, or does not show it to you (npm login)",
		{Registry: "npm", Name: "library", Version: "9.9.9"}: "npm:library@9.9.9: the registry has no such version: npm view library versions lists them",
		{Registry: "npm", Name: "library", Version: "1.0.0"}: "npm:library@1.0.0: it brings no program to start, so it is no server by itself: start what uses it with -- CMD",
		{Registry: "npm", Name: "several", Version: "1.0.0"}: "npm:several@1.0.0: it brings several programs (one, two), and none is called as the package or has mcp in its name: start one with -- npx -p several@1.0.0 NAME",
		{Registry: "npm", Name: "forged", Version: "1.0.0"}:  "npm:forged@1.0.0: what arrived is not what the registry says it is",
	} {
		if _, err := s.Fetch(t.Context(), ref, quiet); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
	kept, err := os.ReadDir(filepath.Join(s.Folder, "npm"))
	if err != nil || len(kept) != 0 {
		t.Errorf("left behind: %v, %v", kept, err)
	}
	r.Close()
	if _, err := s.Fetch(t.Context(), packages.Ref{Registry: "npm", Name: "never-seen"}, quiet); err == nil || !strings.Contains(err.Error(), "the registry cannot be reached") {
		t.Errorf("%v", err)
	}
	s.Env = []string{"PATH=" + t.TempDir()}
	if _, err := s.Fetch(t.Context(), packages.Ref{Registry: "npm", Name: "library"}, quiet); err == nil || !strings.Contains(err.Error(), "npm is needed to fetch it") {
		t.Errorf("%v", err)
	}
}
