// Package login logs people in to protected servers and out again, and lets runs be asked with the logins
// there are.
package login

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Options say how a person logs in.
type Options struct {
	Device  bool           // on another device, with a code
	Paste   bool           // no browser is opened; the address that one ends at is read from standard input
	Scopes  []string       // asked for in addition
	Timeout *time.Duration // for the whole of it; nil = 5 minutes
	CACert  []byte         // further PEM certificates to trust
}

// patience is how long a person has to log in unless Options.Timeout says otherwise.
const patience = 5 * time.Minute

// Login logs a person in to a server, and keeps the login.
func Login(ctx context.Context, p host.Process, server auth.Server, o Options) (*report.Report, error) {
	switch {
	case o.Device && o.Paste:
		return nil, exit.Usagef("--device needs no browser here: leave --no-browser out")
	case server.Client.Machine:
		return nil, exit.Usagef("%s is configured for client credentials: no person logs in, runs get "+
			"their tokens themselves", report.Visible(server.Name))
	}
	old, err := storeOf(p).Of(auth.Canonical(server.URL))
	if err != nil {
		return nil, err
	}
	place, err := placeFor(p, old)
	if err != nil {
		return nil, err
	}
	l, err := inTime(ctx, p, server, old, place, o)
	if err != nil {
		return nil, withHint("login", server, err)
	}
	return reportOf(p, "login", server, l), nil
}

// placeFor returns where a login is kept: as the environment says, or where it was before, or in the keyring.
func placeFor(p host.Process, old *vault.Login) (vault.Place, error) {
	env, _ := p.Lookup("MCPCTL_TOKEN_STORE")
	place := vault.Place(env)
	switch {
	case place == "" && old != nil:
		return old.Place, nil
	case place == "":
		return vault.Keyring, nil
	case place != vault.Keyring && place != vault.File:
		return "", exit.Usagef("MCPCTL_TOKEN_STORE is keyring or file, not %q", place)
	}
	return place, nil
}

// inTime logs in and keeps the login, if somebody does so in time.
func inTime(ctx context.Context, p host.Process, server auth.Server, old *vault.Login, place vault.Place,
	o Options) (*vault.Login, error) {
	limit := patience
	if o.Timeout != nil {
		limit = *o.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("nobody logged in within %s", limit))
	defer cancel()
	store := storeOf(p)
	if place == vault.Keyring { // before anybody is asked to log in: what comes of it must be kept
		if err := store.Keyring.Check(ctx); err != nil {
			return nil, exit.Usagef("%w\nlog in with MCPCTL_TOKEN_STORE=file to keep the tokens in a file "+
				"that only you can read", err)
		}
	}
	l, err := authorize(ctx, p, server, old, o, func(ctx context.Context, l *vault.Login) error {
		l.Place, l.Renews = place, l.Secrets.Refresh != ""
		// to another authorization server, or in another place
		if old != nil && (old.Issuer != l.Issuer || old.Place != l.Place) {
			if err := store.Remove(ctx, *old); err != nil {
				p.Note("%v", err)
			}
		}
		return store.Save(ctx, *l)
	})
	if err != nil && ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	return l, err
}

// authorize is the login itself.
func authorize(ctx context.Context, p host.Process, server auth.Server, old *vault.Login, o Options,
	keep func(context.Context, *vault.Login) error) (*vault.Login, error) {
	if old != nil { // its registration may be used again
		if whole, err := storeOf(p).Unlock(ctx, *old); err == nil && whole != nil {
			old = whole
		}
	}
	way := auth.Flow{
		Tell:   func(text string) { announce(p, text) },
		Open:   func(_ context.Context, page string) error { return openBrowser(p, page) },
		Keep:   keep,
		Device: o.Device, Scopes: o.Scopes,
	}
	if o.Paste {
		way.Paste = func(ctx context.Context) (string, error) { return readPasted(ctx, p) }
	}
	return auth.Login(ctx, server, old, way, o.CACert)
}

