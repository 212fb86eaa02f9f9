// Package login logs the user in to protected servers and out again, and uses the saved logins in requests.
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
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/seen"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// Options are how the user logs in.
type Options struct {
	Device  bool           // on another device, with a code
	Paste   bool           // open no browser; the address at which one ends is read from standard input
	Scopes  []string       // to request in addition
	Timeout *time.Duration // of the whole login; nil = loginTime
	CACert  []byte         // further PEM certificates to trust
}

// loginTime is how long the user has to log in by default.
const loginTime = 5 * time.Minute

// Login logs the user in to a server, and saves the login.
func Login(ctx context.Context, p host.Process, server auth.Resource, o Options) (*Result, error) {
	switch {
	case o.Device && o.Paste:
		return nil, exit.UsageHint("leave --no-browser out", "--device needs no browser here")
	case server.Client.Machine:
		return nil, exit.Usagef("%s is configured to get its tokens without a login",
			printable.Message(server.Name))
	}
	store := storeOf(p)
	old, err := store.Of(auth.Canonical(server.URL))
	if err != nil {
		return nil, err
	}
	limit := loginTime
	if o.Timeout != nil {
		limit = *o.Timeout
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		fmt.Errorf("the login was not completed within %s", limit))
	defer cancel()
	place, err := placeFor(ctx, p, store, old) // before the user logs in: the result must be saved
	if err != nil {
		return nil, fmt.Errorf("login to %s: %w", printable.Message(server.Name), err)
	}
	if old != nil { // its registration may be used again
		if whole, err := store.Unlock(ctx, *old); err == nil && whole != nil {
			old = whole
		}
	}
	flow := auth.Flow{
		Print: func(text string) { printAlways(p, text) },
		Open:  func(_ context.Context, page string) error { return openBrowser(p, page) },
		Save: func(ctx context.Context, l *vault.Grant) error {
			l.Place, l.Renews = place, l.Secrets.Refresh != ""
			if old != nil && (old.Issuer != l.Issuer || old.Place != l.Place) {
				if err := store.Remove(ctx, *old); err != nil {
					p.Note("%v", err)
				}
			}
			return store.Save(ctx, *l)
		},
		Unanswered: func(ctx context.Context) {
			late := func(l *vault.Grant) { l.Unanswered = true }
			if _, err := store.Change(ctx, *old, late); err != nil {
				p.Note("%v", err)
			}
		},
		Device: o.Device, Scopes: o.Scopes,
	}
	if o.Paste {
		flow.Paste = func(ctx context.Context) (string, error) { return readPasted(ctx, p) }
	}
	if server.Client.Sends != "" {
		printAlways(p, "it sends "+printable.Message(server.Client.Sends)+"\n")
	}
	l, err := auth.Login(ctx, server, old, flow, o.CACert)
	if err != nil && ctx.Err() != nil {
		err = exit.Advise(exit.HintOf(err), "%w", context.Cause(ctx))
	}
	if err != nil {
		return nil, fmt.Errorf("login to %s: %w", printable.Message(server.Name), err)
	}
	return resultOf(p, server, l), nil
}

// placeFor returns where a login is saved: the choice of the environment, else its old place, else the
// keyring, which must be usable.
func placeFor(ctx context.Context, p host.Process, store vault.Vault, old *vault.Grant) (vault.Store, error) {
	env, _ := p.Lookup("MCPCTL_TOKEN_STORE")
	place := vault.Store(env)
	switch {
	case place == "" && old != nil:
		place = old.Place
	case place == "":
		place = vault.Keyring
	case place != vault.Keyring && place != vault.File:
		return "", exit.Usagef("MCPCTL_TOKEN_STORE is keyring or file, not %q", place)
	}
	if place == vault.File {
		return place, nil
	}
	if err := store.CheckKeyring(ctx); err != nil {
		return "", exit.UsageHint("set MCPCTL_TOKEN_STORE=file to store the tokens in a private file",
			"%w", err)
	}
	return place, nil
}

// printAlways writes what the user must know to log in, also with --quiet.
func printAlways(p host.Process, text string) {
	first, rest, more := strings.Cut(text, "\n")
	fmt.Fprintln(p.Err, "mcpctl:", printable.Message(first))
	if more {
		fmt.Fprintln(p.Err, printable.Message(rest))
	}
}

// Logout revokes the tokens of a login and removes it, even if they cannot be revoked.
func Logout(ctx context.Context, p host.Process, server auth.Resource, pem []byte) (*Result, error) {
	store := storeOf(p)
	public, err := store.Of(auth.Canonical(server.URL))
	if err != nil {
		return nil, err
	}
	if public == nil {
		p.Note("not logged in to %s", printable.Message(server.Name))
		return resultOf(p, server, nil), nil
	}
	if l, err := store.Unlock(ctx, *public); err == nil && l != nil {
		if err := auth.Logout(ctx, server, *l, pem); err != nil {
			p.Note("the tokens were removed here, but may be valid until they expire: %v", err)
		}
	}
	if err := store.Remove(ctx, *public); err != nil {
		return nil, err
	}
	return resultOf(p, server, nil), nil
}

// storeOf returns the user's logins. Without a home directory there are none, and none can be saved.
func storeOf(p host.Process) vault.Vault {
	state, err := p.StateDir()
	if err != nil {
		return vault.Vault{}
	}
	return vault.Vault{Folder: filepath.Join(state, "logins"), NoKeyring: noKeyring(p)}
}

