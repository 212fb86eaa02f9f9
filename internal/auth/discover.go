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

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/transport"
	"github.com/mcpctl/mcpctl/internal/vault"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
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

// challenge returns what the server demands of a connection without a token, and of the lists: some servers
// protect nothing else. Each list is asked for in a session of its own if the one before was refused, since
// a session reports one refusal. The error is that of a server that was not reached.
func (c *client) challenge(ctx context.Context, s Resource) (challenge, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	all, kinds := challenge{open: true}, snapshot.Kinds()
	for len(kinds) > 0 {
		refusals := make(chan challenge, 16)
		server := probe.Server{Name: s.Name, HTTP: &probe.HTTP{URL: s.URL,
			Allow: func(ip netip.Addr) error { return c.allow(c.home.Hostname(), ip) },
			Authorize: func(_ context.Context, refused *probe.Refused) (map[string]probe.Secret, error) {
				if refused != nil && len(refusals) < cap(refusals) { // calls never overlap
					refusals <- parseChallenge(refused.Challenge)
				}
				return nil, nil
			}}}
		session, err := probe.Open(ctx, server, probe.Options{ClientName: "mcpctl", CACert: c.caCert,
			Proxy: transport.Proxy})
		for had := len(refusals); err == nil && len(kinds) > 0 && len(refusals) == had; kinds = kinds[1:] {
			_, _ = session.List(ctx, kinds[0]) // only a refusal matters
		}
		if err == nil {
			_ = session.Close()
		}
		for len(refusals) > 0 {
			r := <-refusals
			all = challenge{cmp.Or(all.metadata, r.metadata), scopes(all.scopes, r.scopes), false}
		}
		if err != nil && all.open && !probe.Failures(err)[0].Answered() {
			failure := probe.Failures(err)[0]
			return challenge{}, exit.Advise(s.hint(failure), "%w", failure.Err)
		}
		if err != nil {
			all.open = false
			break
		}
	}
	return all, nil
}

// resourceMetadata is protected-resourceMetadata metadata (RFC 9728).
type resourceMetadata struct {
	ID      string   `json:"resource"`
	Issuers []string `json:"authorization_servers"`
	Scopes  []string `json:"scopes_supported"`
}

// resource returns the checked metadata of a server: at the URL in its challenge, or else at the well-known
// URLs, that of its path before that of its host. found is false if there is none.
func (c *client) resource(ctx context.Context, asked challenge) (r resourceMetadata, found bool, err error) {
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
		places = kit.Distinct(append([]string{named.String()}, places...))
	}
	var first error // of a document that should be there
	for i, place := range places {
		r = resourceMetadata{}
		err := c.get(ctx, place, &r)
		switch {
		case isAbsent(err) || isPassing(err):
			if first == nil && (isPassing(err) || asked.metadata != "" && i == 0) {
				first = err
			}
			continue
		case err == nil:
			if err = r.fits(c.home, c.config); err == nil {
				return r, true, nil
			}
			err = fmt.Errorf("%s: %w", place, err)
		}
		return resourceMetadata{}, false, fmt.Errorf("reading resource metadata: %w", err)
	}
	if first != nil {
		return resourceMetadata{}, false, fmt.Errorf("reading resource metadata: %w", first)
	}
	return resourceMetadata{}, false, nil
}

// fits checks that the metadata is about the configured server (RFC 9728, 3.3), so that no token of another
// server is sent here; a configured resource decides that instead.
func (r resourceMetadata) fits(home *url.URL, client config.Login) error {
	id, err := url.Parse(r.ID)
	configured := client.Resource != "" || client.NoResource
	switch {
	case len(r.Issuers) == 0:
		return errors.New("it names no authorization server")
	case configured:
		return nil
	case r.ID == "":
		return errors.New("it names no resource")
	case err != nil || strings.ContainsFunc(r.ID, unprintable) || id.Host == "" || id.Fragment != "" ||
		id.User != nil:
		return errors.New("its resource is not a URL")
	case id.Scheme != "http" && id.Scheme != "https":
		return exit.Advise(`if you trust the server, configure it: "oauth": {"resource": `+quoted(r.ID)+"}",
			"its resource is %s, not the URL of this server", quoted(r.ID))
	case transport.Origin(id) != transport.Origin(home) || !below(home.Path, id.Path):
		return fmt.Errorf("it is about %s, not about this server", quoted(transport.PlainURL(id)))
	}
	return nil
}

