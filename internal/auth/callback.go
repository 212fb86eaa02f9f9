package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	_ "embed"
	"errors"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/vault"
)

// callbackServer receives the answer to a login from the browser, at a port of this machine.
type callbackServer struct {
	redirect string       // the URI at which the answer arrives
	state    string       // of the login; an answer to it has the same
	server   *http.Server // nil = the answer is pasted
	visited  atomic.Bool  // the answer has arrived
	answers  chan url.Values
	stray    func(string) // reports once a request that does not answer this login, and its error
	outcome  chan error   // of the login, for the browser
}

// openCallback opens the port that the client is registered with, else that of the last login, whose
// registration can be used again, else any. If the answer is pasted, no port stays open.
func openCallback(c config.Login, old *vault.Grant, flow Flow) (*callbackServer, error) {
	pasted := flow.Paste != nil
	var once sync.Once
	s := &callbackServer{state: rand.Text(), answers: make(chan url.Values, 1), outcome: make(chan error, 1)}
	s.stray = func(failure string) {
		text := "ignored an answer to another login (state differs)"
		if failure != "" {
			text += ": " + quoted(failure)
		}
		once.Do(func() { flow.Print(text) })
	}
	if c.Redirect != "" {
		return s, s.openAt(c.Redirect, pasted)
	}
	if old != nil && old.Client.Registered && c.ID == "" && s.openAt(old.Client.Redirect, pasted) == nil {
		return s, nil
	}
	return s, s.openAt("http://127.0.0.1:0/callback", pasted)
}

// openAt opens the port of a redirect URI, which must be on this machine; port 0 is any.
func (s *callbackServer) openAt(redirect string, pasted bool) error {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" || !kit.ThisMachine(u.Hostname()) || u.Port() == "" ||
		u.RawQuery != "" {
		return exit.Advise("write it as http://localhost:PORT/callback, as the client was registered",
			"the redirect URI %s is not on this machine", quoted(redirect))
	}
	s.redirect = redirect
	if pasted && u.Port() != "0" {
		return nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", u.Port()))
	if err != nil {
		return exit.Advise("stop the program that uses the port, or log in with --no-browser",
			"listening for the answer to the login: %w", err)
	}
	if u.Port() == "0" {
		s.redirect = "http://" + listener.Addr().String() + u.Path
	}
	if pasted {
		return listener.Close()
	}
	s.server = &http.Server{Handler: s, ReadTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	s.server.SetKeepAlivesEnabled(false) // an idle connection would only use a descriptor
	go func() { _ = s.server.Serve(listener) }()
	return nil
}

// ServeHTTP accepts the first request with the state of the login, and answers with the outcome of the login.
// Any page can send a browser here; a request without the state does not disturb the one that has it.
func (s *callbackServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	want, _ := url.Parse(s.redirect)
	header := w.Header()
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	if r.Method != http.MethodGet || r.URL.Path != want.Path || r.Host != want.Host {
		writePage(w, http.StatusNotFound, "Nothing is here",
			"This address takes the answer to one login and nothing else.")
		return
	}
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("state")), []byte(s.state)) != 1 {
		s.stray(r.URL.Query().Get("error"))
		writePage(w, http.StatusForbidden, "Not this login",
			"This is not the answer to the login that mcpctl waits for. It was not used.")
		return
	}
	if s.visited.Swap(true) {
		writePage(w, http.StatusConflict, "Already answered", "The answer to this login was taken before.")
		return
	}
	s.answers <- r.URL.Query()
	select {
	case err := <-s.outcome:
		if err != nil { // the reason is not on the page
			writePage(w, http.StatusBadRequest, "The login did not work",
				"The terminal shows why. You can close this window.")
			return
		}
		writePage(w, http.StatusOK, "You are logged in",
			"mcpctl has what it needs. You can close this window.")
	case <-r.Context().Done():
	}
}

//go:embed page.html
var pageText string

func writePage(w http.ResponseWriter, status int, title, text string) {
	w.WriteHeader(status)
	page := strings.NewReplacer("TITLE", html.EscapeString(title), "TEXT",
		html.EscapeString(text)).Replace(pageText)
	_, _ = w.Write([]byte(page)) // the visitor may have left
}

// wait returns the answer of the browser.
func (s *callbackServer) wait(ctx context.Context) (url.Values, error) {
	select {
	case answer := <-s.answers:
		return answer, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for the answer to the login: %w", context.Cause(ctx))
	}
}

// close stops the server once the browser has its page, or after two seconds.
func (s *callbackServer) close() {
	if s.server == nil {
		return
	}
	select {
	case s.outcome <- errors.New("the login ended early"):
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if s.server.Shutdown(ctx) != nil {
		_ = s.server.Close()
	}
}

// pasted returns the answer in the URL at which a browser ended.
func (s *callbackServer) pasted(text string) (url.Values, error) {
	want, _ := url.Parse(s.redirect)
	got, err := url.Parse(strings.TrimSpace(text))
	if err != nil || got.Scheme != want.Scheme || got.Host != want.Host || got.Path != want.Path ||
		got.RawQuery == "" {
		return nil, exit.Advise("paste the whole address that the browser ends at: it begins with "+
			s.redirect+"?", "the pasted text is not the address of the answer")
	}
	return got.Query(), nil
}
