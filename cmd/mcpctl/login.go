package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// loginWait is how long a person has to log in, unless --timeout says otherwise.
const loginWait = 5 * time.Minute

// logging is how a person logs in.
type logging struct {
	device, paste bool
	scopes        cli.StringSlice
	store         string
}

func loginCommand(inv *invocation) *cli.Command {
	var how logging
	return &cli.Command{
		Name:      "login",
		Usage:     "log in to a server that asks for it, with OAuth",
		ArgsUsage: "SERVER",
		Description: `SERVER is the name of a configured server, or a URL. A browser opens; the tokens that come of it are kept in the
keyring of this machine and sent to that server alone, by every command. Rights that a server asked for since are added.`,
		Flags: append(inv.entryFlags(),
			&cli.BoolFlag{Name: "no-browser", Usage: "show the address to open, and read the one that the browser ends at", Destination: &how.paste},
			&cli.BoolFlag{Name: "device", Usage: "log in on another device with a code", Destination: &how.device},
			&cli.StringSliceFlag{Name: "scope", Usage: "ask for `SCOPE` too (repeatable)", Destination: &how.scopes},
			&cli.StringFlag{Name: "store", Usage: "keep the tokens in the `PLACE`: keyring or file (default: MCPCTL_TOKEN_STORE, else keyring)", Destination: &how.store},
		),
		Action: func(c *cli.Context) error { return inv.login(c.Context, c.Args().Slice(), how) },
	}
}

// entryFlags are the flags of commands about one login.
func (inv *invocation) entryFlags() []cli.Flag {
	return append(append(inv.configFlags(), inv.outputFlags()...), inv.yesFlag(),
		&cli.GenericFlag{Name: "timeout", Usage: "for the whole of it, a `DURATION` such as 2m", Value: &inv.timeout},
		&cli.StringFlag{Name: "ca-cert", Usage: "trust the certificates of PEM `FILE` too", Destination: &inv.caCert, TakesFile: true})
}

func (inv *invocation) login(ctx context.Context, words []string, how logging) error {
	if how.device && how.paste {
		return exit.Usagef("--device needs no browser here: leave --no-browser out")
	}
	server, err := inv.chosen(ctx, "login", words)
	if err != nil {
		return err
	}
	if server.Client.Machine {
		return exit.Usagef("%s is configured for client credentials: no person logs in, runs get their tokens themselves", report.Visible(server.Name))
	}
	old, err := inv.vault().Of(auth.Canonical(server.URL))
	if err != nil {
		return err
	}
	place, err := inv.place(how.store, old)
	if err != nil {
		return err
	}
	l, err := inv.inTime(ctx, server, old, place, how)
	if err != nil {
		return inv.fruitless("login", server, err)
	}
	return inv.emitLogin(ctx, "login", server, inv.loginOf(server, l))
}

// inTime logs in and keeps the login, if somebody does so in time.
func (inv *invocation) inTime(ctx context.Context, server auth.Server, old *vault.Login, place vault.Place, how logging) (*vault.Login, error) {
	limit := inv.timeout.or(loginWait)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nobody logged in within %s", limit))
	defer cancel()
	if err := inv.ready(ctx, place); err != nil {
		return nil, err
	}
	l, err := inv.enter(ctx, server, old, how)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, err
	}
	l.Place, l.Renews = place, l.Secrets.Refresh != ""
	return l, inv.remember(ctx, *l, old)
}

// ready makes sure, before anybody is asked to log in, that what comes of it can be kept.
func (inv *invocation) ready(ctx context.Context, place vault.Place) error {
	if place != vault.Keyring {
		return nil
	}
	if err := inv.vault().Keyring.Check(ctx); err != nil {
		return exit.Usagef("%w\nlog in with --store file (or MCPCTL_TOKEN_STORE=file) to keep the tokens in a file that only you can read", err)
	}
	return nil
}