// announce tells what the person who logs in has to know, also when remarks are not wanted.
func announce(p host.Process, text string) {
	first, rest, more := strings.Cut(text, "\n")
	fmt.Fprintln(p.Err, "mcpctl:", report.Visible(first))
	if more {
		fmt.Fprintln(p.Err, report.Visible(rest))
	}
}

// withHint is what went wrong with a login or logout, and what to do next.
func withHint(command string, server auth.Server, err error) error {
	text := fmt.Errorf("%s to %s: %w", command, report.Visible(server.Name), err)
	if hint := exit.HintOf(err); hint != "" {
		text = fmt.Errorf("%w\n%s", text, hint)
	}
	return text
}

// Logout forgets a login here, even when the authorization server cannot be told.
func Logout(ctx context.Context, p host.Process, server auth.Server, pem []byte) (*report.Report, error) {
	store := storeOf(p)
	public, err := store.Of(auth.Canonical(server.URL))
	if err != nil {
		return nil, err
	}
	if public == nil {
		p.Note("nobody is logged in to %s", report.Visible(server.Name))
		return reportOf(p, "logout", server, nil), nil
	}
	if l, err := store.Unlock(ctx, *public); err == nil && l != nil {
		if err := auth.Logout(ctx, server, *l, pem); err != nil {
			p.Note("the tokens are forgotten here, but may be good until they end: %v", err)
		}
	}
	if err := store.Remove(ctx, *public); err != nil {
		return nil, err
	}
	return reportOf(p, "logout", server, nil), nil
}

// storeOf is where the user's logins are. Without a home folder there are none, and none can be kept.
func storeOf(p host.Process) vault.Vault {
	state, err := p.StateDir()
	if err != nil {
		return vault.Vault{}
	}
	return vault.Vault{Folder: filepath.Join(state, "logins"), Keyring: vault.Ring{Missing: noKeyring(p)}}
}

// noKeyring is why a system with D-Bus has no keyring: asking would start a bus of its own.
func noKeyring(p host.Process) string {
	if p.GOOS == "windows" || p.GOOS == "darwin" {
		return ""
	}
	bus, _ := p.Lookup("DBUS_SESSION_BUS_ADDRESS")
	runtimeDir, _ := p.Lookup("XDG_RUNTIME_DIR")
	if _, err := os.Stat(filepath.Join(runtimeDir, "bus")); bus != "" || runtimeDir != "" && err == nil {
		return ""
	}
	return "there is no D-Bus session"
}

// Attacher gives what lets a server at a URL be asked with the login that the user has, or that its
// configuration makes.
func Attacher(p host.Process, pem []byte) func(http *probe.HTTP, server auth.Server) {
	store := storeOf(p)
	return func(http *probe.HTTP, server auth.Server) {
		if http.Authorize == nil && !server.Client.Never {
			source := auth.Source{Server: server, Vault: store, CACert: pem}
			http.Authorize = source.Authorize
		}
	}
}

// ServerOf is a server as its logins know it: one that the command line names by its URL is called by that.
func ServerOf(server probe.Server, client config.Client) auth.Server {
	s := auth.Server{Name: server.Name, URL: server.HTTP.URL, Client: client}
	if server.Source == config.CommandLine {
		s.Name = auth.Canonical(s.URL)
	}
	return s
}

// Status reports the logins to the entries, and with all those to servers that are not configured.
func Status(p host.Process, cfg *config.Config, entries []config.Entry, all bool) *report.Report {
	store := storeOf(p)
	logins, problem := store.All()
	r := &report.Report{Command: "login"}
	if problem != nil {
		r.Status, r.Problems = exit.Incomplete, []string{problem.Error()}
	}
	for _, e := range entries {
		if e.Server.HTTP != nil && e.Server.HTTP.URL != "" {
			s := auth.Server{Name: e.Server.Name, URL: e.Server.HTTP.URL, Client: e.Login}
			l, _ := store.Of(auth.Canonical(s.URL)) // the problem is told above
			r.Servers = append(r.Servers, shown(p, s, e.Server.Source, l))
		}
	}
	for i, l := range logins {
		configured := slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
			return e.Server.HTTP != nil && auth.Canonical(e.Server.HTTP.URL) == l.Server
		})
		if all && !configured {
			r.Servers = append(r.Servers,
				shown(p, auth.Server{Name: l.Server, URL: l.Server}, "", &logins[i]))
		}
	}
	return r
}