// below reports whether a path is another one, or in the directory that the other one is.
func below(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return path == folder || strings.HasPrefix(path, folder+"/")
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
	Algorithms    []string `json:"token_endpoint_auth_signing_alg_values_supported"`

	audience string // the ID, if the issuer's own metadata names the token endpoint; empty = that is unknown
	unnamed  bool   // nothing but its endpoints is known, by the configuration
	guessed  bool   // nothing says that it exists
}

// issuer returns the checked metadata of an authorization server, from the well-known URLs in the order of
// the specification. The first document counts, but S256 may be in any of them.
func (c *client) issuer(ctx context.Context, id string) (issuer, error) {
	u, err := c.check("the authorization server", id)
	if err != nil {
		return issuer{}, err
	}
	var first *issuer
	failed := fmt.Errorf("%w %s", errNoMetadata, quoted(transport.PlainURL(u)))
	for _, place := range wellKnown(u, "/.well-known/oauth-authorization-server{path}",
		"/.well-known/openid-configuration{path}", "{path}/.well-known/openid-configuration") {
		found, err := c.issuerAt(ctx, place, id)
		switch {
		case err != nil && (first != nil || isAbsent(err)):
			continue
		case isPassing(err):
			failed = err
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
		return issuer{}, failed
	}
	return *first, nil
}

// errNoMetadata is an authorization server without metadata; its URL follows.
var errNoMetadata = errors.New("no metadata found of the authorization server")

// issuerAt reads metadata, which must be of the issuer id unless that is empty. Configured endpoints replace
// those of the metadata.
func (c *client) issuerAt(ctx context.Context, address, id string) (i issuer, err error) {
	if err := c.get(ctx, address, &i); err != nil {
		return i, fmt.Errorf("reading metadata of the authorization server: %w", err)
	}
	if id != "" && !sameIssuer(i.ID, id) {
		return i, exit.Advise(trustIssuer, "reading metadata of the authorization server: %s is of issuer "+
			"%s, not of %s", address, quoted(i.ID), quoted(id))
	}
	if i.ID == "" {
		return i, errors.New("the metadata of the authorization server names no issuer")
	}
	for _, endpoint := range []*string{&i.Authorize, &i.Token, &i.Register, &i.Device, &i.Revoke} {
		*endpoint = sameSecurity(*endpoint, address)
	}
	at, _ := url.Parse(address)
	if own, err := url.Parse(i.ID); err == nil && transport.Origin(own) == transport.Origin(at) &&
		cmp.Or(c.config.TokenEndpoint, i.Token) == i.Token {
		i.audience = i.ID
	}
	i.Authorize = cmp.Or(c.config.Authorize, i.Authorize)
	i.Token = cmp.Or(c.config.TokenEndpoint, i.Token)
	return i, c.vet(i)
}

// sameSecurity returns an endpoint over HTTPS if the metadata came that way from its host: behind a proxy
// that ends TLS, authorization servers write the scheme that they see.
func sameSecurity(endpoint, metadata string) string {
	if rest, plain := strings.CutPrefix(endpoint, "http://"); plain {
		host, _, _ := strings.Cut(rest, "/")
		if strings.HasPrefix(metadata, "https://"+host+"/") {
			return "https://" + rest
		}
	}
	return endpoint
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
	resource string // that tokens are for; empty = none is named
	scopes   []string
	issuer   issuer
}

// unusableError is why nothing can begin at an authorization server, so that the next one is tried.
type unusableError struct{ error }

// Unwrap returns the reason.
func (e unusableError) Unwrap() error { return e.error }

// maxIssuers bounds the authorization servers of one server that are tried.
const maxIssuers = 8

// discover finds the authorization servers of a server and the scopes to request, and returns the login of
// the first one that use can begin at. That of the old login comes first.
func (c *client) discover(ctx context.Context, s Resource, asked challenge, old *vault.Grant,
	use func(discovered) (*vault.Grant, error)) (*vault.Grant, error) {
	r, found, err := c.resource(ctx, asked)
	if err != nil && s.Client.Metadata == "" && !c.knowsEndpoints() {
		return nil, err
	}
	f := discovered{resource: s.resource(r.ID), scopes: scopes(asked.scopes)}
	if len(f.scopes) == 0 {
		f.scopes = scopes(r.Scopes)
	}
	issuers := slices.Clone(r.Issuers)
	if !found || s.Client.Metadata != "" {
		issuers = []string{""}
	}
	if old != nil {
		at := slices.IndexFunc(issuers, func(id string) bool { return sameIssuer(id, old.Issuer) })
		if at > 0 {
			issuers[0], issuers[at] = issuers[at], issuers[0]
		}
	}
	var first error
	for _, id := range issuers[:min(len(issuers), maxIssuers)] {
		var l *vault.Grant
		if f.issuer, err = c.authority(ctx, id, asked.open); err == nil {
			l, err = use(f)
		} else {
			err = unusableError{err}
		}
		unusable, next := errors.AsType[unusableError](err)
		if !next {
			return l, err
		}
		if first == nil {
			first = unusable.error
		}
	}
	return nil, first
}

// resource returns what tokens are for: the configured resource, or else the one that is named, or the
// server.
func (s Resource) resource(named string) string {
	if s.Client.NoResource {
		return ""
	}
	return cmp.Or(s.Client.Resource, named, Canonical(s.URL))
}

// knowsEndpoints reports whether the configuration has all endpoints that a login needs.
func (c *client) knowsEndpoints() bool {
	return c.config.TokenEndpoint != "" && (c.config.Machine || c.config.Authorize != "")
}

// authority returns an authorization server: the configured one, that of an issuer, or without both the one
// of protocol 2025-03-26. If there is none, configured endpoints are enough.
func (c *client) authority(ctx context.Context, id string, open bool) (i issuer, err error) {
	switch {
	case c.config.Metadata != "":
		i, err = c.issuerAt(ctx, c.config.Metadata, "")
	case id != "":
		i, err = c.issuer(ctx, id)
	case open:
		err = errors.New("the server accepts requests without a login and names no authorization server")
	default:
		i, err = c.oldIssuer(ctx)
	}
	if err == nil || !c.knowsEndpoints() {
		return i, err
	}
	token, err := c.check("the configured token endpoint", c.config.TokenEndpoint)
	if err != nil {
		return i, err
	}
	i = issuer{ID: transport.Origin(token), Authorize: c.config.Authorize, Token: c.config.TokenEndpoint,
		unnamed: true}
	return i, c.vet(i)
}

// errNoOAuth is a server without metadata, and with nothing at the endpoints that it would have then.
var errNoOAuth = exit.Advise(`pass its token to the other commands with --bearer env:NAME, `+
	`--header "Name: value", or headers in the configuration`,
	"the server announces no OAuth: a login cannot begin there")

// oldIssuer returns the authorization server of protocol 2025-03-26: the server's own host, without metadata
// at the default endpoints, where PKCE is required.
func (c *client) oldIssuer(ctx context.Context) (issuer, error) {
	host := c.home.Scheme + "://" + c.home.Host
	i, err := c.issuer(ctx, host)
	if !errors.Is(err, errNoMetadata) || c.knowsEndpoints() {
		return i, err
	}
	i = issuer{guessed: c.config.Authorize+c.config.TokenEndpoint == "", ID: host,
		Authorize: cmp.Or(c.config.Authorize, host+"/authorize"),
		Token:     cmp.Or(c.config.TokenEndpoint, host+"/token"), Register: host + "/register",
		Challenges: []string{"S256"}}
	if c.config.TokenEndpoint == "" {
		i.audience = host
	}
	return i, c.vet(i)
}

// lacksPage reports whether a server says that there is nothing at the login page that was guessed, or
// refuses access to it.
func (c *client) lacksPage(ctx context.Context, i issuer) bool {
	return i.guessed && hasNothing(c.get(ctx, i.Authorize, &struct{}{}))
}

// hasNothing reports whether a reply says that there is no endpoint.
func hasNothing(err error) bool {
	reply, ok := errors.AsType[*transport.HTTPError](err)
	return ok && slices.Contains([]int{401, 403, 404, 405, 410, 501}, reply.Status)
}
