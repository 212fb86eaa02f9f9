package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
)

// resource is protected-resource metadata (RFC 9728) that was checked.
type resource struct {
	ID      string   `json:"resource"`
	Issuers []string `json:"authorization_servers"`
	Scopes  []string `json:"scopes_supported"`
}

// resource finds the metadata of a server: where its challenge says, else at the well-known places, that of its path
// before that of its host. found is false when there is none at all.
func (w *web) resource(ctx context.Context, s Server, c challenge) (r resource, found bool, err error) {
	home, err := url.Parse(s.URL)
	if err != nil {
		return r, false, err
	}
	if c.metadata != "" {
		named, err := w.check("the resource metadata that the server names", c.metadata)
		switch {
		case err != nil:
			return r, false, err
		case origin(named) != origin(home):
			return r, false, fmt.Errorf("the server names resource metadata at another origin, %s", quoted(plain(named)))
		}
		r, err = w.resourceAt(ctx, named.String(), home)
		return r, err == nil, err
	}
	for _, place := range wellKnown(home, "oauth-protected-resource", false) {
		r, err = w.resourceAt(ctx, place, home)
		if !notThere(err) {
			return r, err == nil, err
		}
	}
	return resource{}, false, nil
}

func (w *web) resourceAt(ctx context.Context, address string, home *url.URL) (r resource, err error) {
	if err := w.get(ctx, address, &r); err != nil {
		return r, fmt.Errorf("reading resource metadata: %w", err)
	}
	if err := r.fits(home); err != nil {
		return r, fmt.Errorf("reading resource metadata: %s: %w", address, err)
	}
	return r, nil
}

// fits checks that the metadata is about the server that was configured (RFC 9728, 3.3): its URL, or one that it is
// below. Otherwise a token for somebody else would be asked for, and sent here.
func (r resource) fits(home *url.URL) error {
	id, err := url.Parse(r.ID)
	switch {
	case r.ID == "":
		return errors.New("it names no resource")
	case err != nil || strings.ContainsFunc(r.ID, unprintable) || id.Host == "" || id.Fragment != "" || id.User != nil:
		return errors.New("its resource is not a URL")
	case origin(id) != origin(home) || !below(home.Path, id.Path):
		return fmt.Errorf("it is about %s and not about this server", quoted(plain(id)))
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

// wellKnown are the places of metadata of a URL: the name between host and path, and then, for a URL with a path, either
// at the host alone (RFC 9728 as MCP extends it) or behind the path (OpenID Connect Discovery).
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
