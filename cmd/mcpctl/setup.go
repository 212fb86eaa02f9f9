package main

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
	"github.com/mcpctl/mcpctl/internal/trust"
)

func loginCommand(p program) *cli.Command {
	var o login.Options
	return p.command(&cli.Command{
		Name:      "login",
		Usage:     "log in to a server that asks for it, with OAuth",
		ArgsUsage: "SERVER",
		Description: `SERVER is the name of a configured server, or a URL. A browser opens; the tokens that come of it are kept in the
keyring of this machine and sent to that server alone, by every command. Rights that a server asked for since are added.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "no-browser", Usage: "show the address to open, and read the one that the browser ends at", Destination: &o.Paste},
			&cli.BoolFlag{Name: "device", Usage: "log in on another device with a code", Destination: &o.Device},
			&cli.GenericFlag{Name: "scope", Usage: "ask for `SCOPE` too (repeatable)", Value: list(&o.Scopes)},
			&cli.StringFlag{Name: "store", Usage: "keep the tokens in the `PLACE`: keyring or file (default: MCPCTL_TOKEN_STORE, else keyring)", Destination: &o.Store},
		},
		Action: func(c *cli.Context) error {
			server, overridden, err := p.protected(c.Context, "login", c.Args().Slice())
			if err != nil {
				return err
			}
			if overridden {
				p.Note("the configuration of %s says what is sent to it, which wins over a login", report.Visible(server.Name))
			}
			o.Timeout = p.Contact.Timeout
			if o.CACert, err = p.Contact.Certificates(); err != nil {
				return err
			}
			r, err := login.Login(c.Context, p.Process, server, o)
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, p.loginFlags())
}

func logoutCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "logout",
		Usage:     "forget the login to a server, and have its tokens revoked",
		ArgsUsage: "SERVER",
		Action: func(c *cli.Context) error {
			server, _, err := p.protected(c.Context, "logout", c.Args().Slice())
			if err != nil {
				return err
			}
			pem, err := p.Contact.Certificates()
			if err != nil {
				return err
			}
			r, err := login.Logout(c.Context, p.Process, server, pem)
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, p.loginFlags())
}

func (p *program) loginFlags() []cli.Flag {
	return slices.Concat(selectionFlags(&p.Select), p.outputFlags(), []cli.Flag{
		yesFlag(&p.Select),
		&cli.GenericFlag{Name: "timeout", Usage: "for the whole of it, a `DURATION` such as 2m (default: MCP_TIMEOUT, else 5m)", Value: duration(&p.Contact.Timeout)},
		caCertFlag(&p.Contact),
	})
}

// protected is the one server that a command about logins names, and whether its configuration wins over a login.
func (p program) protected(ctx context.Context, command string, words []string) (_ auth.Server, overridden bool, _ error) {
	if len(words) != 1 || p.behind != nil {
		return auth.Server{}, false, exit.Usagef("%s takes one server: a configured name, or a URL", command)
	}
	from, err := p.sources(words)
	if err != nil {
		return auth.Server{}, false, err
	}
	if kind := from[0].Kind; kind != source.Configured && kind != source.URL {
		return auth.Server{}, false, exit.Usagef("%s takes the name of a configured server, or a URL", command)
	}
	f, err := fleet.Load(ctx, p.Process, p.Select, p.Contact, from)
	if err != nil {
		return auth.Server{}, false, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return auth.Server{}, false, err
	}
	if len(targets) != 1 {
		return auth.Server{}, false, exit.Usagef("that names %d servers: name one", len(targets))
	}
	server, err := targets[0].Protected()
	return server, err == nil && targets[0].Overrides(), err
}

func authCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:        "auth",
		Usage:       "auth status: which logins there are, and how long they hold; contacts nothing",
		ArgsUsage:   "status [SERVER…]",
		Description: "Shows who issued the tokens, for which rights, until when, and where they are kept; never the tokens.",
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) == 0 || words[0] != "status" || p.behind != nil {
				return exit.Usagef("auth has one command: mcpctl auth status [SERVER…] (mcpctl login and mcpctl logout change logins)")
			}
			names := words[1:]
			cfg, err := fleet.Read(c.Context, p.Process, p.Select)
			if err != nil && (len(names) > 0 || cfg == nil) {
				return err
			}
			entries, err := cfg.Select(names)
			if err != nil {
				return exit.Misuse(config.Explain(err))
			}
			return p.emit(c.Context, login.Status(p.Process, cfg, entries, len(names) == 0), nil, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags())
}

func trustCommand(p program) *cli.Command {
	var how trusting
	return p.command(&cli.Command{
		Name:      "trust",
		Usage:     "agree to configured servers that were found and not named, as they are now",
		ArgsUsage: "[NAME…]",
		Description: `Shows what each of them would do, and remembers that it may, until that changes. Starts and contacts nothing.
Files named with --config or MCPCTL_CONFIG need no trust.`,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "dry-run", Aliases: []string{"n"}, Usage: "show what would be agreed to, and remember nothing", Destination: &how.dryRun},
			&cli.BoolFlag{Name: "list", Usage: "show every agreement of yours, whatever file it is about", Destination: &how.list},
			&cli.BoolFlag{Name: "revoke", Usage: "forget the agreements about the files that are found here", Destination: &how.revoke},
			&cli.BoolFlag{Name: "yes", Aliases: []string{"y"}, Hidden: true}, // which it takes for granted
			&cli.BoolFlag{Name: "all", Usage: "with --revoke: forget every agreement of yours", Destination: &how.all},
		},
		Action: func(c *cli.Context) error {
			r, err := how.run(c.Context, p, c.Args().Slice())
			return p.emit(c.Context, r, err, report.Options{})
		},
	}, selectionFlags(&p.Select), p.outputFlags(), reportFlags(&p.Output))
}

// trusting are the flags of trust alone.
type trusting struct{ list, revoke, all, dryRun bool }

func (how trusting) run(ctx context.Context, p program, names []string) (*report.Report, error) {
	gate := trust.Gate{Process: p.Process}
	store, err := gate.Store()
	switch {
	case err != nil:
		return nil, exit.Misuse(err)
	case p.behind != nil:
		return nil, exit.Usagef(`a command on the command line needs no trust: trust takes no "--"`)
	case how.list && (how.revoke || how.dryRun), how.revoke && how.dryRun:
		return nil, exit.Usagef("--list, --revoke and --dry-run do not go together")
	case how.all && (!how.revoke || len(names) > 0):
		return nil, exit.Usagef("--all forgets every agreement: it goes with --revoke, and without names")
	case how.list:
		return store.Report(names), nil
	case how.all:
		return &report.Report{Command: "trust"}, store.Clear()
	}
	cfg, err := fleet.Read(ctx, p.Process, p.Select)
	switch {
	case how.revoke && cfg == nil: // a broken file must not keep anybody from revoking
		return nil, exit.Usagef("the configuration could not be read: forget every agreement with --revoke --all")
	case how.revoke:
		return store.RevokeFound(cfg, names)
	case err != nil:
		return nil, err
	}
	entries, err := fleet.Choose(cfg, p.Select, names)
	if err != nil {
		return nil, err
	}
	return gate.Propose(entries, len(names) == 0, how.dryRun)
}

func cacheCommand(p program) *cli.Command {
	empty := false
	return p.command(&cli.Command{
		Name:        "cache",
		Usage:       "the packages that were fetched for npm:, pypi: and oci: SOURCEs; shows or empties them",
		Description: `Shows what is kept, the least recently used first. It can all be fetched again. Beyond 2 GiB what was used longest ago goes by itself, but nothing that was used within a day or that a running command uses.`,
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "empty", Usage: "remove all of it but what running commands use", Destination: &empty}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("cache takes no argument: mcpctl cache shows what is kept, mcpctl cache --empty removes it")
			}
			store, err := fleet.PackageStore(p.Process)
			if err != nil {
				return exit.Misuse(err)
			}
			entries, err := store.Entries()
			done := "kept"
			if err == nil && empty {
				kept := len(entries)
				entries, err = store.Prune(0, time.Now().Add(time.Hour))
				if kept -= len(entries); kept > 0 && err == nil {
					p.Note("running commands use %d of them: they stay until these end", kept)
				}
				done = "removed"
			}
			if err != nil {
				return err
			}
			var out bytes.Buffer
			sum := int64(0)
			for _, e := range entries {
				fmt.Fprintf(&out, "%s  %s  used %s\n", report.Visible(e.Name), printable.Size(int(e.Bytes)), e.Used.Format(time.DateOnly))
				sum += e.Bytes
			}
			fmt.Fprintf(&out, "%s %s in %s\n", printable.Size(int(sum)), done, store.Folder)
			return p.Output.Bytes(c.Context, p.Process, out.Bytes())
		},
	}, p.talkFlags())
}

// buildVersion is set by the linker for released binaries.
var buildVersion string

// version is the released version, or what the Go toolchain knows of this build.
func version() string {
	if buildVersion != "" {
		return buildVersion
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// builtFrom is the commit that the program was built from; empty when that is not known, or it was changed.
func builtFrom() (commit string) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			return ""
		}
	}
	return commit
}

func versionCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:  "version",
		Usage: "print the version",
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return exit.Usagef("version takes no argument: see mcpctl version --help")
			}
			return p.Output.Bytes(c.Context, p.Process, []byte(versionText(p.Version, p.Output.Format)))
		},
	}, p.outputFlags())
}

// versionText is the version in a format; without one it is a line for people, into a pipe too.
func versionText(version, format string) string {
	platform := runtime.GOOS + "/" + runtime.GOARCH
	switch format {
	case "json":
		return fmt.Sprintf("{\"version\": %q, \"go\": %q, \"platform\": %q}\n", version, runtime.Version(), platform)
	case "yaml":
		return fmt.Sprintf("version: %q\ngo: %q\nplatform: %q\n", version, runtime.Version(), platform)
	}
	return fmt.Sprintf("mcpctl %s (%s, %s)\n", version, runtime.Version(), platform)
}
