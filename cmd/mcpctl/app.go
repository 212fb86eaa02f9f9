package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/report"
)

// run is the whole program: it reads args, does what they say and returns the exit status.
func run(ctx context.Context, args []string, p host.Process) int {
	own, command := split(args)
	inv := &invocation{Process: p, command: command}
	app := newApp(inv)
	if inv.completeValue(app, own) {
		return exit.OK
	}
	err := app.RunContext(ctx, append([]string{app.Name}, flagsFirst(helpWords(own), valueFlags(app))...))
	inv.say(err)
	return exit.CodeOf(err)
}

// newApp wires the commands. Nothing is printed or ended behind our back: errors come back to run.
func newApp(inv *invocation) *cli.App {
	cli.VersionFlag = &cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version"}
	cli.FlagStringer = flagHelp
	app := &cli.App{
		Name:                      "mcpctl",
		Usage:                     "inspect, diff and guard MCP servers",
		Description:               appDescription,
		Version:                   version(),
		Reader:                    inv.In,
		Writer:                    inv.Out,
		ErrWriter:                 inv.Err,
		Suggest:                   true,
		EnableBashCompletion:      true,
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*cli.Context, error) {},
		OnUsageError:              badUsage,
		Action:                    rootAction,
		Commands: []*cli.Command{
			listCommand(inv), showCommand(inv), snapshotCommand(inv), diffCommand(inv), acceptCommand(inv), checkCommand(inv), watchCommand(inv),
			callCommand(inv), promptCommand(inv), readCommand(inv), completeCommand(inv), pingCommand(inv),
			loginCommand(inv), logoutCommand(inv), authCommand(inv),
			rulesCommand(inv), reportCommand(inv), configCommand(inv), trustCommand(inv), completionCommand(inv), versionCommand(inv),
		},
	}
	for _, c := range app.Commands {
		c.OnUsageError, c.HideHelpCommand = badUsage, true
		if len(c.Flags) > 0 && c.Before == nil {
			c.Before = inv.settle
		}
		if c.BashComplete == nil {
			c.BashComplete = inv.completeServers
		}
	}
	return app
}

const appDescription = `A SOURCE is the NAME of a configured server, a URL, "-- CMD ARG…" (an ad-hoc stdio server, last on the line),
a snapshot file or folder, git:REF[:PATH], or - for a snapshot on standard input.
Exit status: 0 nothing found, 1 findings, 2 wrong usage or configuration, 3 could not find out, 4 nothing saved to compare with.`

func rootAction(c *cli.Context) error {
	if !c.Args().Present() {
		return cli.ShowAppHelp(c)
	}
	var names []string
	for _, command := range c.App.Commands {
		names = append(names, command.Name)
	}
	word := c.Args().First()
	return exit.Usagef("there is no command %q%s: see mcpctl --help", word, match.DidYouMean(word, names))
}

// say prints an error that no report has told yet, one line for each.
func (inv *invocation) say(err error) {
	var told exit.Code
	if err == nil || errors.As(err, &told) {
		return
	}
	for _, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		fmt.Fprintln(inv.Err, "mcpctl:", report.Visible(line))
	}
}
