package probe

import (
	"regexp"
	"slices"
	"strings"
)

// unknownArgument is how programs say that they do not know an argument; the word behind it is the argument. The words
// are those of Go's flag and pflag, Cobra, urfave/cli, argparse, click, clap, commander, yargs, node:util, picocli,
// System.CommandLine and getopt. "Invalid argument" is none of them: it is said of values, too.
var unknownArgument = regexp.MustCompile(`(?i)(?:` +
	`flag provided but not defined: *|` +
	`(?:unknown|unrecogni[sz]ed|unexpected|undefined|no such|bad) (?:or unexpected )?(?:shorthand |long |command[- ]line )?` +
	`(?:flags?|options?|arguments?|args?|switch(?:es)?|parameters?|(?:sub)?commands?)(?: or argument)?(?:\(s\))?:? *(?:--? )?|` +
	`(?:invalid|illegal) option -- *` +
	`)["'` + "`" + `‘“]?(-{0,2}[\pL\pN][\pL\pN_.:-]*)`)

// subcommand are words that may be the name of a command rather than a value.
var subcommand = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,39}$`)

// unknownArgument is the argument of the command line that the server ended over because it does not know it; empty when
// there is no sign of that. The signs are an exit status other than 0 before anything was heard of the protocol, and a
// line of stderr that names the argument.
func (f facts) unknownArgument() string {
	if f.server.Stdio == nil || f.heard || !strings.HasPrefix(exited(f.err), "exit status ") {
		return ""
	}
	for _, match := range unknownArgument.FindAllStringSubmatch(f.stderr, -1) {
		for _, arg := range f.server.Stdio.Args {
			if name, _, _ := strings.Cut(arg, "="); named(name, match[1]) {
				return name
			}
		}
	}
	return ""
}

// named tells whether a word of a message is the name of an argument. Programs add or take dashes.
func named(arg, word string) bool {
	bare := strings.TrimLeft(arg, "-")
	if bare == "" || bare == arg && !subcommand.MatchString(arg) {
		return false
	}
	word = strings.TrimRight(strings.TrimLeft(word, "-"), ".:")
	short := len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && len(word) == 1 // one of several letters: -xvf
	return slices.Contains([]string{bare, camel(bare)}, word) || short && strings.Contains(bare, word)
}

// camel is read-only as readOnly, as yargs says it.
func camel(name string) string {
	words := strings.Split(name, "-")
	for i, w := range words[1:] {
		if w != "" {
			words[i+1] = strings.ToUpper(w[:1]) + w[1:]
		}
	}
	return strings.Join(words, "")
}

func (f facts) hasUnknownArgument() bool { return f.unknownArgument() != "" }

func (f facts) whichArgument() string {
	return "the server does not know the argument " + f.unknownArgument() + ": its --help tells which it knows, in this version"
}
