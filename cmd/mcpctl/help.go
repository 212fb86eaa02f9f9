package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/match"
)

// helpWords lets "help list" say what "list --help" says.
func helpWords(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	return append(append([]string{}, args[1:]...), "--help")
}

// helpTemplate is a template of urfave/cli with the flags in it as flagHelp writes them.
func helpTemplate(template string, flags []cli.Flag) string {
	before, _, _ := strings.Cut(template, "{{if .VisibleFlagCategories}}")
	var text strings.Builder
	text.WriteString(before + "\n\nOPTIONS:\n")
	for _, f := range append(slices.Clone(flags), cli.HelpFlag) {
		if flag, ok := f.(cli.DocGenerationFlag); ok {
			text.WriteString("   " + strings.ReplaceAll(flagHelp(flag), "{{", "{ {") + "\n")
		}
	}
	return text.String()
}

// flagHelp is the line of a flag in a help text: its names, the name of its value in capitals, what it does, and its
// default unless that is empty or told already.
func flagHelp(flag cli.DocGenerationFlag) string {
	all := flag.(cli.Flag).Names()
	names := "    --" + all[0]
	if len(all) > 1 {
		names = fmt.Sprintf("-%s, --%s", all[1], all[0])
	}
	usage := flag.GetUsage()
	if !flag.TakesValue() {
		return names + "\t" + usage
	}
	value := strings.ToUpper(all[0])
	if parts := strings.Split(usage, "`"); len(parts) == 3 {
		value, usage = parts[1], strings.Join(parts, "")
	}
	if text := strings.Trim(flag.GetDefaultText(), `"`); text != "" && text != "0" && !strings.Contains(usage, "default") {
		usage += " (default: " + text + ")"
	}
	return names + " " + value + "\t" + usage
}

// badUsage turns what urfave/cli says of flags into our usage error.
func badUsage(c *cli.Context, err error, _ bool) error {
	text := strings.TrimPrefix(err.Error(), "flag provided but not defined: ")
	if text != err.Error() {
		return exit.Usagef("unknown flag %s%s: see %s --help", doubleDash(text), nearestFlag(c, text), strings.TrimSpace("mcpctl "+strings.TrimPrefix(c.Command.Name, "mcpctl")))
	}
	return exit.Usagef("%s: see mcpctl %s --help", doubleDashes(err.Error()), c.Command.Name)
}

// nearestFlag is the flag of a command that somebody may have meant.
func nearestFlag(c *cli.Context, flag string) string {
	var known []string
	for name := range flagsOf(c.Command) {
		if len(name) > 1 {
			known = append(known, "--"+name)
		}
	}
	return match.DidYouMean(doubleDash(flag), known)
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
	return strings.Replace(flag.ReplaceAllString(text, "$1--$2"), ": parse error", ": not a whole number", 1)
}
