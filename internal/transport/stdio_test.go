package transport

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
)

// behave starts this binary as the named server and closes it with the test.
func behave(t *testing.T, name string) *Conn { return behaveWith(t, name, Handlers{}) }

func behaveWith(t *testing.T, name string, h Handlers) *Conn {
	t.Helper()
	env := []string{"BEHAVE=" + name, "PATH=" + os.Getenv("PATH"), "GOCOVERDIR=" + t.TempDir()} // or it complains on stderr
	l, err := StartStdio(Command{Path: os.Args[0], Env: env}, h)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// childOf is the process of a stdio server.
func childOf(l *Conn) *stdioChild { return l.child }

// mostWait is how long a test waits for what must come, on a slow machine too.
const mostWait = 5 * time.Minute

// ask sends tools/list and fails the test when that takes long.
func ask(t *testing.T, l *Conn, id int64) (*JSONRPCResponse, error) {
	t.Helper()
	return call(t, l, id, "tools/list")
}

func call(t *testing.T, l *Conn, id int64, method string) (*JSONRPCResponse, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mostWait)
	defer cancel()
	r := request(id)
	r.Method = method
	reply, err := l.SendRequest(ctx, r)
	if errors.Is(err, context.DeadlineExceeded) {
		t.Fatal("the request hung")
	}
	return reply, err
}

// receive returns what comes from a channel, or was to come until it was closed.
func receive[T any](t *testing.T, from <-chan T) T {
	t.Helper()
	select {
	case value := <-from:
		return value
	case <-time.After(mostWait):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// awaitNoise waits until the server has written some noise.
func awaitNoise(t *testing.T, l *Conn) {
	t.Helper()
	for range 2000 {
		if len(l.Noise()) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("there is no noise")
}

// TestUnendedLine keeps a line that waits for its end apart from the noise.
func TestUnendedLine(t *testing.T) {
	l := behave(t, "prompt")
	for range 2000 {
		if l.Unended() != "" {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if noise := l.Noise(); l.Unended() != "API key:" || !slices.Equal(noise, []string{"started"}) {
		t.Errorf("unended %q, noise %q", l.Unended(), noise)
	}
}

func TestStdioReplies(t *testing.T) {
	tests := []struct {
		name  string
		want  string // the result, raw
		fault string // or the JSON-RPC error
		err   string // or the failure
		noise []string
	}{
		{name: "good", want: `{"ok":true}`},
		{name: "raw", want: odd},
		{name: "crlf", want: `{"ok":true}`},
		{name: "string-id", want: `{"ok":true}`},
		{name: "float-id", want: `{"ok":true}`},
		{name: "null-id", fault: "-32700 no %!s(<nil>)"},
		{name: "error", fault: "0 no [1]"},
		{name: "bad-error", err: "the reply has an error that is not a JSON-RPC error object"},
		{name: "empty", err: "the reply has neither a result nor an error"},
		{name: "batch", want: `{"ok":true}`},
		{name: "broken", err: "the reply is not valid JSON: invalid character 'o' in literal null (expecting 'u')",
			noise: []string{`{"jsonrpc":"2.0","id":7,"result":{"a":nope}}`}},
		{name: "junk", want: `{"ok":true}`, noise: []string{"hello", `{"level":"info"}`}},
		{name: "banner", want: `{"ok":true}`, noise: []string{"Server ready"}},
		{name: "deep", err: "the reply is not valid JSON: invalid character '[' exceeded max depth",
			noise: []string{strings.ReplaceAll(deepReply, "ID", "7")[:256]}},
		{name: "large", err: "the message is larger than 64 MiB"},
		{name: "forgets-newline", want: `{"ok":true}`},
		{name: "content-length", want: `{"ok":true}`, noise: []string{"Content-Length: 45"}},
		{name: "utf-16", err: "the reply is UTF-16 text, where MCP needs UTF-8"},
		{name: "no-newline", want: `{"ok":true}`},
		{name: "crash", err: "server exited with status 7"},
		{name: "crash-stdout", err: "server exited with status 2", noise: []string{"usage: no such flag"}},
		{name: "orphan-crash", err: "server exited with status 3"},
		{name: "close-stdout", err: "the server closed its standard output"},
		{name: "asks",
			want: `[{"jsonrpc":"2.0","id":"a","result":{}},{"jsonrpc":"2.0","id":7,"error":{"code":-32601,` +
				`"message":"method not found: roots/list"}}]`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := behave(t, test.name)
			r, err := ask(t, l, 7)
			switch {
			case test.err != "":
				if err == nil || err.Error() != test.err {
					t.Errorf("error %v, want %s", err, test.err)
				}
			case err != nil:
				t.Fatal(err)
			case test.fault != "":
				if got := fmt.Sprintf("%d %s %s", r.Error.Code, r.Error.Message, r.Error.Data); got != test.fault {
					t.Errorf("JSON-RPC error %s, want %s", got, test.fault)
				}
			default:
				if diff := cmp.Diff(test.want, sorted(string(r.Result))); diff != "" {
					t.Errorf("result (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(test.noise, l.Noise()); diff != "" && test.name != "utf-16" {
				t.Errorf("noise (-want +got):\n%s", diff)
			}
		})
	}
}

// sorted puts the two answers that "asks" quotes into a fixed order: they come from two goroutines.
func sorted(result string) string {
	const swapped = `[{"jsonrpc":"2.0","id":7,`
	if !strings.HasPrefix(result, swapped) {
		return result
	}
	at := strings.Index(result, `,{"jsonrpc":"2.0","id":"a"`)
	return "[" + strings.TrimSuffix(result[at+1:], "]") + "," + result[1:at] + "]"
}

// TestStdinIsClosed: a server that lives on without its stdin will not answer, and that is reported.
func TestStdinIsClosed(t *testing.T) {
	l := behave(t, "close-stdin")
	awaitNoise(t, l)
	for id := range int64(3) {
		_, err := ask(t, l, id+1)
		var lost *LostError
		if !errors.As(err, &lost) || lost.Cause != "the server closed its standard input" {
			t.Errorf("request %d gives %v, want a *LostError about stdin", id+1, err)
		}
	}
}

// TestEarlyMessages: what a server sends as soon as it runs finds its handlers.
func TestEarlyMessages(t *testing.T) {
	notified := make(chan string, 1)
	l := behaveWith(t, "early", Handlers{
		Notification: func(n Incoming) { notified <- n.Method },
		Request: func(context.Context, Incoming) (json.RawMessage, *ErrorReply) {
			return json.RawMessage(`{"roots":[]}`), nil
		},
	})
	if got := receive(t, notified); got != "notifications/x" {
		t.Errorf("notified of %s", got)
	}
	r, err := ask(t, l, 7)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"jsonrpc":"2.0","id":"a","result":{"roots":[]}}`, string(r.Result)); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestLateReplies(t *testing.T) {
	l := behave(t, "late")
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := l.SendRequest(ctx, JSONRPCRequest{JSONRPC: "2.0", ID: mcp.NewRequestId(int64(1)), Method: "x"}); !errors.Is(err,
		context.DeadlineExceeded) {
		t.Fatalf("error %v, want a timeout", err)
	}
	if _, err := ask(t, l, 2); err != nil {
		t.Fatal(err)
	}
	awaitNoise(t, l) // the third reply, of an id that was never sent, may still be on its way
	want := []string{`{"jsonrpc":"2.0","id":77,"result":{"ok":true}}`}
	if diff := cmp.Diff(want, l.Noise()); diff != "" {
		t.Errorf("noise (-want +got):\n%s", diff)
	}
}
