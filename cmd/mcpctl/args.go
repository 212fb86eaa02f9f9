package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/source"
)

// splitCommand cuts an argument list at its first "--", behind which is a stdio server's command; nil without one.
func splitCommand(args []string) (own, behind []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil
	}
	return args[:at], append([]string{}, args[at+1:]...)
}

// arranged moves the flags of a command in front of its arguments: urfave/cli stops reading flags at the first argument.
func arranged(app *cli.App, args []string) []string {
	if len(args) == 0 || app.Command(args[0]) == nil {
		return args
	}
	takesValue := map[string]bool{}
	for _, f := range app.Command(args[0]).Flags {
		_, boolean := f.(*cli.BoolFlag)
		for _, name := range f.Names() {
			takesValue[name] = !boolean
		}
	}
	flags, words := args[:1:1], []string{}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--help", arg == "-h": // the library would take an argument beside it for a command
			return append(args[:1:1], arg)
		case arg == "-" || !strings.HasPrefix(arg, "-"): // "-" is standard input
			words = append(words, arg)
		case takesValue[strings.TrimLeft(arg, "-")] && i+1 < len(args):
			flags = append(flags, arg, args[i+1])
			i++
		case takesValue[strings.TrimLeft(arg, "-")]: // its value is missing: no argument may become it
			return append(flags, arg)
		default:
			flags = append(flags, arg)
		}
	}
	return append(flags, words...)
}

// sources returns the SOURCEs of a command: its arguments, and the command behind "--" last.
func (p program) sources(words []string) ([]source.Source, error) {
	return source.ParseAll(words, p.behind)
}

// oneSource takes the SOURCE off the arguments of a command, unless it is the command behind "--", which is for the server
// when a package is named.
func oneSource(p program, words []string) (named, rest []string) {
	if len(words) > 0 && (p.behind == nil || source.Parse(words[0]).Kind == source.Package) {
		return words[:1], words[1:]
	}
	return nil, words
}
