package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/host"
)

// quotedCommand finds a command of mcpctl in backticks, quotes or <code>, and clause one that ends a clause behind a word
// that introduces advice.
var (
	quotedCommand = regexp.MustCompile("(?:`|\"|<code>)(mcpctl [^`\"<\n]+)(?:`|\"|</code>)")
	introduced    = regexp.MustCompile(`(?m)(?:hint: |Details: |accept some of them with: |save one: |→ ).*mcpctl .*$`)
	clause        = regexp.MustCompile(`\bmcpctl [a-z].*?(?:; |, |\. | \(|$)`)
)

// advisedIn returns the commands that an output advises.
func advisedIn(output string) (commands []string) {
	for _, found := range quotedCommand.FindAllStringSubmatch(output, -1) {
		commands = append(commands, found[1])
	}
	for _, line := range introduced.FindAllString(quotedCommand.ReplaceAllString(output, ""), -1) {
		for _, found := range clause.FindAllString(line, -1) {
			if slices.Contains([]string{"has", "in", "there", "there,", "from", "or"}, strings.Fields(found)[1]) { // mcpctl itself
				continue
			}
			commands = append(commands, strings.TrimRight(found, "; ,.()"))
		}
	}
	return commands
}

// accepts returns why mcpctl would not take a command line: with its real flags, and as many arguments as the usage of the
// command has. Nothing is contacted.
func accepts(line string) error {
	words, err := shellWords(strings.NewReplacer("&#39;", "'", "&#34;", `"`, "&amp;", "&").Replace(line))
	if err != nil {
		return err
	}
	own, behind := splitCommand(words[1:])
	app := newApp(newProgram(host.Process{}, own, behind))
	if len(own) == 0 || strings.HasPrefix(own[0], "--") || own[0] == "COMMAND" {
		return nil
	}
	command := app.Command(own[0])
	if command == nil {
		return fmt.Errorf("there is no command %q", own[0])
	}
	var arguments []string
	flags := 0
	command.Before = nil
	command.Action = func(c *cli.Context) error {
		arguments, flags = c.Args().Slice(), c.NumFlags()
		return nil
	}
	if err := app.RunContext(context.Background(), append([]string{app.Name}, arranged(app, own)...)); err != nil {
		return err
	}
	usage, _, takesCommand := strings.Cut(command.ArgsUsage, "[-- ")
	usage, _, _ = strings.Cut(usage, " | ")
	needed := slices.DeleteFunc(strings.Fields(usage), func(word string) bool {
		return strings.HasPrefix(word, "[") || word == "SOURCE" && behind != nil ||
			strings.HasPrefix(word, "FINGERPRINT") && flags > 0
	})
	switch {
	case slices.Contains(own, "--help"):
	case behind != nil && !takesCommand:
		return errors.New("it takes no command behind --")
	case len(arguments) < len(needed):
		return fmt.Errorf("it takes %s", command.ArgsUsage)
	case len(arguments) > len(strings.Fields(usage)) && !strings.Contains(usage, "…"):
		return fmt.Errorf("%d arguments are more than %s", len(arguments), command.ArgsUsage)
	}
	return nil
}

// TestAdvisedCommandsAreAccepted parses every command that reports and documents advise; exits does so with every output of a
// script.
func TestAdvisedCommandsAreAccepted(t *testing.T) {
	found := 0
	for _, pattern := range []string{
		"../../internal/report/testdata/*.golden", "../../internal/report/testdata/formats/html/*.golden",
		"../../internal/report/testdata/formats/markdown/*.golden",
	} {
		files, _ := filepath.Glob(pattern)
		if len(files) == 0 {
			t.Errorf("%s: no files", pattern)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range advisedIn(string(data)) {
				if strings.Contains(file, "hostile") {
					continue
				}
				found++
				if err := accepts(line); err != nil {
					t.Errorf("%s: %s: %v", file, line, err)
				}
			}
		}
	}
	if found < 20 {
		t.Errorf("%d advised commands, want more", found)
	}
}

