package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/fleet"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/login"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/source"
)

// loginCommand makes login. With --status it only shows what is stored.
func loginCommand(p program) *cli.Command {
	var o login.Options
	status := false
	return p.command(&cli.Command{
		Name:      "login",
		Category:  "Set up",
		Usage:     "Log in to a server with OAuth",
		ArgsUsage: "SERVER | --status [SERVER…]",
		Description: `
SERVER is the name of a configured server, or a URL. A browser opens. The tokens are kept in the keyring and
sent to that server only.`,
		Flags: []cli.Flag{
			toggle("no-browser", "Print the URL to open; paste the final URL", &o.Paste),
			toggle("device", "Log in on another device with a code", &o.Device),
			toggle("status", "Show login status; contact nothing", &status),
			option("scope", "Request `SCOPE`, too (repeatable)", list(&o.Scopes)),
		},
		Action: func(c *cli.Context) error {
			if status {
				return p.loginStatus(c)
			}
			server, overridden, err := p.protected(c.Context, "login", c.Args().Slice())
			if err != nil {
				return err
			}
			if overridden {
				p.Note("the configuration of %s says what is sent to it, which wins over a login",
					printable.Message(server.Name))
			}
			o.Timeout = p.Contact.Timeout
			if o.CACert, err = p.Contact.Certificates(); err != nil {
				return err
			}
			r, err := login.Login(c.Context, p.Process, server, o)
			if err != nil {
				return err
			}
			return p.emit(c.Context, ofLogins("login", r, ""), nil, report.Options{})
		},
	}, p.loginFlags())
}

// logoutCommand makes logout, which contacts the authorization server to revoke the tokens.
func logoutCommand(p program) *cli.Command {
	return p.command(&cli.Command{
		Name:      "logout",
		Category:  "Set up",
		Usage:     "Log out and revoke tokens",
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
			if err != nil {
				return err
			}
			return p.emit(c.Context, ofLogins("logout", r, ""), nil, report.Options{})
		},
	}, p.loginFlags())
}

func (p *program) loginFlags() []cli.Flag {
	return slices.Concat(selectionFlags(&p.Select), p.outputFlags(textFormats), consentFlags(&p.Select),
		shared(connecting, timeoutFlag(&p.Contact, "5m"), caCertFlag(&p.Contact)))
}

// protected returns the one server that a command about logins names, and whether its configuration wins
// over a login.
func (p program) protected(ctx context.Context, command string, words []string) (_ auth.Resource,
	overridden bool, _ error) {
	if len(words) != 1 || p.behind != nil {
		return auth.Resource{}, false, errOneServer(command)
	}
	from, err := p.sources(words)
	if err != nil {
		return auth.Resource{}, false, err
	}
	if kind := from[0].Kind; kind != source.Configured && kind != source.URL {
		return auth.Resource{}, false, errOneServer(command)
	}
	f, err := fleet.LoadAsking(ctx, p.Process, p.Select, p.Contact, from)
	if err != nil {
		return auth.Resource{}, false, err
	}
	targets, err := f.Resolve(ctx, from)
	if err != nil {
		return auth.Resource{}, false, err
	}
	if len(targets) != 1 {
		return auth.Resource{}, false, errManyServers(words[0], len(targets))
	}
	server, err := targets[0].Protected()
	return server, err == nil && targets[0].Overrides(), err
}

// loginStatus reports the logins to configured servers and, without names, all others.
func (p program) loginStatus(c *cli.Context) error {
	if p.behind != nil {
		return errLoginStatus
	}
	names := c.Args().Slice()
	cfg, err := fleet.Read(c.Context, p.Process, p.Select)
	if err != nil && (len(names) > 0 || cfg == nil) {
		return err
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return exit.Misuse(err)
	}
	all := login.Status(p.Process, cfg, entries, len(names) == 0)
	nothing := "no servers at a URL are configured, and there are no logins"
	if len(names) > 0 {
		nothing = "only servers at a URL have logins; not at a URL: " + printable.Message(kit.Some(names))
	}
	return p.emit(c.Context, ofLogins("login", all, nothing), nil, report.Options{})
}
