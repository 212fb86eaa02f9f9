package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestWorkflowsAreCareful checks that tokens can read and nothing else unless a job says so, that jobs end, and that no
// expression becomes part of a script.
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
		readYAML(t, file, &workflow)
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
	}
}

// TestReleasedSystems checks that what is released is compiled on every push, and tested on machines of its kind
// by ci.yml or every night by nightly.yml.
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
	system := regexp.MustCompile(`\b(?:linux|darwin|windows)/(?:amd64|arm64)\b`)
	for _, files := range [][]string{
		{"../../scripts/cross.sh"},
		{"../../.github/workflows/ci.yml", "../../.github/workflows/nightly.yml"},
	} {
		var got []string
		for _, file := range files {
			got = append(got, system.FindAllString(readText(t, file), -1)...)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, slices.Compact(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", files, diff)
		}
	}
}
