package main

import (
	"slices"
	"strings"
	"testing"
)

// TestEveryCommandIsGuarded wants each command in the script that shows that it starts nothing which no one agreed to,
// unless it contacts no server at all.
func TestEveryCommandIsGuarded(t *testing.T) {
	script := readText(t, "testdata/script/trust-commands.txtar")
	quiet := []string{"merge", "rules", "report", "config", "trust", "completion", "man", "options", "version"}
	commands := newApp(program{}).Commands
	if len(commands) < 15 {
		t.Fatalf("only %d commands: is the search broken?", len(commands))
	}
	for _, c := range commands {
		shown := strings.Contains(script, "\nexits 2 mcpctl "+c.Name)
		if shown == slices.Contains(quiet, c.Name) {
			t.Errorf("%s: contacts nothing, or is tried in the script: exactly one must hold", c.Name)
		}
	}
}
