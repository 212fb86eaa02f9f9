package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/compare"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
)

// otherTools are the words of other tools behind the command that does it here.
//
//go:embed words.txt
var otherTools string

// meantBy returns the command for a word of another tool; empty for other words.
func meantBy(word string) string {
	for line := range strings.Lines(otherTools) {
		command, words, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.HasPrefix(line, "#") && slices.Contains(strings.Fields(words), strings.ToLower(word)) {
			return command
		}
	}
	return ""
}

// advised returns an error of wrong usage with a better hint, where the arguments show what was meant: a
// program without "--" before it, or the arguments of a tool written as flags.
func advised(app *cli.App, own []string, err error) error {
	if len(own) < 2 || app.Command(own[0]) == nil || !errors.As(err, new(exit.UsageError)) {
		return err
	}
	command := app.Command(own[0])
	values, says := takesValue(command), err.Error()
	unknown := strings.HasPrefix(says, "unknown flag")
	for i := 1; i < len(own); i++ {
		name, _, given := strings.Cut(strings.TrimLeft(own[i], "-"), "=")
		switch {
		case strings.HasPrefix(own[i], "-") && values[name] && !given:
			i++
		case strings.HasPrefix(own[i], "-"):
		case !config.IsProgram(own[i]) || i+1 == len(own):
			i = len(own)
		case unknown || strings.Contains(says, fmt.Sprintf("%q", own[i])) || script().MatchString(own[i+1]):
			words := kit.Map(own[i:], printable.ShellWord)
			line := slices.Concat(own[:i], operandsOf(command), []string{"--"}, words)
			return exit.UsageHint("mcpctl "+strings.Join(line, " "),
				`%q is a program: write "--" before the command of a server`, own[i])
		default:
			i = len(own)
		}
	}
	if unknown && (command.Name == "call" || command.Name == "prompt" || command.Name == "read") {
		return exit.UsageHint("mcpctl "+strings.Join(withArguments(own, values), " "),
			"unknown flag: arguments are written as KEY=VALUE")
	}
	return err
}

// script matches the file of a program that an interpreter runs.
var script = kit.Pattern(`\.([cm]?[jt]s|py|rb|php|sh|jar|go|dll)$`)

// operandsOf returns what a command needs behind a SOURCE, as its usage names it.
func operandsOf(command *cli.Command) []string {
	usage, _, _ := strings.Cut(command.ArgsUsage, " [-- ")
	return slices.DeleteFunc(strings.Fields(usage), func(word string) bool {
		return word == "SOURCE" || strings.ContainsAny(word, "[]…-")
	})
}

// neededBy returns the arguments that a command cannot do without, each behind a space.
func neededBy(command *cli.Command) (needed string) {
	for _, word := range strings.Fields(command.ArgsUsage) {
		if word == "|" || strings.HasPrefix(word, "[") {
			break
		}
		needed += " " + word
	}
	return needed
}

// withArguments returns a command line in which each flag that the command does not have is an argument of
// the tool: --a 1 is a=1.
func withArguments(own []string, values map[string]bool) (line []string) {
	for i := 0; i < len(own); i++ {
		name, value, given := strings.Cut(strings.TrimLeft(own[i], "-"), "=")
		takes, known := values[name]
		switch next := i+1 < len(own); {
		case !strings.HasPrefix(own[i], "-") || known:
			line = append(line, printable.ShellWord(own[i]))
			if known && takes && !given && next {
				i++
				line = append(line, printable.ShellWord(own[i]))
			}
			continue
		case !given && next && !strings.HasPrefix(own[i+1], "-") && !strings.Contains(own[i+1], "="):
			i++
			value = own[i]
		case !given:
			value = "true"
		}
		line = append(line, printable.ShellWord(name+"="+value))
	}
	return line
}

// savedOf returns the saved snapshots of the configured servers, by their names. Nothing is contacted.
func (p program) savedOf(ctx context.Context, servers ...string) map[string]*snapshot.Snapshot {
	process := p.Process
	process.Quiet = true
	cfg, _ := fleet.Read(ctx, process, p.Select)
	if cfg == nil {
		return nil
	}
	all := map[string]*snapshot.Snapshot{}
	for _, name := range cfg.Names() {
		if len(servers) > 0 && !slices.Contains(servers, name) {
			continue
		}
		saved, err := source.ReadFile(ctx, compare.SavedFile(cfg.Project.Snapshots, name))
		if err == nil && saved.Snapshot != nil {
			all[name] = saved.Snapshot
		}
	}
	return all
}

// kindsOf are the kinds of items that a command takes; others take all.
var kindsOf = map[string][]snapshot.Kind{
	"call": {snapshot.Tools}, "prompt": {snapshot.Prompts},
	"read": {snapshot.Resources, snapshot.Templates},
}

// namesIn returns the names and URIs of the items of some kinds of a snapshot; no kind stands for all.
func namesIn(s *snapshot.Snapshot, kinds []snapshot.Kind) (names []string) {
	if len(kinds) == 0 {
		kinds = snapshot.Kinds()
	}
	for _, kind := range kinds {
		list := s.List(kind)
		for _, item := range list.Items() {
			names = append(names, item.Key)
		}
	}
	return names
}

// errWhere returns an error about a SOURCE that is no server with the servers that offer an item of that
// name, as their saved snapshots have it.
func (p program) errWhere(ctx context.Context, command, item string, rest []string, err error) error {
	var offering []string
	saved := p.savedOf(ctx)
	for _, name := range kit.SortedKeys(saved) {
		if slices.Contains(namesIn(saved[name], kindsOf[command]), item) {
			offering = append(offering, name)
		}
	}
	if len(offering) == 0 || !errors.As(err, new(exit.UsageError)) {
		return err
	}
	words := kit.Map(slices.Concat([]string{offering[0], item}, rest), printable.ShellWord)
	return exit.UsageHint("mcpctl "+command+" "+strings.Join(words, " "),
		"specify the server of %q: offered by %s", item, kit.Some(offering))
}
