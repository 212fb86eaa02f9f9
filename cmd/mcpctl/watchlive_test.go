package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
)

// watchEvent is an event as a program reads it.
type watchEvent struct {
	Event, State, Cause string
	Findings            []struct{ Rule, Item string }
}

// watching is an mcpctl watch --format ndjson.
type watching struct {
	*testing.T
	cmd       *exec.Cmd
	lines     *bufio.Scanner
	items     map[string]bool // that the changes lead to; nil = not known
	reconnect int             // how often it had to
}

// startWatch starts a watch in a directory, until the end of the test, of a server that offers these items.
func startWatch(t *testing.T, dir string, cmd *exec.Cmd, items ...string) *watching {
	t.Helper()
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	late := time.AfterFunc(2*time.Minute, func() { _ = cmd.Process.Kill() })
	t.Cleanup(func() {
		late.Stop()
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	w := &watching{T: t, cmd: cmd, lines: bufio.NewScanner(out)}
	w.lines.Buffer(nil, 4<<20)
	for _, item := range items {
		if w.items == nil {
			w.items = map[string]bool{}
		}
		w.items[item] = true
	}
	return w
}

// next reads an event, or reports false at the end. A change that makes no sense then was reported twice, or one before it
// was lost.
func (w *watching) next() (e watchEvent, ok bool) {
	if !w.lines.Scan() || json.Unmarshal(w.lines.Bytes(), &e) != nil { // the last line of a process that was killed is torn
		return e, false
	}
	w.Logf("%.300s", w.lines.Text())
	if e.State == "reconnecting" {
		w.reconnect++
	}
	for _, f := range e.Findings {
		added := strings.HasSuffix(f.Rule, "-added")
		if w.items == nil || !added && !strings.HasSuffix(f.Rule, "-removed") {
			continue
		}
		if w.items[f.Item] == added {
			w.Errorf("%s of %s was reported twice", f.Rule, f.Item)
		}
		if delete(w.items, f.Item); added {
			w.items[f.Item] = true
		}
	}
	return e, true
}

// until returns the events up to one with a name, or with a state.
func (w *watching) until(word string) (all []watchEvent) {
	w.Helper()
	for {
		e, ok := w.next()
		if !ok {
			w.Fatalf("it ended before %s", word)
		}
		if all = append(all, e); e.Event == word || e.Event == "state" && e.State == word {
			return all
		}
	}
}

// untilOffers waits until the changes lead to these items.
func (w *watching) untilOffers(want ...string) {
	w.Helper()
	slices.Sort(want)
	for !slices.Equal(slices.Sorted(maps.Keys(w.items)), want) {
		if _, ok := w.next(); !ok {
			w.Fatalf("it ended with %v, want %v", w.items, want)
		}
	}
}

// TestWatchMcpGo changes the tools of servers on mcp-go, in both eras and over both HTTP transports.
func TestWatchMcpGo(t *testing.T) {
	for name, listen := range map[string]func(*server.MCPServer) (*httptest.Server, string){
		"2026-07-28": func(s *server.MCPServer) (*httptest.Server, string) {
			return servertest.NewTestStreamableHTTPServer(s), "/mcp"
		},
		"2025-11-25": func(s *server.MCPServer) (*httptest.Server, string) {
			return servertest.NewTestStreamableHTTPServer(s, server.WithStateful(true),
				server.WithStreamableHTTPProtocolVersions("2025-11-25")), "/mcp"
		},
		"sse": func(s *server.MCPServer) (*httptest.Server, string) { return servertest.NewTestServer(s), "/sse" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server.NewMCPServer("changing", "1", server.WithToolCapabilities(true))
			add := func(name string) {
				s.AddTool(mcp.NewToolWithRawSchema(name, strings.Repeat(name+" ", 5), json.RawMessage(`{"type":"object"}`)), nil)
			}
			add("first")
			site, path := listen(s)
			t.Cleanup(site.Close)
			t.Cleanup(site.CloseClientConnections)
			w := startWatch(t, t.TempDir(), exec.Command("mcpctl", "watch", "--format", "ndjson", site.URL+path), "tool/first")
			w.until("live")
			add("second")
			w.untilOffers("tool/first", "tool/second")
			s.DeleteTools("first")
			w.untilOffers("tool/second")
			for n := range 20 {
				add(fmt.Sprint("more", n%2))
				s.DeleteTools(fmt.Sprint("more", (n+1)%2))
			}
			w.untilOffers("tool/more1", "tool/second")
			if w.reconnect > 0 {
				t.Errorf("reconnected %d times", w.reconnect)
			}
		})
	}
}
