package auth

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
)

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

// issuer finds the metadata of an authorization server at the well-known places, in the order of the specification.
func (w *web) issuer(ctx context.Context, id string) (issuer, error) {
	u, err := w.check("the authorization server", id)
	if err != nil {
		return issuer{}, err
	}
	openID := wellKnown(u, "openid-configuration", true)
	for _, place := range append(wellKnown(u, "oauth-authorization-server", true)[:1], openID...) {
		found, err := w.issuerAt(ctx, place, id)
		if !notThere(err) {
			return found, err
		}
	}
	return issuer{}, &noMetadataError{plain(u)}
}

// noMetadataError is an authorization server that does not say how to use it.
type noMetadataError struct{ server string }

// Error names the server.
func (e *noMetadataError) Error() string {
	return "there is no metadata of the authorization server " + quoted(e.server)
}

// issuerAt reads metadata. id is the issuer that it must be of; empty = whoever it says.
func (w *web) issuerAt(ctx context.Context, place, id string) (i issuer, err error) {
	if err := w.get(ctx, place, &i); err != nil {
		return i, fmt.Errorf("reading metadata of the authorization server: %w", err)
	}
	if id != "" && i.ID != id {
		return i, advise(trustIt, "reading metadata of the authorization server: %s is of issuer %s and not of %s", place, quoted(i.ID), quoted(id))
	}
	return i, w.vet(i)
}

// vet checks the endpoints of an issuer. All of them must be there for a browser or for us to go to.
func (w *web) vet(i issuer) error {
	if i.Token == "" {
		return errors.New("the authorization server names no token endpoint")
	}
	for what, endpoint := range map[string]string{
		"the issuer": i.ID, "the authorization endpoint": i.Authorize, "the token endpoint": i.Token,
		"the registration endpoint": i.Register, "the device authorization endpoint": i.Device, "the revocation endpoint": i.Revoke,
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
		return fmt.Errorf("the authorization server %s does not say that it supports PKCE with S256, without which a login can be stolen", quoted(i.ID))
	}
	return nil
}

// found is a server and its authorization server.
type found struct {
	resource string // what tokens are for
	scopes   []string
	issuer   issuer
}

// discover finds the authorization server of a server.
func (w *web) discover(ctx context.Context, s Server, c challenge) (found, error) {
	r, named, err := w.resource(ctx, s, c)
	if err != nil {
		return found{}, err
	}
	f := found{resource: r.ID, scopes: scopes(c.scopes)}
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
		err = errors.New("the server lets everybody in, and names no authorization server: no login is needed, or it wants another way to show who asks")
	default:
		f.issuer, err = w.oldIssuer(ctx, s)
	}
	if err == nil {
		f.issuer, err = f.issuer.overruled(s.Client)
	}
	return f, err
}

// oldIssuer is the authorization server of a server that names none: its own host, as 2025-03-26 had it, at the default
// endpoints when it has no metadata. That revision makes PKCE a duty.
func (w *web) oldIssuer(ctx context.Context, s Server) (issuer, error) {
	home, err := url.Parse(s.URL)
	if err != nil {
		return issuer{}, err
	}
	host := home.Scheme + "://" + home.Host
	i, err := w.issuer(ctx, host)
	var none *noMetadataError
	if !errors.As(err, &none) {
		return i, err
	}
	i = issuer{ID: host, Authorize: host + "/authorize", Token: host + "/token", Register: host + "/register", Challenges: []string{"S256"}}
	return i, w.vet(i)
}

// overruled is the issuer with the endpoints that the user configured.
func (i issuer) overruled(c Client) (issuer, error) {
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
