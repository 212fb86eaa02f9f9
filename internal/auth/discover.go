package auth

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/transport"
)

// challenge is what a server said with a 401 or 403 (RFC 6750, 3; RFC 9728, 5.1).
type challenge struct {
	metadata string   // URL of the protected-resource metadata; empty = not told
	scopes   []string // needed for the request
	open     bool     // the request was let in
}

// parseChallenge reads WWW-Authenticate headers, joined with commas.
func parseChallenge(header string) challenge {
	return challenge{metadata: transport.ChallengeParameter(header, "resource_metadata"),
		scopes: scopes([]string{transport.ChallengeParameter(header, "scope")})}
}

// openings are requests that a server which wants a token answers with 401, one for each era.
var openings = []struct{ version, method, params string }{
	{"2026-07-28", "server/discover",
		`{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"mcpctl","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}`},
	{"", "initialize",
		`{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"mcpctl","version":"1"}}`},
}

// challenge is what the server says to a request without a token, in whichever era; one that lets it in may
// want one later.
func (w *client) challenge(ctx context.Context, s Server) (challenge, error) {
	open := false
	for _, o := range openings {
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, o.method, o.params)
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, strings.NewReader(body))
		if err != nil {
			return challenge{}, fmt.Errorf("the URL of %q is not one", s.Name)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		if o.version != "" {
			req.Header.Set("MCP-Protocol-Version", o.version)
			req.Header.Set("Mcp-Method", o.method)
		}
		reply, err := w.client.Do(req)
		if err != nil {
			return challenge{}, fmt.Errorf("asking %s what it wants: %w", transport.PlainURL(req.URL),
				withoutURL(err))
		}
		_, _ = io.CopyN(io.Discard, reply.Body, 1<<10)
		_ = reply.Body.Close()
		header := strings.Join(reply.Header.Values("WWW-Authenticate"), ", ")
		if reply.StatusCode == http.StatusUnauthorized || header != "" {
			return parseChallenge(header), nil
		}
		open = open || reply.StatusCode < 300
	}
	return challenge{open: open}, nil
}

// resource is protected-resource metadata (RFC 9728) that was checked.
type resource struct {
	ID      string   `json:"resource"`
	Issuers []string `json:"authorization_servers"`
	Scopes  []string `json:"scopes_supported"`
}

// resource finds the metadata of a server: where its challenge says, else at the well-known places, that of
// its path before that of its host. found is false when there is none at all.
func (w *client) resource(ctx context.Context, c challenge) (r resource, found bool, err error) {
	if c.metadata != "" {
		named, err := w.check("the resource metadata that the server names", c.metadata)
		switch {
		case err != nil:
			return r, false, err
		case transport.Origin(named) != transport.Origin(w.home):
			return r, false, fmt.Errorf("the server names resource metadata at another origin, %s",
				quoted(transport.PlainURL(named)))
		}
		r, err = w.resourceAt(ctx, named.String())
		return r, err == nil, err
	}
	for _, place := range wellKnown(w.home, "oauth-protected-resource", false) {
		r, err = w.resourceAt(ctx, place)
		if !notThere(err) {
			return r, err == nil, err
		}
	}
	return resource{}, false, nil
}

func (w *client) resourceAt(ctx context.Context, address string) (r resource, err error) {
	if err := w.get(ctx, address, &r); err != nil {
		return r, fmt.Errorf("reading resource metadata: %w", err)
	}
	if err := r.fits(w.home); err != nil {
		return r, fmt.Errorf("reading resource metadata: %s: %w", address, err)
	}
	return r, nil
}

// fits checks that the metadata is about the configured server (RFC 9728, 3.3), lest somebody else's token is
// sent here.
func (r resource) fits(home *url.URL) error {
	id, err := url.Parse(r.ID)
	switch {
	case r.ID == "":
		return errors.New("it names no resource")
	case err != nil || strings.ContainsFunc(r.ID, unprintable) || id.Host == "" || id.Fragment != "" ||
		id.User != nil:
		return errors.New("its resource is not a URL")
	case transport.Origin(id) != transport.Origin(home) || !below(home.Path, id.Path):
		return fmt.Errorf("it is about %s and not about this server", quoted(transport.PlainURL(id)))
	case len(r.Issuers) == 0:
		return errors.New("it names no authorization server")
	}
	return nil
}

// below tells whether a path is another one, or in the folder that the other one is.
func below(path, folder string) bool {
	folder = strings.TrimSuffix(folder, "/")
	return path == folder || strings.TrimSuffix(path, "/") == folder || strings.HasPrefix(path, folder+"/")
}

// wellKnown are the places of metadata of a URL: the name between host and path, and then, for a URL with a
// path, either at the host alone (RFC 9728 as MCP extends it) or behind the path (OpenID Connect Discovery).
func wellKnown(u *url.URL, name string, behind bool) []string {
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	host := u.Scheme + "://" + u.Host
	places := []string{host + "/.well-known/" + name + path}
	switch {
	case path == "":
	case behind:
		places = append(places, host+path+"/.well-known/"+name)
	default:
		places = append(places, host+"/.well-known/"+name)
	}
	return places
}

