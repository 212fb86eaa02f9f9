package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpctl/mcpctl/internal/auth"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// oauthKeys are the keys of "oauth". clientId is everybody's; callbackPort, authServerMetadataUrl and scopes as one string
// are Claude Code's; clientSecret, authorizationUrl, tokenUrl, redirectUri and scopes as a list are Gemini CLI's; scope is
// OpenCode's; the others are mcpctl's own.
var oauthKeys = []string{
	"clientId", "clientSecret", "scopes", "scope", "callbackPort", "redirectUri", "authServerMetadataUrl", "authorizationUrl",
	"tokenUrl", "enabled", "grantType", "clientMetadataUrl", "privateKey", "keyId",
}

// cursorKeys are what Cursor calls some of them, in "auth".
var cursorKeys = map[string]string{"CLIENT_ID": "clientId", "CLIENT_SECRET": "clientSecret", "scopes": "scopes"}

// login is what the server's keys say of logging in with OAuth.
func (d *draft) login() auth.Client {
	var c auth.Client
	f, ok := d.fields.get("oauth")
	switch {
	case !ok, f.value.kind == null:
	case f.value.kind == boolean: // OpenCode's way to say never
		c.Never = !d.flag(f, true)
	case d.want(f, object):
		d.oauth(f, &c)
	}
	if f, ok := d.fields.get("auth"); ok && f.value.kind == object {
		d.oauth(fromCursor(f), &c)
	}
	c.Refresh = d.carried("MCPCTL_REFRESH_TOKEN_")
	if secret := d.carried("MCPCTL_CLIENT_SECRET_"); secret != "" {
		c.Secret = secret
	}
	for _, secret := range []probe.Secret{c.Secret, c.Key, c.Refresh} {
		if secret != "" {
			d.secrets = append(d.secrets, secret)
		}
	}
	return c
}

// fromCursor is Cursor's "auth" with the keys of "oauth".
func fromCursor(f field) field {
	fields := slices.Clone(f.value.fields)
	for i, m := range fields {
		fields[i].key = cursorKeys[m.key]
	}
	f.value.fields = fields
	return f
}

// carried is a secret that the environment holds for this server alone.
func (d *draft) carried(prefix string) probe.Secret {
	value, _ := d.look(prefix + variablePart(d.reader.server))
	if !headerValue(value) {
		d.complain(d.fields.line, "write it in one line", "the variable %s%s has line breaks or control characters", prefix, variablePart(d.reader.server))
		return ""
	}
	return probe.Secret(strings.TrimSpace(value))
}

// oauth reads the members of "oauth".
func (d *draft) oauth(of field, c *auth.Client) {
	d.unique(of.value, " in "+strconv.Quote(of.key))
	if d.strict {
		d.known(of.value, " in "+strconv.Quote(of.key), oauthKeys)
	}
	texts := map[string]*string{
		"clientId": &c.ID, "redirectUri": &c.Redirect, "authServerMetadataUrl": &c.Metadata, "authorizationUrl": &c.Authorize,
		"tokenUrl": &c.TokenEndpoint, "clientMetadataUrl": &c.Document, "keyId": &c.KeyID,
	}
	for _, m := range of.value.fields {
		named := field{of.key + "." + m.key, m.line, m.value}
		switch m.key {
		case "clientSecret":
			c.Secret = d.hidden(named)
		case "privateKey":
			c.Key = d.hidden(named)
		case "scopes", "scope":
			c.Scopes = append(c.Scopes, d.scopes(named)...)
		case "callbackPort":
			c.Redirect = d.callback(named)
		case "grantType":
			c.Machine = d.machine(named)
		default:
			if to := texts[m.key]; to != nil && m.value.kind != null && d.want(named, text) {
				out, _ := d.expand(named)
				*to = strings.TrimSpace(out.value)
			}
		}
	}
}

// hidden is a string with variables, or an object that names an environment variable or a file.
func (d *draft) hidden(f field) probe.Secret {
	switch f.value.kind {
	case null:
		return ""
	case text:
		out, _ := d.expand(f)
		return probe.Secret(out.value)
	}
	from, ok := d.origin(f, []string{"env", "file"})
	if !ok {
		return ""
	}
	return probe.Secret(d.fetch(f, from))
}

// scopes are a list of strings, or one string with spaces between them.
func (d *draft) scopes(f field) []string {
	if f.value.kind == text {
		return strings.Fields(f.value.text)
	}
	var all []string
	for _, m := range d.scalars(f) {
		all = append(all, strings.Fields(m.value.text)...)
	}
	return all
}

// callback is the redirect URI that Claude Code registers for a port.
func (d *draft) callback(f field) string {
	if !d.want(f, number) {
		return ""
	}
	port, err := strconv.ParseUint(f.value.text, 10, 16)
	if err != nil || port == 0 {
		d.complain(f.value.line, "write a port such as 8080", "%q is no port", f.key)
		return ""
	}
	return "http://localhost:" + strconv.FormatUint(port, 10) + "/callback"
}

// machine tells whether the client acts for itself.
func (d *draft) machine(f field) bool {
	switch grant := d.text(f); grant {
	case "client_credentials":
		return true
	case "authorization_code":
	default:
		d.complain(f.value.line, "write authorization_code or client_credentials", "%q is no grant that mcpctl has", f.key)
	}
	return false
}
