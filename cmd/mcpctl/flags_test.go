package main

import "testing"

// TestFlagsOfCommands: no command has a flag twice, which the flag package answers with a panic once the command runs.
func TestFlagsOfCommands(t *testing.T) {
	app := newApp(program{})
	if len(app.Commands) < 10 {
		t.Fatalf("only %d commands", len(app.Commands))
	}
	for _, command := range app.Commands {
		seen := map[string]bool{}
		for _, f := range command.Flags {
			for _, name := range f.Names() {
				if seen[name] {
					t.Errorf("%s has --%s twice", command.Name, name)
				}
				seen[name] = true
			}
		}
	}
}

// TestConstructorsKnowTheirNames: one that is made alone is found by the name that its table has.
func TestConstructorsKnowTheirNames(t *testing.T) {
	for _, c := range constructors() {
		if got := newApp(program{}, c.name).Commands; len(got) != 1 || got[0].Name != c.name {
			t.Errorf("%q makes %d commands, the first %q", c.name, len(got), got[0].Name)
		}
	}
}
