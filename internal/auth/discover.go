package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/pkg/probe"
)

// challenge is what a server demands with a 401 or 403 (RFC 6750, 3; RFC 9728, 5.1).
type challenge struct {
	metadata string   // URL of the protected-resource metadata; empty = not named
	scopes   []string // required for the request
	open     bool     // the server accepts connections without a token
}

// parseChallenge reads WWW-Authenticate headers, joined with commas.
func parseChallenge(header string) challenge {
	return challenge{metadata: transport.BearerParameter(header, "resource_metadata"),
		scopes: scopes([]string{transport.BearerParameter(header, "scope")})}
}

// challenge returns what the server demands of a connection without a token. An open server may demand one
// later. The error is that of a server that was not reached.
func (c *client) challenge(ctx context.Context, s Server) (challenge, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	refusals := make(chan challenge, 1) // the first one
	server := probe.Server{Name: s.Name, HTTP: &probe.HTTP{URL: s.URL,
		Allow: func(ip netip.Addr) error { return c.allow(c.home.Hostname(), ip) },
		Authorize: func(_ context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
			if refused != nil && len(refusals) == 0 { // calls never overlap
				refusals <- parseChallenge(refused.Challenge)
			}
			return nil, nil
		}}}
	session, err := probe.Open(ctx, server, probe.Options{CACert: c.caCert})
	if err == nil {
		_ = session.Close()
	}
	switch {
	case len(refusals) > 0:
		return <-refusals, nil
	case err != nil && !probe.Answered(err):
		failure := probe.Failures(err)[0]
		return challenge{}, exit.Advise(failure.Hint, "%w", failure.Err)
	}
	return challenge{open: err == nil}, nil
}

// resource is protected-resource metadata (RFC 9728).
type resource struct {
	ID      string   `json:"resource"`
	Issuers []string `json:"authorization_servers"`
	Scopes  []string `json:"scopes_supported"`
}

// resource returns the checked metadata of a server: at the URL in its challenge, else at the well-known
// URLs, that of its path before that of its host. found is false if there is none.
func (c *client) resource(ctx context.Context, asked challenge) (r resource, found bool, err error) {
	places := wellKnown(c.home, "/.well-known/oauth-protected-resource{path}",
		"/.well-known/oauth-protected-resource")
	if asked.metadata != "" {
		named, err := c.check("the resource metadata that the server names", asked.metadata)
		switch {
		case err != nil:
			return r, false, err
		case transport.Origin(named) != transport.Origin(c.home):
			return r, false, fmt.Errorf("the server names resource metadata at another origin, %s",
				quoted(transport.PlainURL(named)))
		}
		places = []string{named.String()}
	}
	for _, place := range places {
		r = resource{}
		if err = c.get(ctx, place, &r); isAbsent(err) && asked.metadata == "" {
			continue
		}
		if err == nil {
			if err = r.fits(c.home); err == nil {
				return r, true, nil
			}
			err = fmt.Errorf("%s: %w", place, err)
		}
		return r, false, fmt.Errorf("reading resource metadata: %w", err)
	}
	return resource{}, false, nil
}

// fits checks that the metadata is about the configured server (RFC 9728, 3.3), so that no token of another
// server is sent here.
func (r resource) fits(home *url.URL) error {
	id, err := url.Parse(r.ID)
	switch {
	case r.ID == "":
		return errors.New("it names no resource")
	case err != nil || strings.ContainsFunc(r.ID, unprintable) || id.Host == "" || id.Fragment != "" ||
		id.User != nil:
		return errors.New("its resource is not a URL")
	case transport.Origin(id) != transport.Origin(home) || !below(home.Path, id.Path):
		return fmt.Errorf("it is about %s, not about this server", quoted(transport.PlainURL(id)))
	case len(r.Issuers) == 0:
		return errors.New("it names no authorization server")
	}
	return nil
}

// below reports whether a path is another one, or in the directory that the other one is.
func below(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return path == folder || strings.TrimSuffix(path, "/") == folder || strings.HasPrefix(path, folder+"/")
}

// wellKnown returns the URLs of metadata at the origin of a URL. {path} in a form is the URL's path.
func wellKnown(u *url.URL, forms ...string) []string {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return kit.Distinct(kit.Map(forms, func(form string) string {
		return u.Scheme + "://" + u.Host + strings.Replace(form, "{path}", path, 1)
	}))
}

// issuer is the metadata of an authorization server (RFC 8414, OpenID Connect Discovery).
type issuer struct {
	ID            string   `json:"issuer"`
	Authorize     string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Register      string   `json:"registration_endpoint"`
	Device        string   `json:"device_authorization_endpoint"`
	Revoke        string   `json:"revocation_endpoint"`
	Challenges    []string `json:"code_challenge_methods_supported"`
	Methods       []string `json:"token_endpoint_auth_methods_supported"`
	Scopes        []string `json:"scopes_supported"`
	ReturnsIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	Documents     bool     `json:"client_id_metadata_document_supported"`
}

