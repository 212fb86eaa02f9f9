// Package authtest is an authorization server and a protected MCP server for tests. It keeps to the rules of OAuth 2.1,
// and refuses clients that do not; its Quirks say what it does wrong.
package authtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// Quirks are the ways in which a server is special. The zero value is a server that keeps to every rule.
type Quirks struct {
	Metadata map[string]any              // members of the authorization server's metadata; nil = left out
	Resource map[string]any              // members of the protected-resource metadata; nil = left out
	Device   map[string]any              // members of the answer that begins a device login
	Answers  map[string]http.HandlerFunc // by path: what is answered instead, at both servers
	Silent   bool                        // challenges do not say where the metadata is
	AtRoot   bool                        // the resource metadata is at the root alone
	Ancient  bool                        // no resource metadata at all, and the MCP server is its own issuer (2025-03-26)
	OpenID   bool                        // metadata of OpenID Connect only
	Deny     bool                        // the user does not let the client in
	Iss      string                      // the iss of answers; empty = the issuer, "-" = none
	State    string                      // the state of answers; empty = as asked
	Life     any                         // expires_in; nil = 3600
	Kind     string                      // token_type; empty = Bearer
	Prefix   string                      // of access tokens
	Need     string                      // scopes that requests need
	Pending  int                         // how often a device login is answered "pending"
	Slow     int                         // seconds between two questions of a device login; 0 = 1
	Form     bool                        // tokens come in a form, not in JSON
	Keep     bool                        // refresh tokens are not rotated
	Modern   bool                        // the MCP server answers requests of the era before 2026-07-28 before it asks who sends them
	Secret   string                      // clients must prove that they are "known" with this secret
	Target   string                      // the resource that requests must name; empty = the MCP server, "-" = none
	Hold     func(path string)           // returns when a request may be answered; nil = at once
}

// target is the resource that requests must name.
func (q Quirks) target(server string) string {
	switch q.Target {
	case "":
		return server
	case "-":
		return ""
	}
	return q.Target
}

// Server is an authorization server with an MCP server that it protects.
type Server struct {
	Issuer string // of the authorization server
	URL    string // of the MCP server

	mu       sync.Mutex
	quirks   Quirks
	codes    map[string]url.Values // authorization requests by code
	access   map[string]url.Values // what access tokens are good for
	refresh  map[string]url.Values // what refresh tokens are good for
	devices  map[string]url.Values
	clients  map[string]client
	made     int
	requests []string // "METHOD path", in order
	forms    map[string]url.Values
	inner    http.Handler

	issuer, mcp *httptest.Server
}

// client is what is kept of a client's registration (RFC 7591).
type client struct {
	Redirects []string `json:"redirect_uris"`
	Kind      string   `json:"application_type"`
	Method    string   `json:"token_endpoint_auth_method"`
	Grants    []string `json:"grant_types"`
}

// New starts both servers on this machine. inner answers requests that are let in.
func New(inner http.Handler, quirks Quirks) *Server {
	s := &Server{quirks: quirks, inner: inner, codes: map[string]url.Values{}, access: map[string]url.Values{},
		refresh: map[string]url.Values{},
		devices: map[string]url.Values{}, clients: map[string]client{}, forms: map[string]url.Values{}}
	s.mcp = httptest.NewUnstartedServer(s.site(s.resource()))
	s.issuer, s.Issuer = s.mcp, address(s.mcp)
	s.URL = address(s.mcp) + "/mcp"
	if !quirks.Ancient {
		s.issuer = httptest.NewUnstartedServer(s.site(s.authority("/tenant")))
		s.Issuer = address(s.issuer) + "/tenant"
		s.issuer.Start()
	}
	s.mcp.Start() // all that both read is written before anybody can ask
	return s
}

// address is where a server will be, once it has started.
func address(server *httptest.Server) string { return "http://" + server.Listener.Addr().String() }

