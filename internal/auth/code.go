package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/oauth2"

	"github.com/mcpctl/mcpctl/internal/vault"
)

// deniedError is a person, or the authorization server, who did not let the client in.
var errDenied = errors.New("the login was denied")

// byCode logs in through a browser (authorization code with PKCE).
func (w *web) byCode(ctx context.Context, s Server, f found, old *vault.Login, way Way) (party, token, error) {
	if err := f.issuer.proves(); err != nil {
		return party{}, token{}, err
	}
	if f.issuer.Authorize == "" {
		return party{}, token{}, errors.New("the authorization server has no page to log in at (authorization_endpoint)")
	}
	door, err := openDoor(s.Client, old, way.Paste != nil)
	if err != nil {
		return party{}, token{}, err
	}
	defer door.close()
	p, err := w.party(ctx, s, f, old, door.redirect, grantCode)
	if err != nil {
		return party{}, token{}, err
	}
	r := request{state: rand.Text(), verifier: oauth2.GenerateVerifier(), found: f, party: p}
	answer, err := way.fetch(ctx, door, r.url())
	if err != nil {
		return p, token{}, err
	}
	t, err := w.exchange(ctx, r, answer)
	door.tell(err)
	return p, t, err
}

// request is one authorization request, with what its answer is checked against.
type request struct {
	state, verifier string
	found
	party
}

// url is where the user's browser goes.
func (r request) url() string {
	config := oauth2.Config{ClientID: r.party.ID, RedirectURL: r.Redirect, Scopes: r.wanted(), Endpoint: oauth2.Endpoint{AuthURL: r.issuer.Authorize}}
	return config.AuthCodeURL(r.state, oauth2.S256ChallengeOption(r.verifier), oauth2.SetAuthURLParam("resource", r.resource))
}

// wanted are the scopes to ask for, and with them a refresh token, where the authorization server has a scope for that.
func (f found) wanted() []string {
	if len(f.scopes) > 0 && slices.Contains(f.issuer.Scopes, "offline_access") {
		return scopes(f.scopes, []string{"offline_access"})
	}
	return f.scopes
}

// exchange checks the answer to a request and trades its code for a token.
func (w *web) exchange(ctx context.Context, r request, answer url.Values) (token, error) {
	code, err := r.code(answer)
	if err != nil {
		return token{}, err
	}
	return w.redeem(ctx, r.party, r.issuer.Token, grantCode, url.Values{
		"code": {code}, "redirect_uri": {r.Redirect}, "code_verifier": {r.verifier}, "resource": {r.resource},
	})
}

// code is the authorization code in an answer that is one to this request: with its state, and from the issuer that the
// user was sent to (RFC 9207). Nothing else in it is read before.
func (r request) code(answer url.Values) (string, error) {
	iss, told := answer["iss"]
	switch {
	case subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(r.state)) != 1:
		return "", errors.New("the answer to the login is not to this login: its state differs; nothing of it was used")
	case !told && r.issuer.TellsIss:
		return "", errors.New("the answer to the login does not say which authorization server it is from, though that one promised to (iss)")
	case told && (len(iss) != 1 || iss[0] != r.issuer.ID):
		return "", fmt.Errorf("the answer to the login is from %s and not from %s (iss): another authorization server may be trying to get at the login; nothing of it was used", quoted(strings.Join(iss, " ")), quoted(r.issuer.ID))
	}
	switch failure := answer.Get("error"); {
	case failure == "access_denied":
		return "", errDenied
	case failure != "":
		return "", &RefusedError{failure, answer.Get("error_description")}
	case answer.Get("code") == "":
		return "", errors.New("the answer to the login holds neither a code nor an error")
	}
	return answer.Get("code"), nil
}
