//go:build real

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// alarming are the rules of check that must not speak of a well-known server: they report an attack or a secret.
var alarming = []string{
	"secret-exposed", "text-hidden-characters", "text-hidden-comment", "text-instructs-model", "text-names-credential-file",
	"text-names-other-server", "text-padded", "tool-name-confusable", "url-with-credentials",
}

// check looks at the server with every rule, those included that need a live one: what it writes beside the protocol, and
// whether a second listing is the same.
func (s realServer) check(t *testing.T, source []string) {
	var report struct {
		Findings []struct{ Rule, Item, Path, Message string }
	}
	if err := json.Unmarshal(mcpctl(t, 0, source, "check", "--fail-on", "never"), &report); err != nil {
		t.Fatalf("checking: %v", err)
	}
	spoke := map[string]int{}
	for _, f := range report.Findings {
		spoke[f.Rule]++
		if slices.Contains(alarming, f.Rule) || strings.HasPrefix(f.Rule, "list-") {
			t.Errorf("%s: %s %s: %s", f.Rule, f.Item, f.Path, f.Message)
		}
	}
	var told []string
	for _, rule := range slices.Sorted(maps.Keys(spoke)) {
		told = append(told, fmt.Sprintf("%s %d", rule, spoke[rule]))
	}
	t.Logf("check of %s: %s", s.Name, strings.Join(told, ", "))
}

// realCalls are requests to the reference server of the protocol's authors, each with what its answer must have in it.
var realCalls = []struct {
	words  []string
	status int
	want   string
}{
	{[]string{"call", "--yes", "echo", "message=42"}, 0, `"text":"Echo: 42"`},
	{[]string{"call", "--yes", "get-sum", "a=1", "b=2.50"}, 0, "3.5"},
	{[]string{"call", "--yes", "get-sum", "a=one", "b=2"}, 2, ""},
	{[]string{"call", "--yes", "get-sum", "--args", `{"a": "one", "b": 2}`}, 1, `"isError":true`},
	{[]string{"call", "--yes", "get-structured-content", "location=Chicago"}, 0, `"structuredContent":{`},
	{[]string{"call", "--yes", "get-resource-links", "count=2"}, 0, `"type":"resource_link"`},
	{[]string{"call", "--yes", "get-resource-reference", "resourceType=Blob", "resourceId=1"}, 0, `"blob":"`},
	{[]string{"call", "--yes", "trigger-long-running-operation", "duration=1", "steps=2"}, 0, "Steps: 2"},
	{[]string{"prompt", "args-prompt", "city=Oslo"}, 0, "weather in Oslo"},
	{[]string{"prompt", "args-prompt", "town=Oslo"}, 2, ""},
	{[]string{"read", "demo://resource/dynamic/text/{resourceId}", "resourceId=3"}, 0, "Resource 3"},
	{[]string{"complete", "prompt/completable-prompt", "department", "E"}, 0, `"Engineering"`},
	{[]string{"complete", "prompt/completable-prompt", "name", "", "department=Sales"}, 0, `"David"`},
	{[]string{"ping"}, 0, `"pingMs": `},
}

// TestRealCalls asks the reference server to act, over each transport that it has.
func TestRealCalls(t *testing.T) {
	t.Setenv("CI", "true")
	t.Setenv("MCPCTL_FORMAT", "json")
	everything := realServers(t)[0]
	if everything.Name != "everything" {
		t.Fatalf("the first row of the table is %s", everything.Name)
	}
	bin, err := exec.LookPath(everything.Bin)
	if err != nil {
		t.Skipf("SKIPPED LOUDLY: %s is not installed", everything.Npm)
	}
	for kind := range everything.Transports {
		source := everything.source(t, kind, bin)
		for _, c := range realCalls {
			t.Run(kind+"/"+strings.Join(c.words, " "), func(t *testing.T) {
				if got := string(runReal(t, c.status, placed(source, c.words))); !strings.Contains(got, c.want) {
					t.Errorf("%s is not in %.500s", c.want, got)
				}
			})
		}
		t.Run(kind+"/image", func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "logo.png")
			out := runReal(t, 0, placed(source, []string{"call", "--yes", "--format", "raw", "--output", file, "get-tiny-image"}))
			if kind, err := exec.Command("file", "-b", "--mime-type", file).Output(); err == nil && !strings.Contains(string(kind), "image/png") {
				t.Errorf("the image is %s; %s", kind, out)
			}
		})
		var result struct{ Content []json.RawMessage }
		if err := json.Unmarshal(runReal(t, 0, placed(source, []string{"call", "--yes", "get-annotated-message", "messageType=error", "includeImage=true"})), &result); err != nil || len(result.Content) != 2 {
			t.Errorf("%v, %d pieces", err, len(result.Content))
		}
	}
}

// placed is a command line: a URL goes behind the name of the command, a command behind everything.
func placed(source, words []string) []string {
	if len(source) == 1 {
		return append([]string{words[0], source[0]}, words[1:]...)
	}
	return append(append([]string{}, words...), source...)
}

// TestRealPairs compares two published versions of five servers, in one line each as a newcomer would: what breaks is what
// pkg/diff/testdata/real/README.md and the releases themselves report, and nothing is left where it was done.
func TestRealPairs(t *testing.T) {
	if os.Getenv("MCPCTL_REAL_NODE") == "" {
		t.Skip("SKIPPED LOUDLY: the packages need Node, which this machine lacks")
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(t.TempDir())
	for _, pair := range []struct {
		name, old, new string
		breaking       int
		args           []string
	}{
		{"@playwright/mcp", "0.0.70", "0.0.83", 20, nil},
		{"@modelcontextprotocol/server-filesystem", "2025.8.21", "2026.7.10", 17, []string{"--", "."}},
		{"@modelcontextprotocol/server-memory", "2025.9.25", "2026.8.31", 0, nil},
		{"@modelcontextprotocol/server-sequential-thinking", "2025.12.18", "2026.8.31", 0, nil},
		{"chrome-devtools-mcp", "1.1.1", "1.11.0", 61, nil},
	} {
		name := "npm:" + pair.name + "@"
		line := append([]string{"diff", "--quiet", name + pair.old, name + pair.new, "--format", "json"}, pair.args...)
		var out, said bytes.Buffer
		cmd := exec.Command(os.Getenv("MCPCTL_REAL_BIN"), line...)
		cmd.Stdout, cmd.Stderr = &out, &said
		var ended *exec.ExitError
		if err := cmd.Run(); err != nil && !errors.As(err, &ended) {
			t.Fatal(err)
		}
		var r struct {
			Summary struct{ Breaking, Warning, Info int }
			Servers []struct{ Cause string }
		}
		if err := json.Unmarshal(out.Bytes(), &r); err != nil || len(r.Servers) != 1 {
			t.Errorf("mcpctl %s: %v\n%s%s", strings.Join(line, " "), err, out.Bytes(), said.Bytes())
			continue
		}
		told := fmt.Sprintf("%s: %d breaking, %d warnings, %d info, status %d", r.Servers[0].Cause, r.Summary.Breaking, r.Summary.Warning, r.Summary.Info, cmd.ProcessState.ExitCode())
		t.Log(told)
		if want := min(1, pair.breaking); r.Summary.Breaking != pair.breaking || cmd.ProcessState.ExitCode() != want || r.Servers[0].Cause != pair.name+" "+pair.old+" → "+pair.new {
			t.Errorf("%s, want %d breaking and status %d", told, pair.breaking, want)
		}
	}
	if left, err := os.ReadDir("."); err != nil || len(left) != 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
