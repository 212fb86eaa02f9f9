package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
)

// run runs one command line and returns its exit status. Words after "--" are kept from the library, which
// would read flags among them; its help goes to a buffer, so that a failed write is reported.
func run(ctx context.Context, args []string, p host.Process) int {
	completing := len(args) > 0 && args[len(args)-1] == completionFlag
	if completing {
		args = args[:len(args)-1]
	}
	own, behind := splitCommand(args)
	this := newProgram(p, own, behind)
	app := newApp(this)
	own = append([]string{app.Name}, arranged(app, own)...)
	if completing {
		if behind != nil { // the arguments of another program
			return exit.OK
		}
		if values, is := flagValues(app, args); is {
			for _, word := range values {
				fmt.Fprintln(p.Out, word)
			}
			return exit.OK
		}
		own = append(own, completionFlag)
	}
	var noTopic error // of "mcpctl help NAME"
	app.CommandNotFound = func(_ *cli.Context, name string) { noTopic = errUnknownCommand(app, name) }
	var help bytes.Buffer // and completion: the library does not report that writing failed
	app.Writer = &help
	err := errSecondCommand(this, app)
	if err == nil {
		err = corrected(ctx, this, app, errors.Join(app.RunContext(ctx, own), noTopic))
	}
	text := help.String()
	if !completing {
		text = wrapHelp(text, host.Width(p.Out))
	}
	_, failed := io.WriteString(p.Out, text)
	err = errors.Join(err, failed)
	printError(this, err)
	return exit.CodeOf(err)
}

// newApp returns the application with all commands. Without a command it shows its help, and errors are
// returned to run, since the library would print them and exit.
func newApp(p program) *cli.App {
	app := &cli.App{
		Name: "mcpctl", Usage: "List, compare and check MCP servers", Description: appDescription,
		Version:   p.Version,
		ErrWriter: p.Err, CustomAppHelpTemplate: appHelp, Suggest: true, EnableBashCompletion: true,
		OnUsageError: errUsage, ExitErrHandler: func(*cli.Context, error) {}, // main exits
	}
	app.Action = func(c *cli.Context) error {
		switch {
		case c.Args().Present():
			return errUnknownCommand(app, c.Args().Slice()...)
		case p.behind != nil:
			return errNoCommand(p.behind)
		}
		return cli.ShowAppHelp(c)
	}
	for _, construct := range []func(program) *cli.Command{
		listCommand, showCommand, grepCommand, configCommand, pingCommand, rulesCommand, reportCommand,
		initCommand, snapshotCommand, diffCommand, acceptCommand, checkCommand, replayCommand, watchCommand,
		mergeCommand,
		callCommand, promptCommand, readCommand, completeCommand,
		loginCommand, logoutCommand, trustCommand, completionCommand, versionCommand, manCommand,
		optionsCommand,
	} {
		c := construct(p)
		c.OnUsageError, c.HideHelpCommand, c.CustomHelpTemplate = errUsage, true, commandHelp
		if named, behind := usagesOf(c); behind != "" {
			with := "mcpctl " + c.Name + " [FLAG…] "
			c.UsageText = with + named + "\n   " + with + behind
		}
		if shown := examplesOf(c.Name); shown != "" {
			c.Description += "\n\nEXAMPLES:" + shown
		}
		c.Description = strings.TrimSpace(c.Description)
		app.Commands = append(app.Commands, c)
	}
	return app
}

// splitCommand cuts an argument list at its first "--", behind which is a stdio server's command; nil without
// one.
func splitCommand(args []string) (own, behind []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil
	}
	return args[:at], append([]string{}, args[at+1:]...)
}

// arranged moves the flags of a command in front of its arguments: urfave/cli stops reading flags at the
// first argument.
func arranged(app *cli.App, args []string) []string {
	if len(args) == 0 || app.Command(args[0]) == nil {
		return args
	}
	takesValue := takesValue(app.Command(args[0]))
	flags, words, end := args[:1:1], []string{}, []string{}
	for i := 1; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--help", arg == "-h": // the library would take an argument beside it for a command
			return append(args[:1:1], arg)
		case arg == "-" || !strings.HasPrefix(arg, "-"): // "-" is standard input
			words = append(words, arg)
		// a command line as a SOURCE; the library would take it for a flag
		case strings.HasPrefix(arg, "-- "):
			words, end = append(words, arg), []string{"--"}
		case takesValue[strings.TrimLeft(arg, "-")] && i+1 < len(args):
			flags = append(flags, arg, args[i+1])
			i++
		case takesValue[strings.TrimLeft(arg, "-")]: // its value is missing: no argument may become it
			return append(flags, arg)
		default:
			flags = append(flags, arg)
		}
	}
	return slices.Concat(flags, end, words)
}
