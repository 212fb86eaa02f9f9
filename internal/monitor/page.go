package monitor

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpctl/mcpctl/internal/journal"
	"github.com/mcpctl/mcpctl/internal/lists"
	"github.com/mcpctl/mcpctl/internal/match"
	"github.com/mcpctl/mcpctl/internal/printable"
	"github.com/mcpctl/mcpctl/internal/rawjson"
	"github.com/mcpctl/mcpctl/internal/report"
	"github.com/mcpctl/mcpctl/pkg/watch"
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
		{"GET", "/healthz", true, func(w http.ResponseWriter, r *http.Request) { writeJSON(w, r, encode(healthy{Status: "ok"})) }}, // however it stands with servers
		{"GET", "/readyz", true, m.readiness},
		{"GET", "/metrics", false, m.meter.handler().ServeHTTP},
		{"GET", "/openapi.json", false, func(w http.ResponseWriter, r *http.Request) { writeJSON(w, r, description) }},
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

func (m *Monitor) unknown(w http.ResponseWriter, r *http.Request) {
	paths := lists.Map(m.routes(), func(route route) string { return route.path })
	writeProblem(w, problem{
		Status: http.StatusNotFound, Detail: "there is nothing at " + r.URL.Path + ": see /openapi.json for what there is", Nearest: match.Nearest(r.URL.Path, paths),
	})
}

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

// encode is the JSON of a value of ours, which always has one. In strings, those of raw JSON too, what a terminal or runner obeys is
// escaped: a job may print what it asked for.
func encode(value any) []byte {
	raw, _ := rawjson.Encode(value)
	return printable.EscapedJSON(raw)
}

// writeJSON answers with a document in parts. A client that has it already, as its ETag tells, is told so.
func writeJSON(w http.ResponseWriter, r *http.Request, parts ...[]byte) {
	if tag := w.Header().Get("ETag"); tag != "" && names(r.Header.Get("If-None-Match"), tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	for _, part := range parts {
		_, _ = w.Write(part) // the client has gone if it fails
	}
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

// The parts of the page for people. It shows what the other routes tell, and asks nobody else.
var (
	//go:embed page/page.html
	pageText string
	//go:embed page/style.css
	pageStyle string
	//go:embed page/script.js
	pageScript string
)

// wholePage is the page, and the policy that lets nothing run or load but what is in it.
var wholePage = sync.OnceValues(func() (page, policy string) {
	source := func(text string) string {
		sum := sha256.Sum256([]byte(text))
		return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	page = strings.NewReplacer("STYLE", pageStyle, "SCRIPT", pageScript).Replace(pageText)
	policy = "default-src 'none'; script-src " + source(pageScript) + "; style-src " + source(pageStyle) +
		"; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return page, policy
})

// showPage answers with the page, which holds nothing of any server: its script asks for that, with the token if there is one.
func (m *Monitor) showPage(w http.ResponseWriter, _ *http.Request) {
	page, policy := wholePage()
	head := w.Header()
	head.Set("Content-Type", "text/html; charset=utf-8")
	head.Set("Content-Security-Policy", policy)
	head.Set("Referrer-Policy", "no-referrer")
	_, _ = w.Write([]byte(page)) // the client has gone if it fails
}

// shownChanges is how many changes of a server are told at once.
const shownChanges = 20

// changed is the answer about the changes of one server.
type changed struct {
	Mcpctl  int     `json:"mcpctl"`
	Server  string  `json:"server"`
	Changes []story `json:"changes"`
}

// story is one change as people read it.
type story struct {
	ID     string    `json:"id"` // of the event
	Change int       `json:"change"`
	Time   time.Time `json:"time"`
	Level  string    `json:"level"` // of the worst finding that nothing excuses; "none" when there is none
	Text   string    `json:"text"`  // in lines
}

// listChanges tells the newest changes of a server, the newest first.
func (m *Monitor) listChanges(w http.ResponseWriter, r *http.Request) {
	s, ok := m.named(w, r)
	if !ok {
		return
	}
	var newest []journal.Entry
	for _, e := range slices.Backward(m.events.After(0).Entries) {
		if e.Server == s.Name && e.Change != 0 && len(newest) < shownChanges {
			newest = append(newest, e)
		}
	}
	key := toldChanges{server: s.Name, count: len(newest)}
	if len(newest) > 0 {
		key.last = newest[0].ID
	}
	told, done := m.shared.take(r.Context(), key, func() ([]byte, string) { return tellChanges(s.Name, newest), "" })
	defer done()
	if told != nil {
		writeJSON(w, r, told.text)
	}
}

// toldChanges says which changes of a server a document holds.
type toldChanges struct {
	server, last string
	count        int
}

func tellChanges(server string, newest []journal.Entry) []byte {
	all := changed{Mcpctl: report.Version, Server: server, Changes: []story{}}
	for _, e := range newest {
		if one, err := storyOf(e); err == nil {
			all.Changes = append(all.Changes, one)
		}
	}
	return encode(all)
}

func storyOf(e journal.Entry) (story, error) {
	event, text, err := report.ReadEvent(e.Line, report.Options{})
	if err != nil {
		return story{}, err
	}
	sum := report.Summarize(event.Findings, nil)
	level := "none"
	switch {
	case sum.Breaking > 0:
		level = "breaking"
	case sum.Warning > 0:
		level = "warning"
	case sum.Info > 0:
		level = "info"
	}
	return story{ID: e.ID, Change: e.Change, Time: event.Time, Level: level, Text: strings.TrimRight(text, "\n")}, nil
}

// Bounds of what is remembered of each server for the eye.
const (
	shownReadings = 30
	shownHours    = 24
)

// past is what servers were like lately. The zero value is ready.
type past struct {
	mu    sync.Mutex
	known map[string]*recent
}

type recent struct {
	readings []int // milliseconds that the newest readings took, the newest last
	changes  [shownHours]int
	hour     int64 // that the last of changes is for, in hours since 1970
}

// of is what is known of a server; the caller holds the lock.
func (p *past) of(server string) *recent {
	if p.known == nil {
		p.known = map[string]*recent{}
	}
	if p.known[server] == nil {
		p.known[server] = &recent{}
	}
	one := p.known[server]
	now := time.Now().Unix() / 3600
	if gone := int(min(now-one.hour, shownHours)); gone > 0 {
		copy(one.changes[:], one.changes[gone:])
		clear(one.changes[shownHours-gone:])
		one.hour = now
	}
	return one
}

func (p *past) read(server string, a watch.Attempt) {
	if a.Cause == "" || a.Outcome == watch.Failure {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	one := p.of(server)
	one.readings = append(one.readings[max(len(one.readings)-shownReadings+1, 0):], int(a.Took.Milliseconds()))
}

func (p *past) changed(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.of(server).changes[shownHours-1]++
}

func (p *past) forget(server string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.known, server)
}

// tell gives copies of what is known of a server, nil when there is nothing.
func (p *past) tell(server string) (readings, changes []int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.known[server] == nil {
		return nil, nil
	}
	one := p.of(server)
	return slices.Clone(one.readings), slices.Clone(one.changes[:])
}
