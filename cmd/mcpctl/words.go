package main

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// What follows takes the words that people try, or answers them with the line to type.

// meant are words that people try in the place of a command, and what to type; SOURCE stands for what follows them.
var meant = map[string]string{
	"tools": "list SOURCE --kind tools", "prompts": "list SOURCE --kind prompts", "resources": "list SOURCE --kind resources", "templates": "list SOURCE --kind templates", "skills": "list SOURCE --kind skills",
	"ls": "list SOURCE", "probe": "list SOURCE", "connect": "list SOURCE", "inspect": "show SOURCE", "describe": "show SOURCE", "info": "show SOURCE", "get": "show SOURCE",
	"save": "snapshot SOURCE", "lock": "snapshot SOURCE", "compare": "diff SOURCE", "lint": "check SOURCE", "scan": "check SOURCE", "validate": "check SOURCE", "test": "check SOURCE",
	"run": "call SOURCE", "exec": "call SOURCE", "invoke": "call SOURCE", "status": "ping SOURCE", "health": "ping SOURCE", "servers": "config", "discover": "config --discover",
	"explain": "rules SOURCE", "approve": "accept SOURCE", "monitor": "watch SOURCE", "dev": "watch --reload 'src/**' SOURCE",
}

func unknownCommand(app *cli.App, words []string) error {
	word, rest := words[0], strings.Join(words[1:], " ")
	if line := meant[word]; line != "" {
		return exit.Usagef("there is no command %q: write mcpctl %s", word, strings.Replace(line, "SOURCE", cmp.Or(rest, "SOURCE"), 1))
	}
	if from := source.Parse(word); from.Kind != source.Configured || hostAndPort().MatchString(word) {
		if from.Kind == source.Configured {
			words[0] = "http://" + word
		}
		return exit.Usagef("there is no command %q: to see what a server offers, write mcpctl list %s", word, strings.Join(words, " "))
	}
	names := lists.Map(app.Commands, func(command *cli.Command) string { return command.Name })
	return exit.Usagef("there is no command %q%s: see mcpctl --help", word, match.DidYouMean(word, names))
}

// hostAndPort is an address that lacks its scheme.
var hostAndPort = match.Pattern(`^[A-Za-z0-9.-]+:\d+(/.*)?$`)

// arranged moves flags in front of positional arguments, behind the name of the command: urfave/cli stops reading flags at the
// first positional argument, people do not. --json is --format json, and so on; -vv is -v.
func arranged(args []string, takesValue map[string]bool) ([]string, error) {
	var flags, words []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if isWord(arg) {
			words = append(words, arg)
			continue
		}
		name := strings.TrimLeft(arg, "-")
		switch {
		case slices.Contains(report.Formats(), name) && slices.ContainsFunc(args, isWord):
			flags = append(flags, "--format", formatFor(args, name))
			continue
		case strings.Trim(arg, "v") == "-" && len(arg) > 2:
			arg = "-v"
		}
		flags = append(flags, arg)
		if takesValue[name] && i+1 == len(args) {
			words = words[:min(1, len(words))] // no argument may come to stand behind a flag that lacks its value
		} else if takesValue[name] {
			i++
			flags = append(flags, args[i])
			if (name == "o" || name == "output") && slices.Contains(report.Formats(), args[i]) {
				return nil, exit.Usagef("%s %s would write a file of that name: write --format %s for the format, or %s ./%s for the file", arg, args[i], args[i], arg, args[i])
			}
		}
	}
	if len(words) == 0 {
		return flags, nil
	}
	return slices.Concat(words[:1], flags, words[1:]), nil
}

// isWord tells words from flags; "-" is standard input.
func isWord(arg string) bool { return arg == "-" || !strings.HasPrefix(arg, "-") }

// formatFor is a format in the words of the command that args begin with: the events of watch are one object a line.
func formatFor(args []string, format string) string {
	if args[0] == "watch" && format == "json" {
		return "ndjson"
	}
	return format
}

// otherNames are flags as other programs have them, and ours.
var otherNames = map[string]string{
	"fmt": "format", "type": "format", "out": "output", "file": "config", "server": "only", "name": "only", "token": "bearer", "auth": "bearer",
	"headers": "header", "H": "header", "e": "env", "cwd": "config", "tools": "kind", "debug": "verbose", "v": "version", "dry": "dry-run", "force": "yes", "threshold": "fail-on",
}

// badUsage turns what the flag package says into our usage error.
func badUsage(c *cli.Command, err error) error {
	text := strings.TrimPrefix(err.Error(), "flag provided but not defined: ")
	if text != err.Error() {
		return exit.Usagef("unknown flag %s%s: see %s --help", doubleDash(text), nearestFlag(c, text), strings.TrimSpace("mcpctl "+strings.TrimPrefix(c.Name, "mcpctl")))
	}
	return exit.Usagef("%s: see mcpctl %s --help", doubleDashes(err.Error()), c.Name)
}

// nearestFlag is the flag of a command that somebody may have meant.
func nearestFlag(c *cli.Command, flag string) string {
	takes := flagsOf(c)
	if name := strings.TrimLeft(flag, "-"); slices.Contains(report.Formats(), name) {
		return fmt.Sprintf(" here: a format goes with a command, such as mcpctl list --%s", name)
	}
	if ours := otherNames[strings.TrimLeft(flag, "-")]; ours != "" {
		if _, has := takes[ours]; has {
			return fmt.Sprintf(" (did you mean %q?)", "--"+ours)
		}
	}
	var known []string
	for name := range takes {
		if len(name) > 1 {
			known = append(known, "--"+name)
		}
	}
	guess := match.DidYouMean(doubleDash(flag), known)
	if name := strings.TrimLeft(flag, "-"); guess == "" && slices.Contains([]string{"call", "prompt", "read"}, c.Name) {
		return fmt.Sprintf(" (arguments are written without dashes: %s=VALUE)", name)
	}
	return guess
}

// doubleDash writes a flag as people do; the flag package knows one dash only.
func doubleDash(flag string) string {
	if name := strings.TrimLeft(flag, "-"); len(name) > 1 {
		return "--" + name
	}
	return flag
}

// doubleDashes is what the flag package says of a value, in the words of this program.
func doubleDashes(text string) string {
	flag := regexp.MustCompile(`( for flag | for |argument: )-(\w[\w-]+)`)
	meant := "not a whole number"
	if strings.HasPrefix(text, "invalid boolean value") {
		meant = "not true or false"
	}
	return strings.Replace(flag.ReplaceAllString(text, "$1--$2"), ": parse error", ": "+meant, 1)
}
