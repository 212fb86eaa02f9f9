package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// TestWorkflowOfABuild: what init writes exists for all users, however the program was built; only a build that knows neither
// commit nor version leaves the pinning to the user.
func TestWorkflowOfABuild(t *testing.T) {
	commit, pseudo := strings.Repeat("0123456789", 4), "v0.0.0-20261128101112-0123456789ab"
	vcs := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: commit},
			{Key: "vcs.modified", Value: modified}}
	}
	for name, test := range map[string]struct {
		linked string
		info   debug.BuildInfo
		github string // of the lines that name mcpctl
		gitlab string
	}{
		"a release": {"1.2.0", debug.BuildInfo{Main: debug.Module{Version: "v1.2.0"}, Settings: vcs("false")},
			"uses: mcpctl/mcpctl@" + commit + " # v1.2.0\n        with: {config: mcpctl.yaml, comment: true, version: 1.2.0}",
			"mcpctl@v1.2.0\n"},
		"a clone": {"", debug.BuildInfo{Main: debug.Module{Version: pseudo}, Settings: vcs("false")},
			"uses: mcpctl/mcpctl@" + commit + "\n        with: {config: mcpctl.yaml, comment: true}", "mcpctl@" + commit + "\n"},
		"make build": {"v1.2.0-3-g0123456", debug.BuildInfo{Settings: vcs("false")}, "uses: mcpctl/mcpctl@" + commit + "\n",
			"mcpctl@" + commit + "\n"},
		"go install of a release": {"", debug.BuildInfo{Main: debug.Module{Version: "v1.2.0"}},
			"run: go install github.com/mcpctl/mcpctl/cmd/mcpctl@v1.2.0\n        env: {GOTOOLCHAIN: auto}\n", "mcpctl@v1.2.0\n"},
		"go install of a commit": {"", debug.BuildInfo{Main: debug.Module{Version: pseudo}},
			"run: go install github.com/mcpctl/mcpctl/cmd/mcpctl@" + pseudo + "\n", "mcpctl@" + pseudo + "\n"},
		"a clone with changes": {"", debug.BuildInfo{Main: debug.Module{Version: pseudo + "+dirty"}, Settings: vcs("true")},
			"uses: mcpctl/mcpctl@main # pin this\n", "mcpctl@main # pin this\n"},
		"neither": {"", debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}, "uses: mcpctl/mcpctl@main # pin this\n",
			"mcpctl@main # pin this\n"},
	} {
		from := originOf(test.linked, &test.info)
		for system, want := range map[string]string{"github": test.github, "gitlab": test.gitlab} {
			flow := workflow(system, build{}, from)
			if !strings.Contains(flow.text, want) {
				t.Errorf("%s, %s: %q is not in\n%s", name, system, want, flow.text)
			}
			if strings.Contains(flow.text, "mcpctl/mcpctl@v") ||
				strings.Contains(flow.about, "comment") != strings.Contains(flow.text, "comment: true") {
				t.Errorf("%s, %s: a tag that may not exist, or %q is untrue of\n%s", name, system, flow.about, flow.text)
			}
		}
	}
}

// TestVendorsWorkflow runs the step of docs/ci.md that keeps an issue up to date, with a gh that only writes down what it is
// asked: without an open issue it creates one, with one it edits that.
func TestVendorsWorkflow(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("NOT TESTED: bash is not installed")
	}
	_, text, _ := strings.Cut(readText(t, "../../docs/ci.md"), "```yaml\nname: mcp-vendors\n")
	text, _, _ = strings.Cut(text, "\n```")
	var flow struct {
		Jobs map[string]struct{ Steps []actionStep }
	}
	if err := yaml.Unmarshal([]byte(text), &flow); err != nil || len(flow.Jobs["vendors"].Steps) != 4 {
		t.Fatalf("docs/ci.md: %v, %+v", err, flow)
	}
	for open, want := range map[string]string{"": "issue create --label mcp-vendors", "17": "issue edit 17 --body-file report.md"} {
		dir := t.TempDir()
		writeText(t, filepath.Join(dir, "gh"), "#!/bin/sh\necho \"$@\" >>"+dir+"/asked\ncase \"$*\" in 'issue list'*) echo "+open+
			";; esac\n")
		if err := os.Chmod(filepath.Join(dir, "gh"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("bash", "-e", "-o", "pipefail", "-c", flow.Jobs["vendors"].Steps[2].Run)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "SUMMARY=report.md")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if asked := readText(t, filepath.Join(dir, "asked")); !strings.Contains(asked, want) || strings.Count(asked, "--body-file") != 1 {
			t.Errorf("with the open issue %q gh was asked\n%s", open, asked)
		}
	}
}

// TestCreateLeavesFiles: of two runs of init at once, one writes the file, and the other one neither changes nor removes it.
func TestCreateLeavesFiles(t *testing.T) {
	dir := t.TempDir()
	if err := create(dir, "a/mcpctl.yaml", "one"); err != nil {
		t.Fatal(err)
	}
	if err := create(dir, "a/mcpctl.yaml", "two"); err == nil || err.Error() != "a/mcpctl.yaml already exists" {
		t.Error(err)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "a/mcpctl.yaml")); err != nil || string(text) != "one" {
		t.Errorf("%s, %v", text, err)
	}
}
