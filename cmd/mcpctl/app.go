package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/invoke"
	"github.com/mcpctl/mcpctl/internal/output"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/store"
)

// program is one run of mcpctl as a command sees it. Every command has a copy of its own, into which its flags write.
type program struct {
	host.Process
	typed   []string // the words of the command line, flags and all
	behind  []string // what followed "--"; nil = there was no "--"
	env     config.Environment
	misread error // what is wrong with env

	Select  fleet.Selection
	Contact fleet.Contact
	Output  output.Options
}

func run(ctx context.Context, args []string, p host.Process) int {
	if asksForOffers(p, args) {
		return exit.OK
	}
	stores := store.New(p)
	defer stores.Close()
	p.Store = stores
	own, behind := splitCommand(args)
	this := newProgram(p, behind)
	this.typed = args
	app := newApp(this, own...)
	takesValue, err := flagsFor(app, own), error(nil)
	if asked, all, command := asksForHelp(own, takesValue); asked {
		err = this.help(app, command, all)
	} else if own, err = arranged(own, takesValue); err == nil {
		err = perform(ctx, app, own)
	}
	if behind == nil {
		err = withDashes(p, err, args)
	}
	printError(p, err)
	return exit.CodeOf(err)
}

// newProgram is a run before its flags are read, with what the environment says in the place of their defaults.
func newProgram(p host.Process, behind []string) program {
	this := program{Process: p, behind: behind, Contact: fleet.DefaultContact()}
	this.env, this.misread = config.ReadEnvironment(p.Lookup, slices.Concat(report.Formats(), invoke.Formats()))
	this.Contact.Timeout, this.Output.Format = this.env.Timeout, this.env.Format
	if this.env.Retries != nil {
		this.Contact.Retries = *this.env.Retries
	}
	return this
}

// perform reads the flags of the command that args begin with, which then does its work. App.Run would do it, but brings the
// library's help along, and with its templates every method of every library: a tenth of the program.
func perform(ctx context.Context, app *cli.App, args []string) error {
	command := &cli.Command{Name: app.Name, Flags: app.Flags, Action: app.Action}
	if len(args) > 0 && app.Command(args[0]) != nil {
		command, args = app.Command(args[0]), args[1:]
	}
	set := flag.NewFlagSet(command.Name, flag.ContinueOnError)
	set.SetOutput(io.Discard)
	for _, f := range command.Flags {
		if err := f.Apply(set); err != nil {
			return err
		}
	}
	c := cli.NewContext(app, set, nil)
	c.Context, c.Command = ctx, command
	if err := set.Parse(args); err != nil {
		return badUsage(command, err)
	}
	if command.Before != nil {
		if err := command.Before(c); err != nil {
			return err
		}
	}
	return command.Action(c)
}

// newApp wires the commands, or the one that args begin with.
func newApp(p program, args ...string) *cli.App {
	showVersion := false
	return &cli.App{
		Name: "mcpctl", Usage: "inspect, diff and guard MCP servers", Description: appDescription,
		Flags: []cli.Flag{&cli.BoolFlag{Name: "version", Aliases: []string{"V"}, Usage: "print the version", Destination: &showVersion}},
		Action: func(c *cli.Context) error {
			if showVersion {
				_, err := fmt.Fprintf(p.Out, "mcpctl version %s\n", p.Version)
				return err
			}
			switch {
			case !c.Args().Present() && p.behind == nil:
				return p.help(c.App, "", false)
			case !c.Args().Present():
				return exit.Usagef("which command? To see what a server offers, write mcpctl list -- %s", strings.Join(p.behind, " "))
			}
			if name := flagName(p.typed[0]); !isWord(p.typed[0]) && !known(c.App, name) {
				return badUsage(&cli.Command{Name: c.App.Name, Flags: c.App.Flags}, errors.New(undefined+"-"+name))
			}
			return unknownCommand(p.Process, c.App, p.typed[slices.Index(p.typed, c.Args().First()):])
		},
		Commands: commands(p, args),
	}
}

// constructor makes a command, whose name it knows without that.
type constructor struct {
	name string
	make func(program) *cli.Command
}

func constructors() []constructor {
	return []constructor{
		{"list", listCommand},
		{"show", showCommand},
		{"snapshot", snapshotCommand},
		{"diff", diffCommand},
		{"accept", acceptCommand},
		{"check", checkCommand},
		{"watch", watchCommand},
		{"call", callCommand},
		{"prompt", promptCommand},
		{"read", readCommand},
		{"complete", completeCommand},
		{"ping", pingCommand},
		{"login", loginCommand},
		{"logout", logoutCommand},
		{"auth", authCommand},
		{"merge", mergeCommand},
		{"merge-driver", mergeDriverCommand},
		{"grep", grepCommand},
		{"init", initCommand},
		{"cache", cacheCommand},
		{"rules", rulesCommand},
		{"report", reportCommand},
		{"config", configCommand},
		{"trust", trustCommand},
		{"completion", completionCommand},
		{"man", manCommand},
		{"version", versionCommand},
	}
}

// commands are the one that args begin with, or all: the flags of all of them would cost each start a twelfth.
func commands(p program, args []string) []*cli.Command {
	var all []*cli.Command
	for _, c := range constructors() {
		if len(args) > 0 && c.name == args[0] {
			return []*cli.Command{c.make(p)}
		}
	}
	for _, c := range constructors() {
		all = append(all, c.make(p))
	}
	return all
}

const appDescription = `A SOURCE is the NAME of a configured server, a URL, npm:PACKAGE[@VERSION], pypi:PACKAGE[@VERSION], oci:IMAGE[:TAG], "-- CMD ARG…" (an ad-hoc stdio server,
last on the line), a snapshot file or folder, s3://BUCKET/PREFIX and the like, git:REF[:PATH], or - for a snapshot on standard input.
Exit status: 0 nothing found, 1 findings, 2 wrong usage or configuration, 3 could not find out, 4 nothing saved to compare with.`

// printError prints an error that no report has told yet, one line for each.
func printError(p host.Process, err error) {
	var told exit.Code
	if err == nil || errors.As(err, &told) || errors.Is(err, syscall.EPIPE) { // whoever left wants to hear nothing
		return
	}
	text := strings.TrimSpace(err.Error())
	if hint := exit.HintOf(err); !strings.Contains(text, hint) {
		text += ": " + hint
	}
	for _, line := range strings.Split(text, "\n") {
		fmt.Fprintln(p.Err, "mcpctl:", report.Visible(line))
	}
}

// sources are the SOURCEs of a command: its words, and the command behind "--" last.
func (p program) sources(words []string) ([]source.Source, error) {
	return source.ParseAll(words, p.behind)
}

func (p program) emit(ctx context.Context, r *report.Report, err error, view report.Options) error {
	if err != nil {
		return err
	}
	return output.Emit(ctx, p.Process, p.Output, r, view)
}

// splitCommand cuts an argument list at its first "--", behind which is a stdio server's command; nil without one.
func splitCommand(args []string) (own, behind []string) {
	at := slices.Index(args, "--")
	if at < 0 {
		return args, nil
	}
	return args[:at], append([]string{}, args[at+1:]...)
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
