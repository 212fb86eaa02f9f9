package probe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestCodeFollowsWhatWasSeen has a server at a URL for each kind of fact, and looks at the message and at the code.
func TestCodeFollowsWhatWasSeen(t *testing.T) {
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
		server  http.HandlerFunc
		path    string
		message string
		code    Code
	}{
		"a path that the stream names": {endpoint("/messages?sid=s3cret"), "/pre/sse", "/messages, which the event stream named: HTTP 404",
			EndpointWrong},
		"another host": {endpoint("http://inner.example/pre/messages?sid=s3cret"), "/pre/sse",
			"names http://inner.example/pre/messages for messages", EndpointElsewhere},
		"another scheme": {endpoint("https://127.0.0.1/pre/messages"), "/pre/sse", "names https://127.0.0.1/pre/messages for messages",
			EndpointElsewhere},
		"JSON": {endpoint(`{"uri":"/pre/messages?sid=s3cret"}`), "/pre/sse", `names "{\"uri\":\"/pre/messages" for messages`,
			EndpointElsewhere},
		"no endpoint": {stream(": hello\n\n"), "/pre/sse",
			"the event stream opened, and named no endpoint for messages: no MCP reply within", EndpointUnnamed},
		"an ended stream": {stream(""), "/pre/sse",
			"the event stream opened, and named no endpoint for messages: the server ended the event stream", EndpointUnnamed},
		"silence behind it": {endpoint("/pre/taken?sid=s3cret"), "/pre/sse",
			"/pre/taken, which the event stream named: no MCP reply within",
			StreamSilent},
		"an end behind it": {endpoint("/pre/taken?ends"), "/pre/sse",
			"/pre/taken, which the event stream named: the server ended the event stream",
			StreamEnded},
		"no reply": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, ": hello\n\n")
		}, "/mcp", "the server ended the event stream without a reply", StreamEnded},
		"Basic":           {refuse(401, "WWW-Authenticate", `Basic realm="intranet"`, ""), "/mcp", "HTTP 401", OtherLoginWanted},
		"Negotiate":       {refuse(401, "WWW-Authenticate", "Negotiate, NTLM", ""), "/mcp", "HTTP 401", OtherLoginWanted},
		"Bearer or Basic": {refuse(401, "WWW-Authenticate", `Basic realm="x", Bearer`, ""), "/mcp", "HTTP 401", LoginWanted},
		"a wait":          {refuse(503, "Retry-After", "5400", "down"), "/mcp", "HTTP 503", AsksToWait},
		"a wait in days": {refuse(429, "Retry-After", time.Now().Add(48*time.Hour).UTC().Format(http.TimeFormat), ""), "/mcp", "HTTP 429",
			AsksToWait},
		"a refused host": {refuse(421, "X-A", "b", "Invalid Host header"), "/mcp", `HTTP 421 Misdirected Request: "Invalid Host header"`,
			HostNameUnknown},
		"of this machine": {refuse(400, "X-A", "b", "Ungültiger Host"), "/mcp", "HTTP 400", HostOrPathWrong},
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
				message, code := failures[0].Err.Error(), failures[0].Code
				if !strings.Contains(message, test.message) || code != test.code {
					t.Errorf("%s: %s, want %s: %s", code, message, test.code, test.message)
				}
				if shown := fmt.Sprint(message, failures[0].Facts); strings.Contains(shown, "s3cret") {
					t.Errorf("%s holds a secret", shown)
				}
			}
		})
	}
}
