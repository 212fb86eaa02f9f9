package login

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/host"
	"github.com/mcpctl/mcpctl/internal/redact"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

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

// Attach lets a server at a URL be asked with the login that the user has, or that its configuration makes.
func Attach(p host.Process, http *probe.HTTP, server auth.Server, pem []byte) {
	if http.Authorize == nil && !server.Client.Never {
		source := auth.Source{Server: server, Vault: storeOf(p), CACert: pem}
		http.Authorize = source.Authorize
	}
}

// ServerOf is a server as its logins know it: one that the command line names by its URL is called by that.
func ServerOf(server probe.Server, client auth.Client) auth.Server {
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
	r := &report.Report{Command: "auth"}
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
			r.Servers = append(r.Servers, shown(p, auth.Server{Name: l.Server, URL: l.Server}, "", &logins[i]))
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
	return report.Server{Name: s.Name, State: report.OK, Source: source, URL: redact.MaskURL(s.URL), Login: &state}
}

// stateOf is what may be shown of a login; nil = nobody is logged in.
func stateOf(p host.Process, s auth.Server, l *vault.Login) report.Login {
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
	case !l.Renews && !l.Expires.IsZero() && p.Now.After(l.Expires):
		shown.State = report.Expired
	}
	return shown
}
