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
	"sync/atomic"
	"time"

	"github.com/mcpctl/mcpctl/internal/config"
	"github.com/mcpctl/mcpctl/internal/exit"
	"github.com/mcpctl/mcpctl/internal/kit"
	"github.com/mcpctl/mcpctl/internal/vault"
)

// callbackServer is where the browser brings the answer: a port of this machine that is open for one visit.
type callbackServer struct {
	redirect string
	state    string       // of the login, which an answer to it brings back
	server   *http.Server // nil = the answer is pasted
	visited  atomic.Bool
	answers  chan url.Values
	strays   chan struct{} // a visit that is no answer to this login
	outcome  chan error    // how the login went, for the visitor
}

// openCallback opens the port that the client is registered with, if that is fixed, or the one of the last
// login, so that its registration can be used again, or else any. pasted = no port is opened, though the
// redirect URI names one.
func openCallback(c config.Client, old *vault.Login, pasted bool) (*callbackServer, error) {
	d := &callbackServer{state: rand.Text(), answers: make(chan url.Values, 1), outcome: make(chan error, 1),
		strays: make(chan struct{}, 1)}
	if c.Redirect != "" {
		return d, d.openAt(c.Redirect, pasted)
	}
	if old != nil && old.Client.Registered && c.ID == "" && d.openAt(old.Client.Redirect, pasted) == nil {
		return d, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listening for the answer to the login: %w", err)
	}
	d.redirect = "http://" + listener.Addr().String() + "/callback"
	if pasted {
		return d, listener.Close()
	}
	d.serve(listener)
	return d, nil
}

// openAt opens the port of a redirect URI, which must be of this machine.
func (d *callbackServer) openAt(redirect string, pasted bool) error {
	u, err := url.Parse(redirect)
	if err != nil || u.Scheme != "http" || !kit.ThisMachine(u.Hostname()) || u.Port() == "" ||
		u.RawQuery != "" {
		return exit.Advise("write it as http://localhost:PORT/callback, as the client was registered",
			"the redirect URI %s is not one of this machine", quoted(redirect))
	}
	d.redirect = redirect
	if pasted {
		return nil
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", u.Port()))
	if err != nil {
		return exit.Advise("end what uses the port, or log in with --no-browser",
			"listening for the answer to the login: %w", err)
	}
	d.serve(listener)
	return nil
}

func (d *callbackServer) serve(listener net.Listener) {
	d.server = &http.Server{Handler: d, ReadTimeout: 5 * time.Second, MaxHeaderBytes: 64 << 10}
	d.server.SetKeepAlivesEnabled(false) // a browser comes once, and whoever stays takes descriptors
	go func() { _ = d.server.Serve(listener) }()
}

// ServeHTTP takes the first visit that brings the state of the login to the redirect URI, and answers when it
// is known how the login went. Any page may send a browser here; what does not know the state takes nothing
// from the one that does.
func (d *callbackServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, _ := url.Parse(d.redirect)
	header := w.Header()
	header.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	if r.Method != http.MethodGet || r.URL.Path != at.Path || r.Host != at.Host {
		w.WriteHeader(http.StatusNotFound)
		writePage(w, "Nothing is here", "This address takes the answer to one login and nothing else.")
		return
	}
	if subtle.ConstantTimeCompare([]byte(r.URL.Query().Get("state")), []byte(d.state)) != 1 {
		select {
		case d.strays <- struct{}{}:
		default:
		}
		w.WriteHeader(http.StatusForbidden)
		writePage(w, "Not this login", "This is not the answer to the login that mcpctl waits for. Nothing "+
			"of it was used.")
		return
	}
	if d.visited.Swap(true) {
		w.WriteHeader(http.StatusConflict)
		writePage(w, "Already answered", "The answer to this login was taken before.")
		return
	}
	d.answers <- r.URL.Query()
	select {
	case err := <-d.outcome:
		writeOutcome(w, err)
	case <-r.Context().Done():
	}
}

func writeOutcome(w http.ResponseWriter, err error) {
	if err == nil {
		writePage(w, "You are logged in", "mcpctl has what it needs. You can close this window.")
		return
	}
	w.WriteHeader(http.StatusBadRequest)
	writePage(w, "The login did not work", "The terminal tells why. You can close this window.")
}

//go:embed page.html
var pageText string

func writePage(w http.ResponseWriter, title, text string) {
	page := strings.NewReplacer("TITLE", html.EscapeString(title), "TEXT",
		html.EscapeString(text)).Replace(pageText)
	_, _ = w.Write([]byte(page)) // the visitor may have left
}

// wait is the answer that the browser brings. tell is called for the first visit that is none.
func (d *callbackServer) wait(ctx context.Context, tell func(string)) (url.Values, error) {
	strays := d.strays
	for {
		select {
		case answer := <-d.answers:
			return answer, nil
		case <-strays:
			strays = nil
			tell("a visit came that is not the answer to this login: its state differs; nothing of it was " +
				"used")
		case <-ctx.Done():
			return nil, fmt.Errorf("waiting for the answer to the login: %w", context.Cause(ctx))
		}
	}
}

// close ends listening, after the visitor got the page, or a moment.
func (d *callbackServer) close() {
	if d.server == nil {
		return
	}
	select {
	case d.outcome <- errors.New("the login ended early"):
	default:
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if d.server.Shutdown(ctx) != nil {
		_ = d.server.Close()
	}
}

// pasted is the answer in the URL that a browser ended at, as a person copied it.
func (d *callbackServer) pasted(text string) (url.Values, error) {
	want, _ := url.Parse(d.redirect)
	got, err := url.Parse(strings.TrimSpace(text))
	if err != nil || got.Scheme != want.Scheme || got.Host != want.Host || got.Path != want.Path ||
		got.RawQuery == "" {
		return nil, fmt.Errorf("what was pasted is not the address that the login ended at: it begins with "+
			"%s?", d.redirect)
	}
	return got.Query(), nil
}
