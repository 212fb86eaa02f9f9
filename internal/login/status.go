package login

import (
	"time"

	"github.com/mcpctl/mcpctl/internal/seen"
)

// Result is what the commands about logins report.
type Result struct {
	Servers  []Server
	Problems []string // what is wrong but belongs to no server
	Status   int
}

// Server is a server at a URL with its login.
type Server struct {
	seen.Server
	URL   string // secrets masked
	Login LoginStatus
}

// LoginStatus is what is known of the login to a server. Nothing in it is secret.
type LoginStatus struct {
	State   LoginState `json:"state"`
	Issuer  string     `json:"issuer,omitempty"` // the authorization server
	Scopes  []string   `json:"scopes,omitempty"` // granted
	Wanted  []string   `json:"wanted,omitempty"` // scopes that the server asked for since
	Since   time.Time  `json:"since,omitzero"`   // when the user logged in
	Expires time.Time  `json:"expires,omitzero"` // of the access token; zero = unknown
	Renews  bool       `json:"renews,omitempty"` // runs renew the access token themselves
	Store   string     `json:"store,omitempty"`  // where the tokens are: "keyring" or "file"
}

// LoginState is whether a login can be used.
type LoginState string

// The states of a login.
const (
	LoggedIn  LoginState = "logged-in"  // there are tokens
	LoggedOut LoginState = "logged-out" // there are none
	Expired   LoginState = "expired"    // the token ended, and cannot be renewed
	Revoked   LoginState = "revoked"    // the authorization server no longer knows the login
	Itself    LoginState = "by-itself"  // runs get tokens without a person, as configured
)
