package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
)

// TestContract compares the commands and flags of the program, hidden ones included, with those of testdata/contract.txt.
func TestContract(t *testing.T) {
	text := readText(t, "testdata/contract.txt")
	lists := map[string][]string{}
	for line := range strings.Lines(text) {
		if name, words, ok := strings.Cut(line, ":"); ok && !strings.HasPrefix(line, "#") {
			lists[name] = append(lists[name], strings.Fields(words)...)
		}
	}
	var commands, flags []string
	for _, c := range newApp(program{}).Commands {
		commands = append(commands, c.Name)
		for _, f := range c.Flags {
			flags = append(flags, f.Names()[0])
		}
	}
	if n := len(lists["flags"]); n != 66 {
		t.Errorf("the contract has %d flags, want 66", n)
	}
	for kind, got := range map[string][]string{"commands": commands, "flags": flags} {
		promised, missing := lists[kind], lists["missing-"+kind]
		for _, name := range got {
			if !slices.Contains(promised, name) {
				t.Errorf("%s: %q is not in the contract", kind, name)
			}
		}
		for _, name := range promised {
			if has := slices.Contains(got, name); has == slices.Contains(missing, name) {
				t.Errorf("%s: %q is there: %t; contract.txt lists it as missing: %t", kind, name, has, !has)
			}
		}
	}
}

// TestExamplesParse reads every example with the flags of its command, and wants one for each command that takes arguments.
func TestExamplesParse(t *testing.T) {
	app := newApp(newProgram(host.Process{}, nil, nil))
	ran := ""
	for _, c := range app.Commands {
		if c.ArgsUsage != "" && examplesOf(c.Name) == "" {
			t.Errorf("%s has no example", c.Name)
		}
		c.Before, c.Action = nil, func(c *cli.Context) error { ran = c.Command.Name; return nil }
	}
	for example := range strings.Lines(examples) {
		line, about, _ := strings.Cut(strings.TrimSpace(example), "  # ")
		line, _, _ = strings.Cut(line, " | ")
		line, _, _ = strings.Cut(line, " > ")
		own, _ := splitCommand(strings.Fields(strings.NewReplacer("<(", "", ")", "", `"`, "", "'", "").Replace(line)))
		own = own[slices.Index(own, "mcpctl")+1:]
		err := app.RunContext(t.Context(), append([]string{app.Name}, arranged(app, own)...))
		if err != nil || ran != own[0] || about == "" {
			t.Errorf("%s (%s): %v", line, about, err)
		}
	}
}

// TestHelpIsShort holds the help of the program and of each command to a screen.
func TestHelpIsShort(t *testing.T) {
	for _, c := range append(newApp(program{}).Commands, &cli.Command{}) {
		var out strings.Builder
		args := strings.Fields(c.Name + " --help")
		if status := run(t.Context(), args, host.Process{Out: &out, Err: &out}); status != 0 {
			t.Errorf("%v: status %d: %s", args, status, &out)
		}
		most := 45
		if c.Name == "" {
			most = 40
		}
		if n := strings.Count(out.String(), "\n"); n > most {
			t.Errorf("%v: %d lines, want at most %d", args, n, most)
		}
		for line := range strings.Lines(out.String()) {
			if len([]rune(line)) > 110 {
				t.Errorf("%v: %d columns: %s", args, len([]rune(line)), line)
			}
		}
	}
}

// TestHelpIsWrapped wants no line of any help to be wider than the terminal, and every word of it to be there.
func TestHelpIsWrapped(t *testing.T) {
	for _, c := range append(newApp(program{}).Commands, &cli.Command{}) {
		for _, args := range [][]string{strings.Fields(c.Name + " --help"), {"options"}} {
			var out strings.Builder
			if status := run(t.Context(), args, host.Process{Out: &out, Err: &out}); status != 0 {
				t.Fatalf("%v: status %d", args, status)
			}
			for _, columns := range []int{60, 80, 120} {
				text := wrapHelp(out.String(), columns)
				if !slices.Equal(strings.Fields(text), strings.Fields(out.String())) {
					t.Errorf("%v at %d columns has other words:\n%s", args, columns, text)
				}
				for line := range strings.Lines(text) {
					if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > columns && len(strings.Fields(line)) > 1 {
						t.Errorf("%v: %d of %d columns: %s", args, n, columns, line)
					}
				}
			}
		}
	}
}
