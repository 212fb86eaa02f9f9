//go:build real

package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

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
