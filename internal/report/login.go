package report

import (
	"strings"
	"time"
)

// Login is what is known of the login to a server. Nothing in it is secret.
type Login struct {
	State   LoginState `json:"state"`
	Issuer  string     `json:"issuer,omitempty"` // the authorization server
	Scopes  []string   `json:"scopes,omitempty"` // granted
	Wanted  []string   `json:"wanted,omitempty"` // scopes that the server asked for since
	Since   time.Time  `json:"since,omitzero"`   // when the user logged in
	Expires time.Time  `json:"expires,omitzero"` // of the access token; absent = it was not told
	Renews  bool       `json:"renews,omitempty"` // runs renew the access token themselves
	Store   string     `json:"store,omitempty"`  // where the tokens are: "keyring" or "file"
}

// LoginState is whether a server can be used as far as logging in goes.
type LoginState string

// The states of a login.
const (
	LoggedIn  LoginState = "logged-in"  // there are tokens that should do
	LoggedOut LoginState = "logged-out" // there are none
	Expired   LoginState = "expired"    // the token ended, and cannot be renewed
	Revoked   LoginState = "revoked"    // the authorization server no longer knows the login
	Itself    LoginState = "by-itself"  // runs get tokens without a person, as configured
)

// logins writes a row per login.
func (p *page) logins(r *Report) error {
	g := grid{columns: []column{{title: "NAME", name: true, least: 8}, {title: "LOGIN", least: 8}, {title: "TOKEN ENDS", least: 10, drop: 2},
		{title: "SCOPES", least: 8, drop: 3}, {title: "STORE", least: 4, drop: 4}, {title: "ISSUER", least: 12, drop: 1}}}
	for _, s := range r.Servers {
		g.rows = append(g.rows, s.loginRow())
	}
	if len(g.rows) == 0 {
		p.line(0, span{"no server at a URL is configured, and nobody is logged in", noInk})
		return nil
	}
	if err := p.grid(0, g); err != nil {
		return err
	}
	p.failures(r.Servers)
	return nil
}

func (s Server) loginRow() []span {
	l := s.Login
	if l == nil {
		return []span{{visible(s.Name), bold}, {"unknown", red}, {}, {}, {}, {}}
	}
	scopes := strings.Join(l.Scopes, " ")
	if len(l.Wanted) > 0 {
		scopes += " (wanted: " + strings.Join(l.Wanted, " ") + ")"
	}
	return []span{{visible(s.Name), bold}, {visible(string(l.State)), l.State.ink()}, {visible(l.ends()), noInk}, {visible(scopes), noInk},
		{visible(l.Store), dim}, {visible(l.Issuer), dim}}
}

func (s LoginState) ink() ink {
	switch s {
	case LoggedIn, Itself:
		return green
	case Expired, Revoked:
		return red
	}
	return dim
}

const minute = "2006-01-02 15:04Z"

// ends is when the access token ends, and what is done about it.
func (l Login) ends() string {
	switch {
	case l.Expires.IsZero():
		return ""
	case l.Renews:
		return l.Expires.UTC().Format(minute) + ", renewed"
	}
	return l.Expires.UTC().Format(minute)
}
