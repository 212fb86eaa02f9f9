package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestNotice: the NOTICE that is handed on with mcpctl-store names each module that is linked into it.
func TestNotice(t *testing.T) {
	notice, err := os.ReadFile("../NOTICE")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}}{{end}}{{end}}", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	named := map[string]bool{}
	for line := range strings.Lines(string(notice)) {
		path, _, _ := strings.Cut(strings.TrimSpace(line), ",")
		named[path] = true
	}
	modules := strings.Fields(string(out))
	if len(modules) == 0 {
		t.Fatal("nothing is linked")
	}
	for _, module := range modules {
		if !named[module] {
			t.Errorf("NOTICE does not name %s", module)
		}
	}
}