// issuer is the metadata of an authorization server (RFC 8414, OpenID Connect Discovery) that was checked.
type issuer struct {
	ID         string   `json:"issuer"`
	Authorize  string   `json:"authorization_endpoint"`
	Token      string   `json:"token_endpoint"`
	Register   string   `json:"registration_endpoint"`
	Device     string   `json:"device_authorization_endpoint"`
	Revoke     string   `json:"revocation_endpoint"`
	Challenges []string `json:"code_challenge_methods_supported"`
	Methods    []string `json:"token_endpoint_auth_methods_supported"`
	Scopes     []string `json:"scopes_supported"`
	TellsIss   bool     `json:"authorization_response_iss_parameter_supported"`
	Documents  bool     `json:"client_id_metadata_document_supported"`
}

// issuer finds the metadata of an authorization server at the well-known places, in the order of the
// specification.
func (w *client) issuer(ctx context.Context, id string) (issuer, error) {
	u, err := w.check("the authorization server", id)
	if err != nil {
		return issuer{}, err
	}
	openID := wellKnown(u, "openid-configuration", true)
	var first *issuer
	for _, place := range append(wellKnown(u, "oauth-authorization-server", true)[:1], openID...) {
		found, err := w.issuerAt(ctx, place, id)
		switch {
		// the first document is enough, but for S256
		case first != nil && (err != nil || found.proves() != nil):
		case notThere(err):
		case err != nil || found.proves() == nil:
			if err == nil && first != nil {
				first.Challenges = found.Challenges
				return *first, nil
			}
			return found, err
		default:
			first = &found
		}
	}
	if first != nil {
		return *first, nil
	}
	return issuer{}, fmt.Errorf("%w %s", errNoMetadata, quoted(transport.PlainURL(u)))
}

// errNoMetadata is an authorization server that does not say how to use it; its URL follows.
var errNoMetadata = errors.New("there is no metadata of the authorization server")

// issuerAt reads metadata. id is the issuer that it must be of; empty = whoever it says.
func (w *client) issuerAt(ctx context.Context, place, id string) (i issuer, err error) {
	if err := w.get(ctx, place, &i); err != nil {
		return i, fmt.Errorf("reading metadata of the authorization server: %w", err)
	}
	if id != "" && !sameIssuer(i.ID, id) {
		return i, exit.Advise(trustIt, "reading metadata of the authorization server: %s is of issuer %s "+
			"and not of %s", place, quoted(i.ID), quoted(id))
	}
	return i, w.vet(i)
}

// sameIssuer reports whether two issuers are the same URL (RFC 3986, 6.2.2 and 6.2.3): the case of the host,
// a default port and the slash of an empty path do not matter.
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

// vet checks the endpoints of an issuer. All of them must be there for a browser or for us to go to.
func (w *client) vet(i issuer) error {
	if i.Token == "" {
		return errors.New("the authorization server names no token endpoint")
	}
	for what, endpoint := range map[string]string{
		"the issuer": i.ID, "the authorization endpoint": i.Authorize, "the token endpoint": i.Token,
		"the registration endpoint": i.Register, "the device authorization endpoint": i.Device,
		"the revocation endpoint": i.Revoke,
	} {
		if endpoint == "" {
			continue
		}
		if _, err := w.check(what, endpoint); err != nil {
			return err
		}
	}
	return nil
}

// proves tells whether the issuer supports PKCE with S256, without which nobody logs in through a browser.
func (i issuer) proves() error {
	if !slices.Contains(i.Challenges, "S256") {
		return fmt.Errorf("the authorization server %s does not say that it supports PKCE with S256, "+
			"without which a login can be stolen", quoted(i.ID))
	}
	return nil
}

type discovered struct {
	resource string // what tokens are for
	scopes   []string
	issuer   issuer
}

func (w *client) discover(ctx context.Context, s Server, c challenge) (discovered, error) {
	r, named, err := w.resource(ctx, c)
	if err != nil {
		return discovered{}, err
	}
	f := discovered{resource: r.ID, scopes: scopes(c.scopes)}
	if len(f.scopes) == 0 {
		f.scopes = scopes(r.Scopes)
	}
	if f.resource == "" {
		f.resource = Canonical(s.URL)
	}
	switch {
	case s.Client.Metadata != "":
		f.issuer, err = w.issuerAt(ctx, s.Client.Metadata, "")
	case named:
		f.issuer, err = w.issuer(ctx, r.Issuers[0])
	case c.open:
		err = errors.New("the server lets everybody in, and names no authorization server: no login is " +
			"needed, or it wants another way to show who asks")
	default:
		f.issuer, err = w.oldIssuer(ctx)
	}
	if err == nil {
		f.issuer, err = f.issuer.overruled(s.Client)
	}
	return f, err
}

// oldIssuer is the server's own host, as 2025-03-26 had it, at the default endpoints without metadata; PKCE
// is a duty there.
func (w *client) oldIssuer(ctx context.Context) (issuer, error) {
	host := w.home.Scheme + "://" + w.home.Host
	i, err := w.issuer(ctx, host)
	if !errors.Is(err, errNoMetadata) {
		return i, err
	}
	i = issuer{ID: host, Authorize: host + "/authorize", Token: host + "/token", Register: host + "/register",
		Challenges: []string{"S256"}}
	return i, w.vet(i)
}

// overruled is the issuer with the endpoints that the user configured.
func (i issuer) overruled(c config.Client) (issuer, error) {
	if c.Authorize != "" {
		i.Authorize = c.Authorize
	}
	if c.TokenEndpoint != "" {
		i.Token = c.TokenEndpoint
	}
	if i.ID == "" {
		return i, errors.New("the metadata of the authorization server names no issuer")
	}
	return i, nil
}
