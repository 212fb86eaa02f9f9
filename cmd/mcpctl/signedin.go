package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// signIn lets the servers of a run at a URL be asked with the logins that the user has, or that the configuration makes.
func (inv *invocation) signIn(steps []step, cfg *config.Config) error {
	pem, err := inv.certificates()
	if err != nil {
		return err
	}
	for _, s := range steps {
		if s.contact == nil || s.contact.HTTP == nil || s.contact.HTTP.Authorize != nil {
			continue
		}
		source := auth.Source{Server: protected(*s.contact, cfg), Vault: inv.vault(), CACert: pem}
		if !source.Server.Client.Never {
			http := *s.contact.HTTP
			http.Authorize = source.Authorize
			s.contact.HTTP = &http
		}
	}
	return nil
}

// protected is a server as its logins know it. One that the command line names by its URL is called by that.
func protected(server probe.Server, cfg *config.Config) auth.Server {
	s := auth.Server{Name: server.Name}
	if server.HTTP == nil {
		return s
	}
	s.URL = server.HTTP.URL
	if server.Source == "argv" {
		s.Name = auth.Canonical(server.HTTP.URL)
	}
	for _, e := range cfg.Entries {
		if e.Server.Source == server.Source && e.Server.HTTP != nil {
			s.Client = e.Login
		}
	}
	return s
}

// vault is where the user's logins are. Without a home folder there are none, and none can be kept.
func (inv *invocation) vault() vault.Vault {
	state, err := inv.StateDir()
	if err != nil {
		return vault.Vault{}
	}
	return vault.Vault{Folder: filepath.Join(state, "logins"), Keyring: vault.Ring{Missing: inv.noKeyring(runtime.GOOS)}}
}

// noKeyring is why a system with D-Bus has no keyring: asking would start a bus of its own.
func (inv *invocation) noKeyring(goos string) string {
	if goos == "windows" || goos == "darwin" {
		return ""
	}
	bus, _ := inv.Lookup("DBUS_SESSION_BUS_ADDRESS")
	runtimeDir, _ := inv.Lookup("XDG_RUNTIME_DIR")
	if _, err := os.Stat(filepath.Join(runtimeDir, "bus")); bus != "" || runtimeDir != "" && err == nil {
		return ""
	}
	return "there is no D-Bus session"
}

// place is where a login is kept: as the flag says, or the environment, or where it was before, or the keyring.
func (inv *invocation) place(flag string, old *vault.Login) (vault.Place, error) {
	env, _ := inv.Lookup("MCPCTL_TOKEN_STORE")
	place := vault.Place(cmp.Or(flag, env))
	switch {
	case place == "" && old != nil:
		return old.Place, nil
	case place == "":
		return vault.Keyring, nil
	case place != vault.Keyring && place != vault.File:
		return "", exit.Usagef("--store (or MCPCTL_TOKEN_STORE) is keyring or file, not %q", place)
	}
	return place, nil
}

// certificates are the further certificates to trust, as PEM.
func (inv *invocation) certificates() ([]byte, error) {
	if inv.caCert == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(inv.caCert)
	if err != nil {
		return nil, exit.Misuse(fmt.Errorf("reading --ca-cert: %w", err))
	}
	return pem, nil
}
