package main

import (
	"embed"
	"fmt"
	"io"
	"regexp"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/fleet"
)

// completions are the scripts of the shells but fish, for which urfave/cli writes one.
//
//go:embed completion/*
var completions embed.FS

// completionFlag ends the arguments when a shell asks what may come next; urfave/cli then runs no command.
const completionFlag = "--generate-bash-completion"

// completionCommand makes completion. The script for fish is generated from the commands; those for other
// shells are embedded files.
func completionCommand(p program) *cli.Command {
	shells := []string{"bash", "fish", "powershell", "zsh"}
	return &cli.Command{
		Name:         "completion",
		Category:     "Set up",
		Usage:        "Generate a shell completion script",
		ArgsUsage:    "SHELL",
		BashComplete: offerWords(shells),
		Action: func(c *cli.Context) error {
			if shell := c.Args().First(); shell != "fish" {
				script, err := completions.ReadFile("completion/" + shell)
				if err != nil || c.NArg() != 1 {
					return errShell(shells)
				}
				_, err = p.Out.Write(script)
				return err
			}
			script, err := c.App.ToFishCompletion()
			if err != nil {
				return err
			}
			_, err = io.WriteString(p.Out, script)
			return err
		},
	}
}

// offerWords completes an argument by one of several words, and flags.
func offerWords(words []string) cli.BashCompleteFunc {
	return func(c *cli.Context) {
		cli.DefaultCompleteWithFlags(c.Command)(c)
		for _, word := range words {
			fmt.Fprintln(c.App.Writer, word)
		}
	}
}

// safeName matches names that mean themselves in every shell, inside and outside of quotes. Configuration
// files come with projects: another name could end the quote that it is inserted into, and run a command.
var safeName = regexp.MustCompile(`^[A-Za-z0-9_@][A-Za-z0-9_@./+-]*$`)

// completeFor chooses how the arguments of a command are completed, where it does not say so itself. The
// names of servers are read from files.
func completeFor(p *program, command *cli.Command) cli.BashCompleteFunc {
	switch {
	case command.BashComplete != nil:
		return command.BashComplete
	case !takesServers.MatchString(command.ArgsUsage):
		return offerWords(nil)
	}
	return func(c *cli.Context) {
		process := p.Process
		process.Quiet = true
		var names []string
		if cfg, _ := fleet.Read(c.Context, process, p.Select); cfg != nil {
			names = slices.DeleteFunc(cfg.Names(),
				func(name string) bool { return !safeName.MatchString(name) })
		}
		offerWords(names)(c)
	}
}

var takesServers = regexp.MustCompile("SOURCE|SERVER|NAME")