// noKeyring returns why a system with D-Bus has no keyring; a request would start another bus.
func noKeyring(p host.Process) string {
	if p.GOOS == "windows" || p.GOOS == "darwin" {
		return ""
	}
	bus, _ := p.Lookup("DBUS_SESSION_BUS_ADDRESS")
	runtimeDir, _ := p.Lookup("XDG_RUNTIME_DIR")
	if _, err := os.Stat(filepath.Join(runtimeDir, "bus")); bus != "" || runtimeDir != "" && err == nil {
		return ""
	}
	return "no D-Bus session is running"
}

// Attacher returns the function that makes requests to a server use the user's login, or that of its
// configured client.
func Attacher(p host.Process, pem []byte) func(http *probe.HTTP, server auth.Resource) {
	store := storeOf(p)
	return func(http *probe.HTTP, server auth.Resource) {
		if http.Authorize == nil && !server.Client.Never {
			source := auth.TokenSource{Server: server, Vault: store, CACert: pem}
			http.Authorize = source.Authorize
		}
	}
}

// ServerOf returns a server as its logins have it: one on the command line is named by its URL.
func ServerOf(server probe.Server, client config.Login) auth.Resource {
	s := auth.Resource{Name: server.Name, URL: server.HTTP.URL, Client: client,
		Hint: func(e *probe.Error) string { return seen.FailureOf(e).Hint }}
	if server.Source == config.CommandLine {
		s.Name = auth.Canonical(s.URL)
	}
	return s
}

// Status reports the logins to the entries, and with all also to servers that are not configured.
func Status(p host.Process, cfg *config.Config, entries []config.Entry, all bool) *Result {
	store := storeOf(p)
	logins, problem := store.All()
	r := &Result{}
	if problem != nil {
		r.Status, r.Problems = exit.Incomplete, []string{problem.Error()}
	}
	for _, e := range entries {
		if e.Server.HTTP != nil && e.Server.HTTP.URL != "" {
			s := auth.Resource{Name: e.Server.Name, URL: e.Server.HTTP.URL, Client: e.Login}
			l, _ := store.Of(auth.Canonical(s.URL)) // reported above
			r.Servers = append(r.Servers, shown(p, s, e.Server.Source, l))
		}
	}
	for i, l := range logins {
		configured := slices.ContainsFunc(cfg.Entries, func(e config.Entry) bool {
			return e.Server.HTTP != nil && auth.Canonical(e.Server.HTTP.URL) == l.Server
		})
		if all && !configured {
			r.Servers = append(r.Servers,
				shown(p, auth.Resource{Name: l.Server, URL: l.Server}, "", &logins[i]))
		}
	}
	return r
}

// resultOf returns the result of a login or logout; l is nil without a login.
func resultOf(p host.Process, server auth.Resource, l *vault.Grant) *Result {
	return &Result{Servers: []Server{shown(p, server, "", l)}}
}

func shown(p host.Process, s auth.Resource, source string, l *vault.Grant) Server {
	return Server{Server: seen.Server{Name: s.Name, State: seen.OK, Source: source},
		URL: redact.MaskURL(s.URL), Login: stateOf(p, s, l)}
}

// stateOf returns what reports show of a login; nil = there is none.
func stateOf(p host.Process, s auth.Resource, l *vault.Grant) seen.LoginStatus {
	switch {
	case s.Client.Machine:
		return seen.LoginStatus{State: seen.Itself, Scopes: s.Client.Scopes}
	case l == nil:
		return seen.LoginStatus{State: seen.LoggedOut}
	}
	shown := seen.LoginStatus{State: seen.LoggedIn, Issuer: l.Issuer, Scopes: l.Scopes, Since: l.Since,
		Expires: l.Expires, Renews: l.Renews, Store: string(l.Place)}
	shown.Wanted = kit.Filter(l.Wanted, func(scope string) bool { return !slices.Contains(l.Scopes, scope) })
	switch {
	case l.Revoked:
		shown.State = seen.Revoked
	case !l.Renews && !l.Expires.IsZero() && p.Now.After(l.Expires):
		shown.State = seen.Expired
	}
	return shown
}

// openBrowser opens a page in the user's browser: BROWSER if it is set, else that of the system. The page is
// the last argument, never part of a shell's command line.
func openBrowser(p host.Process, page string) error {
	browsers := systemBrowsers(p, page)
	if chosen, _ := p.Lookup("BROWSER"); chosen != "" {
		browsers = nil
		for _, command := range filepath.SplitList(chosen) {
			if words := strings.Fields(command); len(words) > 0 {
				browsers = append(browsers, append(words, page))
			}
		}
	}
	err := errors.New("none was found")
	for _, words := range browsers {
		if err = start(words, p.Environ); err == nil {
			return nil
		}
	}
	return err
}

// systemBrowsers returns the commands that may open a page on the system.
func systemBrowsers(p host.Process, page string) [][]string {
	switch p.GOOS {
	case "windows":
		return [][]string{{"rundll32", "url.dll,FileProtocolHandler", page}}
	case "darwin":
		return [][]string{{"open", page}}
	}
	for _, screen := range []string{"DISPLAY", "WAYLAND_DISPLAY", "WSL_DISTRO_NAME"} {
		if value, _ := p.Lookup(screen); value != "" {
			return [][]string{{"xdg-open", page}, {"wslview", page}}
		}
	}
	return nil
}

// start starts a program that may outlive mcpctl.
func start(words, environ []string) error {
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }()
	return nil
}

// readPasted reads the address at which a browser ended from standard input, until ctx ends.
func readPasted(ctx context.Context, p host.Process) (string, error) {
	text, err := host.AwaitFor(ctx, 0, func() ([]byte, error) { return host.ReadLine(p.In) })
	if err != nil && ctx.Err() == nil {
		err = host.ErrNoAnswer
	}
	return string(text), err
}
