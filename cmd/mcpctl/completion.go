package main

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/invoke"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/rules"
	"github.com/mcpctl/mcpctl/pkg/finding"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

//go:embed completion/*
var completions embed.FS

// shells are the files of the completion folder, by the shell's name.
var shells = map[string]string{"bash": "bash.sh", "zsh": "zsh.sh", "fish": "fish.sh", "powershell": "powershell.ps1"}

func completionCommand(p program) *cli.Command {
	return &cli.Command{
		Name:      "completion",
		Usage:     "print the completion script of a shell: bash, zsh, fish or powershell",
		ArgsUsage: "SHELL",
		Action: func(c *cli.Context) error {
			file, ok := shells[c.Args().First()]
			if !ok || c.NArg() != 1 {
				return exit.Usagef("completion takes one of bash, zsh, fish, powershell: source <(mcpctl completion bash)")
			}
			script, err := completions.ReadFile("completion/" + file)
			if err == nil {
				_, err = p.Out.Write(script)
			}
			return err
		},
	}
}

// completing is what completion scripts put before the typed words. With it no command runs: nothing is started or written.
const completing = "__complete"

// formerly is what the scripts of older versions put behind the words; they are offered nothing.
const formerly = "--generate-bash-completion"

// asksForOffers tells whether it is a shell that calls, and answers it.
func asksForOffers(p host.Process, args []string) bool {
	n := len(args)
	if n > 0 && args[n-1] == formerly {
		return true
	}
	if n == 0 || args[0] != completing {
		return false
	}
	current := ""
	if n > 1 {
		current = unquoted(args[n-1])
	}
	typed := lists.Map(args[1:max(1, n-1)], unquoted)
	p.Quiet = true
	for _, o := range offersFor(newProgram(p, nil), typed, current) {
		if strings.HasPrefix(o.value, current) && report.Visible(o.value) == o.value {
			fmt.Fprintf(p.Out, "%s\t%s\n", o.value, brief(o.about))
		}
	}
	return true
}

// unquoted is a word as the shell would hand it on, as far as quotes around it go.
func unquoted(word string) string {
	if word == "" || word[0] != '"' && word[0] != '\'' {
		return word
	}
	return strings.TrimSuffix(word[1:], word[:1])
}

func brief(text string) string {
	const most = 72
	line := []rune(report.Visible(strings.Join(strings.Fields(text), " ")))
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// candidate is a word that may come next, and what it is.
type candidate struct{ value, about string }

func words(all ...string) []candidate {
	return lists.Map(all, func(word string) candidate { return candidate{value: word} })
}

// line is a command line as far as it is typed.
type line struct {
	program
	command *cli.Command
	words   []string // behind the name of the command, flags left out
}

// offersFor are the words that may stand behind those that were typed; current is the beginning of the one that is wanted.
func offersFor(p program, typed []string, current string) []candidate {
	if slices.Contains(typed, "--") {
		return nil // the words of another program
	}
	app := newApp(p)
	if len(typed) == 0 || len(typed) == 1 && typed[0] == "help" {
		offers := lists.Map(app.VisibleCommands(), func(c *cli.Command) candidate { return candidate{c.Name, c.Usage} })
		if strings.HasPrefix(current, "-") {
			return flagOffers(app.Flags)
		}
		return offers
	}
	l := line{program: p, command: app.Command(typed[0])}
	if l.command == nil {
		return nil
	}
	waiting := l.read(typed[1:])
	if name, _, given := strings.Cut(current, "="); given && strings.HasPrefix(name, "-") {
		return prefixed(name+"=", l.flagValues(strings.TrimLeft(name, "-")))
	}
	switch {
	case waiting != "":
		return l.flagValues(waiting)
	case strings.HasPrefix(current, "-"):
		return flagOffers(l.command.Flags)
	}
	offers := l.positional(current)
	return slices.DeleteFunc(offers, func(o candidate) bool { return strings.HasPrefix(o.value, "-") }) // a name that would be a flag
}

// read takes the finished words in, and gives the name of the flag that waits for its value, if there is one.
func (l *line) read(typed []string) (waiting string) {
	takes := flagsOf(l.command)
	for _, word := range typed {
		switch name, value, given := strings.Cut(strings.TrimLeft(word, "-"), "="); {
		case waiting != "":
			l.set(waiting, word)
			waiting = ""
		case word == "-" || !strings.HasPrefix(word, "-"):
			l.words = append(l.words, word)
		case given || !takes[name]:
			l.set(name, value)
		default:
			waiting = name
		}
	}
	return waiting
}

// set heeds the flags that choose what is known here.
func (l *line) set(flag, value string) {
	switch flag {
	case "config", "c":
		l.Select.Files = append(l.Select.Files, value)
	case "discover":
		l.Select.Discover = true
	case "snapshots":
		l.Select.Snapshots = value
	}
}

// prefixed are offers with what stands before them in the same word.
func prefixed(before string, offers []candidate) []candidate {
	for i := range offers {
		offers[i].value = before + offers[i].value
	}
	return offers
}

func flagOffers(flags []cli.Flag) []candidate {
	offers := []candidate{{"--help", "what the command does, with examples"}, {"--help-all", "the same with every flag"}}
	for _, f := range flags {
		about := ""
		if documented, ok := f.(cli.DocGenerationFlag); ok {
			about = strings.ReplaceAll(documented.GetUsage(), "`", "")
		}
		offers = append(offers, candidate{"--" + f.Names()[0], about})
	}
	return offers
}

// flagValues are the values that a flag of the command can have, as far as they are known.
func (l *line) flagValues(flag string) []candidate {
	switch flag {
	case "format", "f":
		switch l.command.Name {
		case "watch":
			return words(report.EventFormats()...)
		case "call", "prompt", "read", "complete":
			return words(invoke.Formats()...)
		}
		return words(report.Formats()...)
	case "report":
		return lists.Map(report.Formats(), func(format string) candidate { return candidate{value: format + "="} })
	case "fail-on":
		return words("breaking", "warning", "info", "any", "never")
	case "kind":
		return words(fleet.KindWords()...)
	case "protocol":
		return words(append([]string{"auto"}, probe.Versions()...)...)
	case "color":
		return words("auto", "always", "never")
	case "semantics":
		return []candidate{{"declared", "callers send declared properties only"}, {"strict", "callers may send anything that the schema allows"}}
	case "against":
		return []candidate{{"previous", "what changed since the last look"}, {"saved", "the distance from the saved snapshot"}}
	case "log-level":
		return words(invoke.LogLevels()...)
	case "store":
		return words("keyring", "file")
	case "only", "server", "base":
		return l.servers()
	}
	return nil
}

func (l *line) positional(current string) []candidate {
	n := len(l.words)
	switch name := l.command.Name; name {
	case "completion":
		return words("bash", "fish", "powershell", "zsh")
	case "rules":
		return lists.Map(rules.All(), func(rule finding.Rule) candidate { return candidate{rule.ID, rule.Title} })
	case "accept":
		return append(l.fingerprints(), l.servers()...)
	case "report", "version":
		return nil // the shell offers files
	case "auth":
		if n == 0 {
			return []candidate{{"status", "which logins there are"}}
		}
	case "show", "call", "prompt", "read", "complete":
		if n > 0 {
			return l.itemOffers(kindsOf(name), current)
		}
	}
	return l.servers()
}
