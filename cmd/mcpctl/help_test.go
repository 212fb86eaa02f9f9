package main

import (
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestExamplesParse reads every example with the flags of its command, and wants three for each command.
func TestExamplesParse(t *testing.T) {
	app := newApp(newProgram(host.Process{}, nil))
	grouped := ""
	for _, group := range groups {
		grouped += " " + group.commands
	}
	for _, c := range app.Commands {
		c.Action, c.Before = func(*cli.Context) error { return nil }, nil
		if !strings.Contains(grouped+" ", " "+c.Name+" ") {
			t.Errorf("%s is in no group of the help", c.Name)
		}
		rows := examplesOf(c.Name)
		if len(rows) < 3 {
			t.Errorf("%s has %d examples, want 3", c.Name, len(rows))
		}
		for _, row := range rows {
			line, _, _ := strings.Cut(row[0], " | ")
			line, _, _ = strings.Cut(line, " > ")
			own, _ := splitCommand(strings.Fields(strings.NewReplacer("<(", "", ")", "", `"`, "", "'", "").Replace(line)))
			own = own[1:]
			if own[0] == "mcpctl" { // source <(mcpctl …)
				own = own[1:]
			}
			words, err := arranged(own, flagsFor(app, own))
			if err == nil {
				err = perform(t.Context(), app, words)
			}
			if err != nil || row[1] == "" {
				t.Errorf("%s (%s): %v", row[0], row[1], err)
			}
		}
	}
	if n := strings.Count(examples, "\n"); n < 3*len(app.Commands) {
		t.Errorf("%d examples for %d commands", n, len(app.Commands))
	}
}

// TestHelpFits writes all help for a narrow terminal: no line of prose is longer, and no word is broken.
func TestHelpFits(t *testing.T) {
	app := newApp(newProgram(host.Process{}, nil))
	const width = 60
	for _, c := range app.Commands {
		var narrow, wide strings.Builder
		h := commandHelp(c, true)
		h.write(&narrow, width)
		h.write(&wide, 0)
		for _, line := range strings.Split(narrow.String(), "\n") {
			if len([]rune(line)) > width && !strings.HasPrefix(line, "   mcpctl ") && !strings.HasPrefix(line, "   git ") && strings.Contains(strings.TrimSpace(line)[1:], " ") && !strings.Contains(line, "mcpctl completion") {
				t.Errorf("%s: %d columns: %s", c.Name, len([]rune(line)), line)
			}
		}
		if a, b := strings.Fields(narrow.String()), strings.Fields(wide.String()); strings.Join(a, " ") != strings.Join(b, " ") {
			t.Errorf("%s: words are lost or broken", c.Name)
		}
	}
}
