package monitor

import (
	_ "embed" // for the description
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/rawjson"
)

// route is one thing to ask for.
type route struct {
	method string // GET also answers HEAD
	path   string // as net/http.ServeMux and OpenAPI write it
	open   bool   // no token is needed
	answer http.HandlerFunc
}

// description is the OpenAPI document of all routes.
//
//go:embed openapi.json
var description []byte

func (m *Monitor) routes() []route {
	return []route{
		{"GET", "/", true, m.showPage},
		{"GET", "/healthz", true, m.health},
		{"GET", "/readyz", true, m.readiness},
		{"GET", "/metrics", false, m.meter.handler().ServeHTTP},
		{"GET", "/openapi.json", false, describe},
		{"GET", "/v1/servers", false, m.listServers},
		{"GET", "/v1/servers/{name}", false, m.showServer},
		{"GET", "/v1/servers/{name}/changes", false, m.listChanges},
		{"POST", "/v1/servers/{name}/refresh", false, m.refresh},
		{"GET", "/v1/events", false, m.follow},
	}
}

// Handler answers requests.
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range m.routes() {
		pattern := r.path
		if pattern == "/" {
			pattern = "/{$}" // and nothing below it
		}
		mux.Handle(pattern, m.admit(r.open, only(r.method, r.answer)))
	}
	mux.Handle("/", m.admit(false, m.unknown))
	return m.guard(mux)
}

// only answers requests of one method.
func only(method string, answer http.HandlerFunc) http.HandlerFunc {
	allowed := method
	if method == "GET" {
		allowed = "GET, HEAD"
	}
	return func(w http.ResponseWriter, r *http.Request) {
		if !slices.Contains(strings.Split(allowed, ", "), r.Method) {
			w.Header().Set("Allow", allowed)
			refuse(w, http.StatusMethodNotAllowed, "%s is for %s, not %s", r.URL.Path, allowed, r.Method)
			return
		}
		answer(w, r)
	}
}

// unknown names what there is.
func (m *Monitor) unknown(w http.ResponseWriter, r *http.Request) {
	var paths []string
	for _, route := range m.routes() {
		paths = append(paths, route.path)
	}
	writeProblem(w, problem{
		Status: http.StatusNotFound, Detail: "there is nothing at " + r.URL.Path + ": see /openapi.json for what there is", Nearest: match.Nearest(r.URL.Path, paths),
	})
}

func describe(w http.ResponseWriter, r *http.Request) { writeJSON(w, r, description) }

// problem is why a request was refused, as RFC 9457 writes it.
type problem struct {
	Type    string   `json:"type"`
	Title   string   `json:"title"`
	Status  int      `json:"status"`
	Detail  string   `json:"detail"`
	Nearest []string `json:"nearest,omitempty"` // what may have been meant
}

func writeProblem(w http.ResponseWriter, p problem) {
	p.Type, p.Title = "about:blank", http.StatusText(p.Status)
	writeStatus(w, p.Status, "application/problem+json", p)
}

// writeStatus answers with a value, and a status of its own.
func writeStatus(w http.ResponseWriter, status int, kind string, value any) {
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	_, _ = w.Write(encode(value)) // the client has gone if it fails
}

func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	writeProblem(w, problem{Status: status, Detail: fmt.Sprintf(format, args...)})
}

// encode is the JSON of a value of ours, which always has one, with raw JSON in it as it is.
func encode(value any) []byte {
	raw, _ := rawjson.Encode(value)
	return append(raw, '\n')
}

// writeJSON answers with a document. A client that has it already, as its ETag tells, is told so.
func writeJSON(w http.ResponseWriter, r *http.Request, document []byte) {
	if tag := w.Header().Get("ETag"); tag != "" && names(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(document) // the client has gone if it fails
}

// names tells whether one of the tags in a header is this one, strong or weak (RFC 9110 §13.1.2).
func names(header, tag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		one = strings.TrimSpace(one)
		if one == "*" || strings.TrimPrefix(one, "W/") == strings.TrimPrefix(tag, "W/") {
			return true
		}
	}
	return false
}
