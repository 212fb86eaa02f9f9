package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/vault"
)

func logoutCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:      "logout",
		Usage:     "forget the login to a server, and have its tokens revoked",
		ArgsUsage: "SERVER",
		Flags:     inv.entryFlags(),
		Action:    func(c *cli.Context) error { return inv.logout(c.Context, c.Args().Slice()) },
	}
}

func authCommand(inv *invocation) *cli.Command {
	return &cli.Command{
		Name:        "auth",
		Usage:       "auth status: which logins there are, and how long they hold; contacts nothing",
		ArgsUsage:   "status [SERVER…]",
		Description: "Shows who issued the tokens, for which rights, until when, and where they are kept; never the tokens.",
		Flags:       slices.Concat(inv.configFlags(), inv.outputFlags()),
		Action: func(c *cli.Context) error {
			words := c.Args().Slice()
			if len(words) == 0 || words[0] != "status" || inv.command != nil {
				return exit.Usagef("auth has one command: mcpctl auth status [SERVER…] (mcpctl login and mcpctl logout change logins)")
			}
			return inv.authStatus(c.Context, words[1:])
		},
		BashComplete: func(c *cli.Context) {
			if c.NArg() == 0 {
				completeWords("status")(c)
				return
			}
			inv.completeServers(c)
		},
	}
}

// logout forgets a login here even when the authorization server cannot be told.
func (inv *invocation) logout(ctx context.Context, words []string) error {
	server, err := inv.chosen(ctx, "logout", words)
	if err != nil {
		return err
	}
	v := inv.vault()
	public, err := v.Of(auth.Canonical(server.URL))
	if err != nil {
		return err
	}
	if public == nil {
		inv.Note("nobody is logged in to %s", report.Visible(server.Name))
		return inv.emitLogin(ctx, "logout", server, inv.loginOf(server, nil))
	}
	pem, err := inv.certificates()
	if err != nil {
		return err
	}
	if l, err := v.Unlock(ctx, *public); err == nil && l != nil {
		err = auth.Logout(ctx, server, *l, pem)
		if err != nil {
			inv.Note("the tokens are forgotten here, but may be good until they end: %v", err)
		}
	}
	if err := v.Remove(ctx, *public); err != nil {
		return err
	}
	return inv.emitLogin(ctx, "logout", server, inv.loginOf(server, nil))
}

// emitLogin reports what became of the login to a server.
func (inv *invocation) emitLogin(ctx context.Context, command string, server auth.Server, l report.Login) error {
	shown := report.Server{Name: server.Name, State: report.OK, URL: redact.MaskURL(server.URL), Login: &l}
	return inv.emit(ctx, &report.Report{Command: command, Servers: []report.Server{shown}}, report.Options{})
}

// authStatus shows the logins to configured servers, and those to servers that are not configured.
func (inv *invocation) authStatus(ctx context.Context, names []string) error {
	cfg, err := inv.read(nil)
	if err != nil && (len(names) > 0 || cfg == nil) {
		return err
	}
	entries, err := cfg.Select(names)
	if err != nil {
		return exit.Misuse(withHint(err))
	}
	logins, problem := inv.vault().All()
	r := &report.Report{Command: "auth"}
	if problem != nil {
		r.Status, r.Problems = exit.Incomplete, []string{problem.Error()}
	}
	for _, e := range entries {
		if e.Server.HTTP != nil && e.Server.HTTP.URL != "" {
			s := auth.Server{Name: e.Server.Name, URL: e.Server.HTTP.URL, Client: e.Login}
			r.Servers = append(r.Servers, inv.statusOfLogin(s, e.Server.Source, newest(logins, auth.Canonical(s.URL))))
		}
	}
	for i, l := range logins {
		configured := slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
			return e.Server.HTTP != nil && auth.Canonical(e.Server.HTTP.URL) == l.Server
		})
		if len(names) == 0 && !configured {
			r.Servers = append(r.Servers, inv.statusOfLogin(auth.Server{Name: l.Server, URL: l.Server}, "", &logins[i]))
		}
	}
	return inv.emit(ctx, r, report.Options{})
}

// newest is the login to a server that is used; nil = there is none.
func newest(logins []vault.Login, server string) (found *vault.Login) {
	for i, l := range logins {
		if l.Server == server && (found == nil || l.Since.After(found.Since)) {
			found = &logins[i]
		}
	}
	return found
}

func (inv *invocation) statusOfLogin(s auth.Server, source string, l *vault.Login) report.Server {
	shown := inv.loginOf(s, l)
	return report.Server{Name: s.Name, State: report.OK, Source: source, URL: redact.MaskURL(s.URL), Login: &shown}
}

// loginOf is what may be shown of a login; nil = nobody is logged in.
func (inv *invocation) loginOf(s auth.Server, l *vault.Login) report.Login {
	switch {
	case s.Client.Machine || s.Client.Refresh != "":
		return report.Login{State: report.Itself, Scopes: s.Client.Scopes}
	case l == nil:
		return report.Login{State: report.LoggedOut}
	}
	shown := report.Login{State: report.LoggedIn, Issuer: l.Issuer, Scopes: l.Scopes, Since: l.Since, Expires: l.Expires, Renews: l.Renews, Store: string(l.Place)}
	for _, scope := range l.Wanted {
		if !slices.Contains(l.Scopes, scope) {
			shown.Wanted = append(shown.Wanted, scope)
		}
	}
	switch {
	case l.Revoked:
		shown.State = report.Revoked
	case !l.Renews && !l.Expires.IsZero() && inv.Now.After(l.Expires):
		shown.State = report.Expired
	}
	return shown
}