// issuer returns the checked metadata of an authorization server, from the well-known URLs in the order of
// the specification. The first document counts, but S256 may be in any of them.
func (c *client) issuer(ctx context.Context, id string) (issuer, error) {
	u, err := c.check("the authorization server", id)
	if err != nil {
		return issuer{}, err
	}
	var first *issuer
	for _, place := range wellKnown(u, "/.well-known/oauth-authorization-server{path}",
		"/.well-known/openid-configuration{path}", "{path}/.well-known/openid-configuration") {
		found, err := c.issuerAt(ctx, place, id)
		switch {
		case err != nil && (first != nil || isAbsent(err)):
			continue
		case err != nil:
			return issuer{}, err
		case first == nil:
			first = &found
		case found.requirePKCE() == nil:
			first.Challenges = found.Challenges
		}
		if first.requirePKCE() == nil {
			break
		}
	}
	if first == nil {
		return issuer{}, fmt.Errorf("%w %s", errNoMetadata, quoted(transport.PlainURL(u)))
	}
	return *first, nil
}

// errNoMetadata is an authorization server without metadata; its URL follows.
var errNoMetadata = errors.New("no metadata found of the authorization server")

// issuerAt reads metadata, which must be of the issuer id unless that is empty.
func (c *client) issuerAt(ctx context.Context, address, id string) (i issuer, err error) {
	if err := c.get(ctx, address, &i); err != nil {
		return i, fmt.Errorf("reading metadata of the authorization server: %w", err)
	}
	if id != "" && !sameIssuer(i.ID, id) {
		return i, errOtherIssuer(address, i.ID, id)
	}
	return i, c.vet(i)
}

// sameIssuer reports whether two issuers are the same URL (RFC 3986, 6.2.2 and 6.2.3): the case of the host,
// a default port and the slash of an empty path are ignored.
func sameIssuer(a, b string) bool {
	x, errX := url.Parse(a)
	y, errY := url.Parse(b)
	if errX != nil || errY != nil || x.Host == "" || x.Fragment+y.Fragment != "" || x.User != nil ||
		y.User != nil {
		return a == b
	}
	path := func(u *url.URL) string { return cmp.Or(u.EscapedPath(), "/") }
	return transport.Origin(x) == transport.Origin(y) && path(x) == path(y) && x.RawQuery == y.RawQuery
}

// vet checks all endpoints of an issuer, which mcpctl or a browser would contact.
func (c *client) vet(i issuer) error {
	if i.Token == "" {
		return errors.New("the authorization server names no token endpoint")
	}
	for name, endpoint := range map[string]string{
		"the issuer": i.ID, "the authorization endpoint": i.Authorize, "the token endpoint": i.Token,
		"the registration endpoint": i.Register, "the device authorization endpoint": i.Device,
		"the revocation endpoint": i.Revoke,
	} {
		if endpoint == "" {
			continue
		}
		if _, err := c.check(name, endpoint); err != nil {
			return err
		}
	}
	return nil
}

// requirePKCE returns an error if the issuer does not support PKCE with S256, which a login in a browser
// needs.
func (i issuer) requirePKCE() error {
	if !slices.Contains(i.Challenges, "S256") {
		return fmt.Errorf("the authorization server %s does not declare PKCE with S256, without which "+
			"a login can be stolen", quoted(i.ID))
	}
	return nil
}

// discovered is what a login requests, and from which authorization server.
type discovered struct {
	resource string // that tokens are for
	scopes   []string
	issuer   issuer
}

// discover finds the authorization server of a server, and the scopes to request.
func (c *client) discover(ctx context.Context, s Server, asked challenge) (discovered, error) {
	r, found, err := c.resource(ctx, asked)
	if err != nil {
		return discovered{}, err
	}
	f := discovered{resource: cmp.Or(r.ID, Canonical(s.URL)), scopes: scopes(asked.scopes)}
	if len(f.scopes) == 0 {
		f.scopes = scopes(r.Scopes)
	}
	switch {
	case s.Client.Metadata != "":
		f.issuer, err = c.issuerAt(ctx, s.Client.Metadata, "")
	case found:
		f.issuer, err = c.issuer(ctx, r.Issuers[0])
	case asked.open:
		err = errors.New("the server accepts requests without a login and names no authorization server")
	default:
		f.issuer, err = c.oldIssuer(ctx)
	}
	if err == nil && f.issuer.ID == "" {
		err = errors.New("the metadata of the authorization server names no issuer")
	}
	f.issuer.Authorize = cmp.Or(s.Client.Authorize, f.issuer.Authorize)
	f.issuer.Token = cmp.Or(s.Client.TokenEndpoint, f.issuer.Token)
	return f, err
}

// oldIssuer returns the authorization server of protocol 2025-03-26: the server's own host, without metadata
// at the default endpoints, where PKCE is required.
func (c *client) oldIssuer(ctx context.Context) (issuer, error) {
	host := c.home.Scheme + "://" + c.home.Host
	i, err := c.issuer(ctx, host)
	if !errors.Is(err, errNoMetadata) {
		return i, err
	}
	i = issuer{ID: host, Authorize: host + "/authorize", Token: host + "/token", Register: host + "/register",
		Challenges: []string{"S256"}}
	return i, c.vet(i)
}
