package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestGitLabExample holds examples/fleet/gitlab.yml to GitLab's schema, and runs its lines as a runner does: each job of the parallel
// one in a clone of its own, then the merge with what they left.
func TestGitLabExample(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the lines are written for a POSIX shell")
	}
	text, err := os.ReadFile("../../examples/fleet/gitlab.yml")
	if err != nil {
		t.Fatal(err)
	}
	checkPipeline(t, text)
	var jobs struct{ Shard, Merge pipelineJob }
	if err := yaml.Unmarshal(text, &jobs); err != nil {
		t.Fatal(err)
	}
	want, whole := clone(t), exec.Command("mcpctl", "check", "--config", "mcpctl.yaml", "--report", "json=whole.json", "--report", "gitlab=whole-gitlab.json")
	whole.Dir = want
	_ = whole.Run() // its status is compared below
	merged := clone(t)
	for i := range jobs.Shard.Parallel {
		dir := clone(t)
		if out, status := jobs.Shard.run(t, dir, fmt.Sprintf("CI_NODE_INDEX=%d", i+1), fmt.Sprintf("CI_NODE_TOTAL=%d", jobs.Shard.Parallel)); status != 0 {
			t.Fatalf("shard %d: status %d: %s", i+1, status, out)
		}
		for _, pattern := range jobs.Shard.Artifacts.Paths {
			left, err := filepath.Glob(filepath.Join(dir, pattern))
			if err != nil || len(left) != 1 {
				t.Fatalf("shard %d left %q (%v)", i+1, left, err)
			}
			if err := os.Rename(left[0], filepath.Join(merged, filepath.Base(left[0]))); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, status := jobs.Merge.run(t, merged, "CI_NODE_TOTAL=1")
	if status != whole.ProcessState.ExitCode() || status != 1 {
		t.Errorf("the merge ends with status %d, one process with %d, want 1: %s", status, whole.ProcessState.ExitCode(), out)
	}
	quality, err := os.ReadFile(filepath.Join(merged, jobs.Merge.Artifacts.Reports.Codequality))
	if err != nil {
		t.Fatal(err)
	}
	one, err := os.ReadFile(filepath.Join(want, "whole-gitlab.json"))
	if err != nil || len(one) < 100 {
		t.Fatalf("%s (%v)", one, err)
	}
	if difference := cmp.Diff(string(one), string(quality)); difference != "" {
		t.Errorf("-whole +merged %s", difference)
	}
}

// pipelineJob is a job of a pipeline, as far as it is run here.
type pipelineJob struct {
	Parallel  int
	Script    []string
	Artifacts struct {
		Paths   []string
		Reports struct{ Codequality string }
	}
}

// run runs the lines of a job, with npx that has mcpctl.
func (j pipelineJob) run(t *testing.T, dir string, environment ...string) (said []byte, status int) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npx"), []byte("#!/bin/sh\nexec \"$@\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-e", "-c", strings.Join(j.Script, "\n"))
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "PATH="+bin+string(filepath.ListSeparator)+os.Getenv("PATH")), environment...)
	said, _ = cmd.CombinedOutput()
	return said, cmd.ProcessState.ExitCode()
}

// clone is the project of the pipeline: six servers that have the same tool, and more of them together than they may.
func clone(t *testing.T) string {
	dir := t.TempDir()
	config := "budgets: {tools: 3}\nservers:\n"
	for i := range 6 {
		config += fmt.Sprintf("  s%d: {command: fixture, args: [stdio, server.yaml]}\n", i)
	}
	for name, text := range map[string]string{"mcpctl.yaml": config, "server.yaml": "tools: [{name: find}]\n"} {
		writeText(t, filepath.Join(dir, name), text)
	}
	return dir
}

// checkPipeline holds a pipeline to the schema, which refuses one that is wrong.
func checkPipeline(t *testing.T, text []byte) {
	schema, err := jsonschema.NewCompiler().Compile("../../internal/report/testdata/schemas/gitlab-ci.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(text []byte) error {
		var value any
		if err := yaml.Unmarshal(text, &value); err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(document)
	}
	if err := valid(text); err != nil {
		t.Error(err)
	}
	if valid(bytes.Replace(text, []byte("parallel: 4"), []byte("parallel: many"), 1)) == nil {
		t.Error("the schema takes anything")
	}
}
