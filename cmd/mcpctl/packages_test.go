//go:build packages

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/mcpctl/mcpctl/internal/packages/registrytest"
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

// TestInstalledVersion installs the commit as its users do, by go install MODULE@VERSION from a module proxy, which records no
// commit in the program. What init writes there is this version, and the workflow's install command works.
func TestInstalledVersion(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	run := func(dir string, env []string, words ...string) string {
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %v\n%s", words, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	version := run("../..", nil, "sh", "scripts/module-proxy.sh", filepath.Join(folder, "proxy"))
	modules := run("../..", nil, "go", "env", "GOMODCACHE")
	env := []string{"GOPROXY=file://" + filepath.Join(folder, "proxy") + ",file://" + filepath.Join(modules, "cache", "download"),
		"GONOSUMDB=*", "GONOSUMCHECK=1", "GOFLAGS=-trimpath -modcacherw", "GOMODCACHE=" + filepath.Join(folder, "modules"),
		"GOBIN=" + folder,
		"GOCACHE=" + run("../..", nil, "go", "env", "GOCACHE"), "GOTOOLCHAIN=local"}
	install := "go install github.com/mcpctl/mcpctl/cmd/mcpctl@" + version
	run(folder, env, strings.Fields(install)...)
	program, home := filepath.Join(folder, "mcpctl"), []string{"HOME=" + folder}
	if got := run(folder, home, program, "version"); !strings.HasPrefix(got, "mcpctl "+version+" ") {
		t.Errorf("version: %s", got)
	}
	run("../..", nil, "go", "build", "-o", filepath.Join(folder, "tickets"), "./examples/tickets")
	project := filepath.Join(folder, "a project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	run(project, nil, "git", "init", "-q", ".")
	run(project, home, program, "init", "--ci", "github", "--", filepath.Join(folder, "tickets"))
	run(project, home, program, "init", "--ci", "gitlab")
	for _, file := range []string{".github/workflows/mcpctl.yml", ".gitlab-ci.yml"} {
		if flow := readText(t, filepath.Join(project, file)); !strings.Contains(flow, install+"\n") ||
			strings.Contains(flow, "mcpctl/mcpctl@") {
			t.Errorf("%s does not say %q:\n%s", file, install, flow)
		}
	}
}

// TestNPMPublish publishes what is packed to a registry on this machine: the systems first, mcpctl last, and none of it twice.
func TestNPMPublish(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: publishing to npm needs npm and a POSIX shell")
	}
	r := registrytest.New(map[string]map[string]registrytest.Release{
		"@mcpctl/darwin-arm64": {"1.2.3-rc.1": {Manifest: map[string]any{"version": "1.2.3-rc.1"}}}})
	t.Cleanup(r.Close)
	folder := t.TempDir()
	settings := filepath.Join(folder, "npmrc")
	writeText(t, settings, "registry="+r.URL+"\n//"+strings.TrimPrefix(r.URL, "http://")+"/:_authToken=x\nfetch-retries=0\n")
	for _, line := range [][]string{
		{"../../scripts/npm.sh", "1.2.3-rc.1", folder, "linux-x64=" + settings, "win32-x64=" + settings, "darwin-arm64=" + settings},
		{"../../scripts/npm-publish.sh", folder, "1.2.3-rc.1"},
	} {
		cmd := exec.Command("sh", line...)
		cmd.Env = append(os.Environ(), "npm_config_userconfig="+settings, "npm_config_cache="+filepath.Join(folder, "cache"),
			"HOME="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", line, err, out)
		}
	}
	if diff := cmp.Diff([]string{"@mcpctl/linux-x64", "@mcpctl/win32-x64", "mcpctl"}, r.Published); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
}
