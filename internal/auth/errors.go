package auth

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/mcpctl/mcpctl/internal/exit"
)

// Hints that several errors share.
const (
	registerHint = `register a client there by hand, and configure it: "oauth": {"clientId": "…"}`
	trustIssuer  = `if you trust it, name it in the configuration: ` +
		`"oauth": {"authServerMetadataUrl": "https://…/.well-known/…"}`
)

// errRegistration returns the error for a registration that failed: authorization servers may know this
// machine by name alone.
func errRegistration(err error, redirect string) error {
	hint := registerHint
	if u, wrong := url.Parse(redirect); wrong == nil && u.Hostname() == "127.0.0.1" {
		hint = `if it takes localhost alone, configure "oauth": {"callbackPort": PORT}, which registers ` +
			"http://localhost:PORT/callback; or " + registerHint
	}
	return exit.Advise(hint, "registering with the authorization server: %w", err)
}

// errPrivate returns the error for a host of an authorization server that is not public.
func errPrivate(host string, ip netip.Addr) error {
	return exit.Advise(trustIssuer, "%s is at %s, which is not a public address", host, ip)
}

// errExpired returns the error for a login without a token that is still accepted. cause is nil if there was
// nothing to renew it with.
func errExpired(s Resource, since time.Time, cause error) error {
	hint, day := "log in again: "+s.loginCommand(), since.Format(time.DateOnly)
	if cause == nil {
		return exit.Advise(hint, "the login of %s is not accepted any more: it expired or was revoked", day)
	}
	return exit.Advise(hint, "the login of %s has ended: it expired or was revoked: %w", day, cause)
}

// adviseResource adds a hint to the refusal of a resource (RFC 8707, 2), which some authorization servers
// call an invalid request.
func adviseResource(err error) error {
	if !refusedWith(err, "invalid_target", "invalid_resource", "invalid_request") {
		return err
	}
	return exit.Advise(`if it does not take the parameter resource, configure "oauth": {"resource": false}, `+
		`or {"resource": "URI"} for another one`, "%w", err)
}
