package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// split cuts an argument list at its first "--": what follows is the command of an ad-hoc stdio server.
// The second result is nil when there is no "--".
func split(args []string) (own, command []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil
	}
	return args[:at], append([]string{}, args[at+1:]...)
}

// flagsFirst moves flags in front of positional arguments, behind the name of the command: urfave/cli stops reading
// flags at the first positional argument, people do not. takesValue tells which flags have a value in the next argument.
func flagsFirst(args []string, takesValue map[string]bool) []string {
	if n := len(args); n > 0 && args[n-1] == completing {
		return args // unfinished: a shell asks what may come next
	}
	var flags, words []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			words = append(words, arg)
			continue
		}
		flags = append(flags, arg)
		if name := strings.TrimLeft(arg, "-"); takesValue[name] && i+1 < len(args) {
			i++
			flags = append(flags, args[i])
		}
	}
	if len(words) == 0 {
		return flags
	}
	return slices.Concat(words[:1], flags, words[1:])
}

// valueFlags are the names of all flags of the app that take a value.
func valueFlags(app *cli.App) map[string]bool {
	takes := map[string]bool{}
	for _, command := range app.Commands {
		maps.Copy(takes, flagsOf(command))
	}
	return takes
}

// flagsOf are the names of the flags of a command, and whether each takes a value.
func flagsOf(command *cli.Command) map[string]bool {
	takes := map[string]bool{}
	for _, flag := range command.Flags {
		_, boolean := flag.(*cli.BoolFlag)
		for _, name := range flag.Names() {
			takes[name] = !boolean
		}
	}
	return takes
}
