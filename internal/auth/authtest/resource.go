package authtest

import (
	"fmt"
	"net/http"
	"strings"
)

// resource is the protected MCP server.
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
	case !bearer || !known || good.Get("resource") != s.URL || r.URL.Query().Has("access_token"):
		w.Header().Set("WWW-Authenticate", challenge+`, scope="mcp:read"`)
		http.Error(w, "a token, please: "+token, http.StatusUnauthorized)
	case !has(good.Get("scope"), q.Need):
		w.Header().Set("WWW-Authenticate", challenge+fmt.Sprintf(`, error="insufficient_scope", scope=%q`, q.Need))
		http.Error(w, "more scopes, please", http.StatusForbidden)
	default:
		s.inner.ServeHTTP(w, r)
	}
}
