package authtest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// authority is the authorization server, whose endpoints are below a path.
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
	return site
}

func (s *Server) metadata(w http.ResponseWriter, _ *http.Request) {
	s.mu.Lock()
	instead := s.quirks.Metadata
	s.mu.Unlock()
	document(w, http.StatusOK, map[string]any{
		"issuer": s.Issuer, "authorization_endpoint": s.Issuer + "/authorize", "token_endpoint": s.Issuer + "/token",
		"registration_endpoint": s.Issuer + "/register", "device_authorization_endpoint": s.Issuer + "/device",
		"revocation_endpoint": s.Issuer + "/revoke", "code_challenge_methods_supported": []string{"S256"},
		"response_types_supported": []string{"code"}, "authorization_response_iss_parameter_supported": true,
	}, instead)
}

// register takes a client that says of itself what it must (RFC 7591, with the application_type of OpenID Connect).
func (s *Server) register(w http.ResponseWriter, r *http.Request) {
	var c client
	if json.NewDecoder(r.Body).Decode(&c) != nil || len(c.Redirects) == 0 || c.Kind != "native" || len(c.Grants) == 0 {
		fail(w, "invalid_client_metadata", "say who you are")
		return
	}
	id := s.next("client")
	s.mu.Lock()
	s.clients[id] = c
	s.mu.Unlock()
	document(w, http.StatusCreated, map[string]any{"client_id": id, "token_endpoint_auth_method": "none"}, nil)
}

// next is a name that was not given before.
func (s *Server) next(what string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return what + "-" + strconv.Itoa(s.made)
}

// authorize lets the user in without asking anybody, and sends the browser back.
func (s *Server) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	s.mu.Lock()
	q := s.quirks
	c, registered := s.clients[asked.Get("client_id")]
	s.mu.Unlock()
	switch {
	case !registered && asked.Get("client_id") != "known" && !strings.HasPrefix(asked.Get("client_id"), "https://"),
		registered && !slices.Contains(c.Redirects, asked.Get("redirect_uri")):
		http.Error(w, "unknown client or redirect URI", http.StatusBadRequest)
		return
	case asked.Get("response_type") != "code", asked.Get("code_challenge_method") != "S256", asked.Get("code_challenge") == "",
		asked.Get("resource") != s.URL, asked.Get("state") == "":
		http.Error(w, "a bad authorization request", http.StatusBadRequest)
		return
	}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+s.answer(q, asked).Encode(), http.StatusFound)
}

func (s *Server) answer(q Quirks, asked url.Values) url.Values {
	answer := url.Values{"state": {asked.Get("state")}, "iss": {s.Issuer}}
	switch q.Iss {
	case "":
	case "-":
		answer.Del("iss")
	default:
		answer.Set("iss", q.Iss)
	}
	if q.State != "" {
		answer.Set("state", q.State)
	}
	if q.Deny {
		answer.Set("error", "access_denied")
		answer.Set("error_description", "the user said no")
		return answer
	}
	code := s.next("code")
	s.mu.Lock()
	s.codes[code] = asked
	s.mu.Unlock()
	answer.Set("code", code)
	return answer
}