// reportOf is what became of the login to a server; nil = there is none.
func reportOf(p host.Process, command string, server auth.Server, l *vault.Login) *report.Report {
	return &report.Report{Command: command, Servers: []report.Server{shown(p, server, "", l)}}
}

func shown(p host.Process, s auth.Server, source string, l *vault.Login) report.Server {
	state := stateOf(p, s, l)
	return report.Server{Name: s.Name, State: report.OK, Source: source, Login: &state,
		Definition: report.Definition{URL: redact.MaskURL(s.URL)}}
}

// stateOf is what may be shown of a login; nil = nobody is logged in.
func stateOf(p host.Process, s auth.Server, l *vault.Login) report.Login {
	switch {
	case s.Client.Machine:
		return report.Login{State: report.Itself, Scopes: s.Client.Scopes}
	case l == nil:
		return report.Login{State: report.LoggedOut}
	}
	shown := report.Login{State: report.LoggedIn, Issuer: l.Issuer, Scopes: l.Scopes, Since: l.Since,
		Expires: l.Expires, Renews: l.Renews, Store: string(l.Place)}
	shown.Wanted = kit.Filter(l.Wanted, func(scope string) bool { return !slices.Contains(l.Scopes, scope) })
	switch {
	case l.Revoked:
		shown.State = report.Revoked
	case !l.Renews && !l.Expires.IsZero() && p.Now.After(l.Expires):
		shown.State = report.Expired
	}
	return shown
}

// openBrowser opens a page in the user's browser, which outlives us: BROWSER if it is set, else what the
// system has. The page is an argument of its own, never part of a command line that a shell reads.
func openBrowser(p host.Process, page string) error {
	browsers := systemBrowsers(p, page)
	if chosen, _ := p.Lookup("BROWSER"); chosen != "" {
		browsers = kit.Map(filepath.SplitList(chosen),
			func(command string) []string { return withPage(strings.Fields(command), page) })
	}
	err := errors.New("there is none")
	for _, words := range browsers {
		if len(words) == 0 {
			continue
		}
		if err = start(words, p.Environ); err == nil {
			return nil
		}
	}
	return err
}

// withPage is a command of BROWSER with the page in the place of %s, or at its end.
func withPage(words []string, page string) []string {
	if len(words) == 0 {
		return nil
	}
	placed := false
	for i, word := range words {
		if strings.Contains(word, "%s") {
			words[i], placed = strings.ReplaceAll(word, "%s", page), true
		}
	}
	if !placed {
		words = append(words, page)
	}
	return words
}

// systemBrowsers are the commands that open a page on a system.
func systemBrowsers(p host.Process, page string) [][]string {
	switch p.GOOS {
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler", page}}
	case "darwin":
		return [][]string{{"open", page}}
	}
	for _, screen := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		if value, _ := p.Lookup(screen); value != "" {
			return [][]string{{"xdg-open", page}, {"wslview", page}, {"x-www-browser", page}}
		}
	}
	return nil
}

// start runs a program and leaves it alone.
func start(words, environ []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// readPasted reads the address that a browser ended at from standard input, until ctx ends.
func readPasted(ctx context.Context, p host.Process) (string, error) {
	text, err := host.AwaitFor(ctx, 0, func() ([]byte, error) { return host.ReadLine(p.In) })
	if err != nil && ctx.Err() == nil {
		err = host.ErrNoAnswer
	}
	return string(text), err
}
