// Package vault keeps the logins of a user: what is public of them in a folder, their tokens in the operating system's
// keyring or, where that was chosen, in the same private files.
package vault

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"
)

// Place is where tokens are kept.
type Place string

// The places.
const (
	Keyring Place = "keyring" // the operating system's
	File    Place = "file"    // a file that only its owner can read
)

// Login is one login: a server, and the authorization server that let the user in.
type Login struct {
	Server   string    `json:"server"`            // URL of the MCP server
	Resource string    `json:"resource"`          // what the tokens are for (RFC 8707)
	Issuer   string    `json:"issuer"`            // who issued them
	Scopes   []string  `json:"scopes,omitempty"`  // granted
	Expires  time.Time `json:"expires,omitzero"`  // of the access token; zero = it was not told
	Renews   bool      `json:"renews,omitempty"`  // there is a refresh token
	Since    time.Time `json:"since"`             // when the user logged in
	Client   Client    `json:"client"`            // who the tokens were issued to
	Token    string    `json:"tokenEndpoint"`     // where they are renewed
	Revoke   string    `json:"revoke,omitempty"`  // where they are revoked (RFC 7009)
	Place    Place     `json:"place"`             // where Secrets are
	Secrets  Secrets   `json:"-"`                 // never in the public part
	Wanted   []string  `json:"wanted,omitempty"`  // scopes that the server asked for since
	Grant    string    `json:"grant,omitempty"`   // how the tokens were got; empty = by a person
	Revoked  bool      `json:"revoked,omitempty"` // the authorization server no longer knows the login
}

// Client is a client of an authorization server.
type Client struct {
	ID         string `json:"id"`
	Method     string `json:"method,omitempty"`     // how it proves who it is (token_endpoint_auth_method); empty = none
	Redirect   string `json:"redirect,omitempty"`   // the redirect URI it was registered with
	Registered bool   `json:"registered,omitempty"` // by us (RFC 7591), so that it may be used for the next login
}

// Secrets are what of a login must not be shown.
type Secrets struct {
	Access       string `json:"access"`
	Refresh      string `json:"refresh,omitempty"`
	ClientSecret string `json:"clientSecret,omitempty"` // of a client that we registered
}

// String hides them.
func (Secrets) String() string { return "***" }

// GoString hides them from %#v.
func (Secrets) GoString() string { return "***" }

// key tells logins apart: by server and issuer.
func (l Login) key() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", l.Server, l.Issuer))
	return hex.EncodeToString(sum[:16])
}
