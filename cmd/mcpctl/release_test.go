package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/packages/registrytest"
)

// pinnedUse is an action of others at a commit, with its version for people.
var pinnedUse = regexp.MustCompile(`^[a-z-]+(/[a-z-]+){1,2}@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)

// TestWorkflowsAreCareful: actions of others are pinned to a commit, tokens can read and nothing else unless a job says
// so, and no expression becomes part of a script.
func TestWorkflowsAreCareful(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	for _, file := range files {
		var workflow struct {
			Permissions map[string]string
			Jobs        map[string]struct {
				Timeout int `yaml:"timeout-minutes"`
				Steps   []struct{ Run string }
			}
		}
		text := readYAML(t, file, &workflow)
		if diff := cmp.Diff(map[string]string{"contents": "read"}, workflow.Permissions); diff != "" {
			t.Errorf("%s: permissions (-want +got):\n%s", file, diff)
		}
		for name, job := range workflow.Jobs {
			if job.Timeout == 0 || len(job.Steps) == 0 {
				t.Errorf("%s: the job %s has no timeout-minutes, or does nothing", file, name)
			}
			for _, step := range job.Steps {
				if strings.Contains(step.Run, "${{") {
					t.Errorf("%s: an expression inside of a script: %s", file, step.Run)
				}
			}
		}
		for _, use := range regexp.MustCompile(`(?m)uses: *(.*)$`).FindAllStringSubmatch(text, -1) {
			if use[1] != "./" && !pinnedUse.MatchString(use[1]) {
				t.Errorf("%s: %s is not pinned to a commit, with its version behind it", file, use[1])
			}
		}
	}
}

// TestReleasedSystems: what is released is what is compiled on every push, and tested on machines of its kind.
func TestReleasedSystems(t *testing.T) {
	var release struct {
		Builds []struct{ Goos, Goarch []string }
	}
	readYAML(t, "../../.goreleaser.yaml", &release)
	var want []string
	for _, system := range release.Builds[0].Goos {
		for _, processor := range release.Builds[0].Goarch {
			want = append(want, system+"/"+processor)
		}
	}
	slices.Sort(want)
	for file, own := range map[string]string{"../../scripts/cross.sh": "", "../../.github/workflows/ci.yml": "linux/amd64"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got := regexp.MustCompile(`\b(?:linux|darwin|windows)/(?:amd64|arm64)\b`).FindAllString(own+" "+string(text), -1)
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file, diff)
		}
	}
}

// TestNPMPublish publishes what is packed to a registry on this machine: the systems first, mcpctl last, and none of it twice.
func TestNPMPublish(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil || runtime.GOOS == "windows" {
		t.Skip("SKIPPED LOUDLY: publishing to npm needs npm and a POSIX shell")
	}
	r := registrytest.New(map[string]map[string]registrytest.Release{"@mcpctl/darwin-arm64": {"1.2.3-rc.1": {Manifest: map[string]any{"version": "1.2.3-rc.1"}}}})
	t.Cleanup(r.Close)
	folder := t.TempDir()
	settings := filepath.Join(folder, "npmrc")
	if err := os.WriteFile(settings, []byte("registry="+r.URL+"\n//"+strings.TrimPrefix(r.URL, "http://")+"/:_authToken=x\nfetch-retries=0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"../../scripts/npm.sh", "1.2.3-rc.1", folder, "linux-x64=" + settings, "win32-x64=" + settings, "darwin-arm64=" + settings},
		{"../../scripts/npm-publish.sh", folder, "1.2.3-rc.1"},
	} {
		cmd := exec.Command("sh", line...)
		cmd.Env = append(os.Environ(), "npm_config_userconfig="+settings, "npm_config_cache="+filepath.Join(folder, "cache"), "HOME="+folder)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", line, err, out)
		}
	}
	if diff := cmp.Diff([]string{"@mcpctl/linux-x64", "@mcpctl/win32-x64", "mcpctl"}, r.Published); diff != "" {
		t.Errorf("published (-want +got):\n%s", diff)
	}
}
