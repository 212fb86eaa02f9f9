package transport

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// RedirectError is a redirect, or an endpoint event, that was not followed.
type RedirectError struct {
	Status   int    // 0 for an endpoint event
	From, To string // URLs without user info and query
	Why      string // to follow "not following it:"
}

// Error names both ends.
func (e *RedirectError) Error() string {
	how := "redirected"
	if e.Status != 0 {
		how = fmt.Sprintf("redirected (HTTP %d)", e.Status)
	}
	return fmt.Sprintf("%s from %s to %s: not following it: %s", how, e.From, e.To, e.Why)
}

const (
	otherOrigin  = "it is another origin, and would get the headers meant for the first one"
	maxRedirects = 10
	tooManyHops  = "it is one redirect too many"
	turnsIntoGet = "it would turn the POST into a GET; configure the new URL instead"
)

// checkRedirect lets a request go on within its origin, as the request it was.
func checkRedirect(next *http.Request, via []*http.Request) error {
	last := via[len(via)-1]
	e := &RedirectError{Status: next.Response.StatusCode, From: plainURL(last.URL), To: plainURL(next.URL)}
	switch {
	case !sameOrigin(last.URL, next.URL):
		e.Why = otherOrigin
	case last.Method != next.Method:
		e.Why = turnsIntoGet
	case len(via) >= maxRedirects:
		e.Why = tooManyHops
	default:
		return nil
	}
	return e
}

// sameOrigin compares scheme, host and port (RFC 6454).
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Hostname(), b.Hostname()) && port(a) == port(b)
}

func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// plainURL is a URL without what may be secret in it.
func plainURL(u *url.URL) string {
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}
