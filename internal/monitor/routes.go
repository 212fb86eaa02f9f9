package monitor

import (
	_ "embed" // for the description
	"net/http"
	"slices"
	"strings"
)

// route is one thing to ask for.
type route struct {
	method string // GET also answers HEAD
	path   string // as net/http.ServeMux and OpenAPI write it
	open   bool   // no token is needed
	answer http.HandlerFunc
}

//go:embed openapi.json
var description []byte

// Description is the OpenAPI document of all routes.
func Description() []byte { return slices.Clone(description) }

func (m *Monitor) routes() []route {
	return []route{
		{"GET", "/healthz", true, m.health},
		{"GET", "/readyz", true, m.readiness},
		{"GET", "/metrics", false, m.meter.handler().ServeHTTP},
		{"GET", "/openapi.json", false, describe},
		{"GET", "/v1/servers", false, m.listServers},
		{"GET", "/v1/servers/{name}", false, m.showServer},
		{"POST", "/v1/servers/{name}/refresh", false, m.refresh},
		{"GET", "/v1/events", false, m.follow},
	}
}

// Handler answers requests.
func (m *Monitor) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, r := range m.routes() {
		mux.Handle(r.path, m.admit(r.open, only(r.method, r.answer)))
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
	near := m.options.Nearest(r.URL.Path, paths)
	writeProblem(w, problem{
		Status: http.StatusNotFound, Detail: "there is nothing at " + r.URL.Path + ": see /openapi.json" + " for what there is", Nearest: near,
	})
}

func describe(w http.ResponseWriter, r *http.Request) { writeJSON(w, r, description) }
