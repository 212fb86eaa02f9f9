package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/mark3labs/mcp-go/server/servertest"
	"go.uber.org/goleak"

	"github.com/mcpctl/mcpctl/internal/watchrun"
	"github.com/mcpctl/mcpctl/pkg/probe"
	"github.com/mcpctl/mcpctl/pkg/snapshot"
	"github.com/mcpctl/mcpctl/pkg/watch"
)

// lookout watches one real server and keeps what was reported of its items: tools by their names, others as
// findings name them.
type lookout struct {
	t     *testing.T
	view  watch.View
	stop  context.CancelFunc
	ended chan struct{}

	mu     sync.Mutex
	items  map[string]bool // as the first surface and the changes since make them
	events []watch.EventKind
}

// lookOut begins to watch, with short waits, until the test ends; by then nothing may be left.
func lookOut(t *testing.T, target probe.Server) *lookout {
	leaks := []goleak.Option{goleak.IgnoreCurrent(),
		// mcp-go's server over HTTP+SSE keeps a subscription for ever once its client has gone
		goleak.IgnoreAnyFunction("github.com/mark3labs/mcp-go/server.(*MCPServer).handleSubscriptionsListen")}
	ctx, stop := context.WithCancel(t.Context())
	l := &lookout{t: t, stop: stop, ended: make(chan struct{})}
	open := func(ctx context.Context) (watch.Session, error) {
		session, err := probe.Open(ctx, target, probe.Options{Environ: os.Environ(), Timeout: 5 * time.Minute})
		if err != nil {
			return nil, err
		}
		return watchrun.Listen(ctx, session), nil
	}
	source := watch.Source{Name: target.Name, Open: open}
	options := watch.Options{
		Backoff: 2 * time.Millisecond, Longest: 20 * time.Millisecond, Retry: 2 * time.Millisecond, Interval: time.Second,
		Quiet: 5 * time.Millisecond, MaxFailures: 1000, Timeout: 5 * time.Minute, View: &l.view,
	}
	go func() {
		defer close(l.ended)
		if err := watch.Run(ctx, source, options, l.take); err != nil {
			t.Error(err)
		}
	}()
	t.Cleanup(func() {
		stop()
		<-l.ended
		goleak.VerifyNone(t, leaks...)
	})
	return l
}

// take applies an event to what is known. A change that makes no sense then was reported twice, or one before it
// was lost.
func (l *lookout) take(e watch.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.events = append(l.events, e.Kind)
	if l.items == nil && e.State.Reached() {
		l.items = map[string]bool{}
		for _, name := range l.names() {
			l.items[name] = true
		}
	}
	for _, f := range e.Findings {
		name := strings.TrimPrefix(f.Item, "tool/")
		switch added := strings.HasSuffix(f.Rule, "-added"); {
		case !added && !strings.HasSuffix(f.Rule, "-removed"), f.Item == "":
		case l.items[name] == added:
			l.t.Errorf("%s %s was told twice", f.Rule, name)
		case added:
			l.items[name] = true
		default:
			delete(l.items, name)
		}
	}
}

// names are the items of the newest surface, sorted.
func (l *lookout) names() []string {
	names := []string{}
	s := l.view.Status().Surface
	if s == nil {
		return names
	}
	for kind, prefix := range map[snapshot.Kind]string{snapshot.Tools: "", snapshot.Prompts: "prompt/", snapshot.Resources: "resource/"} {
		for _, item := range s.List(kind).Items() {
			names = append(names, prefix+item.Key)
		}
	}
	slices.Sort(names)
	return names
}

// until waits until the surface, and the changes that were reported, are these items.
func (l *lookout) until(want ...string) {
	l.t.Helper()
	slices.Sort(want)
	late := time.After(5 * time.Minute)
	for {
		l.mu.Lock()
		told := slices.AppendSeq([]string{}, maps.Keys(l.items))
		l.mu.Unlock()
		slices.Sort(told)
		if slices.Equal(l.names(), want) && slices.Equal(told, want) && l.view.Status().State.Reached() {
			return
		}
		select {
		case <-late:
			l.t.Fatalf("want %q; the surface is %q, the changes lead to %q, the state is %s (%v)",
				want, l.names(), told, l.view.Status().State, l.view.Status().Err)
		case <-time.After(time.Millisecond):
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
			return servertest.NewTestStreamableHTTPServer(s, server.WithStateful(true), server.WithStreamableHTTPProtocolVersions("2025-11-25")), "/mcp"
		},
		"sse": func(s *server.MCPServer) (*httptest.Server, string) { return servertest.NewTestServer(s), "/sse" },
	} {
		t.Run(name, func(t *testing.T) {
			s := server.NewMCPServer("changing", "1", server.WithToolCapabilities(true))
			add := func(name string) {
				s.AddTool(mcp.NewToolWithRawSchema(name, strings.Repeat(name+" ", 5), json.RawMessage(`{"type":"object"}`)), nil)
			}
			add("first")
			site, path := listen(s)
			defer site.Close()
			defer site.CloseClientConnections()
			l := lookOut(t, probe.Server{Name: "changing", HTTP: &probe.HTTP{URL: site.URL + path}})
			defer func() {
				l.stop()
				<-l.ended
			}()
			l.until("first")
			if got := l.view.Status().State; got != watch.Live {
				t.Errorf("the state is %s, want live", got)
			}
			add("second")
			l.until("first", "second")
			s.DeleteTools("first")
			l.until("second")
			for n := range 20 {
				add(fmt.Sprint("more", n%2))
				s.DeleteTools(fmt.Sprint("more", (n+1)%2))
			}
			l.until("more1", "second")
			if diff := cmp.Diff(1, l.view.Status().Counts.Connections); diff != "" {
				t.Errorf("connections (-want +got):\n%s", diff)
			}
		})
	}
}
