package main

import (
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/invoke"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/process"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// What follows takes the words that people try, or answers them with the line to type.

// meant are words that people try in the place of a command, and what to type; what follows them is put behind that.
var meant = map[string]string{
	"tools": "list --kind tools", "prompts": "list --kind prompts", "resources": "list --kind resources", "templates": "list --kind templates", "skills": "list --kind skills",
	"list-tools": "list --kind tools", "list-prompts": "list --kind prompts", "list-resources": "list --kind resources",
	"tools/list": "list --kind tools", "prompts/list": "list --kind prompts", "resources/list": "list --kind resources", "call-tool": "call", "resources/read": "read", "prompts/get": "prompt",
	"ls": "list", "get": "list", "probe": "list", "connect": "list", "inspect": "show", "describe": "show", "info": "show", "view": "show", "search": "grep", "find": "grep",
	"save": "snapshot", "lock": "snapshot", "compare": "diff", "plan": "diff", "breaking": "diff", "changelog": "diff", "outdated": "diff --upgrade", "upgrade": "diff --upgrade",
	"lint": "check", "scan": "check", "audit": "check", "validate": "check", "test": "check", "run": "call", "exec": "call", "invoke": "call", "status": "ping", "health": "ping",
	"inspector": "show", "schema": "show", "doctor": "check", "verify": "check", "clean": "cache --empty",
	"servers": "config", "discover": "config --discover", "explain": "rules", "approve": "accept", "apply": "accept", "monitor": "watch", "dev": "watch --reload 'src/**'",
}

// elsewhere are words that people try for what mcpctl leaves to others, and who does it.
var elsewhere = map[string]string{
	"add": notWritten, "remove": notWritten, "rm": notWritten, "delete": notWritten, "edit": notWritten, "install": notWritten, "uninstall": notWritten, "set": notWritten, "update": notWritten,
	"start": notKept, "stop": notKept, "restart": notKept, "serve": notKept, "logs": notKept, "log": notKept, "ps": notKept, "attach": notKept,
}

const (
	notWritten = "mcpctl configures no servers, it reads the files that your applications have: mcpctl config shows which, edit one of them"
	notKept    = "mcpctl starts servers for as long as a command lasts: mcpctl watch keeps them up, and --verbose shows what they say"
)

// operandsOf are what commands cannot do without.
var operandsOf = map[string]string{"show": " SOURCE", "call": " SOURCE TOOL", "read": " SOURCE URI", "prompt": " SOURCE NAME", "grep": " PATTERN", "accept": " FINGERPRINT", "rules": " RULE"}

// unknownCommand is the line to type where the words that were typed, with what stood behind "--", begin with no command.
func unknownCommand(p host.Process, app *cli.App, typed []string) error {
	word, rest := typed[0], typed[1:]
	kubectl := len(rest) > 0 && slices.Contains([]string{"get", "describe"}, word)
	switch {
	case kubectl && len(rest) > 1 && slices.Contains([]string{"tool", "prompt", "resource", "template"}, rest[0]):
		return exit.Usagef("there is no command %q: write mcpctl show SOURCE %s", word, printable.ShellWord(rest[0]+"/"+rest[1]))
	case kubectl && meant[rest[0]] != "":
		return exit.Usagef("there is no command %q: write %s", word, retyped(meant[rest[0]], rest[1:], -1))
	case elsewhere[word] != "":
		return exit.Usagef("there is no command %q: %s", word, elsewhere[word])
	}
	if line := meant[word]; line != "" {
		if len(rest) == 0 {
			return exit.Usagef("there is no command %q: write mcpctl %s%s", word, line, operandsOf[line])
		}
		return exit.Usagef("there is no command %q: write %s", word, retyped(line, rest, commandLine(p, rest)))
	}
	guess := match.DidYouMean(word, lists.Map(app.Commands, func(command *cli.Command) string { return command.Name }))
	program := -1
	switch {
	case config.AddressOf(word) != "":
		typed = append([]string{config.AddressOf(word)}, rest...)
	case guess == "" && isProgram(p, word):
		program = 0
	case source.Parse(word).Kind != source.Configured:
	default:
		return exit.Usagef("there is no command %q%s: see mcpctl --help", word, guess)
	}
	return exit.Usagef("there is no command %q: to see what a server offers, write %s", word, retyped("list", typed, program))
}

// retyped is the line of a command with words behind it; a program at one of them is put behind "--", with what follows.
func retyped(command string, words []string, program int) string {
	if program >= 0 && !slices.Contains(words, "--") {
		words = slices.Concat(words[:program], []string{"--"}, strings.Fields(words[program]), words[program+1:])
	}
	return strings.Join(append([]string{"mcpctl", command}, lists.Map(words, printable.ShellWord)...), " ")
}

// commandLine is where words begin that start a server and are nothing else, or -1: a server may be named like a program.
func commandLine(p host.Process, words []string) int {
	return slices.IndexFunc(words[:max(0, len(words)-1)], func(word string) bool {
		return isProgram(p, word) && strings.ContainsAny(words[slices.Index(words, word)+1], "-./")
	})
}

// isProgram tells whether a word, or a whole line as one, begins with a program that can be run here.
func isProgram(p host.Process, word string) bool {
	name, _, _ := strings.Cut(word, " ")
	_, err := process.LookPath(name, "", p.Environ)
	return err == nil && !strings.ContainsAny(name, `/\`)
}

// withDashes is an error or, where it comes of a program that stands among the words of a command, the line to type.
func withDashes(p host.Process, err error, typed []string) error {
	if exit.CodeOf(err) != exit.Usage {
		return err
	}
	at := slices.IndexFunc(typed, func(word string) bool { return isProgram(p, word) })
	if at < 1 || !isWord(typed[0]) || isCalled(typed, at) {
		return err
	}
	name, line := strings.Fields(typed[at])[0], retyped(typed[0], typed[1:], at-1)
	if namesNothing(err, typed[at]) {
		return exit.Usagef("no server %q is configured: for one that this program starts, write %s", name, line)
	}
	if _, flag := errors.AsType[unknownFlag](err); flag && commandLine(p, typed[at:]) == 0 {
		return exit.Usagef("%w\nif %s is to start a server, write %s", err, name, line)
	}
	return err
}

// isCalled tells whether a word is a tool to call, with its arguments behind it: one may be named like a program.
func isCalled(typed []string, at int) bool {
	return typed[0] == "call" && (at+1 == len(typed) || strings.Contains(typed[at+1], "="))
}

// namesNothing tells whether an error says that a word is neither the name of a server nor a file.
func namesNothing(err error, word string) bool {
	problems, _ := errors.AsType[config.Problems](err)
	file, missing := errors.AsType[*fs.PathError](err)
	return slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Unknown == word }) || missing && file.Path == word
}

// unknownFlag is a flag that a command does not have.
type unknownFlag struct{ error }

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
		}
		if err := formatAsFile(arg, flags[len(flags)-1]); err != nil {
			return nil, err
		}
	}
	if len(words) == 0 {
		return flags, nil
	}
	return slices.Concat(words[:1], flags, words[1:]), nil
}

// formatAsFile is the error for an -o that would write a file with the name of a format, as kubectl writes a format; last is the word that
// the flag ends with.
func formatAsFile(flag, last string) error {
	name, value, joined := strings.Cut(flag, "=")
	if !joined {
		value = last
	}
	switch {
	case !slices.Contains([]string{"o", "output"}, strings.TrimLeft(name, "-")):
	case value == "wide":
		return exit.Usagef("%s wide would write a file of that name: in a pipe nothing is cut, as in mcpctl list | cat", name)
	case slices.Contains(slices.Concat(report.Formats(), invoke.Formats()), value):
		return exit.Usagef("%s %s would write a file of that name: write --format %s for the format, or %s ./%s for the file", name, value, value, name, value)
	}
	return nil
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
	"headers": "header", "H": "header", "e": "env", "cwd": "config", "tools": "kind", "input": "args", "data": "args", "d": "args", "params": "args", "arguments": "args",
	"p": "parallel", "j": "parallel", "jobs": "parallel", "concurrency": "parallel", "n": "interval", "strict": "fail-on", "debug": "verbose", "v": "version", "dry": "dry-run", "force": "yes", "threshold": "fail-on",
}

// otherWays are flags of other programs, and how the same is said here.
var otherWays = map[string]string{
	"url": "a URL is written without a flag", "http-url": "a URL is written without a flag", "http": "a URL is written without a flag",
	"stdio": "the command that starts a server is written last, as -- CMD ARG…", "command": "the command that starts a server is written last, as -- CMD ARG…", "cmd": "the command that starts a server is written last, as -- CMD ARG…",
	"transport": "a URL and -- CMD tell the transport", "cli": "the command that starts a server is written last, as -- CMD ARG…",
	"method": "a request is a command: list, call, read, prompt", "tool": "the name of a tool stands behind the SOURCE", "tool-name": "the name of a tool stands behind the SOURCE", "tool-arg": "arguments are written without dashes: KEY=VALUE",
	"uri": "a URI stands behind the SOURCE", "schema": "mcpctl show SOURCE TOOL --raw has the schema", "wide": "in a pipe nothing is cut: mcpctl list | cat",
	"all": "without a SOURCE it is every configured server", "A": "without a SOURCE it is every configured server", "jq": "write --json, and | jq behind it",
	"watch": "mcpctl watch keeps looking", "no-color": "write --color never, or set NO_COLOR", "stat": "the first lines of mcpctl diff are that", "name-only": "the first lines of mcpctl diff are that",
}

// flagName is a flag without its dashes and its value.
func flagName(flag string) string {
	name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
	return name
}

// known tells whether any command takes a flag of that name.
func known(app *cli.App, name string) bool {
	_, is := flagsFor(app, nil)[name]
	return is || slices.Contains(report.Formats(), name) || strings.Trim(name, "v") == ""
}

// undefined is how the flag package tells of a flag that it does not know.
const undefined = "flag provided but not defined: "

// badUsage turns what the flag package says into our usage error.
func badUsage(c *cli.Command, err error) error {
	text := strings.TrimPrefix(err.Error(), undefined)
	if text != err.Error() {
		return exit.Misuse(unknownFlag{fmt.Errorf("unknown flag %s%s: see %s --help", doubleDash(text), nearestFlag(c, text), strings.TrimSpace("mcpctl "+strings.TrimPrefix(c.Name, "mcpctl")))})
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
	if way := otherWays[strings.TrimLeft(flag, "-")]; way != "" {
		return fmt.Sprintf(" (%s)", way)
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

// doubleDashes is what the flag package says of a value, in the words of this program; only of a switch it has words of its own.
func doubleDashes(text string) string {
	flag := regexp.MustCompile(`( for flag | for |argument: )-(\w[\w-]+)`)
	return strings.Replace(flag.ReplaceAllString(text, "$1--$2"), ": parse error", ": not true or false", 1)
}
