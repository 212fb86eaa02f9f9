package authtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// authority is the authorization server, whose endpoints are below a path. It answers one request at a time.
func (s *Server) authority(path string) http.Handler {
	site := http.NewServeMux()
	if !s.quirks.OpenID && (!s.quirks.Ancient || s.quirks.Metadata != nil) {
		site.HandleFunc("/.well-known/oauth-authorization-server"+path, s.metadata)
	}
	if s.quirks.OpenID {
		site.HandleFunc(path+"/.well-known/openid-configuration", s.metadata)
	}
	site.HandleFunc("GET "+path+"/authorize", s.authorize)
	site.HandleFunc("POST "+path+"/token", s.token)
	site.HandleFunc("POST "+path+"/register", s.register)
	site.HandleFunc("POST "+path+"/device", s.device)
	site.HandleFunc("POST "+path+"/revoke", s.revoke)
	site.HandleFunc("GET "+path+"/runner", runner)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		site.ServeHTTP(w, r)
	})
}

// metadata describes the authorization server (RFC 8414).
func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	document(w, http.StatusOK, map[string]any{
		"issuer": s.Issuer, "authorization_endpoint": s.Issuer + "/authorize", "token_endpoint": s.Issuer + "/token",
		"registration_endpoint": s.Issuer + "/register", "device_authorization_endpoint": s.Issuer + "/device",
		"revocation_endpoint": s.Issuer + "/revoke", "code_challenge_methods_supported": []string{"S256"},
		"response_types_supported": []string{"code"}, "authorization_response_iss_parameter_supported": true,
	}, s.quirks.Metadata)
}

// register takes a client that says of itself what it must (RFC 7591, with the application_type of OpenID Connect).
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var c client
	if json.NewDecoder(r.Body).Decode(&c) != nil || len(c.Redirects) == 0 || c.Kind != "native" || len(c.Grants) == 0 {
		fail(w, "invalid_client_metadata", "say who you are")
		return
	}
	id := s.next("client")
	s.clients[id] = c
	document(w, http.StatusCreated, map[string]any{"client_id": id, "token_endpoint_auth_method": "none"}, nil)
}

func (s *Server) next(what string) string {
	s.made++
	return what + "-" + strconv.Itoa(s.made)
}

// authorize lets the user in without asking anybody, and sends the browser back.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	c, registered := s.clients[asked.Get("client_id")]
	switch {
	case !registered && asked.Get("client_id") != "known" && !strings.HasPrefix(asked.Get("client_id"), "https://"),
		registered && !slices.Contains(c.Redirects, asked.Get("redirect_uri")):
		http.Error(w, "unknown client or redirect URI", http.StatusBadRequest)
		return
	case asked.Get("response_type") != "code", asked.Get("code_challenge_method") != "S256", asked.Get("code_challenge") == "",
		asked.Get("resource") != s.quirks.target(s.URL), asked.Get("state") == "":
		http.Error(w, "a bad authorization request", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+s.answer(asked).Encode(), http.StatusFound)
}

// answer returns the parameters that the browser takes back to the client: a code or an error, with the state
// and the issuer (RFC 9207) as the quirks want them.
func (s *Server) answer(asked url.Values) url.Values {
	answer := url.Values{"state": {asked.Get("state")}, "iss": {s.Issuer}}
	switch s.quirks.Iss {
	case "":
	case "-":
		answer.Del("iss")
	default:
		answer.Set("iss", s.quirks.Iss)
	}
	if s.quirks.State != "" {
		answer.Set("state", s.quirks.State)
	}
	if s.quirks.Deny {
		answer.Set("error", "access_denied")
		answer.Set("error_description", "the user said no")
		return answer
	}
	code := s.next("code")
	s.codes[code] = asked
	answer.Set("code", code)
	return answer
}

// token trades grants for tokens, and is strict about them.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		fail(w, "invalid_request", "no form")
		return
	}
	s.forms[r.URL.Path] = r.PostForm
	q := s.quirks
	if q.Secret != "" && !s.proves(r, q.Secret) {
		fail(w, "invalid_client", "wrong secret "+r.PostForm.Get("client_secret")+r.PostForm.Get("client_assertion"))
		return
	}
	asked, code, why := s.granted(r.PostForm)
	if code != "" {
		fail(w, code, why)
		return
	}
	s.give(w, asked, r.PostForm.Get("grant_type") != "client_credentials" && r.PostForm.Get("assertion") == "")
}

// proves reports whether a request shows the secret of the client "known", or an assertion of it for the issuer.
func (s *Server) proves(r *http.Request, secret string) bool {
	if assertion := r.PostForm.Get("client_assertion"); assertion != "" {
		c := claims(assertion)
		return c.Issuer == "known" && c.Subject == "known" && c.ID != "" && slices.Equal(c.Audience, jwt.Audience{s.Issuer})
	}
	if id, password, ok := r.BasicAuth(); ok {
		return id == "known" && password == secret
	}
	return r.PostForm.Get("client_id") == "known" && r.PostForm.Get("client_secret") == secret
}

