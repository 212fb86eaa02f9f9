package transport

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	mcpgo "github.com/mark3labs/mcp-go/client/transport"
)

// ErrSessionTerminated is the error of a request that was not sent, since the session has ended.
var ErrSessionTerminated = mcpgo.ErrSessionTerminated

// TooLongError reports a message over the limit.
type TooLongError struct{ Limit int } // bytes

// ReplyError reports a reply that breaks JSON-RPC or its framing so that no client can use it.
type ReplyError struct{ Problem string } // to follow "the reply"

// Foreign reports whether the reply is JSON that no side of JSON-RPC writes.
func (e *ReplyError) Foreign() bool { return e == errNotMessage }

// LostError reports the end of the connection.
type LostError struct {
	Exit  string // how the child ended: "exit status 7", "signal: killed"; empty = it may still run
	Cause string // without Exit: "the server closed its standard output"
}

// Error names the limit.
func (e *TooLongError) Error() string {
	return fmt.Sprintf("the message is larger than %d MiB", e.Limit>>20)
}

// Error names the problem alone: the text is the server's.
func (e *ReplyError) Error() string { return "the reply " + e.Problem }

// Error says how the child ended, or the cause.
func (e *LostError) Error() string {
	code, ok := strings.CutPrefix(e.Exit, "exit status ")
	switch {
	case ok:
		return "server exited with status " + code
	case e.Exit != "":
		return "server exited: " + e.Exit
	}
	return e.Cause
}

// HTTPError reports an HTTP reply without the MCP message that is needed. In what it quotes, the values of
// our own headers are masked.
type HTTPError struct {
	Status     int      // the HTTP status, also a good one
	Type       string   // Content-Type
	Body       string   // the first KiB, unescaped
	Auth       string   // WWW-Authenticate
	Schemes    []string // of its challenges, as RFC 9110 writes them; known ones are not masked
	RetryAfter string   // as it came
	Session    bool     // the server no longer knows the session: 404, 410, or 400 and words to that effect
	Taken      bool     // the server accepted the request before, and broke off its answer
	Encoding   string   // a Content-Encoding that was not asked for
	Proxy      string   // the proxy that replied, or that stands before the server; empty = none
}

// Error names the status, and what was there instead of a message. Text of the server is quoted and short.
func (e *HTTPError) Error() string {
	text := strings.TrimSpace(fmt.Sprintf("HTTP %d %s", e.Status, http.StatusText(e.Status)))
	if e.Proxy != "" {
		text += " (from the proxy " + e.Proxy + ", or through it)"
	}
	body := strings.TrimSpace(e.Body)
	reason := BearerParameter(e.Auth, "error_description")
	code := BearerParameter(e.Auth, "error")
	switch {
	case reason+code != "" && (body == "" || e.HTML()):
		return text + ": " + quoteStart(cmp.Or(reason, code))
	case e.Session && e.Status == http.StatusNotFound:
		return text + ": the server no longer knows the session"
	case e.Session:
		return text + ": the server no longer knows the session: " + quoteStart(body)
	case e.Encoding != "":
		return text + " with a body in the Content-Encoding " + strconv.Quote(e.Encoding) +
			", which was not asked for"
	case e.HTML():
		return text + " with an HTML page instead of JSON"
	case body == "":
		return text + " with an empty body"
	case e.Status < 300:
		return fmt.Sprintf("%s with a body that is not JSON (Content-Type %q): %s", text, e.Type,
			quoteStart(body))
	case reason != "" && !strings.Contains(body, reason):
		return text + ": " + reasonIn(body) + " (WWW-Authenticate: " + quoteStart(reason) + ")"
	}
	return text + ": " + reasonIn(body)
}

// reasonIn returns what the body of a refusal says, quoted: the texts of the members with which servers
// explain, or the first line.
func reasonIn(body string) string {
	var members map[string]any
	if json.Unmarshal([]byte(body), &members) != nil {
		return quoteStart(body)
	}
	if inner, ok := members["error"].(map[string]any); ok {
		members = inner
	}
	var texts []string
	for _, name := range []string{"error", "code", "error_description", "message", "detail", "title"} {
		if text, ok := members[name].(string); ok && text != "" {
			texts = append(texts, quoteStart(text))
		}
	}
	return cmp.Or(strings.Join(texts, ": "), quoteStart(body))
}

// StreamError reports a failure of HTTP+SSE after its event stream opened.
type StreamError struct {
	Endpoint string // where the stream says that messages go, without query; empty = it named nothing
	Err      error
}

// Unwrap returns the failure.
func (e *StreamError) Unwrap() error { return e.Err }

// Error says how far it came, and the failure.
func (e *StreamError) Error() string {
	elsewhere, ok := e.Err.(*RedirectError)
	switch {
	case ok && elsewhere.Status == 0:
		return fmt.Sprintf("the event stream names %s for messages: not following it: %s", elsewhere.To,
			elsewhere.Why)
	case e.Endpoint == "":
		return "the event stream opened, and named no endpoint for messages: " + e.Err.Error()
	}
	return fmt.Sprintf("POST to %s, which the event stream named: %v", e.Endpoint, e.Err)
}

// AskedWait returns how long Retry-After asks to wait (RFC 9110: seconds or a date); 0 = it does not.
func AskedWait(retryAfter string) time.Duration {
	if seconds, err := strconv.ParseUint(retryAfter, 10, 64); err == nil || errors.Is(err, strconv.ErrRange) {
		return time.Duration(min(seconds, uint64(math.MaxInt64/time.Second))) * time.Second
	}
	if date, err := http.ParseTime(retryAfter); err == nil {
		return max(time.Until(date), 0)
	}
	return 0
}

// HTML reports whether the body is a web page.
func (e *HTTPError) HTML() bool {
	start := strings.ToLower(strings.TrimSpace(e.Body))
	return strings.HasPrefix(e.Type, "text/html") || strings.HasPrefix(start, "<!doctype html") ||
		strings.HasPrefix(start, "<html")
}

// quoteStart returns the first line of a server's text, quoted, and cut if it is long.
func quoteStart(text string) string {
	const most = 160
	line, _, _ := strings.Cut(text, "\n")
	if len(line) > most {
		return strconv.Quote(line[:most]) + "…"
	}
	return strconv.Quote(line)
}

func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
