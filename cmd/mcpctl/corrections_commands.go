package main

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/files"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/source"
)

// The corrections about the command of a server that is not behind "--".

// notCommand corrects the command of a server where only names of servers are taken.
func (m mistake) notCommand(ctx context.Context) error {
	if !takesServers.MatchString(m.command.ArgsUsage) || takesCommand(m.command) {
		return nil
	}
	line := m.behind
	for i, a := range m.given {
		switch word := a.words[0]; {
		case line != nil || a.flag != "" || m.configured(ctx, word):
		case isProgramFile(word):
			line = launched(word)
		case source.Launcher(word) != nil:
			return exit.Misuse(config.NoServer(word, ", and no such file exists",
				"list all servers with mcpctl config"))
		case i+1 < len(m.given) && config.IsProgram(word):
			line = wordsOf(m.given[i:])
		}
	}
	if line == nil {
		return nil
	}
	switch hint := "mcpctl list -- " + typedLine(line...); m.command.Name {
	case "trust":
		return exit.UsageHint(hint, "a command on the command line needs no trust")
	case "config":
		return exit.UsageHint(hint, "config shows configured servers, not a command")
	}
	return exit.Usagef("only servers at a URL have logins: %s takes no command", m.command.Name)
}

// programFile corrects the file of a program in the place of a server, and two of them to compare.
func (m mistake) programFile(context.Context) error {
	word, others := m.wrong, m.others
	if !isProgramFile(word) || m.behind != nil || !takesCommand(m.command) {
		return nil
	}
	if len(others) == 1 && m.command.Name == "diff" && isProgramFile(others[0]) {
		others = []string{"--base", "-- " + typedLine(launched(m.words[0])...)}
		word = m.words[1]
	}
	return exit.UsageHint(m.meant(slices.Concat(others, []string{"--"}, launched(word))...),
		"%s is a program: write the command that starts it after --", word)
}

// first returns where the first word stands among flags and words; -1 without one.
func (m mistake) first() int {
	return slices.IndexFunc(m.given, func(a typedWord) bool { return a.flag == "" })
}

// twoCommands corrects diff with two command lines, the first without quotes.
func (m mistake) twoCommands(ctx context.Context) error {
	first := m.first()
	if m.command.Name != "diff" || first < 0 || first+1 >= len(m.given) {
		return nil
	}
	word, end, second := m.given[first].words[0], len(m.given), m.behind
	if m.behind == nil {
		again := func(a typedWord) bool { return a.words[0] == word }
		if end = first + 2 + slices.IndexFunc(m.given[first+2:], again); end == first+1 {
			return nil
		}
		second = wordsOf(m.given[end:])
	}
	if !config.IsProgram(word) || m.configured(ctx, word) {
		return nil
	}
	quoted := "-- " + typedLine(wordsOf(m.given[first:end])...)
	line := slices.Concat(m.typed[:1], wordsOf(m.given[:first]), []string{quoted, "--"}, second)
	return exit.UsageHint("mcpctl "+typedLine(line...),
		`%q is a program: write the command of the old side in quotes, that of the new one after "--"`, word)
}

// withoutDashes corrects a program and its arguments in the place of servers.
func (m mistake) withoutDashes(ctx context.Context) error {
	first := m.first()
	if !takesCommand(m.command) || m.behind != nil || first < 0 || first+1 >= len(m.given) {
		return nil
	}
	word, next := m.given[first].words[0], m.given[first+1].words[0]
	refused := errors.As(m.err, new(unknownFlag)) || word == m.unknown
	if !refused && !script().MatchString(next) || !config.IsProgram(word) ||
		m.configured(ctx, word) {
		return nil
	}
	line := slices.Concat(m.typed[:1], wordsOf(m.given[:first]), operandsOf(m.command), []string{"--"},
		wordsOf(m.given[first:]))
	return exit.UsageHint("mcpctl "+typedLine(line...),
		`%q is a program: write "--" before the command of a server`, word)
}

// quotedCommand corrects a program in PATH, possibly with arguments in one word, in the place of a server.
func (m mistake) quotedCommand(ctx context.Context) error {
	name := m.unknown
	var file *fs.PathError // a command line with a path in it is read as one
	if errors.As(m.err, &file) && strings.Contains(file.Path, " ") && errors.Is(m.err, fs.ErrNotExist) {
		name = file.Path
	}
	typed := func(a typedWord) bool { return a.words[0] == name || a.value == name }
	if name == "" || m.behind != nil && m.command.Name != "diff" || !takesCommand(m.command) ||
		!slices.ContainsFunc(m.given, typed) {
		return nil
	}
	isWord := !strings.Contains(name, " ")
	if is, _ := config.Meant(name); isWord && is != "" || !m.isCommand(ctx, name) {
		return nil
	}
	line, words := m.typed[:1:1], []string{}
	for _, a := range m.given {
		switch {
		case a.flag == "base" && m.isCommand(ctx, a.value):
			line = append(line, "--base", "-- "+a.value)
		case a.flag != "":
			line = append(line, a.words...)
		case m.isCommand(ctx, a.words[0]) && (len(words) == 0 || !takesOne(m.command)):
			words = append(words, "-- "+a.words[0])
		default:
			words = append(words, a.words...)
		}
	}
	if takesOne(m.command) && len(words) <= len(operandsOf(m.command)) {
		return nil // the item is missing
	}
	at := len(words) - 1
	switch {
	case m.behind != nil:
		words = append(words, m.dashed()...)
	case takesOne(m.command) && at >= 0:
		words = slices.Concat(words[1:], []string{"--"}, strings.Fields(words[0])[1:])
	case at >= 0 && strings.HasPrefix(words[at], "-- "): // the last one needs no quotes
		words = slices.Concat(words[:at], []string{"--"}, strings.Fields(words[at])[1:])
	}
	hint := "for the program: mcpctl " + typedLine(append(line, words...)...)
	return exit.Misuse(config.NoServer(name, "", hint))
}

// isCommand reports whether a word names a program in PATH, possibly with arguments, and nothing else.
func (m mistake) isCommand(ctx context.Context, word string) bool {
	program := append(strings.Fields(word), "")[0]
	kind := source.Parse(word).Kind
	isPath := kind == source.Path && program != word && !files.Exists(word)
	if kind != source.Configured && !isPath || m.configured(ctx, word) {
		return false
	}
	_, err := process.Tool(program, m.Environ)
	return err == nil
}