// granted is the request that a grant belongs to, or an error. Every grant is good once.
func (s *Server) granted(form url.Values) (asked url.Values, code, why string) {
	if form.Get("resource") != s.quirks.target(s.URL) {
		return nil, "invalid_target", "for which resource?"
	}
	switch form.Get("grant_type") {
	case "authorization_code":
		asked = take(s.codes, form.Get("code"))
		sum := sha256.Sum256([]byte(form.Get("code_verifier")))
		if asked == nil || asked.Get("redirect_uri") != form.Get("redirect_uri") ||
			asked.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) {
			return nil, "invalid_grant", "unknown code, redirect URI or verifier " + form.Get("code_verifier")
		}
	case "refresh_token":
		secret := form.Get("refresh_token")
		if asked = s.refresh[secret]; asked == nil {
			return nil, "invalid_grant", "unknown refresh token " + secret
		}
		if !s.quirks.Keep {
			delete(s.refresh, secret)
		}
	case "client_credentials":
		asked = form
	case "urn:ietf:params:oauth:grant-type:jwt-bearer":
		if asked = form; !slices.Equal(claims(form.Get("assertion")).Audience, jwt.Audience{s.Issuer}) {
			return nil, "invalid_grant", "not for me: " + form.Get("assertion")
		}
	case "urn:ietf:params:oauth:grant-type:device_code":
		if s.quirks.Pending > 0 {
			s.quirks.Pending--
			return nil, "authorization_pending", ""
		}
		if s.quirks.Deny {
			return nil, "access_denied", ""
		}
		if asked = take(s.devices, form.Get("device_code")); asked == nil {
			return nil, "expired_token", ""
		}
	default:
		return nil, "unsupported_grant_type", ""
	}
	return asked, "", ""
}

func take(from map[string]url.Values, key string) url.Values {
	found := from[key]
	delete(from, key)
	return found
}

// give makes new tokens for a request.
func (s *Server) give(w http.ResponseWriter, asked url.Values, renews bool) {
	access := s.quirks.Prefix + s.next("access-token")
	good := url.Values{"resource": {asked.Get("resource")}, "scope": {asked.Get("scope")}}
	members := map[string]any{"access_token": access, "token_type": "Bearer", "expires_in": 3600, "scope": asked.Get("scope")}
	if s.quirks.Life != nil {
		members["expires_in"] = s.quirks.Life
	}
	if s.quirks.Kind != "" {
		members["token_type"] = s.quirks.Kind
	}
	s.access[access] = good
	if renews {
		refresh := s.next("refresh-token")
		members["refresh_token"] = refresh
		s.refresh[refresh] = asked
	}
	if s.quirks.Form {
		form := url.Values{}
		for name, value := range members {
			form.Set(name, fmt.Sprint(value))
		}
		w.Header().Set("Content-Type", "application/x-www-form-urlencoded")
		_, _ = io.WriteString(w, form.Encode())
		return
	}
	document(w, http.StatusOK, members, nil)
}

// device begins a login on another device; it needs no confirmation.
func (s *Server) device(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil || r.PostForm.Get("client_id") == "" || r.PostForm.Get("resource") != s.quirks.target(s.URL) {
		fail(w, "invalid_request", "who, and for what?")
		return
	}
	code := s.next("device-code")
	s.devices[code] = r.PostForm
	document(w, http.StatusOK, map[string]any{
		"device_code": code, "user_code": "WDJB-MJHT", "verification_uri": s.Issuer + "/type", "expires_in": 600,
		"interval": max(s.quirks.Slow, 1),
	}, s.quirks.Device)
}

// Identity returns an identity token for an audience, signed with a key of its own.
func Identity(audience string) string {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil)
	if err != nil {
		panic(err)
	}
	token, err := jwt.Signed(signer).Claims(jwt.Claims{Issuer: "https://platform.example", Subject: "job",
		Audience: jwt.Audience{audience}}).Serialize()
	if err != nil {
		panic(err)
	}
	return token
}

// claims are those of a JWT that is signed somehow.
func claims(text string) (c jwt.Claims) {
	token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.RS256, jose.PS256, jose.ES256, jose.ES384, jose.EdDSA})
	if err == nil {
		_ = token.UnsafeClaimsWithoutVerification(&c)
	}
	return c
}

// runner issues an identity token to a job that shows "job", as the runner of GitHub Actions does.
func runner(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != "Bearer job" || r.URL.Query().Get("api-version") == "" {
		http.Error(w, "who?", http.StatusUnauthorized)
		return
	}
	document(w, http.StatusOK, map[string]any{"value": Identity(r.URL.Query().Get("audience"))}, nil)
}

// revoke makes a token worthless. An unknown token is not an error (RFC 7009, 2.2).
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if r.ParseForm() != nil || s.quirks.Secret != "" && !s.proves(r, s.quirks.Secret) ||
		r.PostForm.Get("client_id") == "" && !strings.HasPrefix(r.Header.Get("Authorization"), "Basic ") {
		fail(w, "invalid_client", "who? "+r.PostForm.Get("token"))
		return
	}
	delete(s.access, r.PostForm.Get("token"))
	delete(s.refresh, r.PostForm.Get("token"))
}
