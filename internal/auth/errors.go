package auth

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// The errors of a login that a user can do something about. What a server or authorization server does wrong
// is an error where it is read.

// Hints that several errors share.
const (
	registerHint = `register a client there by hand, and configure it: "oauth": {"clientId": "…"}`
	trustIssuer  = `if you trust it, name it in the configuration: ` +
		`"oauth": {"authServerMetadataUrl": "https://…/.well-known/…"}`
)

// errNoRegistration returns the error for an authorization server that registers no clients.
func errNoRegistration(issuer string) error {
	return exit.Advise(registerHint,
		"the authorization server %s does not register clients, and none is configured", quoted(issuer))
}

// errRegistration returns the error for a registration that failed.
func errRegistration(err error) error {
	return exit.Advise(registerHint, "registering with the authorization server: %w", err)
}

// errRedirect returns the error for a redirect URI that leads elsewhere than to this machine.
func errRedirect(uri string) error {
	return exit.Advise("write it as http://localhost:PORT/callback, as the client was registered",
		"the redirect URI %s is not on this machine", quoted(uri))
}

// errPort returns the error for a port on which the answer to a login cannot be awaited.
func errPort(err error) error {
	return exit.Advise("stop the program that uses the port, or log in with --no-browser",
		"listening for the answer to the login: %w", err)
}

// errPasted returns the error for a pasted text that is not the answer to a login.
func errPasted(redirect string) error {
	return exit.Advise("paste the whole address that the browser ends at: it begins with "+redirect+"?",
		"the pasted text is not the address of the answer")
}

// errPrivate returns the error for a host of an authorization server that is not public.
func errPrivate(host string, ip netip.Addr) error {
	return exit.Advise(trustIssuer, "%s is at %s, which is not a public address", host, ip)
}

// errOtherIssuer returns the error for metadata at an address that are those of another issuer.
func errOtherIssuer(address, is, want string) error {
	return exit.Advise(trustIssuer, "reading metadata of the authorization server: %s is of issuer %s, "+
		"not of %s", address, quoted(is), quoted(want))
}

// errMoved returns the error for a server that names another authorization server than at the login.
func errMoved(s Server, now, before string) error {
	return exit.Advise(fmt.Sprintf("if that is intended, run mcpctl logout %s and log in again", s.Name),
		"the server now names the authorization server %s; the configured client belongs to %s",
		quoted(now), quoted(before))
}

// errNoDevice returns the error for --device where the authorization server does not have it.
func errNoDevice(s Server, issuer string) error {
	return exit.Advise("log in with "+s.loginCommand("--no-browser"),
		"the authorization server %s has no device login", quoted(issuer))
}

// errUnreadable returns the error for a stored login that cannot be read.
func errUnreadable(s Server, err error) error {
	return exit.Advise("log in again with "+s.loginCommand(), "%w", err)
}

// errExpired returns the error for a login without a token that is still accepted. cause is nil if there was
// nothing to renew it with.
func errExpired(s Server, since time.Time, cause error) error {
	hint := "log in again: " + s.loginCommand()
	if cause == nil {
		return exit.Advise(hint, "the login of %s is not accepted any more: it expired or was revoked",
			day(since))
	}
	return exit.Advise(hint, "the login of %s has ended: it expired or was revoked: %w", day(since), cause)
}

// errRenewal returns the error for a renewal that failed for a reason that may pass.
func errRenewal(err error) error {
	return exit.Advise("try again; the login may still be valid", "renewing the login: %w", err)
}

// errScopes returns the error for a login whose scopes do not suffice.
func errScopes(s Server, missing, has []string) error {
	return exit.Advise("log in again, with more scopes: "+s.loginCommand(),
		"the server requires further scopes (%s); the login has %s", named(missing), named(has))
}

// errForbidden returns the error for a request that is refused although the login has all scopes.
func errForbidden(s Server, scopes []string) error {
	return exit.Advise("ask the operator of the server what your account may do, or change the account "+
		"with mcpctl logout "+s.Name,
		"the server refuses this although the login has every scope that it names (%s)", named(scopes))
}

// errClientScopes returns the error for client credentials whose scopes do not suffice.
func errClientScopes(missing []string) error {
	return exit.Advise("grant the client these scopes at the authorization server, and name them "+
		"in oauth.scopes of the configuration",
		"the server requires further scopes: %s", named(missing))
}

// errNoSecret returns the error for client credentials without a client that has a secret.
func errNoSecret(issuer string) error {
	return exit.Advise(`name it in the configuration: "oauth": {"clientId": "…", "clientSecret": "${…}"}`,
		"client_credentials need a client of the authorization server %s with a secret", quoted(issuer))
}

// errClient returns the error for client credentials that gave no token.
func errClient(err error) error {
	return exit.Advise("check the id and secret of the client, and its rights at the authorization server",
		"%w", err)
}
