package probe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestAdviceFollowsWhatWasSeen has a server at a URL for each kind of fact, and looks at the message and at its hint.
func TestAdviceFollowsWhatWasSeen(t *testing.T) {
	const elsewhere = "no MCP server answers there"
	refuse := func(status int, header, value, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set(header, value)
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	// stream is a server of HTTP+SSE whose stream writes a text, and stays open unless that is empty
	stream := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == "/pre/sse" && r.Method == http.MethodGet:
				w.Header().Set("Content-Type", "text/event-stream")
				fmt.Fprint(w, text)
				if w.(http.Flusher).Flush(); text != "" && !strings.Contains(text, "ends") {
					<-r.Context().Done()
				}
			case r.URL.Path == "/pre/sse":
				w.WriteHeader(http.StatusMethodNotAllowed)
			case r.URL.Path == "/pre/taken":
				w.WriteHeader(http.StatusAccepted)
			default:
				http.NotFound(w, r)
			}
		}
	}
	endpoint := func(named string) http.HandlerFunc { return stream("event: endpoint\ndata: " + named + "\n\n") }
	tests := map[string]struct {
		server   http.HandlerFunc
		path     string
		message  string
		hint     string
		unwanted string // in neither; empty = nothing is
	}{
		"a path that the stream names": {endpoint("/messages?sid=s3cret"), "/pre/sse", "/messages, which the event stream named: HTTP 404",
			"prefix of a proxy", "s3cret"},
		"another host": {endpoint("http://inner.example/pre/messages?sid=s3cret"), "/pre/sse",
			"names http://inner.example/pre/messages for messages", "the scheme and the host of this URL", "s3cret"},
		"another scheme": {endpoint("https://127.0.0.1/pre/messages"), "/pre/sse", "names https://127.0.0.1/pre/messages for messages",
			"the scheme and the host of this URL", elsewhere},
		"JSON": {endpoint(`{"uri":"/pre/messages?sid=s3cret"}`), "/pre/sse", `names "{\"uri\":\"/pre/messages" for messages`,
			"the event stream works", "s3cret"},
		"no endpoint": {stream(": hello\n\n"), "/pre/sse",
			"the event stream opened, and named no endpoint for messages: no MCP reply within", "event: endpoint", elsewhere},
		"an ended stream": {stream(""), "/pre/sse",
			"the event stream opened, and named no endpoint for messages: the server ended the event stream", "event: endpoint", elsewhere},
		"silence behind it": {endpoint("/pre/taken?sid=s3cret"), "/pre/sse",
			"/pre/taken, which the event stream named: no MCP reply within",
			"replies to messages must come on it", "s3cret"},
		"an end behind it": {endpoint("/pre/taken?ends"), "/pre/sse",
			"/pre/taken, which the event stream named: the server ended the event stream",
			"ended the stream too early", elsewhere},
		"no reply": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\n\n")
		}, "/mcp", "the server ended the event stream without a reply", "ended the stream too early", elsewhere},
		"Basic": {refuse(401, "WWW-Authenticate", `Basic realm="intranet"`, ""), "/mcp", "HTTP 401",
			"the server wants Basic, not a bearer token", "mcpctl login"},
		"Negotiate": {refuse(401, "WWW-Authenticate", "Negotiate, NTLM", ""), "/mcp", "HTTP 401",
			"wants Negotiate, NTLM, which mcpctl does not speak", "mcpctl login"},
		"Bearer or Basic": {refuse(401, "WWW-Authenticate", `Basic realm="x", Bearer`, ""), "/mcp", "HTTP 401", "log in with mcpctl login",
			elsewhere},
		"a wait": {refuse(503, "Retry-After", "5400", "down"), "/mcp", "HTTP 503", "asks to wait 1h30m:", elsewhere},
		"a wait in days": {refuse(429, "Retry-After", time.Now().Add(48*time.Hour).UTC().Format(http.TimeFormat), ""), "/mcp", "HTTP 429",
			"asks to wait 4", elsewhere},
		"a refused host": {refuse(421, "X-A", "b", "Invalid Host header"), "/mcp", `HTTP 421 Misdirected Request: "Invalid Host header"`,
			"add this one to its allowed hosts", "often /mcp"},
		"of this machine": {refuse(400, "X-A", "b", "Ungültiger Host"), "/mcp", "HTTP 400", "localhost or 127.0.0.1", "often /mcp"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(test.server)
			t.Cleanup(s.Close)
			server := Server{Name: "srv", Source: "argv", HTTP: &HTTP{URL: s.URL + test.path}}
			for result := range All(t.Context(), []Server{server}, Options{Timeout: 2 * time.Second}) {
				failures := Failures(result.Err)
				if len(failures) != 1 {
					t.Fatalf("%v", result.Err)
				}
				message, hint := failures[0].Err.Error(), failures[0].Hint
				if !strings.Contains(message, test.message) || !strings.Contains(hint, test.hint) {
					t.Errorf("%s\nhint: %s\nwant %s\nhint: %s", message, hint, test.message, test.hint)
				}
				if test.unwanted != "" && strings.Contains(message+hint, test.unwanted) {
					t.Errorf("%s\nhint: %s\nsays %s", message, hint, test.unwanted)
				}
			}
		})
	}
}
