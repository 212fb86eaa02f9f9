package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/mcpctl/mcpctl/internal/fixture"
)

// serve serves a script over HTTP for the length of the test.
func serve(t *testing.T, script string) Server {
	t.Helper()
	parsed, err := fixture.Parse([]byte(script))
	if err != nil {
		t.Fatal(err)
	}
	listener := fixture.Listen(parsed)
	t.Cleanup(listener.Close)
	return Server{Name: "served", HTTP: &HTTP{URL: listener.Address()}}
}

// closed is a server at a port on which no one listens.
func closed(t *testing.T) Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return Server{Name: "closed", HTTP: &HTTP{URL: fmt.Sprintf("http://%s/mcp", listener.Addr())}}
}

// TestAllFailureTouchesNoOther asks good and bad servers together.
func TestAllFailureTouchesNoOther(t *testing.T) {
	good := serve(t, "tools: 2")
	hanging := serve(t, "on: {POST: [hang]}")
	hanging.Timeout = 200 * time.Millisecond
	servers := []Server{hanging, good, closed(t), {Name: "neither a command nor a URL"}, good}
	got := make([]string, len(servers))
	for result := range All(t.Context(), servers, Options{Parallel: 2, Timeout: 20 * time.Second}) {
		got[result.Index] = outcome(result)
	}
	want := []string{"handshake", "2 tools", "connecting", "starting", "2 tools"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// outcome is a result in a few words.
func outcome(result Result) string {
	if result.Err != nil {
		return string(Failures(result.Err)[0].Stage)
	}
	return fmt.Sprintf("%d tools", len(result.Snapshot.Tools.Items()))
}

// TestAllEndsWithItsContext expects a result for every server, and soon.
func TestAllEndsWithItsContext(t *testing.T) {
	hanging := serve(t, "on: {POST: [hang]}")
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	count := 0
	for result := range All(ctx, []Server{hanging, hanging, hanging}, Options{Parallel: 1, Retries: 5}) {
		count++
		if !errors.Is(result.Err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the end of the context", result.Err)
		}
	}
	if count != 3 {
		t.Errorf("%d results, want 3", count)
	}
}

// TestAllStops leaves the iteration early; goleak sees what stays behind.
func TestAllStops(t *testing.T) {
	hanging := serve(t, "on: {POST: [hang]}")
	for range All(t.Context(), []Server{hanging, closed(t), hanging, hanging}, Options{Parallel: 2}) {
		break
	}
	for range All(t.Context(), nil, Options{}) {
		t.Error("a result of no server")
	}
}

// TestOpenOutlivesItsContext keeps a session after the context of Open has ended.
func TestOpenOutlivesItsContext(t *testing.T) {
	for name, script := range map[string]string{"streamable": "tools: 1", "sse": "{http: {sse: true}, tools: 1}"} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			session, err := Open(ctx, serve(t, script), Options{Timeout: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			cancel()
			shot, err := session.Snapshot(t.Context())
			if err != nil || len(shot.Tools.Items()) != 1 {
				t.Errorf("snapshot %+v, error %v", shot, err)
			}
			if err := session.Close(); err != nil {
				t.Error(err)
			}
			<-session.Done()
		})
	}
}
