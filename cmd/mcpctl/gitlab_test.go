package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// TestGitLabExample checks examples/fleet/gitlab.yml against GitLab's schema, and runs the lines of its jobs in
// testdata/gitlab as a runner does.
func TestGitLabExample(t *testing.T) {
	var pipeline any
	text := readYAML(t, "../../examples/fleet/gitlab.yml", &pipeline)
	schema, err := jsonschema.NewCompiler().Compile("../../internal/report/testdata/schemas/gitlab-ci.json")
	if err != nil {
		t.Fatal(err)
	}
	valid := func(pipeline any) error {
		plain, err := json.Marshal(pipeline)
		if err != nil {
			t.Fatal(err)
		}
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(plain))
		if err != nil {
			t.Fatal(err)
		}
		return schema.Validate(document)
	}
	if err := valid(pipeline); err != nil {
		t.Error(err)
	}
	if valid(map[string]any{"shard": map[string]any{"script": "x", "parallel": "many"}}) == nil {
		t.Error("the schema takes anything")
	}
	var jobs map[string]struct {
		Parallel  int
		Script    []string
		Artifacts struct{ Reports struct{ Codequality string } }
	}
	if err := yaml.Unmarshal([]byte(text), &jobs); err != nil {
		t.Fatal(err)
	}
	params := scripts("testdata/gitlab")
	params.Setup = func(env *testscript.Env) error {
		env.Setenv("SHARDS", strconv.Itoa(jobs["shard"].Parallel))
		env.Setenv("QUALITY", jobs["merge"].Artifacts.Reports.Codequality)
		for name, job := range jobs {
			lines := []byte(strings.Join(job.Script, "\n") + "\n")
			if err := os.WriteFile(filepath.Join(env.WorkDir, name+".sh"), lines, 0o600); err != nil {
				return err
			}
		}
		return setup(env)
	}
	testscript.Run(t, params)
}
