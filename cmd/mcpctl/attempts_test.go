package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v3"

	"github.com/mcpctl/mcpctl/internal/kit"
)

// attempt is one way around what docs/security.md promises, as testdata/attempts.yaml says.
type attempt struct {
	Attempt, About  string
	Input           map[string]string // files, which replace usualFiles of the same name
	Command, Result string            // in the language of testdata/script
	Situation, Test string            // instead of a command
}

var usualFiles = map[string]string{
	".git/HEAD": "",
	".mcp.json": `{"mcpServers": {"s": {"command": "fixture", "args": ["stdio", "one.yaml"]}}}`,
	"one.yaml":  "tools: [{name: a}]\nlog: started.jsonl",
	"echo.yaml": `tools: [{name: a}]
on:
  tools/list: [{result: {tools: [{name: t, description: 'with {{arg 0}}', inputSchema: {type: object}}]}}]`,
	"none":      strings.Repeat("n\n", 9), // what answers types
	"fail.yaml": "on: {start: [{stderr: 'no {{arg 0}}'}, {exit: 1}]}",
}

// TestAttempts runs every attempt to get around docs/security.md, which says how many there are.
func TestAttempts(t *testing.T) {
	t.Parallel()
	var attempts []attempt
	decoder := yaml.NewDecoder(strings.NewReader(readText(t, "testdata/attempts.yaml")))
	decoder.KnownFields(true)
	if err := decoder.Decode(&attempts); err != nil {
		t.Fatal(err)
	}
	known, dir := everyTest(t), t.TempDir()
	for _, a := range attempts {
		file := filepath.Join(dir, strings.ReplaceAll(a.About+"-"+a.Attempt, " ", "-")+".txtar")
		switch {
		case a.Result == "" || (a.Test == "") != (a.Situation == "") || (a.Test == "") == (a.Command == ""):
			t.Errorf("%q is incomplete", a.Attempt)
		case a.Test != "" && !known[a.Test]:
			t.Errorf("%q: there is no %s", a.Attempt, a.Test)
		case a.Test == "":
			writeText(t, file, a.script())
		}
	}
	if promise := fmt.Sprintf("%d attempts", len(attempts)); !strings.Contains(readText(t, "../../docs/security.md"), promise) {
		t.Errorf("docs/security.md does not say that there are %s", promise)
	}
	testscript.Run(t, scripts(dir))
}

// script returns the script that makes the attempt.
func (a attempt) script() string {
	text := "# " + a.About + ": " + a.Attempt + "\n" + a.Command + "\n" + a.Result + "\n! exists owned\n"
	files := maps.Clone(usualFiles)
	maps.Copy(files, a.Input)
	for _, name := range kit.SortedKeys(files) {
		text += "-- " + name + " --\n" + files[name] + "\n"
	}
	return text
}