// enter is the login itself.
func (inv *invocation) enter(ctx context.Context, server auth.Server, old *vault.Login, how logging) (*vault.Login, error) {
	pem, err := inv.certificates()
	if err != nil {
		return nil, err
	}
	if old != nil { // its registration may be used again
		if whole, err := inv.vault().Unlock(ctx, *old); err == nil && whole != nil {
			old = whole
		}
	}
	way := auth.Flow{Tell: inv.announce, Open: inv.browse, Device: how.device, Scopes: how.scopes.Value()}
	if how.paste {
		way.Paste = inv.pasted
	}
	return auth.Login(ctx, server, old, way, pem)
}

// announce tells what the person who logs in has to know, also when remarks are not wanted.
func (inv *invocation) announce(text string) {
	first, rest, more := strings.Cut(text, "\n")
	fmt.Fprintln(inv.Err, "mcpctl:", report.Visible(first))
	if more {
		fmt.Fprintln(inv.Err, report.Visible(rest))
	}
}

// remember puts a login into the vault, and takes an earlier one to another authorization server or in another place out of it.
func (inv *invocation) remember(ctx context.Context, l vault.Login, old *vault.Login) error {
	if old != nil && (old.Issuer != l.Issuer || old.Place != l.Place) {
		if err := inv.vault().Remove(ctx, *old); err != nil {
			inv.Note("%v", err)
		}
	}
	return inv.vault().Save(ctx, l)
}

// fruitless reports a login or logout that failed.
func (inv *invocation) fruitless(command string, server auth.Server, err error) error {
	var wise interface {
		error
		Hint() string
	}
	text := fmt.Errorf("%s to %s: %w", command, report.Visible(server.Name), err)
	if errors.As(err, &wise) && wise.Hint() != "" {
		text = fmt.Errorf("%w\n%s", text, wise.Hint())
	}
	return text
}

// chosen is the one server that a command about logins names. It is contacted only where other commands would.
func (inv *invocation) chosen(ctx context.Context, command string, words []string) (auth.Server, error) {
	if len(words) != 1 || inv.command != nil {
		return auth.Server{}, exit.Usagef("%s takes one server: a configured name, or a URL", command)
	}
	targets, err := inv.targets(words)
	if err != nil {
		return auth.Server{}, err
	}
	if kind := targets[0].kind; kind != byName && kind != byURL {
		return auth.Server{}, exit.Usagef("%s takes the name of a configured server, or a URL", command)
	}
	cfg, err := inv.load(ctx, targets)
	if err != nil {
		return auth.Server{}, err
	}
	steps, err := inv.plan(cfg, targets)
	if err != nil {
		return auth.Server{}, err
	}
	server, err := loginTo(steps, cfg)
	if err == nil && command == "login" {
		inv.warnOfHeader(*steps[0].contact)
	}
	return server, err
}

// warnOfHeader tells that a login will not be used.
func (inv *invocation) warnOfHeader(server probe.Server) {
	if _, own := server.HTTP.Headers["Authorization"]; own || server.HTTP.Helper != nil {
		inv.Note("the configuration of %s says what is sent to it, which wins over a login", report.Visible(server.Name))
	}
}

// loginTo is the server of the only step of a plan.
func loginTo(steps []step, cfg *config.Config) (auth.Server, error) {
	if len(steps) != 1 {
		return auth.Server{}, exit.Usagef("that names %d servers: name one", len(steps))
	}
	s := steps[0]
	switch {
	case s.contact == nil && s.known.Error != nil:
		return auth.Server{}, exit.Usagef("%s: %s\n%s", report.Visible(s.known.Name), s.known.Error.Message, s.known.Error.Hint)
	case s.contact == nil:
		return auth.Server{}, exit.Usagef("%s is disabled in the configuration", report.Visible(s.known.Name))
	case s.contact.HTTP == nil:
		return auth.Server{}, exit.Usagef("%s is started as a command: it takes credentials from its environment (env in the configuration)", report.Visible(s.contact.Name))
	}
	return protected(*s.contact, cfg), nil
}