// Close ends both servers.
func (s *Server) Close() {
	s.mcp.Close()
	s.issuer.Close()
}

// Change changes the quirks while the server runs.
func (s *Server) Change(change func(*Quirks)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.quirks)
}

// Revoke makes tokens worthless: "access", "refresh" or "all".
func (s *Server) Revoke(which string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if which != "refresh" {
		clear(s.access)
	}
	if which != "access" {
		clear(s.refresh)
	}
}

// Requests are all requests until now, as "METHOD path".
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Form is the last form that was sent to a path.
func (s *Server) Form(path string) url.Values {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.forms[path])
}

// site records requests, and answers them as the quirks say, or as usual does.
func (s *Server) site(usual http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		instead, hold := s.quirks.Answers[r.URL.Path], s.quirks.Hold
		s.mu.Unlock()
		if hold != nil {
			hold(r.URL.Path)
		}
		if instead != nil {
			instead(w, r)
			return
		}
		usual.ServeHTTP(w, r)
	})
}

// document writes a JSON object, with the members that a quirk replaces.
func document(w http.ResponseWriter, status int, members, instead map[string]any) {
	maps.Copy(members, instead)
	maps.DeleteFunc(members, func(_ string, v any) bool { return v == nil })
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(members)
}

func fail(w http.ResponseWriter, code, why string) {
	document(w, http.StatusBadRequest, map[string]any{"error": code, "error_description": why}, nil)
}

// has reports whether a list of words contains all the others.
func has(list, others string) bool {
	words := strings.Fields(list)
	return !slices.ContainsFunc(strings.Fields(others), func(word string) bool { return !slices.Contains(words, word) })
}

// resource returns the site of the MCP server. An ancient one is its own authorization server.
func (s *Server) resource() http.Handler {
	site := http.NewServeMux()
	site.HandleFunc("/.well-known/oauth-protected-resource", s.describe)
	site.HandleFunc("/.well-known/oauth-protected-resource/mcp", s.describe)
	site.HandleFunc("/mcp", s.guard)
	site.HandleFunc("/message", s.guard) // of HTTP+SSE
	if s.quirks.Ancient {
		site.Handle("/", s.authority(""))
	}
	return site
}

// describe answers with the protected-resource metadata (RFC 9728), where the quirks have it.
func (s *Server) describe(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	q := s.quirks
	s.mu.Unlock()
	if q.Ancient || q.AtRoot && strings.HasSuffix(r.URL.Path, "/mcp") {
		http.NotFound(w, r)
		return
	}
	document(w, http.StatusOK, map[string]any{
		"resource": s.URL, "authorization_servers": []string{s.Issuer}, "scopes_supported": []string{"mcp:read"},
	}, q.Resource)
}

// guard lets requests in that have a good token for this server in the right header.
func (s *Server) guard(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	q := s.quirks
	token, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	good, known := s.access[token]
	s.mu.Unlock()
	challenge := `Bearer realm="mcp"`
	if !q.Silent {
		challenge += fmt.Sprintf(`, resource_metadata="%s/.well-known/oauth-protected-resource/mcp"`, address(s.mcp))
	}
	switch {
	case q.Modern && r.Header.Get("MCP-Protocol-Version") != "2026-07-28":
		http.Error(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32020,"message":"which version?"}}`, http.StatusBadRequest)
	case !bearer || !known || good.Get("resource") != q.target(s.URL) || r.URL.Query().Has("access_token"):
		w.Header().Set("WWW-Authenticate", challenge+`, scope="mcp:read"`)
		http.Error(w, "a token, please: "+token, http.StatusUnauthorized)
	case !has(good.Get("scope"), q.Need):
		w.Header().Set("WWW-Authenticate", challenge+fmt.Sprintf(`, error="insufficient_scope", scope=%q`, q.Need))
		http.Error(w, "more scopes, please", http.StatusForbidden)
	default:
		s.inner.ServeHTTP(w, r)
	}
}