// TestRepeatedFlagsAreAccepted wants each flag that an advised command repeats to be one of its own.
func TestRepeatedFlagsAreAccepted(t *testing.T) {
	values := map[string]string{"protocol": "2025-11-25", "semantics": "strict", "client-capabilities": "roots"}
	for from, advised := range map[string][]string{
		"diff": {"snapshot", "accept", "diff --upgrade"}, "accept": {"snapshot"}, "list": {"show"},
	} {
		command, repeats := newApp(newProgram(host.Process{}, nil, nil)).Command(from), 0
		for name, valued := range takesValue(command) {
			typed := []string{from, strings.Repeat("-", 1+min(len(name)-1, 1)) + name}
			if valued {
				typed = append(typed, cmp.Or(values[name], "x=1"))
			}
			run := newProgram(host.Process{}, typed, nil).repeat(command, []string{"server"})
			repeats += min(len(run.Flags+run.Compare), 1)
			for _, to := range advised {
				if err := accepts(run.With(to, "word")); err != nil {
					t.Errorf("%s advises %s: %v", typed, run.With(to, "word"), err)
				}
			}
		}
		if repeats < 10 {
			t.Errorf("%s: %d flags are repeated", from, repeats)
		}
	}
}

// TestCompletedValuesAreAccepted gives each flag every value that shells complete.
func TestCompletedValuesAreAccepted(t *testing.T) {
	app, values := newApp(newProgram(host.Process{}, nil, nil)), 0
	for _, command := range app.Commands {
		for name := range takesValue(command) {
			offered, _ := flagValues(app, []string{command.Name, "--" + name})
			for _, value := range offered {
				if strings.HasSuffix(value, "=") {
					value += "file"
				}
				values++
				err := accepts("mcpctl " + command.Name + " --" + name + " " + value)
				if err != nil && strings.Contains(err.Error(), "flag") {
					t.Errorf("%s --%s %s: %v", command.Name, name, value, err)
				}
			}
		}
	}
	if values < 100 {
		t.Errorf("%d values", values)
	}
}

// TestWordsOfOtherTools: each has one meaning, is no command itself, and its command is accepted.
func TestWordsOfOtherTools(t *testing.T) {
	app, seen := newApp(program{}), map[string]bool{}
	for line := range strings.Lines(otherTools) {
		command, words, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if err := accepts(command); err != nil || !ok {
			t.Errorf("%s: %v", line, err)
		}
		for _, word := range strings.Fields(words) {
			if seen[word] || app.Command(word) != nil {
				t.Errorf("%s: %q is there twice, or a command", command, word)
			}
			seen[word] = true
		}
	}
}

// TestAcceptsNotices: a check that accepts everything would find nothing.
func TestAcceptsNotices(t *testing.T) {
	for line, want := range map[string]bool{
		"mcpctl list": true, "mcpctl list --config x.json a -- node s.js": true, "mcpctl accept --all": true,
		"mcpctl accept": false, "mcpctl show": false, "mcpctl call t": false, "mcpctl call t -- node s.js": true,
		"mcpctl lst": false, "mcpctl list --snapshots": false, "mcpctl version now": false, "mcpctl config -- x": false,
		"mcpctl diff --upgarde": false, "mcpctl --help": true, "mcpctl list 'a": false,
	} {
		if err := accepts(line); (err == nil) != want {
			t.Errorf("%s: %v, want accepted %v", line, err, want)
		}
	}
}

// shellWords splits a line as a shell does, where words are quoted by ' or ".
func shellWords(line string) (words []string, err error) {
	var word strings.Builder
	open, begun := rune(0), false
	for _, r := range line {
		switch {
		case open != 0 && r == open:
			open = 0
		case open != 0:
			word.WriteRune(r)
		case r == '\'' || r == '"':
			open, begun = r, true
		case r == ' ':
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if open != 0 {
		return nil, errors.New("a quote is open")
	}
	if begun {
		words = append(words, word.String())
	}
	return words, nil
}
